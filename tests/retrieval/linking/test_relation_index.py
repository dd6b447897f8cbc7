"""Relations are encoded once a graph, both ways; a stop leaves nothing that could be taken for the whole."""

import numpy as np
import pytest

from retrieval.errors import Cancelled
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.linking import relation_index
from retrieval.linking.text_features import get_relation_vectors
from tests.retrieval.kg.worlds import FILMS, build


class Counting:
    name, dim = "counting", 2

    def __init__(self):
        self.texts = []

    def encode(self, texts, *, progress=None):
        self.texts += texts
        if progress is not None:
            progress(len(texts))
        return np.arange(2 * len(texts), dtype=np.float32).reshape(-1, 2)


@pytest.fixture
def graph(tmp_path):
    return build(FILMS, tmp_path / "films")


def test_the_vectors_are_built_once_and_taken_by_who_needs_them(graph):
    encoder, seen = Counting(), []
    assert relation_index.find(graph, encoder.name) is None
    relation_index.build(graph, encoder, progress=seen.append)
    count = graph.num_relations
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (count, count, "relations")
    assert encoder.texts[count] == f"inverse of {encoder.texts[0]}"
    assert relation_index.is_built(graph, encoder.name)
    relation_index.build(graph, encoder)
    assert len(encoder.texts) == 2 * count
    other = Counting()
    assert get_relation_vectors(graph, other)[1].tolist() == [2, 3]
    assert get_relation_vectors(RestrictedSnapshot(graph, [0]), other)[1].tolist() == [2, 3]
    assert other.texts == []
    other.name = "another"
    get_relation_vectors(graph, other)
    assert len(other.texts) == 2 * count


def test_stopping_leaves_nothing(graph):
    with pytest.raises(Cancelled):
        relation_index.build(graph, Counting(), cancelled=lambda: True)
    assert not relation_index.is_built(graph, "counting")
