"""A question set checked against its graph."""

import pytest

from retrieval.errors import Cancelled
from retrieval.questions.checking import MissingName, MissingProgram, QuestionCheck, check_questions
from retrieval.types import QuestionRecord
from tests.retrieval import world


def test_what_the_graph_lacks_is_counted_and_near_names_are_offered(tmp_path):
    graph = world.build(tmp_path / "g")
    questions = [
        QuestionRecord("1", "?", ("Jaws",), ("Spielberg",), split="train"),
        QuestionRecord("2", "?", ("Switzerlnd",), ("Austria", "Atlantis"), split="train"),
        QuestionRecord("3", "?", ("Switzerlnd", "france"), ("Nobody",), split="dev"),
        QuestionRecord("4", "?", relation_paths=(("borders", "has_capital"),), passages=("p1",)),
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


def test_programs_are_looked_up_by_name(tmp_path):
    graph = world.build(tmp_path / "g")

    def walk(entity, relation):
        source = {"op": "Entities", "ids": [entity]}
        return {"op": "Walk", "source": source, "relation": {"name": relation, "inverse": False}}

    questions = [
        QuestionRecord("1", "?", program=walk("Jaws", "directed_by")),
        QuestionRecord("2", "?", program=walk("Jaws", "direct_by")),
        QuestionRecord("3", "?", program=walk("Switzerlnd", "borders")),
        QuestionRecord("4", "?", program={"op": "Sort"}),
        QuestionRecord("5", "?"),
    ]
    found = check_questions(graph, questions)
    assert (found.programs, found.programs_found) == (4, 1)
    one, two, three = found.programs_missing
    assert one == MissingProgram("2", "The graph has no relation “direct_by”.", "The nearest are “directed_by”.")
    assert two == MissingProgram("3", "The graph has no entity “Switzerlnd”.", "The nearest are “Switzerland”.")
    assert (three.question, three.hint) == ("4", "")
    assert three.message.startswith("This is no program: program: there is no operation 'Sort'")


def test_it_can_be_stopped(tmp_path):
    with pytest.raises(Cancelled):
        check_questions(world.build(tmp_path / "g"), [QuestionRecord("1", "?", ("Jaws",))], cancelled=lambda: True)
