"""Tables are computed exactly, whatever is missing, shared or nothing."""

from pathlib import Path

import pytest

from retrieval.errors import ProgramError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra import tables
from retrieval.programs.algebra.cell_facts import list_cell_facts
from retrieval.programs.algebra.equivalence import is_equivalent
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Constant, Filter, Having, Key, Top, Walk, walk
from retrieval.programs.algebra.program_json import from_json, to_json
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Condition,
    DatePart,
    Grouping,
    Measure,
    Ordering,
    Table,
)
from retrieval.programs.rendering.table_formatting import format_cell

from .land import Land
from .shop import build, make_tables


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Land:
    return Land(build(tmp_path_factory.mktemp("shop") / "s"))


def list_rows(shop: Land, table: Table) -> list[str]:
    """Each row in a line."""
    executor = Executor(shop.snapshot)
    rows = executor.run(table)
    assert isinstance(rows, Rows)
    size = len(table.groups) + len(table.columns)
    return [
        " | ".join(format_cell(executor.columns, table, rows, row, number) for number in range(size))
        for row in range(len(rows))
    ]


ROWS = {
    "products with prices and weights": [
        "anvil | £80 | 40 kg",
        "bolt | £2 | 500 g",
        "clamp | £8 | 0 kg",
        "drill | £80 | ",
        "etui |  | ",
    ],
    "products with categories": [
        "anvil | heavy",
        "bolt | light, steel",
        "clamp | light",
        "drill | heavy",
        "etui | ",
    ],
    "price per kilo": [
        "bolt | 2 | 0.5 | 4",
        "anvil | 80 | 40 | 2",
        "clamp | 8 | 0 | ",
        "drill | 80 |  | ",
        "etui |  |  | ",
    ],
    "products per category, most first": [
        "heavy | 2",
        "light | 2",
        "steel | 1",
    ],
    "categories with two products": [
        "heavy | 2",
        "light | 2",
    ],
    "prices per category": [
        "heavy | 160 | 80 | 80 | 80",
        "light | 10 | 5 | 2 | 8",
        "steel | 2 | 2 | 2 | 2",
    ],
    "dearest product of each category": [
        "heavy | anvil, drill | anvil, drill",
        "light | clamp | bolt",
        "steel | bolt | bolt",
    ],
    "profit per month": [
        "2021-03 | 31",
        "2021-04 | -1",
        "2022-03 | 4",
    ],
    "profit per year": [
        "2021 | 30",
        "2022 | 4",
    ],
    "orders per month of the year": [
        "March | 3",
        "April | 1",
    ],
    "profit per product and year": [
        "bolt | 2021 | 0",
        "anvil | 2021 | 30",
        "clamp | 2022 | 4",
    ],
    "profit per product in 2021": [
        "anvil | 30",
        "bolt | 0",
        "clamp | ",
        "drill | ",
        "etui | ",
    ],
    "share of the profit": [
        "anvil | 30 | 88.2",
        "bolt | 0 | 0",
        "clamp | 4 | 11.8",
    ],
    "share of cheap ones": [
        "heavy | 0 | 2 | 0",
        "light | 1 | 2 | 50",
        "steel | 1 | 1 | 100",
    ],
    "totals": [
        "5 | 170 | 42.5",
    ],
    "two dearest": [
        "anvil | 80",
        "drill | 80",
    ],
    "third place": [
        "anvil | 80",
        "drill | 80",
        "clamp | 8",
    ],
    "profit less the price": [
        "o1 | 30 | 80 | -50 | 110 | 2,400",
        "o2 | 1 | 2 | -1 | 3 | 2",
        "o3 | -1 | 2 | -3 | 1 | -2",
        "o4 | 4 | 8 | -4 | 12 | 32",
    ],
    "by name": [
        "bolt | light, steel",
        "clamp | light",
        "anvil | heavy",
        "drill | heavy",
        "etui | ",
    ],
    "pairs of neighbours": [
        "Bolivia | Chile |  | 756 km²",
        "Chile | Bolivia | 756 km² | ",
        "Chile | Peru | 756 km² | 1285 km²",
        "Peru | Chile | 1285 km² | 756 km²",
    ],
    "orders per product with few": [
        "anvil | 1 | 1",
        "clamp | 1 | 1",
    ],
    "nothing": [],
    "sum of nothing": [
        "0 |  | ",
    ],
}


@pytest.mark.parametrize("name", ROWS)
def test_the_rows_of_a_table(shop, name):
    table = make_tables(shop)[name]
    assert list_rows(shop, table) == ROWS[name]
    assert from_json(to_json(table)) is table
    assert is_equivalent(table, from_json(to_json(table)))


def test_every_table_has_its_rows_here(shop):
    assert list(make_tables(shop)) == list(ROWS)


