"""JSON as programs and services write it: tables, graphs and rows inside rows."""

import json

import pytest

from retrieval.errors import SourceError
from retrieval.kg.readers import read_graph, read_preview


@pytest.fixture
def read(tmp_path):
    def write(name, value):
        path = tmp_path / name
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
        problems = []
        table = read_graph(path, problems=problems.append)
        said = [] if table.node_attributes is None else table.node_attributes.rows()
        return set(table.facts.rows()), set(said), [one.message for one in problems]

    return write


ROWS = [
    {"date": "2024-01-01", "category": "food", "amount": 3.5, "paid": True},
    {"date": "2024-01-03", "category": "rent", "amount": 700, "paid": None},
]
SPENT = {
    ("expense 1", "type", "expense"),
    ("expense 1", "date", "2024-01-01"),
    ("expense 1", "category", "food"),
    ("expense 1", "amount", "3.5"),
    ("expense 1", "paid", "yes"),
    ("expense 2", "type", "expense"),
    ("expense 2", "date", "2024-01-03"),
    ("expense 2", "category", "rent"),
    ("expense 2", "amount", "700"),
}


@pytest.mark.parametrize("text", [json.dumps(ROWS), "\n".join(map(json.dumps, ROWS)), json.dumps(ROWS, indent=2)])
def test_rows_are_a_table_in_an_array_and_on_lines(read, text):
    assert read("expenses.json", text) == (set(), SPENT, [])


def test_columns_and_rows_of_cells_are_the_same_table(read):
    keys = list(ROWS[0])
    columns = {key: [row[key] for row in ROWS] for key in keys}
    assert read("expenses.json", columns) == (set(), SPENT, [])
    assert read("expenses.json", [keys, *([row[key] for key in keys] for row in ROWS)]) == (set(), SPENT, [])


def test_lists_are_values_and_named_objects_are_things(read):
    dune = {
        "title": "Dune",
        "genres": ["sf", "epic"],
        "author": {"name": "Frank Herbert", "born": 1920},
        "size": {"pages": 412},
    }
    emma = {
        "title": "Emma",
        "genres": [],
        "author": {"name": "Jane Austen", "born": 1775},
        "size": {"pages": 300},
    }
    _, said, problems = read("books.json", [dune, emma, dune | {"title": "Dune Messiah"}])
    assert said == {
        ("Dune", "type", "book"),
        ("Dune", "genres", "sf"),
        ("Dune", "genres", "epic"),
        ("Dune", "author", "Frank Herbert"),
        ("Dune", "size pages", "412"),
        ("Emma", "type", "book"),
        ("Emma", "author", "Jane Austen"),
        ("Emma", "size pages", "300"),
        ("Dune Messiah", "type", "book"),
        ("Dune Messiah", "genres", "sf"),
        ("Dune Messiah", "genres", "epic"),
        ("Dune Messiah", "author", "Frank Herbert"),
        ("Dune Messiah", "size pages", "412"),
        ("Frank Herbert", "type", "author"),
        ("Frank Herbert", "born", "1920"),
        ("Jane Austen", "type", "author"),
        ("Jane Austen", "born", "1775"),
    }
    assert problems == []


def test_rows_inside_rows_refer_to_them(read):
    orders = [
        {"id": 1, "customer": "Tom", "items": [{"product": "Pen", "quantity": 2}]},
        {"id": 2, "customer": "Ann", "items": [{"product": "Pen", "quantity": 5}]},
    ]
    _, said, _ = read("shop.json", {"orders": orders})
    assert said == {
        ("order 1", "type", "order"),
        ("order 1", "id", "1"),
        ("order 1", "customer", "Tom"),
        ("order 2", "type", "order"),
        ("order 2", "id", "2"),
        ("order 2", "customer", "Ann"),
        ("item 1", "type", "item"),
        ("item 1", "order", "order 1"),
        ("item 1", "product", "Pen"),
        ("item 1", "quantity", "2"),
        ("item 2", "type", "item"),
        ("item 2", "order", "order 2"),
        ("item 2", "product", "Pen"),
        ("item 2", "quantity", "5"),
    }


def test_things_that_rows_share_are_named_in_them(read):
    wizard, bard = ({"index": name.lower(), "name": name} for name in ("Wizard", "Bard"))
    spells = [
        {"name": "Alarm", "level": 1, "use": {"classes": [wizard]}},
        {"name": "Light", "level": 0, "use": {"classes": [bard, wizard]}},
    ]
    _, said, _ = read("spells.json", spells)
    assert said == {
        ("Alarm", "type", "spell"),
        ("Alarm", "level", "1"),
        ("Alarm", "use classes", "Wizard"),
        ("Light", "type", "spell"),
        ("Light", "level", "0"),
        ("Light", "use classes", "Bard"),
        ("Light", "use classes", "Wizard"),
        ("Wizard", "type", "class"),
        ("Wizard", "index", "wizard"),
        ("Bard", "type", "class"),
        ("Bard", "index", "bard"),
    }


