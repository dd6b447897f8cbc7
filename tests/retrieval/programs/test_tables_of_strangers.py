"""Questions as strangers ask them of tables: in an order, of types, extremes, several things; over a small playbill."""

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language import words
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result

SHOWS = [
    (name, relation, value)
    for name, sort, author, price, year, tickets in (
        ("The Glass Harbour", "musical", "Ida Moss", "40", "1999", "900"),
        ("Harbour Lights", "drama", "Ida Moss", "25", "2011", "2400"),
        ("Winter Post", "drama", "Per Dahl", "30", "2006", "1500"),
        ("Salt", "opera", "Ana Cruz", "60", "2013", "2600"),
    )
    for relation, value in (
        ("type", "show"),
        ("type", sort),
        ("directed by", author),
        ("price", price),
        ("year", year),
        ("tickets", tickets),
    )
]
ACTORS = [
    (name, relation, value)
    for name, country, age, show in (
        ("Bea Lund", "Norway", "31", "Salt"),
        ("Cal Roth", "Peru", "24", "Salt"),
        ("Dan Vik", "Norway", "19", "Winter Post"),
        ("Eve Orr", "Ghana", "45", "Harbour Lights"),
    )
    for relation, value in (("type", "actor"), ("country", country), ("age", age), ("appears in", show))
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    rows = [list(row) for row in (*SHOWS, *ACTORS)]
    snapshot = build_snapshot(TripleTable.from_facts(rows), tmp_path_factory.mktemp("playbill") / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


def answers(reader, question):
    found = reader.read(Question(question))
    result = found.best.result
    if not isinstance(result, np.ndarray):
        return format_result(found.executor.columns, found.best.program, result)
    return sorted(found.executor.snapshot.get_entity_label(node) for node in result.tolist())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the types of the shows by Ida Moss?", ["drama", "musical"]),
        ("What is the most common type of shows?", ["drama"]),
        ("What is the maximum age of the actors from Norway?", "31"),
        ("What is the minimum price of the shows?", "25"),
        (
            "Which shows have a name that contains the word 'Harbour'?",
            ["Harbour Lights", "The Glass Harbour"],
        ),
        ("Which shows contain the English word 'Post'?", ["Winter Post"]),
        ("Which actors are aged 24 or younger?", ["Cal Roth", "Dan Vik"]),
        ("Which shows are from 2011 or after?", ["Harbour Lights", "Salt"]),
        ("Which shows were in or after 2011?", ["Harbour Lights", "Salt"]),
        ("Which shows were before 2006?", ["The Glass Harbour"]),
        ("List the names of the actors whose country is not Norway.", ["Cal Roth", "Eve Orr"]),
        ("Which country is the most popular among the actors?", ["Norway"]),
        ("What is the most common country?", ["Norway"]),
        ("Actors in alphabetical order that are older than 30", ["Bea Lund", "Eve Orr"]),
        ("Which actors have names containing the letter v?", ["Dan Vik", "Eve Orr"]),
        ("How many shows are there in total?", "4"),
        ("How many tickets are there in total?", "7,400"),
        ("Show all directors.", ["Ana Cruz", "Ida Moss", "Per Dahl"]),
        ("Which shows have actors from Norway and Peru in common?", ["Salt"]),
    ],
)
def test_what_is_asked_of_tables(reader, question, expected):
    assert answers(reader, question) == expected


def ranked(reader, question):
    found = reader.read(Question(question))
    executor, program = found.executor, found.best.program
    keyed = executor.compute_ranking(program)
    order = np.argsort(-keyed.values if program.largest else keyed.values, kind="stable")
    return [executor.snapshot.get_entity_label(node) for node in keyed.owners[order].tolist()]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("List the actors ordered by age.", ["Dan Vik", "Cal Roth", "Bea Lund", "Eve Orr"]),
        (
            "List the names of the actors in descending order of age",
            ["Eve Orr", "Bea Lund", "Cal Roth", "Dan Vik"],
        ),
        ("List the actors from the oldest to the youngest.", ["Eve Orr", "Bea Lund", "Cal Roth", "Dan Vik"]),
        ("Shows by ascending price", ["Harbour Lights", "Winter Post", "The Glass Harbour", "Salt"]),
    ],
)
def test_answers_come_in_the_order_that_was_asked_for(reader, question, expected):
    assert ranked(reader, question) == expected


@pytest.mark.parametrize(
    ("text", "read", "order"),
    [
        ("Flights from Oslo to New York", "Flights from Oslo to New York", ""),
        ("Players from high to low", "Players", " from high to low"),
        ("Ships sorted by length descending", "Ships", " sorted by length descending"),
        ("Names in alphabetical order", "Names", " in alphabetical order"),
    ],
)
def test_what_says_an_order_is_no_part_of_the_question(text, read, order):
    question = words.read(text)
    assert (question.text, question.order) == (read, order)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "What are the names and ages of all actors from Norway?",
            [("Bea Lund", "31"), ("Dan Vik", "19")],
        ),
        (
            "List the name, country and age of each actor in Salt, ordered by age",
            [("Cal Roth", "Peru", "24"), ("Bea Lund", "Norway", "31")],
        ),
        ("What is the price and year of Winter Post?", [("Winter Post", "30", "2006")]),
        ("Show the actors from Peru and their ages", [("Cal Roth", "24")]),
    ],
)
def test_several_things_are_asked_of_each_answer(reader, question, expected):
    rows, label = reader.read(Question(question)).best.result, reader.snapshot.get_entity_label
    lists = [cells.nodes for cells in rows.columns]
    assert [tuple(label(int(cell.get_nodes(row)[0])) for cell in lists) for row in range(len(rows))] == expected


def test_one_thing_is_asked_for_where_no_list_is(reader):
    found = reader.read(Question("What are the ages of the actors from Norway and Peru?"))
    assert not isinstance(found.best.program, Table)
