"""Columns that share a noun, are asked for together, or are compared with each other and among things."""

import pytest

from retrieval.language.question import Question
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.dialogue.follow import resolve_follow_up
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.table_formatting import format_cell
from retrieval.types import Turn
from tests.retrieval.programs.asking import answers, reader_of

DEPOTS = {
    # diesel buses, electric buses, night lines, crashes in two spans of years
    "Ackley": ("40", "12", "3", "2", "0"),
    "Brome": ("25", "31", "0", "5", "1"),
    "Carrow": ("12", "12", "5", "0", "0"),
    "Dunley": ("7", "40", "2", "1", "3"),
    "Elstow": ("31", "25", "0", "14", "2"),
}
HEADINGS = ("diesel buses", "electric buses", "night lines", "crashes 01 10", "crashes 11 20")


@pytest.fixture(scope="module")
def depots(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    facts = [(depot, "type", "depot") for depot in DEPOTS]
    for depot, values in DEPOTS.items():
        facts += [(depot, heading, value) for heading, value in zip(HEADINGS, values, strict=True)]
    return reader_of(facts, tmp_path_factory.mktemp("depots"))


def read_rows(reader: ProgramReader, question: str) -> list[tuple[str, ...]]:
    """The cells of the table that answers."""
    read = reader.read(Question(question))
    assert read is not None
    table, rows = read.best.program, read.best.result
    assert isinstance(table, Table)
    assert isinstance(rows, Rows)
    return [
        tuple(format_cell(read.executor.columns, table, rows, row, column) for column in range(len(rows.columns)))
        for row in range(len(rows))
    ]


def test_joined_names_share_their_noun(depots: ProgramReader) -> None:
    assert read_rows(depots, "Diesel and electric buses of Brome") == [("Brome", "25", "31")]
    assert read_rows(depots, "What are the diesel and electric buses of Ackley and Dunley?") == [
        ("Ackley", "40", "12"),
        ("Dunley", "7", "40"),
    ]


def test_several_numbers_are_asked_for_with_how_many(depots: ProgramReader) -> None:
    assert read_rows(depots, "How many diesel buses and night lines does Carrow have?") == [("Carrow", "12", "5")]
    assert read_rows(depots, "How many diesel and electric buses does Elstow have?") == [("Elstow", "31", "25")]


def test_things_are_compared_by_the_same_column(depots: ProgramReader) -> None:
    assert answers(depots, "Does Dunley have more diesel buses than Brome?") == ["no"]
    assert answers(depots, "Does Elstow have more electric buses than Ackley?") == ["yes"]
    assert answers(depots, "Which depots have more electric buses than Brome?") == ["Dunley"]
    assert answers(depots, "Which depots have more diesel buses than electric buses?") == ["Ackley", "Elstow"]


def test_numbers_that_choose_a_column_are_no_values(depots: ProgramReader) -> None:
    assert answers(depots, "Which depots had no crashes from 01 to 10?") == ["Carrow"]
    assert answers(depots, "Which depots had no crashes from 11 to 20?") == ["Ackley", "Carrow"]
    assert answers(depots, "How many crashes did Elstow have from 01 to 10?") == ["14"]


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("Depots with more than 20 diesel buses and their night lines", None),
        ("What are their night lines?", "What are the night lines of depots?"),
    ],
)
def test_their_points_to_what_the_question_names_before_it(
    depots: ProgramReader, question: str, rewritten: str | None
) -> None:
    find = depots.snapshot.find_entity
    before = Turn("Which depots have no night lines?", (), (find("Brome"), find("Elstow")), None, ())
    resolved = resolve_follow_up(depots, Question(question), before)
    assert (resolved and resolved.question.text) == rewritten
