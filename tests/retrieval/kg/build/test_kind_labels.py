"""What gives kinds is told apart from a property called type."""

import pytest

from retrieval.kg.analysis.schema import find_types
from retrieval.kg.build.from_files import build_from_files
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers

TURTLE = """@prefix : <http://x/#> .
:Emberfox a :Creature ; :hasType1 "fire" ; :height 3 . :Mossling a :Creature ; :hasType1 "grass" ; :height 2 .
:Tidewing a :Creature ; :hasType1 "water" ; :height 4 . :Sparkit a :Creature ; :hasType1 "fire" ; :height 1 .
"""
ROWS = [("Emberfox", "fire", 3), ("Mossling", "grass", 2), ("Tidewing", "water", 4), ("Sparkit", "fire", 1)]
FILES = {
    "a.ttl": (TURTLE, "Creature"),
    "creatures.csv": ("name,type,height\n" + "".join(f"{n},{t},{h}\n" for n, t, h in ROWS), "creature"),
    "a.jsonl": (
        "".join(
            f'{{"id": {i}, "name": "{n}", "labels": ["Creature"], "type": "{t}", "height": {h}}}\n'
            for i, (n, t, h) in enumerate(ROWS)
        ),
        "Creature",
    ),
    "a.cypher": (
        "".join(f'CREATE (:Creature {{name: "{n}", type: "{t}", height: {h}}});\n' for n, t, h in ROWS),
        "Creature",
    ),
    "a.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="labels" for="node" attr.name="labels"/>'
        '<key id="name" for="node" attr.name="name"/><key id="type" for="node" attr.name="type"/><graph>'
        + "".join(
            f'<node id="n{i}" labels=":Creature"><data key="labels">:Creature</data><data key="name">{n}</data>'
            f'<data key="type">{t}</data></node>'
            for i, (n, t, _) in enumerate(ROWS)
        )
        + '<edge source="n0" target="n1" label="fears"/></graph></graphml>',
        "Creature",
    ),
    "a.csv": (
        "id:ID,name,type,:LABEL\n" + "".join(f"c{i},{n},{t},Creature\n" for i, (n, t, _) in enumerate(ROWS)),
        "Creature",
    ),
}  # fmt: skip


def build(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return build_from_files(path, tmp_path / "graph", problems=pytest.fail)[0]


@pytest.mark.parametrize("name", FILES)
def test_a_property_called_type_is_asked_for_and_kinds_are_counted(tmp_path, name):
    text, kind = FILES[name]
    graph = build(tmp_path, name, text)
    relation = graph.kind_relation
    assert relation is not None
    assert graph.get_relation_label(relation) == "is a"
    reader = ProgramReader(graph, None, PROGRAMS)
    assert answers(reader, "What type is Sparkit?") == ["fire"]
    assert answers(reader, "Which creatures are fire type?") == ["Emberfox", "Sparkit"]
    assert answers(reader, "How many creatures are there?") == ["4"]
    types, labels = find_types(graph)
    assert labels[types[graph.find_entity("Sparkit")]] == kind


def test_a_kind_is_called_type_where_nothing_else_is(tmp_path):
    graph = build(tmp_path, "a.ttl", TURTLE.replace("hasType1", "roofType"))
    assert graph.get_relation_label(graph.kind_relation) == "type"


def test_a_column_of_types_gives_kinds_if_types_have_columns_of_their_own(tmp_path):
    people = "".join(f"Person {c},person,19{i}0,\n" for i, c in enumerate("ABC"))
    films = "".join(f"Film {c},film,,9{i}\n" for i, c in enumerate("ABC"))
    graph = build(tmp_path, "entries.csv", f"name,type,born,minutes\n{people}{films}")
    assert answers(ProgramReader(graph, None, PROGRAMS), "How many films are there?") == ["3"]
    assert graph.get_relation_label(graph.kind_relation) == "type"


def test_a_column_called_class_is_no_kind_beside_the_table(tmp_path):
    graph = build(tmp_path, "boats.csv", "name,class,year\nAlder,A,1990\nBirch,B,1991\nCedar,A,1992\n")
    assert graph.get_relation_name(graph.kind_relation) == "type"
    reader = ProgramReader(graph, None, PROGRAMS)
    assert answers(reader, "How many boats are there?") == ["3"]
    assert answers(reader, "What class is Cedar?") == ["A"]
