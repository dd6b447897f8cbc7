"""Questions that are read together are answered as one by one, with fewer calls of the encoder."""

from __future__ import annotations

import pytest

from retrieval.evaluation.evaluator import evaluate_engine
from retrieval.methods._shared.opening import open_retriever
from retrieval.methods._shared.path_engine import PathEngine
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.text.linking import Linker
from tests.retrieval.films import SHAPES, WordEncoder, questions

ASKED = [question for question in questions() if question.split == "test"]


class CountingEncoder(WordEncoder):
    """Tells how many times the words of texts were asked for."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def words(self, texts):
        self.calls += 1
        return super().words(texts)


def engine_of(trained, method, encoder):
    retriever = open_retriever(
        method, trained.checkpoint(method), trained.graph, encoder, cache=trained.cache
    )
    return PathEngine(trained.graph, retriever, Linker(trained.graph), ExtractiveReasoner(), encoder="words")


@pytest.mark.parametrize("method", ["rapl", "rel-rag-path"])
def test_questions_read_together_are_answered_as_one_by_one(trained, method):
    outcomes, calls = [], []
    for at_once in (1, 64):
        encoder = CountingEncoder()
        engine = engine_of(trained, method, encoder)
        found = evaluate_engine(engine, ASKED, budget=50, seed=0, at_once=at_once)
        outcomes.append([(one.question.id, one.predicted, one.facts) for one in found.outcomes])
        calls.append(encoder.calls)
    assert outcomes[0] == outcomes[1]
    assert [one for one, predicted, _ in outcomes[0] if predicted]
    # Seen from their topics, questions of a shape are one text; those asked for warmth are another.
    assert calls == [1 + len(SHAPES), 2]


def test_the_times_of_a_question_hold_its_share(trained, monkeypatch):
    engine = engine_of(trained, "rel-rag-path", WordEncoder())
    monkeypatch.setattr("retrieval.evaluation.evaluator._read_ahead", lambda *_: {"0-5": 1e6})
    first, *_ = evaluate_engine(engine, ASKED[:1], budget=50, seed=0, at_once=2).outcomes
    assert ASKED[0].id == "0-5"
    assert 1e6 < first.retrieval_ms < first.latency_ms
