"""A small classifier of questions: do they take many hops?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.language.complexity import compute_log_odds, measure_wording, replace_names
from retrieval.methods.router.spec import RouterConfig
from retrieval.nn.text_match import to_unit_variance

_COUNTS = 5


@dataclass(frozen=True, slots=True)
class ReadQuestions:
    """What is read of B questions.

    Attributes:
        vectors: of the questions without their names, float32 [B, d].
        counts: log(1 + n) of what :class:`Wording` counts, float32 [B, 5].
        rules: log-odds by the wording's rule, float32 [B].
    """

    vectors: np.ndarray
    counts: np.ndarray
    rules: np.ndarray

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """The same, as the model takes them."""
        return torch.from_numpy(self.vectors), torch.from_numpy(self.counts), torch.from_numpy(self.rules)


def read_questions(questions: Sequence[str], encode: Callable[[list[str]], np.ndarray]) -> ReadQuestions:
    """Read B questions.

    Args:
        questions: as written; names are told by their capitals, or underscores.
        encode: float32 [n, d] of n texts.
    """
    wordings = [measure_wording(question) for question in questions]
    counts = np.log1p(np.array([astuple(each) for each in wordings], np.float32).reshape(-1, _COUNTS))
    rules = np.array([compute_log_odds(each) for each in wordings], np.float32)
    return ReadQuestions(encode([replace_names(question)[0] for question in questions]), counts, rules)


class HopClassifier(nn.Module):
    """Log-odds that a question takes many hops: those of the wording's rule, and an MLP of vector and counts.

    The MLP begins at zero: untrained the model is the rule, and few questions leave it near.

    Args:
        text_features: d, size of the question vectors.
        dropout: rate before each layer.

    Attributes:
        threshold: the probability above which a question is complex, []; it is set on dev questions.
    """

    threshold: Tensor

    def __init__(self, text_features: int, hidden: int, dropout: float) -> None:
        super().__init__()
        last = nn.Linear(hidden, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.out = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(text_features + _COUNTS, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            last,
        )
        self.register_buffer("threshold", torch.tensor(0.5))

    def forward(self, vectors: Tensor, counts: Tensor, rules: Tensor) -> Tensor:
        """[B, d], [B, 5] and [B] -> log-odds [B]."""
        logits: Tensor = self.out(torch.cat([to_unit_variance(vectors), counts], dim=1))
        return rules + logits.squeeze(1)


def make_classifier(config: RouterConfig, text_features: int) -> HopClassifier:
    """The model of these settings."""
    return HopClassifier(text_features, config.hidden, config.dropout)
