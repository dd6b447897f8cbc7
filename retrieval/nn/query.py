"""The question side of the path retrievers: z_q, its history, and the STOP node."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class QueryEncoder(nn.Module):
    """The question, and the question given the path so far.

    ``z_q`` is an MLP of the question's embedding. The paper scores every step with this one vector; here
    the query of step i is the hidden state of a GRU that started at z_q and read the states of the i
    triples taken (docs/adr/0002). ``history=False`` is the paper's form.

    ``text_scores`` adds what the texts say of themselves: a bilinear form of question and relation text that
    starts as their cosine, so that a relation seen in no training question can still be followed.

    Args:
        text_features: d, size of the question embedding.
        hidden: H.
        history: condition the query on the path so far.
    """

    def __init__(
        self, text_features: int, hidden: int, dropout: float = 0.2, *, history: bool = True
    ) -> None:
        super().__init__()
        self.question = nn.Sequential(
            nn.Linear(text_features, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden),
        )
        self.gru = nn.GRUCell(hidden, hidden) if history else None
        self.query = nn.Linear(hidden, hidden) if history else None
        self.stop = (
            nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            if history
            else None
        )
        self.text = nn.Linear(text_features, text_features, bias=False)
        nn.init.eye_(self.text.weight)
        self.text_of_memory = nn.Linear(hidden, text_features, bias=False)
        nn.init.zeros_(self.text_of_memory.weight)
        self.text_scale = nn.Parameter(torch.tensor(8.0))
        self.scale = hidden**-0.5

    def start(self, embeddings: Tensor) -> Tensor:
        """z_q of n questions, [n, d] -> [n, H]."""
        z: Tensor = self.question(embeddings)
        return z

    def advance(self, memory: Tensor, taken: Tensor) -> Tensor:
        """The memory after one more triple. [n, H] memory and [n, H] its state -> [n, H]."""
        if self.gru is None:
            return memory
        after: Tensor = self.gru(taken, memory)
        return after

    def queries(self, memory: Tensor) -> Tensor:
        """Vectors to score triple states with by inner product, already scaled by H^-1/2. [n, H]."""
        query: Tensor = memory if self.query is None else memory + self.query(memory)
        scaled: Tensor = query * self.scale
        return scaled

    def stop_states(self, z_q: Tensor, taken: Tensor) -> Tensor:
        """State of the STOP node, [n, H].

        The paper's static form is ``sum of taken states + z_q`` (REL-RAG eq. 11); with history it is
        RAPL's ``g(sum, q)`` (eq. 5), an MLP.

        Args:
            z_q: [n, H].
            taken: sum of the states of the triples taken, [n, H].
        """
        if self.stop is None:
            return taken + z_q
        state: Tensor = self.stop(torch.cat([taken, z_q], dim=1))
        return state

    def text_scores(self, embeddings: Tensor, memory: Tensor, relations: Tensor) -> Tensor:
        """How well each directed relation's text fits, [n, 2R]; added to the scores of its triples.

        Args:
            embeddings: of the questions, [n, d].
            memory: [n, H].
            relations: text features of the relations, [2R, d].
        """
        wanted = self.text(embeddings) + self.text_of_memory(memory)
        scores: Tensor = self.text_scale * (wanted @ relations.T)
        return scores
