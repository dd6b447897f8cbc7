"""Questions that ask for more than a walk are not answered with a list; scores that say little make guesses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.answering.run import AskRequest
from retrieval.errors import LLMError
from retrieval.language.operators import HINTS
from retrieval.language.question import Question
from retrieval.reasoning.base import Conclusion
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import Answer, NoAnswerReason, Span
from tests.retrieval.world import FACTS, LabelLinker, ScriptedRetriever, build

SCRIPT = {
    "Switzerland": [("borders", 0.9), ("official_language", 0.05)],
    "Austria": [("population", 0.6), ("borders", 0.3)],
    "Germany": [("population", 0.9)],
    "Berlin": [("capital_of", 0.2)],
}


class Model:
    """A language model that answers everything, or fails."""

    name, llm, prompts = "llm", "model", {}

    def __init__(self, *, fails=False):
        self.fails = fails

    def answer(self, evidence, *, cancelled):
        if self.fails:
            raise LLMError("The language model is away.")
        yield Conclusion(answers=(Answer("5", 1.0),))


@pytest.fixture
def ask(tmp_path):
    graph = build(tmp_path / "world", [*FACTS, ("Berlin", "capital_of", "Germany")])

    def of(question, reasoner=None):
        answerer = PathAnswerer(
            graph, ScriptedRetriever(graph, SCRIPT), LabelLinker(graph), reasoner or ExtractiveReasoner()
        )
        return list(answerer.run(AskRequest(Question(question))))[-1]

    return of


@pytest.mark.parametrize(
    ("question", "said", "spans"),
    [
        ("How many countries border Switzerland?", "“How many”", [(0, 8)]),
        ("which countries do not border switzerland, Switzerland?", "“not”", [(19, 22)]),
        ("Is Berlin the capital of Germany?", "“Is”", [(0, 2)]),
        ("How many is the largest?", "“How many”, “largest”", [(0, 8), (16, 23)]),
    ],
)
def test_an_operator_that_nothing_computes_is_said(ask, question, said, spans):
    final = ask(question)
    assert final.answers == ()
    assert final.no_answer.reason is NoAnswerReason.NOT_UNDERSTOOD
    assert final.no_answer.message == f"Not understood: {said}."
    assert final.no_answer.spans == tuple(Span(*span) for span in spans)
    assert final.no_answer.hint in HINTS.values()


def test_a_number_answers_how_many_and_a_comparison_is_computed(ask):
    assert ask("How many people live in Austria?").answers[0].label == "9,170,000"
    compared = ask("Which has more people, Austria or Germany?")
    assert compared.no_answer is None
    assert len(compared.answers) == 1


def test_a_language_model_may_count_and_what_stands_in_for_it_may_not(ask):
    question = "How many countries border Switzerland?"
    assert [answer.label for answer in ask(question, Model()).answers] == ["5"]
    assert ask(question, Model(fails=True)).no_answer.reason is NoAnswerReason.NOT_UNDERSTOOD
    assert ask("How many is it?", Model()).no_answer.reason is NoAnswerReason.ENTITY_NOT_LINKED


def test_answers_below_the_floor_are_guesses(ask):
    assert {answer.guess for answer in ask("What borders Switzerland?").answers} == {False}
    (guess,) = ask("Whose is Berlin?").answers
    assert (guess.label, guess.score, guess.guess) == ("Germany", 0.2, True)
    strict = ExtractiveReasoner(replace(ExtractiveReasoner().settings, trusted=0.95))
    assert {answer.guess for answer in ask("What borders Switzerland?", strict).answers} == {True}
