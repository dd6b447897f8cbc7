"""Columns that share a noun, are asked for together, or are compared with each other and among things."""

from pathlib import Path

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


def test_a_column_answers_before_what_could_be_calculated(tmp_path: Path) -> None:
    facts = []
    for town, (before, after, change, late, early) in {
        "Aldwick": ("30", "44", "14", "8", "41"),
        "Borth": ("52", "40", "-12", "11", "37"),
        "Cray": ("17", "17", "0", "23", "9"),
    }.items():
        facts += [(town, "type", "town"), (town, "2019_thefts", before), (town, "2020_thefts", after)]
        facts += [(town, "change", change), (town, "Share of trains on the north line that were late", late)]
        facts.append((town, "Share of trains on the north line that were early", early))
    towns = reader_of(facts, tmp_path)
    assert answers(towns, "What was the change in thefts in Aldwick?") == ["14"]
    assert answers(towns, "How many thefts were there in Borth in 2020?") == ["40"]
    assert answers(towns, "What share of trains on the north line in Cray were late?") == ["23"]
    assert answers(towns, "What share of trains on the north line in Cray were early?") == ["9"]
    assert answers(towns, "What share of the towns had more than 20 thefts in 2020?") == ["66.7%"]


def test_what_something_means_is_no_mean(depots: ProgramReader) -> None:
    asked = depots.read(Question("What does the name Brome mean?"))
    assert asked is None or asked.confidence == 0.0
    assert answers(depots, "What is the mean of diesel buses?") == ["23"]
