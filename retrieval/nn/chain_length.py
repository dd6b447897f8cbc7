"""How long the chain is that a question asks for."""

from __future__ import annotations

from torch import Tensor, nn

from retrieval.nn.text_match import to_unit_variance


class ChainLength(nn.Module):
    """log P(length | question), an MLP of the question's embedding.

    Triples are scored one by one, and a relation path's first triples are as right as the path is; nothing in
    their scores says where the chain ends. (A language model that reads the chains decides that for itself.)

    Args:
        text_features: d, size of the question embedding.
        longest: most hops.
    """

    def __init__(self, text_features: int, longest: int, hidden: int = 64) -> None:
        super().__init__()
        self.out = nn.Sequential(
            nn.Linear(text_features, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, longest)
        )

    def forward(self, questions: Tensor) -> Tensor:
        """[B, d] -> log-probabilities of 1..longest hops, [B, longest]."""
        logs: Tensor = self.out(to_unit_variance(questions)).log_softmax(dim=1)
        return logs


def compute_length_loss(logs: Tensor, shares: Tensor) -> Tensor:
    """Cross-entropy against the lengths of the labelled paths.

    Args:
        logs: [B, L].
        shares: share of each question's labelled paths that have 1, 2, ... hops, [B, L].
    """
    return -(shares * logs).sum(dim=1).mean()
