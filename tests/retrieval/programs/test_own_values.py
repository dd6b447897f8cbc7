"""Two values of one thing, compared: what is below its reorder level, delivered after it was due."""

import pytest

from retrieval.language.question import Question
from retrieval.programs.rendering.steps import describe_program

from .asking import answers, reader_of

COLUMNS = ("type", "supplier", "in stock", "reorder level", "buying price (£)", "selling price (£)",
           "delivered on", "due on")  # fmt: skip
STOCK = [
    (row[0], column, value)
    for row in (
        ("Blue pen", "item", "Acme", "12", "20", "0.40", "1.20", "2024-01-09", "2024-01-10"),
        ("Red pen", "item", "Acme", "40", "20", "0.40", "1.20", "2024-01-12", "2024-01-10"),
        ("Notebook", "item", "Paperly", "5", "10", "1.50", "1.40", "2024-02-08", "2024-02-10"),
        ("Stapler", "item", "Acme", "30", "5", "3.00", "5.50", "2024-02-15", "2024-02-12"),
        ("Ruler", "item", "Paperly", "8", "8", "0.20", "0.80", "2024-03-04", "2024-03-08"),
    )
    for column, value in zip(COLUMNS, row[1:], strict=True)
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return reader_of(STOCK, tmp_path_factory.mktemp("stock"))


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which items are below their reorder level?", ["Blue pen", "Notebook"]),
        ("items where stock is at or below reorder level", ["Blue pen", "Notebook", "Ruler"]),
        ("how many items have less in stock than the reorder level", ["2"]),
        ("which items were delivered after they were due", ["Red pen", "Stapler"]),
        ("Which items have a selling price lower than their buying price?", ["Notebook"]),
        ("Which items from Acme are below the reorder level", ["Blue pen"]),
    ],
)
def test_one_value_is_compared_with_another_of_the_same_thing(reader, question, right):
    assert answers(reader, question) == right


def test_a_value_is_not_compared_with_what_the_name_of_the_other_goes_on_with(tmp_path):
    turbines = [
        ("Alma", "5100", "5400"),
        ("Berta", "5600", "5400"),
        ("Clara", "8900", "8500"),
        ("Dora", "8100", "8500"),
    ]
    facts = [
        (name, column, value)
        for name, *row in turbines
        for column, value in zip(("type", "output mwh", "target mwh"), ("turbine", *row), strict=True)
    ]
    asked = reader_of(facts, tmp_path)
    assert answers(asked, "Which turbines are below their target output?") == ["Alma", "Dora"]


def test_the_steps_name_both_values(reader):
    found = reader.read(Question("Which items are below their reorder level?"))
    told = describe_program(found.executor, found.schema.type_relation, found.best.program)
    assert told == "items → stock < reorder level"


def test_two_columns_of_one_noun_are_compared(tmp_path):
    columns = ("type", "sales 2019", "sales 2023", "costs 2019", "costs 2023")
    facts = [
        (name, column, value)
        for name, *row in (("Alma", "50", "80", "20", "45"), ("Berta", "70", "60", "31", "33"))
        for column, value in zip(columns, ("branch", *row), strict=True)
    ]
    asked = reader_of(facts, tmp_path)
    assert answers(asked, "How much did the sales of Alma grow from 2019 to 2023?") == ["30"]
    assert answers(asked, "By how much did Berta's costs rise between 2019 and 2023?") == ["2"]
