"""Files that call things by ids and name them in rows of their own."""

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.build.versions import merge, remove_facts
from retrieval.kg.table import TripleTable

COURSES = [
    ("c1", "title", "Algorithms"),
    ("c1", "taught_by", "p1"),
    ("c1", "credits", "6"),
    ("p1", "name", "Chen Wei"),
    ("p1", "P31", "professor"),
    ("P31", "label", "is a"),
]


def facts(snapshot):
    return {
        (snapshot.get_entity_label(head), snapshot.get_relation_label(relation), snapshot.get_entity_label(tail))
        for head, relation, tail in zip(
            snapshot.heads.tolist(), snapshot.relations.tolist(), snapshot.tails.tolist(), strict=True
        )
    }


@pytest.fixture
def build(tmp_path):
    made = iter(range(9))
    return lambda rows: build_snapshot(
        rows if isinstance(rows, TripleTable) else TripleTable.from_facts(rows),
        tmp_path / f"graph{next(made)}",
    )


def test_things_are_called_by_their_names_and_found_by_their_ids(build):
    snapshot = build(COURSES)
    assert facts(snapshot) == {
        ("Algorithms", "node id", "c1"),
        ("Algorithms", "taught by", "Chen Wei"),
        ("Algorithms", "credits", "6"),
        ("Chen Wei", "node id", "p1"),
        ("Chen Wei", "is a", "professor"),
    }
    assert [match.node.label for match in snapshot.labels.find_exact("c1")] == ["Algorithms"]


def test_names_that_are_something_else_too_keep_their_id(build):
    rows = [*COURSES, ("p2", "name", "Chen Wei"), ("c2", "title", "Physics"), ("c1", "department", "Physics")]
    found = facts(build(rows))
    assert ("Algorithms", "taught by", "Chen Wei (p1)") in found
    assert ("Chen Wei (p2)", "node id", "p2") in found
    assert ("Physics (c2)", "node id", "c2") in found
    assert ("Algorithms", "department", "Physics") in found


@pytest.mark.parametrize(
    "rows",
    [
        [("Jaws", "title", "Der weiße Hai"), ("Alien", "title", "Das unheimliche Wesen")],
        [("1", "name", "Anna"), ("2", "name", "Ben"), ("1", "age", "2")],
        [("c1", "label", "c1b2"), ("c2", "label", "c2b3")],
    ],
)
def test_what_is_no_id_or_no_name_stays_as_it_is(build, rows):
    assert facts(build(rows)) == set(rows)


def test_facts_by_ids_are_added_to_a_graph_that_knows_them(build):
    base = build(COURSES)
    more = [("c2", "title", "Databases"), ("c2", "taught_by", "p1"), ("s7", "enrolled_in", "c1")]
    grown = build(merge(base, TripleTable.from_facts(more)))
    assert facts(grown) - facts(base) == {
        ("Databases", "node id", "c2"),
        ("Databases", "taught by", "Chen Wei"),
        ("s7", "enrolled in", "Algorithms"),
    }
    left = build(remove_facts(grown, TripleTable.from_facts([more[0], more[1]])))
    assert facts(left) == facts(base) | {("s7", "enrolled in", "Algorithms")}


def test_the_same_snapshot_is_built_of_its_table(build):
    snapshot = build(COURSES)
    assert build(convert_to_table(snapshot)).manifest.content_hash == snapshot.manifest.content_hash
