"""What sounds alike and is not: whose child, who taught whom, a fee and days, "first lit", "ordered by" a customer."""

import pytest

from retrieval.language.question import Question

from .asking import answers, reader_of

PEOPLE = [
    ("Ann", "type", "person"), ("Ben", "type", "person"), ("Cid", "type", "person"), ("Dot", "type", "person"),
    ("Ben", "child of", "Ann"), ("Cid", "child of", "Ben"), ("Dot", "child of", "Ben"),
    ("Ann", "taught", "Ben"), ("Ben", "taught", "Cid"),
    ("Ann", "codename", "Magpie"), ("Ben", "codename", "Nutmeg"), ("Ann", "born", "1901"), ("Ben", "born", "1925"),
    ("Cid", "born", "1950"), ("Dot", "born", "1955"),
]  # fmt: skip
YARD = [
    (name, relation, value)
    for name, lit, visits, fee, left in (
        ("Old Head", "1890", "12", "£15", "2024-03-09"),
        ("Far Skar", "1902", "3", "£20", "2024-05-04"),
        ("Low Rock", "1911", "7", "£10", "2024-06-02"),
    )
    for relation, value in (
        ("type", "light"), ("year lit", lit), ("road (km)", visits), ("landing fee", fee), ("closed", left),
        ("bottle (ml)", str(1000 - int(visits))),
    )
] + [
    (f"Invoice {n}", relation, value)
    for n, customer, quantity, total in (
        (1, "Hale Ltd", "9", "£40"), (2, "Brook & Co", "2", "£400"), (3, "Hale Ltd", "5", "£90"),
    )
    for relation, value in (
        ("type", "invoice"), ("customer", customer), ("size", quantity), ("amount", total),
    )
] + [
    (f"Run {n}", relation, value)
    for n, route, grit in ((1, "Moor Top", "3"), (2, "Kirk Bank", "4"), (3, "Moor Top", "5"))
    for relation, value in (("type", "run"), ("route", route), ("grit (kg)", grit), ("time (s)", str(60 - n)))
]  # fmt: skip


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return reader_of(PEOPLE, tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return reader_of(YARD, tmp_path_factory.mktemp("yard"))


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who were the children of Ben?", ["Cid", "Dot"]),
        ("Ben's children", ["Cid", "Dot"]),
        ("who is Cid a child of", ["Ben"]),
        ("Who taught Ben?", ["Ann"]),
        ("Who was Ben taught by?", ["Ann"]),
        ("who did Ben teach?", ["Cid"]),
        ("Who taught the teacher of Cid?", ["Ann"]),
        ("who has the codename Nutmeg", ["Ben"]),
        ("when was Magpie born", ["1901"]),
        ("was Magpie older than Nutmeg?", ["yes"]),
        ("born from 1950 onwards", ["Cid", "Dot"]),
    ],
)
def test_who_has_whom(people, question, right):
    assert answers(people, question) == right


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("list all lights first lit after 1900", ["Far Skar", "Low Rock"]),
        ("cheapest bottle", ["Low Rock"]),
        ("biggest invoice ever", ["Invoice 2"]),
        ("total amount ordered by Hale Ltd", ["£130"]),
        ("kg of grit on Moor Top", ["8"]),
        ("fastest run", ["Run 3"]),
    ],
)
def test_what_is_ranked(yard, question, right):
    assert answers(yard, question) == right


@pytest.mark.parametrize("question", ["average landing fee in kg", "Does Old Head get more trips than Low Rock?"])
def test_what_was_not_said_is_not_computed(yard, question):
    assert yard.read(Question(question)).confidence == 0.0
