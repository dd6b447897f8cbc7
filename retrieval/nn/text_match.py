"""What the texts of question and relation say of themselves."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def to_unit_variance(texts: Tensor) -> Tensor:
    """Text features of unit length with entries of about unit variance, as linear layers are initialised for."""
    scaled: Tensor = texts * texts.shape[-1] ** 0.5
    return scaled


class TextMatcher(nn.Module):
    """A bilinear form of question and relation text that starts as their cosine.

    With it a relation that no training question asked for can still be found (docs/adr/0002).

    Args:
        text_features: d of the text encoder.
        strength: factor at the start.
    """

    def __init__(self, text_features: int, strength: float) -> None:
        super().__init__()
        self.text = nn.Linear(text_features, text_features, bias=False)
        nn.init.eye_(self.text.weight)
        self.strength = nn.Parameter(torch.tensor(strength))

    def forward(self, questions: Tensor, relations: Tensor) -> Tensor:
        """[B, d] questions and [R, d] relation texts -> [B, R]."""
        scores: Tensor = self.strength * (self.text(questions) @ relations.T)
        return scores
