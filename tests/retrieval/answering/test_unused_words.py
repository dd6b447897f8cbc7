"""Words of a question that its answer leaves out: said, and never sure where a name, number or date is among them."""

import pytest

from retrieval.answering.run import AskRequest
from retrieval.answering.unused_words import UsedWords, join_spans, reduce_confidence
from retrieval.events import AnswerFinal, ChainsBuilt, PassagesRetrieved, QuestionLinked
from retrieval.language.question import Question
from retrieval.results import Answer
from retrieval.types import EvidenceChain, LinkedEntity, Node, Passage, RelationStep, RetrievedPassage, Usage

FINAL = AnswerFinal((Answer("Lagos", 0.9, Node(2, "Lagos")),), None, "", (), Usage(), 1.0)


def find(question: str, *words: str) -> list[tuple[int, int]]:
    return [(question.index(word), question.index(word) + len(word)) for word in words]


def test_neighbours_are_one_stretch_with_the_preposition_before_them():
    question = Question("the most profitable shop of the North in spring 2021?")
    spans = join_spans(question, find(question.text, "profitable", "spring", "2021"))
    assert [question.text[span.start : span.end] for span in spans] == ["profitable", "in spring 2021"]


@pytest.mark.parametrize(
    ("text", "unused", "sure"),
    [
        ("Which shop earned most in 2021?", ("2021",), 0.2),
        ("Which shop of Vera Holm earned most?", ("Vera",), 0.45),
        ("Which shop sold “green tea” first?", ("green",), 0.45),
        ("Which shop earned most by far?", ("far",), 0.9),
        ("Which shop earned most in 2021?", (), 0.9),
        ("Which shop of Rome can I visit?", ("I",), 0.9),
        ("How many shops are famous?", ("famous",), 0.45),
        ("How many famous shops sold tea?", ("famous",), 0.45),
        ("How many shops failed?", ("failed",), 0.45),
        ("How many shops failed in Rome?", ("failed",), 0.9),
        ("How many shops are there?", (), 0.9),
        ("Which of the shops are famous abroad?", ("famous",), 0.9),
        ("What is famous?", ("famous",), 0.9),
    ],
)
def test_an_answer_without_a_name_number_or_date_of_the_question_is_not_sure(text, unused, sure):
    assert reduce_confidence(0.9, Question(text), find(text, *unused)) == sure


def test_a_guess_is_no_surer_for_what_it_leaves_out():
    assert reduce_confidence(0.1, Question("Who won in 1990?"), [(11, 15)]) == 0.1


def mark(question: str, *events) -> AnswerFinal:
    used = UsedWords(AskRequest(Question(question)))
    for event in events:
        used.add(event)
    return used.mark_unused(FINAL)


def test_paths_and_passages_use_what_they_hold():
    question = "Which city did Ada Obi leave in 1999 for Accra?"
    start = question.index("Ada")
    linked = QuestionLinked((LinkedEntity(Node(1, "Ada Obi"), "Ada Obi", start, start + 7, 1.0, "exact"),), (), 1.0)
    chain = EvidenceChain(Node(1, "Ada Obi"), (RelationStep("left", "left"),), ((Node(2, "Lagos"),),), (1,), (), 0.9)
    final = mark(question, linked, ChainsBuilt((chain,), 1, 1, 1.0))
    assert [question[span.start : span.end] for span in final.unused] == ["in 1999", "for Accra"]
    assert final.answers[0].score == 0.2
    passage = RetrievedPassage(Passage(0, "a", "Ada Obi", "She left Lagos for Accra in 1999."), 0.8)
    final = mark(question, linked, PassagesRetrieved((passage,), "words", 1.0))
    assert (final.unused, final.answers[0].score) == ((), 0.9)