def test_a_key_may_take_only_the_values_of_some_nodes(shop):
    path = (shop.r("-product"), shop.r("profit"))
    of_april = Filter(Having(shop.r("profit")), Key((shop.r("date"),)), Comparison.AT_LEAST, Constant(2021.25))
    products = Walk(shop.e("product"), shop.r("-type"))
    executor = Executor(shop.snapshot)

    def rank(key: Key) -> list[str]:
        return [shop.snapshot.get_entity_label(node) for node in executor.compute_nodes(Top(products, key, True))]

    assert rank(Key(path, folding=Folding.SUM)) == ["anvil"]
    assert rank(Key(path, folding=Folding.SUM, among=of_april)) == ["clamp"]
    nodes = executor.compute_nodes(shop.e("o1", "o4"))
    keyed = executor.compute_keys(nodes, Key(path[1:], among=of_april))
    assert keyed.values.tolist() == [4.0]


def test_the_programs_of_a_table_are_parts_of_it(shop):
    table = make_tables(shop)["profit per product in 2021"]
    assert [type(part).__name__ for part in walk(table)] == [
        "Table",
        "Walk",
        "Entities",
        "Filter",
        "Having",
        "Constant",
    ]


def test_more_rows_than_are_kept_are_counted(shop, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 2)
    rows = Executor(shop.snapshot).run(make_tables(shop)["products with categories"])
    assert isinstance(rows, Rows)
    assert (len(rows), rows.total) == (2, 5)


def test_a_table_of_one_cell(tmp_path: Path):
    shop = Land(build_snapshot(TripleTable.from_facts([("pen", "price", "3")]), tmp_path / "s"))
    assert list_rows(shop, Table(shop.e("pen"), (Measure(Key((shop.r("price"),)), Folding.AVERAGE),), ())) == ["3"]
    assert list_rows(shop, Table(shop.e("pen"))) == ["pen"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": []}, "A table needs a column or a group."),
        ({"limit": 0}, "The limit of a table must be at least 1."),
        ({"order": [{"op": "Ordering", "column": 1}]}, "has no column 1; its columns are 0 to 0"),
        ({"columns": [{"op": "Calculation", "operation": "sum", "left": 0, "right": 1}]}, "of columns before it"),
        ({"columns": [{"op": "Attribute", "of": 1}]}, "of group 1, which is none of nodes"),
        ({"columns": [{"op": "Tally", "path": [], "how": "sum"}]}, "Tally has no 'how'"),
        ({"groups": [{"op": "Tally"}]}, "program.groups must be of Grouping"),
        ({"columns": 3}, "program.columns must be a list"),
        ({"conditions": [{"op": "Condition", "column": 0, "comparison": ">", "value": {"op": "Entities", "ids": []}}]},
         "must be a constant"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        from_json({"op": "Table", "source": {"op": "Entities", "ids": []}, **change})


def test_what_does_not_fit_the_graph_is_refused(shop):
    products = Walk(shop.e("product"), shop.r("-type"))
    names = Condition(0, Comparison.MORE, Constant(1.0))
    for table, message in (
        (Table(products, conditions=(names,)), "Column 0 of the table has no numbers to compare"),
        (Table(products, groups=(Grouping((shop.r("price"),), DatePart.YEAR),)), "no dates to group by year"),
        (Table(products, order=(Ordering(3),)), "no column 3"),
        (Table(products, (Attribute((99,)),)), "no relation 99"),
    ):
        with pytest.raises(ProgramError, match=message):
            Executor(shop.snapshot).run(table)


def list_facts(shop: Land, name: str, row: int, number: int) -> list[str]:
    """The facts of a cell, each in a line."""
    executor, table = Executor(shop.snapshot), make_tables(shop)[name]
    rows = executor.run(table)
    assert isinstance(rows, Rows)
    label, relation = shop.snapshot.get_entity_label, shop.snapshot.get_relation_label
    return [
        f"{label(head)} {relation(name)} {label(tail)}"
        for head, name, tail in list_cell_facts(executor, table, rows, row, number).tolist()
    ]


@pytest.mark.parametrize(
    ("name", "row", "number", "expected"),
    [
        ("products with prices and weights", 0, 0, []),
        ("products with prices and weights", 0, 1, ["anvil price £80"]),
        ("products with prices and weights", 4, 1, []),
        ("price per kilo", 0, 3, ["bolt price £2", "bolt weight 500 g"]),
        ("products per category, most first", 1, 1, ["bolt category light", "clamp category light"]),
        (
            "prices per category",
            1,
            2,
            ["bolt price £2", "clamp price £8", "bolt category light", "clamp category light"],
        ),
        (
            "dearest product of each category",
            1,
            1,
            ["clamp price £8", "bolt category light", "clamp category light"],
        ),
        (
            "profit per month",
            0,
            1,
            ["o1 profit 30", "o2 profit 1", "o1 date 2021-03-05", "o2 date 2021-03-31"],
        ),
        ("profit per year", 1, 0, ["o4 date 2022-03-01"]),
        (
            "profit per product in 2021",
            1,
            1,
            ["o2 profit 1", "o3 profit -1", "o2 product bolt", "o3 product bolt"],
        ),
        ("profit per product in 2021", 2, 1, []),
        ("pairs of neighbours", 2, 3, ["Peru area 1285 km²", "Chile borders Peru"]),
        ("share of cheap ones", 1, 1, ["bolt category light", "clamp category light"]),
        ("sum of nothing", 0, 1, []),
    ],
)
def test_the_facts_behind_a_cell(shop, name, row, number, expected):
    assert list_facts(shop, name, row, number) == expected
