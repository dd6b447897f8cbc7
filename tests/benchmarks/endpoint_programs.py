"""Programs over graphs left in a SPARQL endpoint: whether they are read and computed as over the same graph here."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pyoxigraph as ox

from retrieval.answering.loading import load_encoder
from retrieval.errors import EndpointError, ProgramError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.sparql.graph import SparqlGraph
from retrieval.kg.sparql.subgraph_cache import SubgraphCache
from retrieval.kg.values import parse
from retrieval.language.question import Question
from retrieval.linking.encoder import Encoder
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.remote.reader import RemoteReader
from retrieval.programs.remote.vocabulary import get_literal_text
from retrieval.weights.correctness import is_right
from retrieval.weights.suites import UNANSWERABLE, SuiteQuestion
from tests.benchmarks.operators import suites
from tests.benchmarks.report import Section
from tests.support.sparql_server import SparqlServer

COMMAND = "python -m tests.benchmarks endpoint_programs"
QUESTIONS, SEED = 60, 0
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_XSD = "http://www.w3.org/2001/XMLSchema#"


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Questions of suites, drawn by a seed: over the graph as imported, and over the same in an endpoint."""
    encoder = load_encoder()
    section = Section(
        "Programs over SPARQL",
        COMMAND,
        f"Up to {QUESTIONS} answerable questions of each operator suite, drawn by a seed, read with the weights that "
        "come with Clew over the graph here and over the same graph as RDF in pyoxigraph, served over HTTP on the same "
        f"machine (load average {os.getloadavg()[0]:.0f} at the start). Right is the exact answer set of the best "
        "program. The sample of a graph is kept between its questions.",
        head=("suite", "questions", "right here", "right there", "both", "queries p50", "ms p50", "ms p95"),
    )
    by_suite: dict[str, list[SuiteQuestion]] = defaultdict(list)
    for asked in suites(names):
        if UNANSWERABLE not in asked.operators:
            by_suite[asked.suite].append(asked)
    for suite, questions in sorted(by_suite.items()):
        _row(section, suite, random.Random(SEED).sample(questions, min(QUESTIONS, len(questions))), encoder)
    return [section]


def _row(section: Section, suite: str, questions: list[SuiteQuestion], encoder: Encoder) -> None:
    here, there, queries, times = list[bool](), list[bool](), list[int](), list[float]()
    by_graph: dict[Path, list[SuiteQuestion]] = defaultdict(list)
    for asked in questions:
        by_graph[asked.graph].append(asked)
    for path, own in by_graph.items():
        snapshot, pulls = snapshots.open(path), SubgraphCache()
        reader = ProgramReader(snapshot, encoder.encode, PROGRAMS)
        with SparqlServer("\n".join(_rdf(snapshot))) as server:
            for asked in own:
                found = reader.read(Question(asked.text))
                columns = reader.parser.columns
                here.append(found is not None and is_right(columns, found.best.program, found.best.result, asked))
                before, began = len(server.queries), time.perf_counter()
                there.append(_right_there(server.url, pulls, encoder, asked))
                times.append(1e3 * (time.perf_counter() - began))
                queries.append(len(server.queries) - before)
                if here[-1] and not there[-1]:
                    print(f"lost: {asked.text}", flush=True)
    both = sum(a and b for a, b in zip(here, there, strict=True))
    section.add(
        suite, str(len(here)), str(sum(here)), str(sum(there)), str(both), f"{statistics.median(queries):.0f}",
        f"{statistics.median(times):.0f}", f"{statistics.quantiles(times, n=20)[-1]:.0f}",
    )  # fmt: skip
    print(section.rows[-1], flush=True)


def _right_there(url: str, pulls: SubgraphCache, encoder: Encoder, asked: SuiteQuestion) -> bool:
    with SparqlGraph(url, pulls=pulls) as remote:
        topics = list(dict.fromkeys(remote.link(asked.text).values()))
        try:
            found = RemoteReader(remote, encoder.encode).read(Question(asked.text), topics)
        except (EndpointError, ProgramError) as error:
            print(f"{asked.text}: {error.message}", flush=True)
            return False
    return found is not None and is_right(found.executor.columns, found.best.program, found.best.result, asked)


def _rdf(snapshot: Snapshot) -> Iterator[str]:
    """The graph as endpoints hold it: entities with labels, values as typed literals."""
    terms = [_term(snapshot, node) for node in range(snapshot.num_entities)]
    for node, term in enumerate(terms):
        if term.startswith("<"):
            yield f"{term} {_LABEL} {ox.Literal(snapshot.get_entity_label(node), language='en')} ."
    predicates = [_predicate(snapshot, relation) for relation in range(snapshot.num_relations)]
    for relation, predicate in enumerate(predicates):
        if predicate != _TYPE:
            yield f"{predicate} {_LABEL} {ox.Literal(snapshot.get_relation_label(relation), language='en')} ."
    for head, relation, tail in zip(snapshot.heads, snapshot.relations, snapshot.tails, strict=True):
        yield f"{terms[head]} {predicates[relation]} {terms[tail]} ."


def _predicate(snapshot: Snapshot, relation: int) -> str:
    name = snapshot.get_relation_name(relation)
    return _TYPE if name == "type" else f"<http://suite.test/r/{quote(name, safe='')}>"


def _term(snapshot: Snapshot, node: int) -> str:
    label = snapshot.get_entity_label(node)
    value = parse(label) if len(snapshot.get_out_edges(node)) == 0 else None
    if value is None:
        return f"<http://suite.test/e/{quote(label, safe='')}>"
    text = get_literal_text(label)
    if value.kind == "number" and not value.unit:
        kind = "integer" if float(value.value).is_integer() else "double"
        number = str(int(value.value)) if kind == "integer" else repr(value.value)
        return str(ox.Literal(number, datatype=ox.NamedNode(_XSD + kind)))
    if value.kind == "date" and len(text) == len("1960-08-11"):
        return str(ox.Literal(text, datatype=ox.NamedNode(f"{_XSD}date")))
    return str(ox.Literal(text))
