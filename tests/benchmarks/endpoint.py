"""MetaQA's graph left in a SPARQL endpoint: linking a question, pulling what is near, whether the answers are in it."""

from __future__ import annotations

import os
import random
import statistics
import time
from pathlib import Path
from urllib.parse import quote

import pyoxigraph as ox

from retrieval.kg.readers import read_graph
from retrieval.kg.sparql.graph import SparqlGraph
from retrieval.language.question import Question
from retrieval.questions.files import read_questions
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.support.sparql_server import SparqlServer

COMMAND = "python -m tests.benchmarks endpoint"
QUESTIONS, SEED = 40, 0
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")


def measure() -> list[Section]:
    """One and two hops, each question with nothing kept from those before it."""
    kb, folders = found("metaqa", "kb.txt.gz"), {hops: found("metaqa", f"{hops}-hop") for hops in (1, 2)}
    if kb is None or None in folders.values():
        return []
    section = Section(
        "SPARQL endpoint",
        COMMAND,
        "MetaQA's graph as RDF in pyoxigraph, served over HTTP on the same machine (load average "
        f"{os.getloadavg()[0]:.0f} at the start). {QUESTIONS} dev questions of each number of hops, drawn by a "
        "seed; two hops are pulled with the default limits, nothing is kept between questions. Answers inside: answers "
        "of all questions that the pulled part holds.",
        head=(
            "hops",
            "topic linked",
            "link, ms p50",
            "pull, ms p50",
            "ms max",
            "triples p50",
            "answers inside",
        ),
    )
    with SparqlServer(_rdf(kb)) as server:
        for hops, folder in folders.items():
            assert folder is not None
            questions = read_questions(folder / "qa_dev.txt.gz", problems=lambda _: None)
            _row(section, hops, random.Random(SEED).sample(questions, QUESTIONS), server.url)
    return [section]


def _row(section: Section, hops: int, questions: list[QuestionRecord], url: str) -> None:
    link, pull, triples = [], [], []
    linked = inside = answers = 0
    for question in questions:
        with SparqlGraph(url) as graph:
            start = time.perf_counter()
            topics = graph.link(Question(question.question))
            link.append(1e3 * (time.perf_counter() - start))
            wanted = [_iri(name).value for name in question.topic_entities]
            linked += set(wanted) <= set(topics.values())
            start = time.perf_counter()
            near = graph.fetch_subgraph(wanted).snapshot
            pull.append(1e3 * (time.perf_counter() - start))
            triples.append(near.num_triples)
            inside += sum(near.find_entity(name) is not None for name in question.answers)
            answers += len(question.answers)
    section.add(
        str(hops),
        f"{linked} of {len(questions)}",
        f"{statistics.median(link):.0f}",
        f"{statistics.median(pull):.0f}",
        f"{max(pull):.0f}",
        f"{statistics.median(triples):.0f}",
        f"{inside} of {answers}",
    )


def _rdf(kb: Path) -> str:
    facts = read_graph(kb, problems=lambda _: None).facts.rows()
    lines = [f"{_iri(h)} {_iri(r)} {_iri(t)} ." for h, r, t in facts]
    names = sorted({name for h, _, t in facts for name in (h, t)})
    return "\n".join([*lines, *(f"{_iri(name)} {_LABEL} {ox.Literal(name, language='en')} ." for name in names)])


def _iri(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"http://metaqa.test/{quote(name, safe='')}")
