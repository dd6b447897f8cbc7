"""What the noun of a question says is asked for, and what is told of things one step away."""

import pytest

from retrieval.language import words
from retrieval.programs.constructions.answer_types import find_wanted_nodes

from .asking import answers, reader_of

LESSONS = [
    (lesson, relation, value)
    for lesson, teacher, pupil, room, minutes in (
        ("Lesson A", "Ana Ruiz", "Tom Bell", "Blue Room", "45 min"),
        ("Lesson B", "Ana Ruiz", "Eva Lind", "Red Room", "30 min"),
        ("Lesson C", "Max Roth", "Eva Lind", "Blue Room", "45 min"),
    )
    for relation, value in (
        ("type", "lesson"), ("teacher", teacher), ("pupil", pupil), ("held in", room), ("length", minutes),
    )
] + [
    ("Blue Room", "type", "room"), ("Red Room", "type", "room"), ("Blue Room", "floor", "2"),
    ("Red Room", "floor", "1"),
]  # fmt: skip

PUZZLES = [
    ("Music box", "is a puzzle in", "Attic"), ("Rack", "is a puzzle in", "Train"), ("Safe", "is a puzzle in", "Bank"),
    ("Music box", "opens with", "key"), ("Rack", "opens with", "key"), ("Safe", "opens with", "code"),
    ("Attic", "seats", "4"), ("Train", "seats", "6"), ("Bank", "seats", "5"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    return reader_of(LESSONS, tmp_path_factory.mktemp("lessons"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which rooms does Ana Ruiz teach in?", ["Blue Room", "Red Room"]),
        ("lessons held in the Blue Room", ["Lesson A", "Lesson B", "Lesson C"]),
        ("how many teachers are there", ["Ana Ruiz", "Max Roth"]),
        ("What is the average length of the lessons?", None),
        ("Who teaches Eva Lind?", None),
        ("Which length has Lesson A?", None),
    ],
)
def test_the_noun_of_a_question_says_a_sort(lessons, question, expected):
    parser, read = lessons.parser, words.read(question)
    found = find_wanted_nodes(read, parser.anchors.find_anchors(read), parser.schema, parser._executor)
    assert (None if found is None else sorted(map(lessons.snapshot.get_entity_label, found.tolist()))) == expected


def test_what_is_asked_for_may_lie_one_step_from_what_is_named(lessons):
    assert answers(lessons, "Which rooms are the lessons of Max Roth in?") == ["Blue Room"]


def test_a_relation_may_say_what_its_heads_are(tmp_path):
    reader = reader_of(PUZZLES, tmp_path)
    assert answers(reader, "Which puzzles do you open with a key?") == ["Music box", "Rack"]
    assert answers(reader, "how many puzzles are there") == ["3"]
