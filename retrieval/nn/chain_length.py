"""How long the chain is that a question asks for."""

from __future__ import annotations

from torch import Tensor, nn


class ChainLength(nn.Module):
    """log P(length | question), a linear layer on the question's embedding.

    Triples are scored one by one, and a relation path's first triples are as right as the path is; nothing in
    their scores says where the chain ends. (A language model that reads the chains decides that for itself.)

    Args:
        text_features: d, size of the question embedding.
        longest: most hops.
    """

    def __init__(self, text_features: int, longest: int) -> None:
        super().__init__()
        self.out = nn.Linear(text_features, longest)

    def forward(self, questions: Tensor) -> Tensor:
        """[B, d] -> log-probabilities of 1..longest hops, [B, longest]."""
        logs: Tensor = self.out(questions).log_softmax(dim=1)
        return logs
