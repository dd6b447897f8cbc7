"""Tables in words, as answers, and in queries that give the same rows."""

import math
from dataclasses import replace

import pyoxigraph as ox
import pytest

from retrieval.language.amounts import Comparison, ValueKind
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Constant, Having
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import (
    Condition,
    DatePart,
    Grouping,
    Table,
    Tally,
)
from retrieval.programs.rendering.cypher import write_cypher
from retrieval.programs.rendering.names import from_named_json, to_named_json
from retrieval.programs.rendering.rdf import export, get_entity_iri
from retrieval.programs.rendering.sparql import write_sparql
from retrieval.programs.rendering.table_formatting import format_cell
from retrieval.results import TableColumn

from .saying import World
from .shop import FACTS, make_tables


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(FACTS, tmp_path_factory.mktemp("shop") / "s")


@pytest.fixture(scope="module")
def store(shop: World) -> ox.Store:
    store = ox.Store()
    store.load("".join(export(shop.snapshot)).encode(), format=ox.RdfFormat.N_TRIPLES)
    return store


def query_rows(store: ox.Store, shop: World, table: Table) -> list[tuple[object, ...]]:
    """What the query gives: names and rounded numbers."""
    nodes, label = range(shop.snapshot.num_entities), shop.snapshot.get_entity_label
    labels = {get_entity_iri(shop.snapshot, node): label(node) for node in nodes}

    def read(term: object) -> object:
        if term is None:
            return None
        if isinstance(term, ox.NamedNode):
            return labels[term.value]
        assert isinstance(term, ox.Literal)
        try:
            return round(float(term.value), 6)
        except ValueError:
            return ", ".join(sorted(term.value.split(", ")))

    found = store.query(write_sparql(shop.snapshot, table))
    assert isinstance(found, ox.QuerySolutions)
    size = len(table.groups) + len(table.columns)
    return [tuple(read(row[f"column{number}"]) for number in range(size)) for row in found]


def compute_rows(shop: World, table: Table) -> list[tuple[object, ...]]:
    """What the executor gives, in the same way."""
    executor = Executor(shop.snapshot)
    rows = executor.run(table)
    assert isinstance(rows, Rows)

    def read(row: int, number: int) -> object:
        cells, groups = rows.columns[number], table.groups
        if cells.nodes is not None or (number < len(groups) and groups[number].part is DatePart.MONTH):
            return format_cell(executor.columns, table, rows, row, number) or None
        value = float(cells.numbers[row])
        return None if math.isnan(value) else round(value, 6)

    return [tuple(read(row, number) for number in range(len(rows.columns))) for row in range(len(rows))]


def assert_same_rows(store: ox.Store, shop: World, table: Table) -> None:
    queried, computed = query_rows(store, shop, table), compute_rows(shop, table)
    assert sorted(map(repr, queried)) == sorted(map(repr, computed))
    for part in table.order[:1]:
        assert [row[part.column] for row in queried] == [row[part.column] for row in computed]


def test_sparql_gives_the_rows_of_every_table(shop, store):
    for table in make_tables(shop).values():
        assert_same_rows(store, shop, table)


def test_sparql_gives_the_rows_of_conditions_on_dates_and_means(shop, store):
    orders, date, month = Having(shop.r("profit")), (shop.r("date"),), DatePart.MONTH
    april = Constant(2021.25, ValueKind.DATE)
    for groups, condition in (
        ((Grouping(date, month),), Condition(0, Comparison.AT_LEAST, april)),
        ((Grouping(date, month),), Condition(0, Comparison.EQUAL, Constant(2022.0))),
        ((Grouping(date, DatePart.YEAR),), Condition(0, Comparison.LESS, Constant(2022.0))),
        ((Grouping(date),), Condition(0, Comparison.MORE, Constant(2021.0))),
        ((Grouping(date, DatePart.MONTH_OF_YEAR),), Condition(1, Comparison.NOT_EQUAL, Constant(1.0))),
    ):
        table = Table(orders, (Tally(),), groups, (condition,))
        assert compute_rows(shop, table), condition
        assert_same_rows(store, shop, table)


def test_a_table_in_cypher(shop):
    tables = make_tables(shop)
    assert (
        write_cypher(shop.snapshot, tables["categories with two products"])
        == """\
MATCH (:Entity {name: "product"})<-[:`type`]-(node1)
MATCH (node1)-[:`category`]->(group1)
WITH group1, collect(DISTINCT node1) AS nodes1
CALL {
  WITH nodes1
  UNWIND nodes1 AS node2
  RETURN count(DISTINCT node2) AS cell1
}
WITH * WHERE (cell1 >= 2)
RETURN group1.name AS column0, cell1 AS column1
"""
    )
    assert write_cypher(shop.snapshot, tables["price per kilo"]).splitlines()[-3:] == [
        "WITH *, CASE WHEN cell2 <> 0 THEN toFloat(cell1) / cell2 END AS cell3",
        "WITH * ORDER BY cell3 IS NULL, cell3 DESC",
        "RETURN group1.name AS column0, cell1 AS column1, cell2 AS column2, cell3 AS column3",
    ]
    for table in tables.values():
        assert write_cypher(shop.snapshot, table).count("{") == write_cypher(shop.snapshot, table).count("}")


