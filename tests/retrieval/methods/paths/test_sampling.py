"""Drawn paths: their frequencies are their probabilities, and each method keeps what its paper says."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from retrieval.errors import ConfigError
from retrieval.language.question import Question
from retrieval.methods import registry
from retrieval.methods.paths.sampling import Drawn, draw
from retrieval.methods.paths.walker import WalkOptions
from retrieval.methods.rapl.retriever import PER_FIRST, keep_most_probable
from retrieval.methods.retriever_loading import open_retriever

QUESTION, TOPIC = "which languages are films by the director of Film 01 in", "Film 01"


class ToyWalker:
    """Walks on a graph of three places with scores given: 0 -> 1 (arc 0), 0 -> 2 (arc 1), 1 -> 2 (arc 2)."""

    max_hops = 3
    arcs = {0: [(0, 1, 1.0), (1, 2, 0.0)], 1: [(2, 2, 0.5)], 2: []}
    stop = {0: 9.0, 1: -0.5, 2: 0.3}

    def start(self, topics, texts):
        return None, ToyFront(np.arange(len(topics)), np.array(topics))

    def list_options(self, asked, front, topics, limit):
        found = [(i, *arc) for i, place in enumerate(front.places) for arc in self.arcs[place]]
        row, arc, target, logit = (np.array([f[k] for f in found]) for k in range(4))
        stop = np.array([self.stop[place] for place in front.places])
        return WalkOptions(
            row.astype(int), arc.astype(int), arc.astype(int), target.astype(int), np.ones(len(row)),
            np.zeros((len(row), 1)), logit.astype(float), stop,
        )  # fmt: skip

    def take_options(self, asked, front, options, chosen):
        return ToyFront(front.topic[options.row[chosen]], options.target[chosen])


class ToyFront:
    def __init__(self, topic, places):
        self.topic, self.places = topic, places


def test_paths_are_drawn_as_often_as_they_are_probable():
    found = draw(ToyWalker(), [0], None, firsts=20_000, each=1, rng=np.random.default_rng(0))
    first = np.exp([1.0, 0.0]) / np.exp([1.0, 0.0]).sum()
    stops = 1 / (1 + np.exp(0.5 + 0.5))
    expected = {(0,): first[0] * stops, (0, 2): first[0] * (1 - stops), (1,): first[1]}
    assert {path.arcs: path.probability for path in found} == pytest.approx(expected)
    assert sum(path.count for path in found) == 20_000
    for path in found:
        spread = np.sqrt(path.probability * (1 - path.probability) / 20_000)
        assert abs(path.count / 20_000 - path.probability) < 4 * spread


class DeadEnd(ToyWalker):
    """As above, but nothing leads on from place 2: a walk there is stuck."""

    stop = {0: 9.0, 1: -0.5, 2: -9.0}
    relations = {0: 0, 1: 0, 2: 1}

    def list_options(self, asked, front, topics, limit):
        found = super().list_options(asked, front, topics, limit)
        return replace(found, relation=np.array([self.relations[arc] for arc in found.arc], int))


def test_a_walk_that_is_stuck_counts_only_where_no_other_along_its_relations_could_choose():
    found = draw(DeadEnd(), [0], None, firsts=500, each=1, rng=np.random.default_rng(0))
    # (1,) went along relation 0 like (0,), which chose to stop or to go on.
    assert {path.arcs for path in found} == {(0,), (0, 2)}
    DeadEnd.relations[1] = 2
    found = draw(DeadEnd(), [0], None, firsts=500, each=1, rng=np.random.default_rng(0))
    assert {(path.arcs, path.stuck) for path in found} == {((0,), False), ((0, 2), True), ((1,), True)}


def test_each_first_triple_begins_so_many_paths():
    found = draw(ToyWalker(), [0, 1], None, firsts=10, each=5, rng=np.random.default_rng(1))
    for topic in (0, 1):
        assert sum(path.count for path in found if path.topic == topic) == 50
    by_first = {path.arcs[0]: 0 for path in found}
    for path in found:
        by_first[path.arcs[0]] += path.count
    assert all(count % 5 == 0 for count in by_first.values())


def test_rapl_keeps_the_most_probable_draws_and_then_drops_repeats():
    drawn = [
        Drawn(0, (1,), (1,), 0.2, 3),
        Drawn(0, (2, 3), (2, 3), 0.5, 4),
        Drawn(0, (4,), (4,), 0.1, 2),
        Drawn(1, (5,), (5,), 0.9, 1),
    ]
    assert [path.arcs for path in keep_most_probable(drawn, 0, 4)] == [(2, 3)]
    assert [path.arcs for path in keep_most_probable(drawn, 0, 5)] == [(2, 3), (1,)]
    assert [path.arcs for path in keep_most_probable(drawn, 0, 9)] == [(2, 3), (1,), (4,)]
    assert [path.arcs for path in keep_most_probable(drawn, 1, 9)] == [(5,)]


def test_the_three_configurations_of_rapl_have_names():
    assert PER_FIRST == 5
    sizes = [
        registry.parse_options("rapl", {"draws": f"K{k}-M{m}"}).sizes for k, m in ((60, 80), (80, 120), (120, 200))
    ]
    assert sizes == [(60, 80), (80, 120), (120, 200)]
    with pytest.raises(ConfigError, match="draws"):
        registry.parse_options("rapl", {"draws": "K1-M1"})


@pytest.mark.parametrize("method", ["rapl", "rel-rag-path"])
def test_drawn_and_ranked_inference_agree_on_what_is_probable(method, trained):
    graph, topic = trained.graph, trained.graph.find_entity(TOPIC)
    asked = {
        inference: open_retriever(
            method, trained.checkpoint(method), graph, trained.encoder, cache=trained.cache,
            options={"inference": inference},
        )
        for inference in ("ranked", "sampled")
    }  # fmt: skip
    best = [retriever.rank_relation_paths(Question(QUESTION), [topic])[0] for retriever in asked.values()]
    assert best[0].relations == best[1].relations
    assert best[0].score == pytest.approx(best[1].score, abs=0.1)
    drawn = list(asked["sampled"].retrieve(Question(QUESTION), [topic], budget=50, seed=1))
    assert drawn == list(asked["sampled"].retrieve(Question(QUESTION), [topic], budget=50, seed=1))
    assert {path.arcs for path in drawn} <= {
        path.arcs for path in asked["ranked"].retrieve(Question(QUESTION), [topic], budget=500)
    }


def test_a_larger_configuration_of_rapl_keeps_no_fewer_paths(trained):
    graph, topic = trained.graph, trained.graph.find_entity(TOPIC)
    found = open_retriever("rapl", trained.checkpoint("rapl"), graph, trained.encoder, cache=trained.cache)
    sizes = [
        len(
            list(
                found.apply_options(replace(found.options, draws=draws)).retrieve(
                    Question(QUESTION), [topic], budget=500
                )
            )
        )
        for draws in ("K60-M80", "K120-M200")
    ]
    assert 0 < sizes[0] <= sizes[1]


def test_the_probability_of_a_drawn_path_is_its_steps_multiplied(trained):
    found = open_retriever("rapl", trained.checkpoint("rapl"), trained.graph, trained.encoder, cache=trained.cache)
    path = next(iter(found.retrieve(Question(QUESTION), [trained.graph.find_entity(TOPIC)], budget=50)))
    topics = np.array([path.topic])
    walker = found.walker
    with torch.inference_mode():
        asked, front = walker.start([path.topic], found._read_texts([QUESTION.replace(TOPIC, "X")]))
        log = 0.0
        for i, arc in enumerate(path.arcs):
            options = walker.list_options(asked, front, topics, 512)
            every = np.append(options.logits, options.stop) if i else options.logits
            chosen = int(np.flatnonzero(options.arc == arc)[0])
            log += options.logits[chosen] - np.logaddexp.reduce(every)
            front = walker.take_options(asked, front, options, np.array([chosen]))
        if len(path.arcs) < walker.max_hops:
            options = walker.list_options(asked, front, topics, 512)
            log += options.stop[0] - np.logaddexp.reduce(np.append(options.logits, options.stop))
    assert path.score == pytest.approx(np.exp(log), rel=1e-4)