def test_a_key_is_shared_in_the_whole_file_or_nowhere(read):
    fire, cold = ({"name": name, "index": name.lower()} for name in ("Fire", "Cold"))
    lich = {"name": "Lich", "moves": [{"title": "Ray", "damage": [cold]}, {"title": "Orb", "damage": [fire, cold]}]}
    imp = {"name": "Imp", "moves": [{"title": "Spit", "damage": [fire]}]}
    _, said, _ = read("monsters.json", [lich, imp])
    assert {fact[2] for fact in said if fact[1] == "damage"} == {"Fire", "Cold"}
    assert {fact[0] for fact in said if fact[1:] == ("type", "damage")} == {"Fire", "Cold"}


def test_rows_that_only_share_a_name_stay_rows(tmp_path):
    uses = [{"name": "Alarm", "times": 3}, {"name": "Light", "times": 1}]
    monsters = [{"name": "Lich", "spells": uses}, {"name": "Mage", "spells": [uses[0] | {"times": 1}]}]
    spells = [{"name": name, "level": level} for name, level in (("Alarm", 1), ("Light", 0), ("Wish", 9))]
    paths = [tmp_path / "monsters.json", tmp_path / "spells.json"]
    for path, rows in zip(paths, (monsters, spells), strict=True):
        path.write_text(json.dumps(rows))
    said = read_graph(paths, problems=pytest.fail).node_attributes.rows()
    assert {fact for fact in said if fact[0] == "spell line 3"} == {
        ("spell line 3", "type", "spell line"),
        ("spell line 3", "monster", "Mage"),
        ("spell line 3", "name", "Alarm"),
        ("spell line 3", "times", "1"),
    }


def test_several_tables_meet_by_number(read):
    value = {
        "authors": [{"id": 1, "name": "Jane Austen"}, {"id": 2, "name": "Frank Herbert"}],
        "books": [{"title": "Emma", "author_id": 1}, {"title": "Dune", "author_id": 2}],
    }
    _, said, _ = read("library.json", value)
    assert ("Emma", "author", "Jane Austen") in said


def test_objects_by_name_and_by_number(read):
    said = read("cities.json", {"Oslo": {"country": "Norway"}, "Rome": {"country": "Italy"}})[1]
    assert ("Rome", "country", "Italy") in said
    said = read("cities.json", {"1": {"name": "Oslo", "km": 3}, "2": {"name": "Rome", "km": 4}})[1]
    assert {("Oslo", "id", "1"), ("Oslo", "km", "3")} <= said


NODES = [{"id": "a", "label": "Ann", "age": 30}, {"id": "b", "label": "Bob"}]


@pytest.mark.parametrize(
    "value",
    [
        {"nodes": NODES, "links": [{"source": "a", "target": "b", "type": "knows"}]},
        {"directed": True, "graph": {}, "nodes": NODES, "edges": [{"from": "a", "to": "b", "label": "knows"}]},
        {"nodes": NODES, "links": [{"source": 0, "target": 1, "relation": "knows"}]},
        {"nodes": NODES, "links": [{"source": NODES[0], "target": NODES[1], "relation": "knows"}]},
        {"elements": {"nodes": [{"data": one} for one in NODES],
                      "edges": [{"data": {"source": "a", "target": "b", "label": "knows"}}]}},
        {"elements": [*({"data": one} for one in NODES),
                      {"data": {"id": "e", "source": "a", "target": "b", "label": "knows"}}]},
        {"nodes": [{"key": "a", "attributes": {"label": "Ann", "age": 30}},
                   {"key": "b", "attributes": {"label": "Bob"}}],
         "edges": [{"key": "e", "source": "a", "target": "b", "attributes": {"label": "knows"}}]},
        {"nodes": [{"id": "a", "properties": {"name": "Ann", "age": 30}},
                   {"id": "b", "properties": {"name": "Bob"}}],
         "relationships": [{"id": "1", "type": "knows", "startNode": "a", "endNode": "b", "properties": {}}]},
    ],
)  # fmt: skip
def test_graphs_of_nodes_and_edges(read, value):
    facts, said, problems = read("net.json", value)
    assert (facts, said, problems) == ({("Ann", "knows", "Bob")}, {("Ann", "age", "30")}, [])


