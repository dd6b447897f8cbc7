"""A number of each of some things, places before what they are of, and names of fields; over a small shop."""

import json
from dataclasses import replace

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.operations import EVERY, Top
from retrieval.programs.algebra.program_json import from_json, to_json
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.steps import describe_steps, list_ranked_values

from .asking import answers

PRODUCTS = [
    (name, relation, value)
    for name, category, price, stock, supplier in (
        ("Lager", "Drinks", "4", "12", "Alma Foods"),
        ("Cider", "Drinks", "6", "0", "Alma Foods"),
        ("Tea", "Drinks", "2", "30", "Bern Trade"),
        ("Brie", "Dairy", "9", "5", "Alma Foods"),
        ("Curd", "Dairy", "3", "8", "Cork Farms"),
        ("Rye", "Bread", "5", "0", "Bern Trade"),
    )
    for relation, value in (
        ("type", "product"),
        ("category", category),
        ("unit price", price),
        ("units in stock", stock),
        ("supplier", supplier),
    )
]
PEOPLE = [
    (name, relation, value)
    for name, first, last, hired in (
        ("Ann Bell", "Ann", "Bell", "2001"),
        ("Cora Dunn", "Cora", "Dunn", "1998"),
    )
    for relation, value in (
        ("type", "employee"),
        ("first name", first),
        ("last name", last),
        ("hire year", hired),
        ("gender", "female"),
    )
]
ORDERS = [
    (name, relation, value)
    for name, customer, bought, quantity, gift in (
        ("O-1", "Marta Silva", "Rye", "3", "no"),
        ("O-2", "Jan Kok", "Tea", "12", "yes"),
        ("O-3", "Marta Silva", "Tea", "7", "no"),
    )
    for relation, value in (
        ("type", "order"),
        ("customer", customer),
        ("bought", bought),
        ("quantity", quantity),
        ("gift wrapped", gift),
    )
]
OTHERS = [
    (name, "type", kind)
    for kind, names in (
        ("category", ("Drinks", "Dairy", "Bread")),
        ("supplier", ("Alma Foods", "Bern Trade", "Cork Farms")),
    )
    for name in names
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    rows = [list(row) for row in (*PRODUCTS, *PEOPLE, *ORDERS, *OTHERS)]
    snapshot = build_snapshot(TripleTable.from_facts(rows), tmp_path_factory.mktemp("shop") / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which 2 suppliers supply the most products?", ["Alma Foods", "Bern Trade"]),
        ("List the top 2 categories with the most products", ["Dairy", "Drinks"]),
        ("top 2 suppliers by number of products", ["Alma Foods", "Bern Trade"]),
        ("Which 2 products are the most expensive?", ["Brie", "Cider"]),
        ("top 1 category by average unitPrice", ["Dairy"]),
        ("What is the average unitPrice of products in the category Dairy?", ["6"]),
        ("Which product has the highest unitsInStock?", ["Tea"]),
        ("What is the first name of the employee hired in 2001?", ["Ann"]),
        ("Which employees have a hire year of 1999 or newer?", ["Ann Bell"]),
        ("How many women are there?", ["2"]),
        ("What is the minimum unit price of products supplied by Alma Foods?", ["4"]),
    ],
)
def test_places_and_fields(reader, question, expected):
    assert answers(reader, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("top 2 orders by quantity", ["O-2", "O-3"]),
        ("Who has orders of Tea?", ["Jan Kok", "Marta Silva"]),
        ("Is O-2 gift wrapped?", ["yes"]),
        ("Is O-3 gift wrapped?", ["no"]),
    ],
)
def test_orders_have_places_people_and_truths(reader, question, expected):
    assert answers(reader, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many products does each category have?", {"Drinks": 3, "Dairy": 2, "Bread": 1}),
        ("number of products per supplier", {"Alma Foods": 3, "Bern Trade": 2, "Cork Farms": 1}),
        ("average unit price by category", {"Drinks": 4, "Dairy": 6, "Bread": 5}),
        ("total units in stock for each category", {"Drinks": 42, "Dairy": 13, "Bread": 0}),
    ],
)
def test_each_has_its_number(reader, question, expected):
    best = reader.read(Question(question)).best
    assert isinstance(best.program, Top)
    assert best.program.count == EVERY
    ranked = list_ranked_values(reader.read(Question(question)).executor, best.program)
    label = reader.snapshot.get_entity_label
    assert {label(node): value for node, value in ranked} == pytest.approx(expected)
    assert [value for _, value in ranked] == sorted(expected.values(), reverse=True)


def test_each_is_told_with_its_number(reader):
    found = reader.read(Question("How many products does each category have?"))
    told = describe_steps(found.executor, found.schema.type_relation, found.best.program, found.schema.nouns)
    assert [step.text for step in told] == [
        "categories",
        "each with its number of products",
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("most expensive product of each category", {"Cider": 6, "Brie": 9, "Rye": 5}),
        ("What is the cheapest product of every supplier?", {"Lager": 4, "Tea": 2, "Curd": 3}),
        ("In each category, which product has the highest unit price?", {"Cider": 6, "Brie": 9, "Rye": 5}),
        (
            "top 2 products by unit price per category",
            {"Cider": 6, "Lager": 4, "Brie": 9, "Curd": 3, "Rye": 5},
        ),
    ],
)
def test_the_first_of_each_group(reader, question, expected):
    found = reader.read(Question(question))
    assert isinstance(found.best.program, Top)
    label = reader.snapshot.get_entity_label
    ranked = list_ranked_values(found.executor, found.best.program)
    assert {label(node): value for node, value in ranked} == expected
    assert answers(reader, question) == sorted(expected)


def test_the_first_of_each_group_is_told(reader):
    found = reader.read(Question("most expensive product of each category"))
    told = describe_steps(found.executor, found.schema.type_relation, found.best.program, found.schema.nouns)
    assert [step.text for step in told] == [
        "products",
        "of each category the one with the largest unit price",
    ]


@pytest.mark.parametrize(
    ("largest", "rank", "count", "expected"),
    [
        (True, 1, 1, ["Brie", "Cider", "Rye"]),
        (False, 1, 1, ["Curd", "Rye", "Tea"]),
        (True, 2, 1, ["Curd", "Lager"]),
        (True, 3, 1, ["Tea"]),
        (True, 2, 2, ["Curd", "Lager", "Tea"]),
        (True, 1, EVERY, ["Brie", "Cider", "Curd", "Lager", "Rye", "Tea"]),
    ],
)
def test_places_within_groups(reader, largest, rank, count, expected):
    best = reader.read(Question("most expensive product of each category")).best.program
    program = replace(best, largest=largest, rank=rank, count=count)
    nodes = reader.parser._executor.compute_nodes(program)
    assert sorted(map(reader.snapshot.get_entity_label, nodes.tolist())) == expected
    assert from_json(json.loads(json.dumps(to_json(program)))) == program


def test_an_average_of_some_things_is_told_of_these_alone(reader):
    found = reader.read(Question("average unit price of products supplied by Alma Foods per category"))
    assert isinstance(found.best.program, Top)
    ranked = list_ranked_values(found.executor, found.best.program)
    assert {reader.snapshot.get_entity_label(node): value for node, value in ranked} == {"Drinks": 5, "Dairy": 9}
