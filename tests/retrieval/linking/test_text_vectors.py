"""Vectors of many texts: only what is asked for is encoded, until an index has them all."""

import numpy as np

from retrieval.answering import parts
from retrieval.answering.parts import GraphParts
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.linking import relation_index, text_vectors
from retrieval.linking.text_vectors import TextVectors
from retrieval.programs.grounding.anchors.similarity import Similarity
from tests.retrieval.films import WordEncoder, facts

TEXTS = ("directed by", "starring", "release year", "music by")


def test_only_the_texts_asked_for_are_encoded_and_each_once(monkeypatch):
    monkeypatch.setattr(text_vectors, "AT_ONCE", 1)
    encoder = WordEncoder()
    vectors = TextVectors(TEXTS, encoder)
    assert encoder.encoded == 0
    first = vectors[np.array([2, 0, 2])]
    assert encoder.encoded == 2
    assert np.array_equal(first, WordEncoder().encode([TEXTS[2], TEXTS[0], TEXTS[2]]))
    assert np.array_equal(vectors[[0, 1]], WordEncoder().encode(TEXTS[:2]))
    assert encoder.encoded == 3


def test_a_few_texts_are_encoded_together():
    encoder = WordEncoder()
    vectors = TextVectors(TEXTS, encoder)
    vectors[[1]]
    assert encoder.encoded == 4


def test_an_index_that_comes_to_stand_is_read(monkeypatch):
    monkeypatch.setattr(text_vectors, "AT_ONCE", 1)
    monkeypatch.setattr(text_vectors, "RECHECK", 0.0)
    encoder, stands = WordEncoder(), []
    vectors = TextVectors(TEXTS, encoder, lambda: stands[0] if stands else None)
    vectors[[0]]
    stands.append(WordEncoder().encode(TEXTS))
    assert np.array_equal(vectors[[3, 1]], stands[0][[3, 1]])
    assert encoder.encoded == 1


def test_programs_do_not_wait_for_thousands_of_names(tmp_path, monkeypatch):
    graph = build_snapshot(TripleTable.from_facts(facts()), tmp_path / "films")
    monkeypatch.setattr(parts, "ENCODED_AT_ONCE", 1)
    encoder = WordEncoder()
    own = GraphParts(graph, encoder)
    alike = Similarity(own._encode)
    names = [graph.get_relation_label(relation) for relation in range(graph.num_relations)]
    assert not alike.compare_phrases([names[0]], "relations", names).any()
    kept = encoder.encode(relation_index.list_relation_texts(graph))
    monkeypatch.setattr(relation_index, "find", lambda *_: kept)
    found = alike.compare_phrases([names[0]], "relations", names)
    assert found[0].argmax() == 0
    assert found[0, 0] > 0.99