def test_an_edge_without_a_name_connects(read):
    facts, _, _ = read("net.json", {"nodes": ["Ann", "Bob"], "links": [{"source": "Ann", "target": "Bob"}]})
    assert facts == {("Ann", "connected to", "Bob")}


def test_triples_as_lists_and_points_of_geojson(read):
    assert read("t.json", [["Ann", "knows", "Bob"], ["Bob", "likes", "Cat"]])[0] == {
        ("Ann", "knows", "Bob"),
        ("Bob", "likes", "Cat"),
    }
    point = {"type": "Point", "coordinates": [10.1, 59.9]}
    features = [{"type": "Feature", "properties": {"name": "Mill", "stars": 4}, "geometry": point}]
    assert read("cafes.geojson", {"type": "FeatureCollection", "features": features})[1] == {
        ("Mill", "type", "cafe"),
        ("Mill", "stars", "4"),
        ("Mill", "longitude", "10.1"),
        ("Mill", "latitude", "59.9"),
    }


def test_an_edge_among_rows_is_a_bad_row(read):
    rows = [{"name": f"n{i}", "size": i} for i in range(60)]
    edge = {"source": "n1", "relation": "near", "target": "n2"}
    facts, said, problems = read("places.json", [*rows, edge])
    assert (facts, len(said)) == (set(), 120)
    assert problems == ["no row of a table: read the file as nodes and edges"]


@pytest.mark.parametrize("value", ["just words", [1, 2], {"rows": []}, []])
def test_json_without_a_table_is_refused(read, value):
    with pytest.raises(SourceError):
        read("odd.json", value)


def test_depth_is_refused_by_name(read):
    with pytest.raises(SourceError, match="nested more than 100 deep"):
        read("deep.json", '{"rows": ' + "[" * 200 + "]" * 200 + "}")


def test_a_preview_shows_the_first_table(tmp_path):
    path = tmp_path / "shop.json"
    path.write_text(json.dumps({"orders": [{"id": 1, "by": "Tom"}], "people": [{"name": "Tom", "age": 3}]}))
    found = read_preview(path)
    assert (found.format, found.notes) == ("json-table", ("The file holds 2 tables; this is orders.",))
    assert found.rows[:2] == (("order 1", "type", "order"), ("order 1", "id", "1"))


def test_tables_are_found_in_what_services_wrap_them_in(read):
    rows, said, problems = read(
        "export.json",
        {
            "export": {"service": "LetDesk", "account": {"name": "Carr", "plan": "small"}},
            "data": {
                "contractors": [
                    {"id": "c1", "company": "Wear Plumbing"},
                    {"id": "c2", "company": "NE Roofing"},
                ],
                "maintenance": {
                    "total": 2,
                    "items": [
                        {"ticket": 2301, "contractorId": "c1", "cost": {"amount": 40}},
                        {"ticket": 2302, "contractorId": "c2", "cost": {"amount": 65}},
                    ],
                },
            },
        },
    )
    assert problems == []
    assert {row for row in said if row[1] in ("contractor", "cost amount")} == {
        ("maintenance 1", "contractor", "Wear Plumbing"), ("maintenance 2", "contractor", "NE Roofing"),
        ("maintenance 1", "cost amount", "40"), ("maintenance 2", "cost amount", "65"),
    }  # fmt: skip
    assert rows == set()


def test_objects_that_are_alike_are_rows_by_their_names(read):
    _, said, _ = read(
        "towns.json",
        {"Oslo": {"mayor": "Ann", "ports": ["a", "b"]}, "Rome": {"mayor": "Ben", "ports": ["c"]}},
    )
    assert ("Oslo", "mayor", "Ann") in said


def test_lines_of_json_hold_rows_in_rows(read):
    lines = [
        {"id": "P1", "project": "Moss Cardi", "yarns": [{"yarn": "Tweed", "skeins": 3}]},
        {"id": "P2", "project": "Beanie", "yarns": [{"yarn": "Lopi", "skeins": 1}]},
    ]
    _, said, problems = read("projects.jsonl", "\n".join(map(json.dumps, lines)))
    assert problems == []
    assert ("Lopi", "skeins", "1") in said
    assert ("Lopi", "project", "Beanie") in said


def test_records_that_have_a_text_beside_much_else_are_rows(tmp_path):
    card = {"code": "01", "title": "Noise", "text": "Draw a card, then lose a credit.", "faction": "anarch"}
    record = card | {"pack": "core", "side": "runner", "cost": 1, "limit": 3, "position": 1, "rank": 2, "strength": 0}
    for name, value, kind in (("cards.json", record, "json-table"), ("texts.json", card, "passages")):
        path = tmp_path / name
        path.write_text(json.dumps([value, value | {"code": "02", "title": "Nero"}]))
        assert read_preview(path).format == kind
