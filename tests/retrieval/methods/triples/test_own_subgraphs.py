"""What a triple is learned from on its question's own subgraph is what it is asked with."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from retrieval.errors import CheckpointError
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.linking.features import build_features, compute_graph_features
from retrieval.methods import registry
from retrieval.methods.paths.network import make_encoder
from retrieval.methods.paths.states import StoredStates, compute_all_states
from retrieval.methods.rel_rag_triple.training import compute_own_states, draw
from retrieval.methods.retriever_loading import open_retriever
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.subgraphs import build_subgraphs
from retrieval.train import train
from tests.retrieval.films import WordEncoder, build, questions
from tests.retrieval.kg.worlds import build as build_world

OWN = (np.arange(0, 60, 2), np.arange(20, 90, 3))


@pytest.mark.parametrize("arcs", ["both", "directed"])
@pytest.mark.parametrize("conv", ["line-gcn", "entity-gcn", "GATv2Conv"])
def test_states_on_own_subgraphs_are_those_of_asking(tmp_path, arcs, conv):
    films, encoder = build(tmp_path / "films"), WordEncoder()
    directed = arcs == "directed"
    features = compute_graph_features(films, encoder, entity_texts=True, directed=directed)
    config = registry.parse("rel-rag-triple", {"hidden": 8, "conv": conv, "arcs": arcs, "self_weight": True})
    torch.manual_seed(0)
    network = make_encoder(config, encoder.dim).eval()
    subgraphs = build_subgraphs(films, [0, 1, 2], FanOut(), [OWN[0], None, OWN[1]])
    assert subgraphs.given.tolist() == [True, False, True]
    for which, own in ((0, OWN[0]), (2, OWN[1])):
        small = RestrictedSnapshot(films, own).compact
        mine = build_features(small, features.relations, features.entities[small.entities], directed=directed)
        asked = StoredStates(compute_all_states(network, mine))
        for way in range(1 if directed else 2):
            with torch.inference_mode():
                found = compute_own_states(
                    network, features, subgraphs, own + way * films.num_triples, np.full(len(own), which)
                )
            expected = asked.get_states(np.arange(len(own)) + way * len(own))
            np.testing.assert_allclose(found.numpy(), expected, atol=4e-3)


def test_directed_a_fact_is_drawn_once_whichever_way_it_is_walked(tmp_path):
    films = build(tmp_path / "films")

    class Examples:
        snapshot = films

        def get_evidence(self, index):
            return type("Evidence", (), {"arcs": np.array([3, 3 + films.num_triples, 5 + films.num_triples])})

    subgraphs = build_subgraphs(films, [0], FanOut(), [np.arange(10)])
    arcs, _, positive = draw(
        Examples(), np.array([0]), subgraphs,
        positives=9, negatives=100, directed=True, rng=np.random.default_rng(0),
    )  # fmt: skip
    assert sorted(arcs[positive].tolist()) == [3, 5]
    assert sorted(arcs[~positive].tolist()) == [0, 1, 2, 4, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("method", "score"),
    [
        ("rel-rag-triple", "dev_likelihood"),
        ("reg-triple", "dev_triple_recall"),
        ("reg-entity", "dev_triple_recall"),
    ],
)
def test_the_paper_s_form_is_trained_and_asked(tmp_path, method, score):
    films = build(tmp_path / "films")
    facts = tuple(
        (films.get_entity_label(int(h)), films.get_relation_name(int(r)), films.get_entity_label(int(t)))
        for h, r, t in zip(films.heads, films.relations, films.tails, strict=True)
    )
    asked = [replace(question, triples=facts[: 40 + i % 50]) for i, question in enumerate(questions())]
    result = train(
        method, films, asked, out=tmp_path / "out", encoder=WordEncoder(), cache=tmp_path / "cache",
        config={"preset": "paper", "hidden": 16, "epochs": 2, "batch_size": 16},
    )  # fmt: skip
    assert 0 < result.metrics[score] <= 1
    opened = open_retriever(
        method, result.checkpoint, films, WordEncoder(), cache=tmp_path / "cache", options={"preset": "paper"}
    )
    film = films.find_entity("Film 01")
    paths = list(opened.retrieve(Question("who directed Film 01"), [film], budget=5))
    assert paths
    assert all(path.topic == film for path in paths)
    assert len(opened.score_triples(Question("who directed Film 01"), [film])) > 1


def test_a_layer_with_a_weight_for_each_relation_is_asked_on_its_own_graph_alone(tmp_path):
    films, encoder = build(tmp_path / "films"), WordEncoder()
    other = build_world([("a", "directed by", "b"), ("c", "directed by", "b")], tmp_path / "other")
    for method in ("reg-entity", "rel-rag-triple"):
        out = tmp_path / method
        train(
            method, films, questions()[:40], out=out, encoder=encoder, cache=tmp_path / "cache",
            config={"conv": "RGCNConv", "hidden": 8, "epochs": 1, "draws_per_epoch": 0, "words": False},
        )  # fmt: skip
        opened = open_retriever(method, out, films, encoder, cache=tmp_path / "cache")
        assert list(opened.retrieve(Question("who directed Film 01"), [films.find_entity("Film 01")], budget=5))
        with pytest.raises(CheckpointError, match="RGCNConv has a weight for each relation"):
            open_retriever(method, out, other, encoder, cache=tmp_path / "cache", asks_foreign=True)
