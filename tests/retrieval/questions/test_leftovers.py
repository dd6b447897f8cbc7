"""Files of suites: what is not read of them is told, and questions of other graphs are left out."""

import json

import pytest

from retrieval.kg.readers.options import DETECT
from retrieval.questions.files import read_questions, read_set

COUNT = {"op": "Count", "source": {"op": "Entities", "ids": ["Fido"]}}
ROWS = [
    {"id": "a", "question": "Pets?", "answers": ["2"], "operators": ["count"], "graph": "pets_1", "sql": "SELECT"},
    {"id": "b", "question": "How many cars?", "answers": ["5"], "graph": "car_1", "program": "( call SW.size )"},
    {"id": "c", "question": "How many?", "answers": ["7"], "program": COUNT, "sql": "SELECT"},
]  # fmt: skip


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "dev.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def read(path, **how):
    problems = []
    found = read_questions(path, problems=problems.append, **how)
    assert {one.line for one in problems} <= {0}
    return found, [one.message for one in problems]


def test_what_is_not_read_is_told(suite):
    found, said = read(suite)
    assert [one.id for one in found] == ["a", "b", "c"]
    assert [one.program for one in found] == [None, None, COUNT]
    assert found[0].operators == ("count",)
    assert said == [
        "The program of 1 question is in another language and was left out; answers and operators are used.",
        "Not read: sql (2).",
        "The questions are about 2 graphs (car_1, pets_1); all were taken.",
    ]


def test_topics_and_answers_by_other_names_are_read(tmp_path):
    path = tmp_path / "own.jsonl"
    rows = [
        {"id": "1", "question": "Who keeps Leo?", "topics": ["Leo"], "answer": "Mia"},
        {"id": "2", "question": "Who keeps Pip?", "topic": "Pip", "answers": ["Ann"]},
        {
            "id": "3",
            "question": "Who keeps Kaa?",
            "topic_entities": ["Kaa"],
            "subject": "Kaa",
            "answers": ["Ann"],
        },
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found, said = read(path)
    assert [(one.topic_entities, one.answers) for one in found] == [
        (("Leo",), ("Mia",)),
        (("Pip",), ("Ann",)),
        (("Kaa",), ("Ann",)),
    ]
    assert said == ["Not read: subject (1)."]


def test_questions_of_other_graphs_are_left_out(suite):
    found, said = read(suite, graph="Pets_1")
    assert [one.id for one in found] == ["a", "c"]
    assert said[-1] == "1 question about other graphs (car_1, pets_1) left out."
    form, kept, problems = read_set(suite, DETECT, "pets_1")
    assert (form, len(kept), len(problems)) == ("jsonl", 2, 3)


def test_a_graph_of_another_name_takes_all(suite):
    found, said = read(suite, graph="My pets")
    assert len(found) == 3
    assert said[-1] == "The questions are about 2 graphs (car_1, pets_1); all were taken."


def test_a_file_that_is_wholly_read_says_nothing(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_text(json.dumps({"question": "Who?", "answers": ["Ada"], "graph": "g", "hops": None}) + "\n")
    assert read(path)[1] == []
