"""Questions about all of something: whether any is left out, said with how many; over lamps, and over an office."""

import pytest

from retrieval.language.question import Question
from retrieval.programs.algebra.operations import Holds

from .asking import answers, reader_of
from .saying import World

LAMPS = [
    (name, relation, value)
    for name, room, bulb, watts in (
        ("Luna", "kitchen", "LED", "8"),
        ("Sol", "kitchen", "LED", "12"),
        ("Vega", "attic", "halogen", "40"),
    )
    for relation, value in (("type", "lamp"), ("room", room), ("bulb", bulb), ("watts", watts))
]
OFFICE = [
    (name, relation, value)
    for name, team, desk, boss in (
        ("Ann", "Sales", "D1", "Eve"),
        ("Bob", "Sales", "D2", "Ann"),
        ("Eve", "Board", "", ""),
    )
    for relation, value in (("type", "employee"), ("team", team), ("desk", desk), ("boss", boss))
    if value
] + [("D1", "type", "desk"), ("D2", "type", "desk")]


@pytest.fixture(scope="module")
def lamps(tmp_path_factory):
    return reader_of(LAMPS, tmp_path_factory.mktemp("lamps"))


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    return reader_of(OFFICE, tmp_path_factory.mktemp("office"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are all lamps LED?", ["no"]),
        ("Is every lamp LED?", ["no"]),
        ("Are all lamps in the kitchen LED?", ["yes"]),
        ("Do all lamps have more than 10 watts?", ["no"]),
        ("Is each lamp in the attic halogen?", ["yes"]),
        ("Are there any halogen lamps?", ["yes"]),
    ],
)
def test_lamps(lamps, question, expected):
    assert answers(lamps, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do all employees have a desk?", ["no"]),
        ("Does every employee have a boss?", ["no"]),
        ("Do all employees in Sales have a desk?", ["yes"]),
        ("Are all employees in Sales?", ["no"]),
    ],
)
def test_employees(office, question, expected):
    assert answers(office, question) == expected


def test_a_universal_answer_names_what_is_left_out(tmp_path, lamps):
    world = World(LAMPS, tmp_path / "graph")
    program = lamps.read(Question("Are all lamps LED?")).best.program
    assert isinstance(program, Holds)
    assert world.say(program) == "No: that does not hold for 1 of 3 lamps, Vega."
    kitchen = lamps.read(Question("Are all lamps in the kitchen LED?")).best.program
    assert world.say(kitchen) == "Yes: that holds for all 2 lamps in kitchen."
