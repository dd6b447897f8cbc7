"""A graph that was exported builds the same content again."""

import json
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
    *(
        ('"Zum" Löwen', "located in", "Zürich"),
        ("12", "follows", "11"),
        ("http://example.org/x?y=1", "located in", "Zürich"),
        ("true", "is", "false"),
    ),
]
WITH_ATTRIBUTES = [name for name, chosen in EXPORT_FORMATS.items() if chosen.holds]
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


@pytest.mark.parametrize("format", WITH_ATTRIBUTES)
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


SAID = "a sentence that describes in so many words that nobody asks a question for it"


def export_again(paths, folder, format):
    """The snapshot of files, and that of what was exported of it."""
    first = build_snapshot(read_graph(paths, problems=pytest.fail), folder / "first")
    path = folder / f"graph{EXPORT_FORMATS[format].suffix}"
    export_graph(first.path, path, format, partial=False)
    return first, build_snapshot(read_graph([path], problems=pytest.fail), folder / "second")


@pytest.mark.parametrize("format", WITH_ATTRIBUTES)
def test_tables_come_back_with_the_same_hash(tmp_path, format):
    (tmp_path / "members.csv").write_text("id,name,joined,town\n1,Ann,2001-05-01,Oslo\n2,Bob,2004-01-02,Rome\n")
    (tmp_path / "loans.csv").write_text("loan,member,book,days\n7,1,Emma,14\n8,2,Emma,21\n9,1,Dune,30\n")
    first, second = export_again([tmp_path / "members.csv", tmp_path / "loans.csv"], tmp_path, format)
    assert first.get_entity_attributes(first.find_entity("Ann"))["id"] == "1"
    assert second.hash == first.hash


@pytest.mark.parametrize("format", WITH_ATTRIBUTES)
def test_edges_with_measures_are_not_made_rows_again(tmp_path, format):
    lines = [("A", "B", 4), ("A", "C", 9), ("B", "C", 6), ("B", "A", 4), ("C", "A", 9), ("C", "B", 7)]
    edges = [{"source": a, "target": b, "relation": "pipe", "metres": length} for a, b, length in lines]
    nodes = [{"id": name, "name": name} for name in "ABC"]
    (tmp_path / "pipes.json").write_text(json.dumps({"nodes": nodes, "edges": edges}))
    first, second = export_again([tmp_path / "pipes.json"], tmp_path, format)
    assert first.num_triples == len(lines) + 4 * len(lines), "each is an edge and a row of four facts"
    assert second.hash == first.hash


@pytest.mark.parametrize("format", WITH_ATTRIBUTES)
def test_values_of_a_key_stay_apart(tmp_path, format):
    values = [("Zürich", "note", "first; or not"), ("Zürich", "note", SAID)]
    values += [("Zürich", "type", "city"), ("Zürich", "type", "capital of a canton")]
    more = [
        (0, "type", SAID),
        (0, "type", "b"),
        (0, "source", SAID),
        (0, "source", "b"),
        (1, "id", SAID),
        (2, "to", SAID),
    ]
    table = TripleTable.from_facts(FACTS, node_attributes=[*values, ("Zürich", "id", SAID)], fact_attributes=more)
    first, second = build_again(table, tmp_path, format)
    assert second.hash == first.hash


@pytest.mark.parametrize("format", WITH_ATTRIBUTES)
@pytest.mark.parametrize("key", ["name", "Label", "labels", "name_de"])
def test_attributes_that_would_be_read_as_names_are_refused(tmp_path, format, key):
    table = TripleTable.from_facts(FACTS, node_attributes=[("Zürich", key, SAID)])
    snapshot = build_snapshot(table, tmp_path / "first")
    with pytest.raises(ConfigError, match=f"cannot hold the attribute '{key}'"):
        export_graph(snapshot.path, tmp_path / "graph", format, partial=False)
    path = tmp_path / f"graph{EXPORT_FORMATS[format].suffix}"
    export_graph(snapshot.path, path, format, partial=True)
    again = build_snapshot(read_graph([path], problems=pytest.fail), tmp_path / "second")
    assert again.hash == build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "bare").hash


def test_what_a_format_cannot_hold_is_left_out_only_where_asked(tmp_path):
    table = TripleTable.from_facts(FACTS, passages=[Passage(0, "p", "", "Zürich is a city.")], node_attributes=NODE)
    snapshot = build_snapshot(table, tmp_path / "s")
    path = Path(tmp_path / "graph.tsv")
    with pytest.raises(ConfigError, match="cannot hold the passages, entity attributes"):
        export_graph(snapshot.path, path, "facts", partial=False)
    assert not path.exists()
    export_graph(snapshot.path, path, "facts", partial=True)
    assert path.read_text().splitlines()[0] == "head\trelation\ttail"
    export_graph(snapshot.path, path, "tsv", partial=True)
    assert path.read_text().splitlines()[0] == "_id\tname\t_start\t_type\t_end\t_properties"


def test_attributes_that_no_cell_holds_are_refused(tmp_path):
    table = TripleTable.from_facts(FACTS, node_attributes=[("Zürich", "note", "x" * 131_000), ("Zürich", "n", SAID)])
    snapshot = build_snapshot(table, tmp_path / "s")
    with pytest.raises(ConfigError, match="too long for a cell of TSV"):
        export_graph(snapshot.path, tmp_path / "graph.tsv", "tsv", partial=False)


@pytest.mark.parametrize(
    ("label", "format", "message"),
    [("a\x01b", "graphml", "control character"), ("a\tb", "tsv", "a tab or"), ("a\nb", "tsv", "a line end")],
)
def test_names_that_a_format_cannot_hold_are_refused(tmp_path, label, format, message):
    snapshot = build_snapshot(TripleTable.from_facts([(label, "is", "c")]), tmp_path / "s")
    with pytest.raises(ConfigError, match=message):
        export_graph(snapshot.path, tmp_path / "graph", format, partial=False)
