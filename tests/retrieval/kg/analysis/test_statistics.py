"""The figures of a small graph are those counted by hand, and are kept."""

import json

import pytest

from retrieval.kg.analysis.schema import SchemaEdge, TypeCount, get_schema
from retrieval.kg.analysis.statistics import DegreeBin, EntityCount, RelationCount, describe
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.types import Passage
from tests.retrieval.kg.worlds import FILMS, build

TYPED = [
    ("Jaws", "type", "film"),
    ("Hook", "type", "film"),
    ("Spielberg", "type", "person"),
    ("Spielberg", "instance_of", "film"),
    ("Jaws", "directed_by", "Spielberg"),
    ("Hook", "directed_by", "Spielberg"),
    ("Jaws", "year", "1975"),
    ("!", "is", "!"),
]


def test_the_figures_of_the_films(tmp_path):
    found = describe(build(FILMS, tmp_path / "g"))
    assert (found.entities, found.relations, found.triples) == (8, 5, 8)
    assert found.kinds == {"entity": 6, "cvt": 1, "literal": 1}
    # Hook 5, Jaws 3, Spielberg 2, English 2, four others 1
    assert found.degrees == (
        DegreeBin(0, 0, 0), DegreeBin(1, 1, 4), DegreeBin(2, 3, 3), DegreeBin(4, 7, 1),
    )  # fmt: skip
    assert (found.mean_degree, found.median_degree) == (2.0, 1.5)
    assert [(hub.label, hub.count) for hub in found.hubs][:3] == [("Hook", 5), ("Jaws", 3), ("English", 2)]
    first = found.top_relations[0]
    assert (first.name, first.count, first.heads, first.tails) == ("in_language", 3, 2, 2)
    assert first.example == ("Hook", "in language", "English")
    assert [row.count for row in found.top_relations] == [3, 2, 1, 1, 1]
    assert isinstance(first, RelationCount)
    assert isinstance(found.hubs[0], EntityCount)
    assert (found.components.count, found.components.largest, found.components.largest_share) == (1, 8, 1.0)
    assert (found.isolated, found.unnamed, found.self_loops) == (0, 1, 0)
    assert found.types == ()


def test_types_components_loops_and_text(tmp_path):
    table = TripleTable.from_facts(
        TYPED,
        passages=[Passage(0, "p", "", "Text.")],
        fact_passages=[(4, 0)],
        node_attributes=[
            ("Lonely", "type", "person"),
            ("Lonely", "description", "Nobody."),
            ("Jaws", "x", "y"),
        ],
    )
    graph = build_snapshot(table, tmp_path / "g")
    found = describe(graph)
    assert [(t.label, t.count) for t in found.types] == [("film", 3), ("person", 1)]
    assert (found.components.count, found.components.largest) == (3, 6)
    assert (found.isolated, found.self_loops, found.unnamed) == (1, 1, 1)
    assert (found.text.passages, found.text.facts_with_passages, found.text.entities_with_passages) == (
        1,
        1,
        2,
    )
    assert (found.text.entities_with_attributes, found.text.entities_with_descriptions) == (2, 1)


def test_schema_counts_facts_between_types(tmp_path):
    table = TripleTable.from_facts(TYPED, node_attributes=[("Lonely", "type", "person")])
    graph = build_snapshot(table, tmp_path / "g")
    found = get_schema(graph)
    # film, person, "!" and the two types themselves, and the year
    assert found.types == (
        TypeCount(0, "film", 3), TypeCount(1, "entity", 3), TypeCount(2, "person", 1), TypeCount(3, "literal", 1),
    )  # fmt: skip
    directed, year = graph.find_relation("directed_by"), graph.find_relation("year")
    assert SchemaEdge(directed, "directed by", 0, 0, 2) in found.edges
    assert SchemaEdge(year, "year", 0, 3, 1) in found.edges
    assert sum(edge.count for edge in found.edges) == graph.num_triples
    assert (found.num_types, found.num_edges) == (4, 6)


def test_figures_are_kept_and_belong_to_their_content(tmp_path):
    graph = build(FILMS, tmp_path / "g")
    first = describe(graph)
    kept = tmp_path / "g" / "cache" / "statistics.json"
    value = json.loads(kept.read_text())
    value["value"]["triples"] = 77
    kept.write_text(json.dumps(value))
    assert describe(graph).triples == 77
    value["key"] = "of another graph"
    kept.write_text(json.dumps(value))
    assert describe(graph) == first
    kept.write_text("{")
    assert describe(graph) == first
    assert [p.name for p in kept.parent.iterdir()] == ["statistics.json"]


def test_a_graph_of_passages_alone(tmp_path):
    graph = build_snapshot(TripleTable.from_facts([], passages=[Passage(0, "p", "", "Text.")]), tmp_path / "g")
    found = describe(graph)
    assert (found.entities, found.degrees, found.components.count, found.text.passages) == (0, (), 0, 1)
    assert get_schema(graph).types == ()


@pytest.mark.parametrize("label", ["»«", "…", "日本", "Ünal"])
def test_unnamed_is_without_letters_in_any_script(label, tmp_path):
    found = describe(build([(label, "is", "here")], tmp_path / "g"))
    assert found.unnamed == (0 if label.isalpha() else 1)
