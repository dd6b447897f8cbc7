"""Long questions: they are read up to a budget, and the answer says what was left out."""

import time

import numpy as np
import pytest

from retrieval import effort
from retrieval.answering.paths import PathAnswerer
from retrieval.answering.run import AskRequest
from retrieval.effort import READ_CHARACTERS, Effort, get_readable_part
from retrieval.language.mention_words import split_words
from retrieval.language.question import Question
from retrieval.linking.mentions import to_context_stem
from retrieval.linking.word_context import WordContext
from retrieval.methods.zero_shot.features import encode_questions
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import NoAnswerReason
from tests.retrieval.world import FACTS, LabelLinker, ScriptedRetriever, build

QUESTION = "which languages are spoken in the countries that border Switzerland?"
SCRIPT = {"Switzerland": [("borders official_language", 0.7)]}


@pytest.fixture
def answerer(tmp_path):
    graph = build(tmp_path / "world", FACTS)
    return PathAnswerer(graph, ScriptedRetriever(graph, SCRIPT), LabelLinker(graph), ExtractiveReasoner())


def end_of(answerer, question):
    return list(answerer.run(AskRequest(Question(question))))[-1]


def test_a_question_is_read_up_to_the_end_of_a_word():
    assert get_readable_part("short") == "short"
    text = "word " * 400
    part = get_readable_part(text)
    assert (len(part), part[-5:]) == (999, " word")
    assert get_readable_part("a" * 2000) == "a" * READ_CHARACTERS


def test_an_answer_from_the_beginning_of_a_long_question_says_so(answerer):
    assert end_of(answerer, QUESTION).warnings == ()
    final = end_of(answerer, f"{QUESTION} {'please ' * 200}")
    assert [answer.label for answer in final.answers] == [answer.label for answer in end_of(answerer, QUESTION).answers]
    assert final.warnings[-1] == (
        "The question is too long to be read in full. Ask it in fewer words, or as several questions."
    )


def test_a_long_question_without_an_answer_is_told_as_too_long(answerer):
    final = end_of(answerer, f"{'?!. ' * 400} {QUESTION}")
    assert final.no_answer.reason is NoAnswerReason.TOO_LONG
    assert final.no_answer.hint


def test_the_budget_counts_the_making_of_items_alone(monkeypatch):
    monkeypatch.setattr(effort, "SECONDS", 0.1)
    budget = Effort(500)

    def burn(seconds):
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass

    def items():
        yield effort.is_spent()
        burn(effort.SECONDS + 0.1)
        yield effort.is_spent()

    made = budget.measure_items(items())
    assert next(made) is False
    burn(effort.SECONDS + 0.1)  # its reader's
    assert (budget.is_spent(), effort.is_spent()) == (False, False)
    assert next(made) is True
    assert budget.was_cut


def test_a_short_question_has_no_budget(monkeypatch):
    monkeypatch.setattr(effort, "SECONDS", 0.0)
    assert [list(Effort(size).measure_items(iter([1]))) for size in (400, 401)] == [[1], [1]]
    assert list(Effort(400).measure_items(effort.is_spent() for _ in range(1))) == [False]
    assert list(Effort(401).measure_items(effort.is_spent() for _ in range(1))) == [True]


@pytest.mark.parametrize("first", range(6))
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_words_around_a_stretch_are_those_that_counting_them_anew_gives(first, size):
    words = split_words("films of the films that directors of films direct")
    inside = [word.text for word in words[first : first + size]]
    outside = [word.text for word in (*words[:first], *words[first + size :])]
    context = WordContext(words).copy_without(inside)
    everything = {word.text for word in words} | {"absent"}
    assert {word for word in everything if context.has(word)} == set(outside)
    stems = {to_context_stem(word) for word in everything}
    assert {stem for stem in stems if context.has_stem(stem)} == {to_context_stem(w) for w in outside} - {""}


class CountingEncoder:
    """Vectors that follow from the letters of a text; counts the texts."""

    name = "counting"

    def __init__(self):
        self.texts = 0

    def encode(self, texts):
        self.texts += len(texts)
        found = np.array([[text.count(letter) + 1.0 for letter in "aeiou"] for text in texts], np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_phrases_that_a_question_has_from_several_topics_are_encoded_once():
    texts = [f"which long river borders {'Y ' * number}X" for number in range(20)]
    encoder = CountingEncoder()
    encode_questions(texts[:1], encoder)
    first = encoder.texts
    together = encode_questions(texts, encoder)
    again = encoder.texts - first
    assert again <= first + len(texts)
    alone = [encode_questions([text], encoder)[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert np.allclose(one.stretches, other.stretches)
        assert np.allclose(one.common, other.common)
