"""What people first ask of a table of their own: numbers of its columns, lists in its cells, both, but not, whose."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.constructions.conjunctions import convert_either_to_both, move_exception
from retrieval.programs.reader import ProgramReader

from .asking import answers

STAFF = """Employee,Department,Manager,Salary,Start date,Languages,Town
Amara Obi,Sales,Joel Stern,52000,2019-03-11,"English, French",Oslo
Ben Kato,Sales,Joel Stern,34000,2022-06-01,English,Riga
Carla Reyes,Support,Amara Obi,61000,2018-09-17,"Spanish, English",Oslo
Dov Levin,Support,Amara Obi,48000,2021-01-05,"German, English",Porto
Elif Aydin,Support,Amara Obi,63500,2017-02-20,"French, German, English",Porto
Joel Stern,Board,,91000,2013-10-07,"English, German",Oslo
"""
TOWNS = """name,Lies in,Inhabitants
Oslo,Norway,700000
Riga,Latvia,600000
Porto,Portugal,230000
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("staff")
    for name, text in (("staff.csv", STAFF), ("towns.csv", TOWNS)):
        (folder / name).write_text(text, encoding="utf-8")
    files = [folder / "staff.csv", folder / "towns.csv"]
    snapshot, _ = build_from_files(files, folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many departments are there?", ["3"]),
        ("How many languages are there?", ["4"]),
        ("How many employees do we have?", ["6"]),
        ("hihgest salary in Support", ["Elif Aydin"]),
        ("how mnay employees speak German?", ["3"]),
        ("What is the highest salary in Sales?", ["52,000"]),
        ("Which employees speak both German and French?", ["Elif Aydin"]),
        ("How many employees speak both German and French?", ["1"]),
        ("How many employees speak both German and English?", ["3"]),
        ("Who speaks Spanish but not French?", ["Carla Reyes"]),
        ("Who speaks Spanish but not German?", ["Carla Reyes"]),
        ("Who manages Ben Kato?", ["Joel Stern"]),
        ("Who does Amara Obi manage?", ["Carla Reyes", "Dov Levin", "Elif Aydin"]),
        ("Who is the newest employee?", ["Ben Kato"]),
        ("How many employees speak more than 2 languages?", ["1"]),
        ("How many countries are there?", ["3"]),
        ("Which employees live in Portugal?", ["Dov Levin", "Elif Aydin"]),
        ("Whose manager has a salary of more than 60000?", ["Amara Obi", "Ben Kato"]),
        ("Does Carla Reyes live in Oslo?", ["yes"]),
        ("What is the salary difference between Ben Kato and Dov Levin?", ["14,000"]),
        ("Which employees speak Spanish or French?", ["Amara Obi", "Carla Reyes", "Elif Aydin"]),
        ("highest paid employee of each department", ["Amara Obi", "Elif Aydin", "Joel Stern"]),
    ],
)
def test_tables_are_asked(reader, question, expected):
    assert answers(reader, question) == expected


def test_what_no_program_computes_is_not_understood(reader):
    assert reader.read(Question("What percentage of employees speak German?")).confidence == 0.0
    assert reader.read(Question("How many employees speak German?")).confidence > 0.5


def test_nothing_to_lift_is_left_alone(reader):
    program = reader.read(Question("Which employees speak German?")).best.program
    assert convert_either_to_both(program, reader.parser._executor) is None
    assert move_exception(program, reader.parser._executor) is None
