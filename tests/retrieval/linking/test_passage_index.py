"""Passages are found by meaning and by words; the index is built in resumable pieces and published at once."""

import numpy as np
import pytest

from retrieval.errors import Cancelled, SnapshotError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language import tokens as lexical
from retrieval.linking import encoder as encoders
from retrieval.linking import passage_index
from retrieval.linking.passage_index import Blend, PassageIndex
from retrieval.types import Passage
from tests.retrieval.kg.worlds import FILMS, build

PASSAGES = [
    Passage(0, "a", "Jaws", "Jaws is a film about a shark. It was directed by Steven Spielberg."),
    Passage(1, "b", "Volcano", "A volcano is a mountain. Hot rock comes out of it."),
    Passage(2, "c", "Bread", "Bread is made of flour and water."),
    Passage(3, "d", "Volcano", "A volcano is a mountain. Hot rock comes out of it."),
    Passage(4, "e", "", "東京は日本の首都です。"),
]


@pytest.fixture(scope="module")
def encoder():
    return encoders.load(device="cpu")


@pytest.fixture
def graph(tmp_path, monkeypatch):
    monkeypatch.setattr(passage_index, "CHUNK", 2)
    monkeypatch.setattr(passage_index, "RECHECK", 0.0)
    return build_snapshot(TripleTable.from_facts([], passages=PASSAGES), tmp_path / "g")


def test_words_are_folded_and_scripts_without_spaces_are_taken_by_twos():
    assert lexical.tokenize_text("The Zürich_lake's 2nd SHARK") == [
        "the",
        "zurich",
        "lake",
        "s",
        "2nd",
        "shark",
    ]
    assert lexical.tokenize_text("東京は日本") == ["東京", "京は", "は日", "日本"]


def test_bm25_is_what_its_formula_says(tmp_path):
    lexical.write(tmp_path, [("", "a b a"), ("", "b c"), ("c", "")], lambda: None)
    found = lexical.WordIndex(tmp_path, 3).compute_scores("a a z")
    rarity = np.log1p((3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / ((3 + 2 + 3) / 3))
    assert found == pytest.approx([rarity * 2 * 2.5 / (2 + norm), 0, 0])
    titled = lexical.WordIndex(tmp_path, 3).compute_scores("c")
    assert titled[2] > titled[1] > titled[0] == 0


def test_passages_are_found_by_meaning_and_by_words(graph, encoder):
    passage_index.build(graph, encoder)
    index = PassageIndex.open(graph, encoder)
    assert [i for i, _ in index.search("a movie with a dangerous fish", 1)] == [0]
    assert [i for i, _ in index.search("What do you bake from flour?", 1)] == [2]
    assert [i for i, _ in index.search("日本の首都", 1)] == [4]


def test_passages_that_say_the_same_are_found_once(graph, encoder):
    passage_index.build(graph, encoder)
    found = [i for i, _ in PassageIndex.open(graph, encoder).search("volcano", 5)]
    assert found[0] == 1
    assert sorted(found) == [0, 1, 2, 4]


def test_the_score_is_the_blend_of_three_opinions(graph, encoder):
    passage_index.build(graph, encoder)
    index = PassageIndex(graph, encoder, Blend(sentence=0.5, words=0.25))
    query = encoder.encode(["Who directed Jaws?"])[0]
    whole = encoder.encode(["Jaws. Jaws is a film about a shark. It was directed by Steven Spielberg."])[0] @ query
    parts = (
        encoder.encode(["Jaws. Jaws is a film about a shark.", "Jaws. It was directed by Steven Spielberg."]) @ query
    )
    expected = 0.75 * (whole + 0.5 * parts.max()) / 1.5 + 0.25
    assert index.search("Who directed Jaws?", 1) == [(0, pytest.approx(expected, abs=2e-3))]
    assert index.score_sentences("Who directed Jaws?", 0) == pytest.approx(parts, abs=2e-3)
    assert index.compute_dense_scores("Who directed Jaws?")[0] == pytest.approx(whole, abs=2e-3)


def test_a_stopped_build_goes_on_where_it_was(graph, encoder, monkeypatch):
    seen = []
    with pytest.raises(Cancelled):
        passage_index.build(graph, encoder, progress=seen.append, cancelled=lambda: bool(seen))
    assert [(p.done, p.total) for p in seen] == [(2, 5)]
    index = PassageIndex.open(graph, encoder)
    with pytest.raises(SnapshotError, match="not indexed yet"):
        index.search("bread")
    encoded = []
    whole = encoders.Encoder.encode

    def count(self, texts, **options):
        encoded.extend(texts)
        return whole(self, texts, **options)

    monkeypatch.setattr(encoders.Encoder, "encode", count)
    passage_index.build(graph, encoder)
    assert not [text for text in encoded if text.startswith("Jaws")]
    assert [i for i, _ in index.search("bread", 1)] == [2]
    encoded.clear()
    passage_index.build(graph, encoder)
    assert encoded == []


def test_a_graph_without_passages_says_what_to_do(tmp_path, encoder):
    graph = build(FILMS, tmp_path / "films")
    with pytest.raises(SnapshotError, match=r"films has no passages\. Build it from documents"):
        passage_index.build(graph, encoder)
    with pytest.raises(SnapshotError, match="no passages"):
        PassageIndex.open(graph, encoder)
