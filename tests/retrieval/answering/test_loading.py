"""Engines are opened once, kept while they are used, and opened again when their files changed."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from retrieval.answering.loading import AnswererCache
from retrieval.answering.reasoners import make_reasoner
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, DamagedError, SnapshotError
from retrieval.events import AnswerFinal
from retrieval.language.question import Question
from retrieval.linking.text_features import get_relation_vectors
from tests.retrieval.world import FACTS, build


@pytest.fixture
def spec(tmp_path):
    build(tmp_path / "world")
    return AnswererSpec(tmp_path / "world")


def test_an_engine_is_opened_once_also_by_many_threads(spec):
    cache = AnswererCache()
    with ThreadPoolExecutor(4) as threads:
        answerers = list(threads.map(cache.get, [spec] * 8))
    assert len({id(answerer) for answerer in answerers}) == 1
    assert len(cache) == 1
    *_, final = answerers[0].run(AskRequest(Question("who directed Jaws?")))
    assert isinstance(final, AnswerFinal)
    assert [answer.label for answer in final.answers] == ["Spielberg"]


def test_the_engine_used_longest_ago_goes_first(tmp_path, spec):
    cache = AnswererCache(size=2)
    others = []
    for name in ("one", "two"):
        build(tmp_path / name, FACTS[:5])
        others.append(AnswererSpec(tmp_path / name))
    first = cache.get(spec)
    second = cache.get(others[0])
    assert cache.get(spec) is first
    cache.get(others[1])
    assert len(cache) == 2
    assert cache.get(spec) is first
    assert cache.get(others[0]) is not second


def test_engines_of_one_graph_share_it_and_its_linker(tmp_path, spec):
    cache = AnswererCache()
    build(tmp_path / "other", FACTS[:5])
    methods = ("rapl", "reg-path", "rel-rag-path")
    first, second, third = (cache.get(replace(spec, method=method)) for method in methods)
    assert first.snapshot is second.snapshot is third.snapshot
    assert first.linker is second.linker is third.linker
    assert len({id(answerer.retriever) for answerer in (first, second, third)}) == 3
    assert cache.get(AnswererSpec(tmp_path / "other")).snapshot is not first.snapshot


def test_engines_of_one_graph_that_are_opened_at_once_share_it_and_what_reads_questions(spec):
    cache, methods = AnswererCache(), ("rapl", "reg-path", "reg-triple", "rel-rag-path")
    with ThreadPoolExecutor(len(methods)) as threads:
        answerers = list(threads.map(cache.get, [replace(spec, method=method) for method in methods]))
    assert len({id(answerer.snapshot) for answerer in answerers}) == 1
    assert len({id(answerer.follow_ups) for answerer in answerers}) == 1
    asked = AskRequest(Question("who directed Jaws?"))
    assert {list(answerer.run(asked))[-1].answers[0].label for answerer in answerers} == {"Spielberg"}
    kept = [answerer.retriever._kept for answerer in answerers]
    assert all(own is kept[0] for own in kept), "its relation paths are ranked once"


def test_the_relations_of_a_graph_are_encoded_once(tmp_path):
    class Counting:
        name, dim = "counting", 2

        def __init__(self):
            self.calls = 0

        def encode(self, texts):
            self.calls += 1
            return np.ones((len(texts), 2), np.float32)

    snapshot, encoder = build(tmp_path / "world"), Counting()
    first, second = get_relation_vectors(snapshot, encoder), get_relation_vectors(snapshot, encoder)
    assert (first.shape, encoder.calls) == ((2 * snapshot.num_relations, 2), 1)
    first[:] = 0  # a copy: nobody else sees it
    assert second.min() == get_relation_vectors(snapshot, encoder).min() == 1
    get_relation_vectors(snapshot, other := Counting())
    assert (encoder.calls, other.calls) == (1, 1)


def test_a_graph_that_was_built_again_is_opened_again(tmp_path, spec):
    cache = AnswererCache()
    before = cache.get(spec)
    build(tmp_path / "new", FACTS[:5])
    shutil.rmtree(spec.snapshot)
    (tmp_path / "new").rename(spec.snapshot)
    assert cache.get(spec).snapshot.num_triples == 5
    assert cache.get(replace(spec, method="rapl")).snapshot.num_triples == 5
    assert before.snapshot.num_triples == len(FACTS)


def zeroed(spec, name="tails.npy"):
    """Overwrite the end of a file; returns what was there."""
    path = spec.snapshot / name
    before = path.read_bytes()
    path.write_bytes(before[:-50] + bytes(50))
    return before


def test_a_graph_that_is_damaged_while_it_is_open_answers_nothing(spec):
    cache = AnswererCache()
    answerer = cache.get(spec)
    asked = AskRequest(Question(answerer.snapshot.get_entity_label(0)), given=(0,))
    assert list(answerer.run(asked))[-1].type == "answer.final"
    before = zeroed(spec)
    assert [list(answerer.run(asked))[-1].code for _ in range(2)] == ["damaged", "damaged"]
    with pytest.raises(DamagedError, match=r"tails\.npy"):
        cache.get(spec)
    assert len(cache) == 0
    (spec.snapshot / "new").write_bytes(before)
    (spec.snapshot / "new").rename(spec.snapshot / "tails.npy")
    assert list(cache.get(spec).run(asked))[-1].type == "answer.final"


def test_an_error_nobody_foresaw_makes_it_look_at_the_files(spec, monkeypatch):
    answerer = AnswererCache().get(spec)

    def broken(run):
        raise IndexError("index 99 is out of bounds")
        yield

    monkeypatch.setattr(answerer, "answer", broken)
    assert list(answerer.run(AskRequest(Question("q?"))))[-1].code == "internal"
    zeroed(spec, "out_offsets.npy")
    assert list(answerer.run(AskRequest(Question("q?"))))[-1].code == "damaged"


def test_what_cannot_be_opened_is_not_kept(tmp_path, spec):
    cache = AnswererCache()
    with pytest.raises(SnapshotError):
        cache.get(AnswererSpec(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="No language model is configured"):
        cache.get(AnswererSpec(spec.snapshot, reasoner="llm"))
    assert len(cache) == 0


def test_reasoners_go_by_name():
    settings = LLMSettings("http://127.0.0.1:1/v1", "tiny")
    assert make_reasoner("llm", settings).name == "llm"
    assert make_reasoner("extractive", None).name == "extractive"
    with pytest.raises(ConfigError, match="extractive, llm"):
        make_reasoner("oracle", settings)


def test_a_cache_keeps_at_least_one_engine():
    with pytest.raises(ConfigError):
        AnswererCache(size=0)
