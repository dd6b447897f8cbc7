"""A question set checked against its graph."""

import pytest

from retrieval.errors import Cancelled
from retrieval.questions.checking import MissingName, QuestionCheck, check_questions
from retrieval.types import Question
from tests.retrieval import world


def test_what_the_graph_lacks_is_counted_and_near_names_are_offered(tmp_path):
    graph = world.build(tmp_path / "g")
    questions = [
        Question("1", "?", ("Jaws",), ("Spielberg",), split="train"),
        Question("2", "?", ("Switzerlnd",), ("Austria", "Atlantis"), split="train"),
        Question("3", "?", ("Switzerlnd", "france"), ("Nobody",), split="dev"),
        Question("4", "?", relation_paths=(("borders", "has_capital"),), passages=("p1",)),
    ]
    assert check_questions(graph, questions) == QuestionCheck(
        questions=4,
        askable=3,
        measurable=1,
        topics=3,
        topics_found=2,
        answers=4,
        answers_found=2,
        relations=2,
        relations_found=1,
        passages=1,
        passages_found=0,
        topics_missing=(MissingName("Switzerlnd", 2, "2", ("Switzerland",)),),
        answers_missing=(MissingName("Atlantis", 1, "2"), MissingName("Nobody", 1, "3")),
        splits=(("dev", 1), ("none", 1), ("train", 2)),
    )


def test_it_can_be_stopped(tmp_path):
    with pytest.raises(Cancelled):
        check_questions(world.build(tmp_path / "g"), [Question("1", "?", ("Jaws",))], cancelled=lambda: True)
