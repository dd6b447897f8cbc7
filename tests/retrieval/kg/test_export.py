"""A graph that was exported builds the same content again."""

from pathlib import Path

import pytest

from retrieval.errors import ConfigError
from retrieval.kg.build import build_snapshot
from retrieval.kg.export import EXPORT_FORMATS, export_graph
from retrieval.kg.readers import read_graph
from retrieval.kg.table import TripleTable
from retrieval.types import Passage

FACTS = [
    *(("Zürich", "located in", "Switzerland"), ("Zürich", "population", "443037"), ("Switzerland", "founded", "1291")),
    *(
        ('The "Limmat"', "flows_through", "Zürich"),
        ("A & B <C>", "located in", "Zürich"),
        ("a;b|c, d", "says", "don't"),
    ),
    *(("12", "follows", "11"), ("http://example.org/x?y=1", "located in", "Zürich"), ("true", "is", "false")),
]
NODE = [("Zürich", "nickname", "Downtown <Switzerland>"), ("Switzerland", "motto", "One for all")]


def build_again(table, folder, format):
    """The snapshot of a table, and that of what was exported of it."""
    snapshot = build_snapshot(table, folder / "first")
    path = folder / f"graph{EXPORT_FORMATS[format].suffix}"
    export_graph(snapshot.path, path, format, partial=False)
    return snapshot, build_snapshot(read_graph([path], problems=pytest.fail), folder / "second")


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_facts_come_back_with_the_same_hash(tmp_path, format):
    first, second = build_again(TripleTable.from_facts(FACTS), tmp_path, format)
    assert second.hash == first.hash
    assert second.num_triples == len(FACTS)


@pytest.mark.parametrize("format", [name for name, chosen in EXPORT_FORMATS.items() if chosen.holds])
def test_attributes_come_back_with_the_same_hash(tmp_path, format):
    source = tmp_path / "source.json"
    source.write_text(
        '{"nodes": [{"id": "a", "name": "Ann", "note": "x < y"}, {"id": "b", "name": "Bob"}, {"id": "c", "name": "C"}],'
        ' "edges": [{"source": "a", "target": "b", "relation": "knows", "note": "since school"}]}'
    )
    first, second = build_again(read_graph([source], problems=pytest.fail), tmp_path, format)
    assert second.hash == first.hash
    assert second.get_entity_attributes(second.find_entity("Ann")) == first.get_entity_attributes(
        first.find_entity("Ann")
    )


def test_what_a_format_cannot_hold_is_left_out_only_where_asked(tmp_path):
    table = TripleTable.from_facts(FACTS, passages=[Passage(0, "p", "", "Zürich is a city.")], node_attributes=NODE)
    snapshot = build_snapshot(table, tmp_path / "s")
    path = Path(tmp_path / "graph.tsv")
    with pytest.raises(ConfigError, match="cannot hold the passages, entity attributes"):
        export_graph(snapshot.path, path, "tsv", partial=False)
    assert not path.exists()
    export_graph(snapshot.path, path, "tsv", partial=True)
    assert path.read_text().splitlines()[0] == "head\trelation\ttail"


@pytest.mark.parametrize(
    ("label", "format", "message"),
    [("a\x01b", "graphml", "control character"), ("a\tb", "tsv", "a tab or"), ("a\nb", "tsv", "a line end")],
)
def test_names_that_a_format_cannot_hold_are_refused(tmp_path, label, format, message):
    snapshot = build_snapshot(TripleTable.from_facts([(label, "is", "c")]), tmp_path / "s")
    with pytest.raises(ConfigError, match=message):
        export_graph(snapshot.path, tmp_path / "graph", format, partial=False)
