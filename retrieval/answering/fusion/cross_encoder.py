"""Scores how likely an outcome, put into words, answers a question: a transformer reads both together.

The weight file holds the difference from the text encoder's upper layers, in 8 bits. The cross-encoder and the logistic
model of :mod:`.model` were trained on different graphs (``retrieval/pretrained/README.md``).
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
"""Longer pairs of a question and an outcome are cut to this many tokens."""


class CrossEncoder:
    """Scores outcomes in words. Safe to use from several threads.

    Args:
        encoder: the text encoder that the weights are a difference from.
    """

    def __init__(self, encoder: Encoder, weights: Path = CROSS_ENCODER) -> None:
        model, self._tokenizer = encoder.copy_transformer()
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.enable_padding()
        learned = load_file(weights)
        parts = dict(model.named_parameters())
        with torch.no_grad():
            for name in learned.keys() & parts.keys():
                parts[name] += learned[name].float() * learned.get(f"{name}.scale", torch.ones(1)).float()
        self._model = make_fast_model(model.eval())
        self._head, self._bias = learned["head.weight"].float()[0], learned["head.bias"].float()
        self._lock = threading.Lock()

    def score(self, question: Question, texts: Sequence[str]) -> np.ndarray:
        """Log odds of each outcome being what was asked, against none of them being it.

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
    """Token ids, segments and attention mask of encoded, padded pairs, int64 [n, t] each."""
    return (
        torch.tensor([pair.ids for pair in read]),
        torch.tensor([pair.type_ids for pair in read]),
        torch.tensor([pair.attention_mask for pair in read]),
    )


@lru_cache(maxsize=1)
def get_cross_encoder() -> CrossEncoder:
    """The cross-encoder that ships with Clew, loaded once. It needs the text encoder that ships with Clew, too."""
    return CrossEncoder(load(DEFAULT_ENCODER, "cpu"))