def test_a_table_is_edited_by_names(shop):
    for table in make_tables(shop).values():
        named = to_named_json(shop.snapshot, table)
        assert from_named_json(shop.snapshot, named) is table
    named = to_named_json(shop.snapshot, make_tables(shop)["profit per year"])
    assert named["groups"] == [{"op": "Grouping", "path": [{"name": "date", "inverse": False}], "part": "year"}]


@pytest.mark.parametrize(
    ("name", "sentence", "step"),
    [
        (
            "price per kilo",
            "Price, weight and price / weight of each product: bolt (£2; 0.5 kg; 4 £/kg), anvil (£80; 40 kg; 2 £/kg), "
            "clamp (£8; 0 kg; –) and 2 others.",
            "each with price, weight, price / weight; by price / weight (largest first)",
        ),
        (
            "categories with two products",
            "Number of products of each category: heavy (2) and light (2).",
            "for each category: number of products; only number of products >= 2",
        ),
        (
            "dearest product of each category",
            "Product with the largest price and product with the smallest price of each category: "
            "heavy (anvil, drill; anvil, drill), light (clamp; bolt) and steel (bolt; bolt).",
            "for each category: product with the largest price, product with the smallest price",
        ),
        (
            "profit per product and year",
            "Total profit of each product and year: bolt – 2021 (0), anvil – 2021 (30) and clamp – 2022 (4).",
            "for each product and year: total profit; by year (earliest first), then product (Z to A)",
        ),
        (
            "share of the profit",
            "Total profit and share of total profit of each product: anvil (30; 88.2%), bolt (0; 0%) and "
            "clamp (4; 11.8%).",
            "for each product: total profit, share of total profit",
        ),
        (
            "totals",
            "Number of products: 5; total price: £170; average price: £42.50.",
            "in all: number of products, total price, average price",
        ),
        ("nothing", None, "for each category: number of what heavy borders"),
        (
            "third place",
            "Price of each product: anvil (£80), drill (£80) and clamp (£8).",
            "each with price; by price (largest first); the first 3",
        ),
    ],
)
def test_a_table_in_words(shop, name, sentence, step):
    executed, final = shop.run(make_tables(shop)[name])
    assert final.sentence == sentence
    assert executed.steps[-1].text == step
    assert (executed.steps[-1].result, executed.steps[-1].operation, executed.steps[-1].path) == ("set", "Table", ())


def test_a_table_of_one_thing_names_it_before_its_values(shop):
    table = make_tables(shop)["products with prices and weights"]
    executed, final = shop.run(replace(table, source=shop.e("bolt")))
    assert final.sentence == "Bolt: price £2 and weight 500 g."
    assert len(executed.steps) == 2


def test_a_restriction_is_told(shop):
    executed, _ = shop.run(make_tables(shop)["share of cheap ones"])
    cheap = "number of products with price < £5"
    assert executed.steps[-1].text == f"for each category: {cheap}, number of products, {cheap} / number of products"


def test_an_answer_that_is_a_table(shop):
    executed, final = shop.run(make_tables(shop)["price per kilo"])
    table = final.table
    assert table is not None
    assert table.columns == (
        TableColumn("product"),
        TableColumn("price", "number", "£"),
        TableColumn("weight", "number", "kg"),
        TableColumn("price / weight", "number", "£/kg"),
    )
    assert [[cell.text for cell in row] for row in table.rows[:3]] == [
        ["bolt", "2", "0.5", "4"],
        ["anvil", "80", "40", "2"],
        ["clamp", "8", "0", ""],
    ]
    assert [cell.value for cell in table.rows[2]] == [None, 8.0, 0.0, None]
    assert [node.label for node in table.rows[0][0].nodes] == ["bolt"]
    assert table.total == 5
    assert [answer.label for answer in final.answers] == ["bolt", "anvil", "clamp", "drill", "etui"]
    assert (executed.steps[-1].count, executed.read.program["op"]) == (5, "Table")


def test_months_answer_without_nodes_and_a_thing_of_several_rows_once(shop):
    tables = make_tables(shop)
    final = shop.run(tables["profit per month"])[1]
    assert [(answer.label, answer.entity) for answer in final.answers] == [
        ("2021-03", None), ("2021-04", None), ("2022-03", None)
    ]  # fmt: skip
    assert final.table is not None
    assert [column.kind for column in final.table.columns] == ["date", "number"]
    pairs = shop.run(tables["pairs of neighbours"])[1]
    assert [answer.label for answer in pairs.answers] == ["Bolivia", "Chile", "Peru"]
    assert pairs.table is not None
    assert pairs.table.total == 4


def test_no_row_is_no_answer(shop):
    final = shop.run(make_tables(shop)["nothing"])[1]
    assert (final.answers, final.table) == ((), None)
    assert final.no_answer is not None
    assert final.no_answer.reason == "no_path"
