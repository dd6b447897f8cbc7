"""How likely an outcome, put into words, is what a question asks for, by a transformer that reads both together.

Its weights are those of the text encoder plus what training changed in the upper layers, kept in 8 bits. It was trained
on other graphs than the model of :mod:`.model` (``retrieval/pretrained/README.md``).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors.torch import load_file

from retrieval.environment import DEFAULT_ENCODER
from retrieval.linking.encoder import load, make_fast_model
from retrieval.pretrained import CROSS_ENCODER

if TYPE_CHECKING:
    from retrieval.language.question import Question
    from retrieval.linking.encoder import Encoder

TOKENS = 96
"""Tokens of a question and an outcome that are read, at most."""


class CrossEncoder:
    """Scores outcomes in words. Safe to use from several threads.

    Args:
        encoder: the one that the weights were trained beside.
    """

    def __init__(self, encoder: Encoder, weights: Path = CROSS_ENCODER) -> None:
        model, self._tokenizer = encoder.copy_transformer()
        self._tokenizer.enable_truncation(TOKENS)
        learned = load_file(weights)
        parts = dict(model.named_parameters())
        with torch.no_grad():
            for name in learned.keys() & parts.keys():
                parts[name] += learned[name].float() * learned.get(f"{name}.scale", torch.ones(1)).float()
        self._model = make_fast_model(model.eval())
        self._head, self._bias = learned["head.weight"].float()[0], learned["head.bias"].float()
        self._lock = threading.Lock()

    def score(self, question: Question, texts: Sequence[str]) -> np.ndarray:
        """How likely each outcome is what was asked, as log odds against none of them.

        Args:
            texts: n outcomes in words.

        Returns:
            float32 [n].
        """
        if not texts:
            return np.zeros(0, np.float32)
        with self._lock:
            read = self._tokenizer.encode_batch([(question.text, text) for text in texts])
        ids, kinds, mask = build_inputs(read)
        with torch.inference_mode():
            states = self._model(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
            scores: np.ndarray = (states[:, 0].float() @ self._head + self._bias).numpy()
        return scores


def build_inputs(read: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, segments and mask of encoded pairs, int64 [n, t] each, padded with zeros."""
    longest = max(len(pair.ids) for pair in read)
    ids = torch.zeros(3, len(read), longest, dtype=torch.long)
    for row, pair in enumerate(read):
        length = len(pair.ids)
        ids[0, row, :length], ids[1, row, :length] = torch.tensor(pair.ids), torch.tensor(pair.type_ids)
        ids[2, row, :length] = 1
    return ids[0], ids[1], ids[2]


@lru_cache(maxsize=1)
def get_cross_encoder() -> CrossEncoder:
    """The cross-encoder that comes with Clew, made once; it stands beside Clew's own text encoder alone."""
    return CrossEncoder(load(DEFAULT_ENCODER, "cpu"))
