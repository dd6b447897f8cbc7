"""Questions that are read together are answered as one by one, with fewer calls of the model."""

from __future__ import annotations

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.linking.linker import Linker
from retrieval.methods.retriever_loading import open_retriever
from retrieval.reasoning.extractive import ExtractiveReasoner
from tests.retrieval.films import WordEncoder, questions

ASKED = [question for question in questions() if question.split == "test"]


def engine_of(trained, method, encoder, **options):
    retriever = open_retriever(
        method, trained.checkpoint(method), trained.graph, encoder, cache=trained.cache, options=options
    )
    return PathAnswerer(trained.graph, retriever, Linker(trained.graph), ExtractiveReasoner(), encoder="words")


@pytest.mark.parametrize("method", ["rapl", "rel-rag-path", "reg-path", "reg-triple", "graph-s3"])
def test_questions_read_together_are_answered_as_one_by_one(trained, method, monkeypatch):
    outcomes, calls = [], []
    for at_once in (1, 64):
        encoder = WordEncoder()
        # What is asked in parts is ranked for each part.
        whole = {"decompose": False} if method in ("rapl", "rel-rag-path", "reg-path") else {}
        answerer = engine_of(trained, method, encoder, **whole)
        rank, ranked = answerer.retriever.rank, []
        monkeypatch.setattr(
            answerer.retriever, "rank", lambda *of, rank=rank, to=ranked: to.append(len(of[0])) or rank(*of)
        )
        found = evaluate_answerer(answerer, ASKED, budget=50, seed=0, at_once=at_once)
        outcomes.append(
            # How a batch is added up moves the last digits on some processors.
            [(one.question.id, [(label, round(sure, 4)) for label, sure in one.predicted], one.facts)
             for one in found.outcomes]
        )  # fmt: skip
        calls.append(ranked[3:])  # without those that are asked for warmth
    assert outcomes[0] == outcomes[1]
    assert [one for one, predicted, _ in outcomes[0] if predicted]
    assert calls == [[1] * len(ASKED), [16] * (len(ASKED) // 16) + [len(ASKED) % 16]]


@pytest.mark.parametrize("method", ["rel-rag-path", "reg-path"])
def test_so_are_those_that_are_asked_in_parts(trained, method):
    alone, together = (
        evaluate_answerer(engine_of(trained, method, WordEncoder()), ASKED, budget=50, seed=0, at_once=at_once)
        for at_once in (1, 64)
    )
    assert [one.predicted for one in alone.outcomes] == [one.predicted for one in together.outcomes]


def test_the_times_of_a_question_hold_its_share(trained, monkeypatch):
    answerer = engine_of(trained, "rel-rag-path", WordEncoder())
    monkeypatch.setattr("retrieval.evaluation.evaluator._read_ahead", lambda *_: {"0-5": 1e6})
    first, *_ = evaluate_answerer(answerer, ASKED[:1], budget=50, seed=0, at_once=2).outcomes
    assert ASKED[0].id == "0-5"
    assert 1e6 < first.retrieval_ms < first.latency_ms
