"""Dev questions say below which support a relation path is doubted, and retrievers doubt it."""

from dataclasses import replace

import numpy as np
import pytest

from retrieval.language.question import Question
from retrieval.methods.retriever_loading import open_retriever
from retrieval.train import train
from retrieval.validation import Validation
from tests.retrieval.films import WordEncoder, build, questions


def test_what_is_far_below_all_but_one_question_in_a_hundred_is_doubted_and_few_say_nothing():
    supports = tuple(float(i) for i in range(101))
    assert Validation({}, supports).least_support == 1.0 - 3.0
    assert Validation({}, supports[:49]).least_support is None


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rel-rag-path", "reg-path"])
def test_a_checkpoint_keeps_the_least_support_and_doubts_what_has_less(method, tmp_path):
    graph, encoder = build(tmp_path / "graph"), WordEncoder()
    # Each dev question six times: it takes 50 to tell.
    more = [replace(q, id=f"{q.id}-{i}") for q in questions() if q.split == "dev" for i in range(6)]
    settings = {"hidden": 16, "epochs": 2, "dropout": 0.0, "max_hops": 3}
    result = train(method, graph, [*questions(), *more], config=settings, out=tmp_path / "out", encoder=encoder)
    opened = open_retriever(method, result.checkpoint, graph, encoder, cache=tmp_path / "cache")
    assert opened.least_support is not None
    film = graph.find_entity("Film 01")
    found = opened.rank_relation_paths(Question("who directed Film 01"), [film])
    assert found
    for path in found:
        assert np.isfinite(path.support)
        assert path.doubted == (path.support < opened.least_support)
    other = build(tmp_path / "other", [("Film 99", "directed_by", "Varda")])
    elsewhere = open_retriever(method, result.checkpoint, other, encoder, cache=tmp_path / "cache")
    paths = elsewhere.rank_relation_paths(Question("who directed Film 99"), [other.find_entity("Film 99")])
    assert {path.doubted for path in paths} == {None}
