"""Programs asked of an endpoint denote what the executor makes of them over the same facts."""

import math

import numpy as np
import pytest

from retrieval.kg.sparql.graph import SparqlGraph
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.remote.queries import Queries
from retrieval.programs.remote.vocabulary import Plain
from tests.retrieval.programs.land import Land, programs
from tests.retrieval.programs.remote.atlas import turtle
from tests.support.sparql_server import SparqlServer


@pytest.fixture(scope="module")
def server():
    with SparqlServer(turtle()) as running:
        yield running


@pytest.fixture(scope="module")
def graph(server):
    with SparqlGraph(server.url) as opened:
        yield opened


class Remote(Land):
    """The atlas by the names of the endpoint's predicates."""

    def r(self, name):
        plain = name.removeprefix("-")
        labels = {self.snapshot.get_relation_label(r): r for r in range(self.snapshot.num_relations)}
        return labels[plain] + self.snapshot.num_relations * name.startswith("-")


@pytest.fixture(scope="module")
def land(graph):
    return Remote(graph.build_subgraph(graph.sample([])).snapshot)


def test_the_sample_of_a_small_graph_is_all_of_it(land):
    assert land.snapshot.num_triples == 35


def _queries(graph, snapshot):
    columns = Columns(snapshot)
    return Queries(graph.select, snapshot, columns, Plain(snapshot, columns, ("en",)))


def test_every_program_denotes_the_same(graph, land):
    executor = Executor(land.snapshot)
    queries = _queries(graph, land.snapshot)
    wrong = {}
    for name, program in programs(land).items():
        found, expected = queries.get_result(program), executor.run(program)
        if isinstance(expected, np.ndarray):
            labels = sorted(map(land.snapshot.get_entity_label, expected.tolist()))
            got = sorted(_label(land.snapshot, term) for term in found.terms)
            same = got == labels and found.size == len(labels)
        else:
            got, labels = found.value, expected
            same = (math.isnan(expected) and math.isnan(got)) or math.isclose(got, expected, rel_tol=1e-9)
        if not same:
            wrong[name] = (got, labels)
    assert wrong == {}


def _label(snapshot, term):
    if hasattr(term, "language"):
        return term.value
    iris = {snapshot.get_entity_iri(node): snapshot.get_entity_label(node) for node in range(snapshot.num_entities)}
    return iris[term.value]
