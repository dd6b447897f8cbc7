"""Sheets that a workshop keeps: rows that only a number tells apart, codes between sheets, kinds that end alike."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader

from .asking import answers, reader_of

JOBS = """Job,Bike,Customer,Fee
J1,Stork,Ann Bell,40
J2,Comet,Ben Kato,25
J3,Stork,Ann Bell,60
J4,Stork,Cora Dunn,35
J5,Comet,Ben Kato,30
"""
PARTS = """Job,Part,Quantity,Price each
J1,inner tube,2,7.50
J1,chain,1,32.00
J2,inner tube,1,7.50
J3,rim,1,58.00
J4,controller,1,140.00
J5,chain,1,32.00
"""
MOWER = [
    (name, relation, value)
    for name, kind, cost in (
        ("blade", "cutting part", "12"), ("frame", "structural part", "80"), ("stop", "safety part", "45"),
        ("hood", "structural part", "30"), ("Meadow", "mower", "900"),
    )
    for relation, value in (("is a", kind), ("unit cost", cost))
]  # fmt: skip


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workshop")
    for name, text in (("jobs.csv", JOBS), ("parts.csv", PARTS)):
        (folder / name).write_text(text, encoding="utf-8")
    files = [folder / "jobs.csv", folder / "parts.csv"]
    snapshot, _ = build_from_files(files, folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


def test_rows_that_a_number_tells_apart_are_shown_as_what_their_column_says(workshop):
    assert answers(workshop, "which parts cost more than 40 each") == ["controller", "rim"]


@pytest.fixture(scope="module")
def mower(tmp_path_factory):
    return reader_of(MOWER, tmp_path_factory.mktemp("mower"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many parts are there?", ["4"]),
        ("the most expensive part", ["frame"]),
        ("How many structural parts are there?", ["2"]),
        ("list all mowers", ["Meadow"]),
    ],
)
def test_a_noun_that_ends_several_kinds_means_all_of_them(mower, question, expected):
    assert answers(mower, question) == expected


def test_what_is_only_named_is_no_answer(mower):
    found = mower.read(Question("list frame or hood"))
    assert [meaning.refused for meaning in found.meanings][:1] == [True]
