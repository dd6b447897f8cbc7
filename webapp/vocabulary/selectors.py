"""Reading the vocabulary of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.kg.analysis import terms
from retrieval.kg.analysis.terms import GraphTerm
from retrieval.kg.model.storage import load_model
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.kg.snapshot.vocabulary import Category, Term, Vocabulary, load_vocabulary
from retrieval.questions.wording import WordedStep, write_question
from webapp.graphs import kinds
from webapp.graphs.endpoints import fetch_sample
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint
from webapp.graphs.snapshots import open_current
from webapp.vocabulary.models import VocabularyEntry

_Key = tuple[Category, str]


@dataclass(frozen=True, slots=True)
class DescribedTerm:
    """A relation or a kind of a graph's version with what is known of it.

    Attributes:
        term: its description, its synonyms, and its unit, which the data model has where nobody entered one.
        graph_term: its count and examples; None where the version lacks it.
        entry: what a person said of it, if anybody did.
        warnings: of synonyms that also stand for something else.
        question: an example question with its first synonym, else with its label; empty for none.
    """

    term: Term
    graph_term: GraphTerm | None
    entry: VocabularyEntry | None
    warnings: tuple[str, ...]
    question: str


def list_entries(graph: Graph) -> list[VocabularyEntry]:
    """What people said of a graph's terms."""
    return list(graph.vocabulary.select_related("updated_by"))


def load_graph_vocabulary(graph: Graph, directory: Path) -> Vocabulary:
    """The vocabulary by which questions over a version's directory are read: of its files, overridden by people."""
    return load_vocabulary(directory).override(load_edited_vocabulary(graph).terms)


def load_edited_vocabulary(graph: Graph) -> Vocabulary:
    """What people said of a graph's terms, as the engine reads it."""
    return Vocabulary().override(_convert_entry(entry) for entry in list_entries(graph))


def open_described(graph: Graph) -> Snapshot:
    """The facts whose terms are described: the current version, or a sample of what an endpoint holds.

    Raises:
        NoVersionError: the graph has neither.
        EndpointError, EmptySourceError: the endpoint does not answer, or holds nothing.
        BusyError: too many wait for endpoints.
    """
    endpoint = get_endpoint(graph)
    return open_current(graph) if endpoint is None else fetch_sample(endpoint)


def list_terms(graph: Graph, snapshot: Snapshot) -> list[DescribedTerm]:
    """The relations and kinds of a version, most frequent first, and described terms that it lacks."""
    entries = {(entry.category, entry.name): entry for entry in list_entries(graph)}
    known = {(term.category, term.name): term for term in load_graph_vocabulary(graph, snapshot.path).terms}
    graph_terms = dict(_iter_graph_terms(snapshot))
    owners, units = _map_wordings(known, graph_terms), _map_units(snapshot)
    described = []
    for key in (*graph_terms, *(key for key in known if key not in graph_terms and key in entries)):
        term, graph_term = known.get(key) or Term(*key), graph_terms.get(key)
        if graph_term is not None and not term.unit and key not in entries:
            term = replace(term, unit=units.get(graph_term.label, ""))
        warnings = tuple(_find_warnings(term, owners, snapshot))
        described.append(DescribedTerm(term, graph_term, entries.get(key), warnings, _write_example(term, graph_term)))
    return described


def _iter_graph_terms(snapshot: Snapshot) -> Iterator[tuple[_Key, GraphTerm]]:
    listed = terms.list_terms(snapshot)
    for term in listed.relations:
        yield ("relation", term.name), term
    for term in listed.kinds:
        yield ("kind", term.name), term
    for noun, count in kinds.list_nouns(snapshot) if not listed.kinds else ():
        yield ("kind", noun), GraphTerm(noun, noun, count, ())


def _map_units(snapshot: Snapshot) -> dict[str, str]:
    """By label of a relation the unit of its values, where the data model has the same one of all its columns."""
    model = load_model(snapshot.path)
    units: dict[str, set[str]] = defaultdict(set)
    for column in (column for kind in (model.kinds if model else ()) for column in kind.columns):
        units[column.label].add(column.unit)
    return {label: unit for label, (unit, *more) in units.items() if not more}


def _map_wordings(known: dict[_Key, Term], graph_terms: dict[_Key, GraphTerm]) -> dict[str, dict[_Key, str]]:
    """By wording in small letters the terms that it stands for, each with its label."""
    owners: dict[str, dict[_Key, str]] = defaultdict(dict)
    for key, graph_term in graph_terms.items():
        for wording in (graph_term.label, *(known[key].synonyms if key in known else ())):
            owners[wording.casefold()][key] = graph_term.label
    return owners


def _find_warnings(term: Term, owners: dict[str, dict[_Key, str]], snapshot: Snapshot) -> Iterator[str]:
    """What the synonyms of a term stand for besides it."""
    for synonym in term.synonyms:
        owned = owners[synonym.casefold()].items()
        others = dict.fromkeys(label for key, label in owned if key != (term.category, term.name))
        if others:
            yield f"“{synonym}” also stands for {', '.join(others)}: a question with it may mean either."
        elif snapshot.labels.find_exact(normalize_name(synonym)):
            yield f"“{synonym}” is also the name of an entity: a question with it may mean either."


def _write_example(term: Term, graph_term: GraphTerm | None) -> str:
    if graph_term is None or not graph_term.examples:
        return ""
    wording = term.synonyms[0] if term.synonyms else graph_term.label
    if term.category == "kind":
        return f"How many {wording} are there?"
    topic = graph_term.examples[0][0]
    return write_question(topic, [WordedStep(wording, inverse=False)]) or f"{topic} {wording} what?"


def _convert_entry(entry: VocabularyEntry) -> Term:
    category: Category = "relation" if entry.category == "relation" else "kind"
    return Term(category, entry.name, entry.description, tuple(entry.synonyms), entry.unit)
