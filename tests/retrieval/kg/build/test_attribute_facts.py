"""What questions ask of the nodes of a property graph is in its facts."""

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.build.versions import merge, remove_facts
from retrieval.kg.table import TripleTable
from retrieval.types import Passage

EDGES = [("Ann Bell", "DIRECTED", "Night Train")]
NODES = [
    ("Night Train", "type", "Movie"),
    ("Night Train", "released", "1999"),
    ("Night Train", "genre", "drama"),
    ("Night Train", "genre", "crime"),
    ("Night Train", "id", "m7"),
    ("Night Train", "alias", "The Night Train"),
    ("Night Train", "poster", "https://example.org/7.png"),
    ("Night Train", "plot", "A conductor finds a suitcase. " * 5),
    ("Night Train", "tags", '["a", "b"]'),
]


def facts(snapshot):
    hops = [snapshot.get_hop(fact) for fact in range(snapshot.num_triples)]
    return {(hop.source.label, hop.step.name, hop.target.label) for hop in hops}


@pytest.fixture
def build(tmp_path):
    made = iter(range(9))
    return lambda table: build_snapshot(table, tmp_path / f"graph{next(made)}")


def test_short_values_are_facts_and_stay_attributes(build):
    snapshot = build(TripleTable.from_facts(EDGES, node_attributes=NODES))
    assert facts(snapshot) == {
        ("Ann Bell", "DIRECTED", "Night Train"),
        ("Night Train", "type", "Movie"),
        ("Night Train", "released", "1999"),
        ("Night Train", "genre", "drama"),
        ("Night Train", "genre", "crime"),
    }
    assert snapshot.get_entity_attributes(snapshot.find_entity("Night Train"))["released"] == "1999"
    assert snapshot.manifest.duplicates == 0


def test_graphs_that_are_read_out_of_texts_have_none(build):
    passages = [Passage(0, "one", "", "Ann Bell directed it.")]
    snapshot = build(TripleTable.from_facts(EDGES, passages=passages, node_attributes=NODES))
    assert facts(snapshot) == set(EDGES)


def test_versions_add_and_remove_them_with_their_nodes(build):
    base = build(TripleTable.from_facts(EDGES, node_attributes=NODES[:2]))
    more = TripleTable.from_facts(
        [("Ann Bell", "DIRECTED", "Sea Road")], node_attributes=[("Sea Road", "released", "2011")]
    )
    grown = build(merge(base, more))
    assert facts(grown) - facts(base) == {
        ("Ann Bell", "DIRECTED", "Sea Road"),
        ("Sea Road", "released", "2011"),
    }
    assert grown.manifest.duplicates == 0
    assert facts(build(remove_facts(grown, more))) == facts(base)


WORKS = [
    ("Ann Bell", "WORKS_AT", "Acme"),
    ("Bob Hart", "WORKS_AT", "Acme"),
    ("Cora Dunn", "WORKS_AT", "Globex"),
]
SAID = [
    (0, "role", "CEO"),
    (0, "since", "2010"),
    (0, "weight", "0.5"),
    (1, "role", "engineer"),
    (1, "since", "2015"),
    (2, "role", "CEO"),
    (2, "contract", "https://example.org/1"),
]


def test_what_edges_say_is_said_of_where_they_begin_and_roles_are_relations(build):
    snapshot = build(TripleTable.from_facts(WORKS, fact_attributes=SAID))
    assert facts(snapshot) == {
        *WORKS,
        ("Ann Bell", "WORKS AT role", "CEO"),
        ("Ann Bell", "WORKS AT since", "2010"),
        ("Bob Hart", "WORKS AT role", "engineer"),
        ("Bob Hart", "WORKS AT since", "2015"),
        ("Cora Dunn", "WORKS AT role", "CEO"),
        ("Acme", "CEO", "Ann Bell"),
        ("Acme", "engineer", "Bob Hart"),
        ("Globex", "CEO", "Cora Dunn"),
    }


def test_roles_of_one_each_are_no_relations(build):
    said = [(row, "role", name) for row, name in enumerate(("Neo", "Trinity", "Morpheus"))]
    found = facts(build(TripleTable.from_facts(WORKS, fact_attributes=said)))
    assert found - set(WORKS) == {
        ("Ann Bell", "WORKS AT role", "Neo"),
        ("Bob Hart", "WORKS AT role", "Trinity"),
        ("Cora Dunn", "WORKS AT role", "Morpheus"),
    }


def test_versions_add_and_remove_what_edges_say(build):
    base = build(TripleTable.from_facts(WORKS[:2], fact_attributes=[(0, "since", "2010"), (1, "since", "2015")]))
    more = TripleTable.from_facts([("Dan Low", "WORKS_AT", "Acme")], fact_attributes=[(0, "since", "2020")])
    grown = build(merge(base, more))
    assert facts(grown) - facts(base) == {
        ("Dan Low", "WORKS_AT", "Acme"),
        ("Dan Low", "WORKS AT since", "2020"),
    }
    assert grown.manifest.duplicates == 0
    assert facts(build(remove_facts(grown, more))) == facts(base)


ROUTES = [("Austin", "route", "Boston"), ("Austin", "route", "Denver"), ("Boston", "route", "Denver")]


def test_edges_that_measure_something_are_rows_with_both_ends(build):
    attributes = [(0, "distance", "1690"), (1, "distance", "775"), (2, "distance", "1754"), (0, "carrier", "Delta")]
    snapshot = build(TripleTable.from_facts(ROUTES, fact_attributes=attributes))
    rows = {
        (f"route {number}", *said)
        for number, (start, _, end) in enumerate(ROUTES, 1)
        for said in (("type", "route"), ("from", start), ("to", end))
    }
    values = {(f"route {fact + 1}", key, value) for fact, key, value in attributes}
    assert facts(snapshot) == set(ROUTES) | rows | values


def test_rows_of_edges_are_no_things_that_are_there(build):
    named = [*ROUTES, ("route 1", "part of", "Austin")]
    snapshot = build(TripleTable.from_facts(named, fact_attributes=[(0, "miles", "1690"), (1, "miles", "775")]))
    assert ("route connection 1", "miles", "1690") in facts(snapshot)


def test_years_of_edges_are_said_of_where_they_begin(build):
    jobs = [("Ann", "works at", "Acme"), ("Ann", "works at", "Bolt")]
    snapshot = build(TripleTable.from_facts(jobs, fact_attributes=[(0, "since", "2010"), (1, "since", "2015")]))
    assert facts(snapshot) == {*jobs, ("Ann", "works at since", "2010"), ("Ann", "works at since", "2015")}
