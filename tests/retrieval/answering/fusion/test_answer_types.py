"""Relation paths answer with the sort of thing that was asked for, or not at all: no kind of "who"."""

import pytest

from retrieval.answering.programs import ProgramAnswerer
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader

BATHS = [
    ("Olga", "type", "person"), ("Piet", "type", "person"), ("Reed Bath", "type", "bath"),
    ("Salt Bath", "type", "bath"),
    ("Olga", "works at", "Reed Bath"), ("Olga", "job", "masseur"), ("Piet", "job", "cook"),
    ("Piet", "works at", "Salt Bath"), ("Reed Bath", "heated", "yes"), ("Salt Bath", "heated", "no"),
    ("Reed Bath", "opened", "1999"), ("visit 1", "type", "visit"), ("visit 1", "bath", "Reed Bath"),
    ("visit 2", "type", "visit"), ("visit 2", "bath", "Salt Bath"),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return build_snapshot(TripleTable.from_facts(BATHS), tmp_path_factory.mktemp("baths") / "graph")


@pytest.mark.parametrize(
    ("question", "nodes", "refused"),
    [
        ("who works at Reed Bath", ["Olga"], False),
        ("who works at Reed Bath", ["bath"], True),
        ("who is Olga", ["person"], False),
        ("who bathes in Reed Bath", ["visit 1"], True),
        ("where does Olga work", ["Reed Bath"], False),
        ("where does Olga work", ["masseur"], True),
        ("where does Olga work", ["Piet"], True),
        ("where did Olga work", ["1999"], True),
        ("is Reed Bath heated", ["yes"], False),
        ("is Reed Bath heated", ["no", "yes"], True),
        ("is Reed Bath heated", ["Salt Bath"], True),
        ("when was Reed Bath heated", ["yes"], True),
        ("when did Reed Bath open", ["1999"], False),
        ("what does Olga do", ["masseur"], False),
        ("what does Reed Bath offer", ["yes"], True),
        ("who heats Reed Bath", ["yes"], True),
    ],
)
def test_what_can_be_no_answer(snapshot, question, nodes, refused):
    types = ProgramAnswerer(ProgramReader(snapshot, None, PROGRAMS), 0.3).outcomes.answer_types
    assert types.is_impossible_answer(Question(question), [snapshot.find_entity(node) for node in nodes]) is refused
