"""Vectors are built in resumable pieces, published at once, and join a running index."""

import numpy as np
import pytest

from retrieval.errors import Cancelled
from retrieval.language.question import Question
from retrieval.linking import encoder as encoders
from retrieval.linking import entity_index
from retrieval.linking.entity_index import EntityIndex
from retrieval.linking.linker import Linker
from tests.retrieval.kg.worlds import build

WORDS = ["automobile", "river", "physician", "ocean", "violin", "mountain", "king", "bread", "moon", "winter"]
FACTS = [(word.title(), "related_to", "m.0abc") for word in WORDS]


@pytest.fixture(scope="module")
def encoder():
    return encoders.load(device="cpu")


@pytest.fixture
def graph(tmp_path, monkeypatch):
    monkeypatch.setattr(entity_index, "CHUNK", 4)
    monkeypatch.setattr(entity_index, "RECHECK", 0.0)
    return build(FACTS, tmp_path / "g")


def test_meaning_joins_spelling_when_the_vectors_stand(graph, encoder):
    index = EntityIndex.open(graph, encoder)
    assert index.search("doctor") == []
    assert index.search_vector(encoder.encode(["doctor"])[0]) == []
    seen = []
    entity_index.build(graph, encoder, progress=seen.append)
    assert [(p.done, p.total, p.unit) for p in seen] == [
        (4, 10, "labels"),
        (8, 10, "labels"),
        (10, 10, "labels"),
    ]
    first = index.search("doctor")[0]
    assert (first.node.label, first.source) == ("Physician", "vector")
    assert [m.node.label for m in index.search("car", 1)] == ["Automobile"]
    assert index.search("Moon", 2)[0].source == "exact"
    assert EntityIndex.open(graph).search("doctor") == []


def test_scores_are_cosines_with_every_named_entity(graph, encoder):
    entity_index.build(graph, encoder)
    query = encoder.encode(["sea"])[0]
    found = {m.node.label: m.score for m in EntityIndex.open(graph, encoder).search_vector(query, 100)}
    expected = dict(zip([w.title() for w in WORDS], encoder.encode([w.title() for w in WORDS]) @ query, strict=True))
    assert found.keys() == expected.keys()
    assert all(found[label] == pytest.approx(max(0, expected[label]), abs=2e-3) for label in found)


def test_a_stopped_build_goes_on_where_it_was(graph, encoder, monkeypatch):
    with pytest.raises(Cancelled):
        entity_index.build(graph, encoder, cancelled=lambda: True)
    pieces = []

    def stop_after_two():
        return len(pieces) >= 2

    with pytest.raises(Cancelled):
        entity_index.build(graph, encoder, progress=pieces.append, cancelled=stop_after_two)
    assert not entity_index.is_built(graph, encoder.name)
    encoded = []
    real = encoder.encode
    monkeypatch.setattr(encoder, "encode", lambda texts, **kw: encoded.extend(texts) or real(texts, **kw))
    entity_index.build(graph, encoder)
    assert entity_index.is_built(graph, encoder.name)
    assert len(encoded) == 2
    entity_index.build(graph, encoder)
    assert len(encoded) == 2
    assert [p.name for p in graph.path.glob("*vectors*")] == [f"vectors-{encoder.name}"]


def test_clusters_find_what_comparing_all_finds(monkeypatch):
    monkeypatch.setattr(entity_index, "FLAT_LIMIT", 100)
    vectors = np.random.default_rng(0).normal(size=(900, 16)).astype(np.float16)
    index = entity_index._build_faiss_index(vectors)
    _, nearest = index.search(vectors[:50].astype(np.float32), 1)
    assert index.ntotal == 900
    exact = (vectors[:50].astype(np.float32) @ vectors.astype(np.float32).T).argmax(1)
    assert (nearest[:, 0] == exact).mean() > 0.9


def test_the_linker_turns_to_vectors_last(graph, encoder):
    index = EntityIndex.open(graph, encoder)
    linker = Linker(graph, index, encoder)
    assert linker.link(Question("what is [Motorcar]?")).unmatched == ("Motorcar",)
    entity_index.build(graph, encoder)
    (entity,) = linker.link(Question("what is [Motorcar]?")).entities
    assert (entity.entity.label, entity.source) == ("Automobile", "vector")
    assert linker.link(Question("what is [Violni]?")).entities[0].source == "fuzzy"


def test_reading_names_in_blocks_finds_what_reading_them_one_by_one_finds(graph, encoder, monkeypatch):
    entity_index.build(graph, encoder)
    index, entities = EntityIndex.open(graph, encoder), np.arange(graph.num_entities)
    monkeypatch.setattr(entity_index, "_TOGETHER", graph.num_entities + 1)
    nearest, cosines = index.find_nearest(entities)
    vectors = index.get_vectors(entities)
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    assert cosines.tolist() == pytest.approx(likeness.max(1).tolist(), abs=1e-3)
    monkeypatch.setattr(entity_index, "_TOGETHER", 1)
    monkeypatch.setattr(entity_index, "_BLOCK", 3)
    again, others = index.find_nearest(entities)
    assert others.tolist() == pytest.approx(cosines.tolist(), abs=1e-3)
    assert again.tolist() == nearest.tolist()
