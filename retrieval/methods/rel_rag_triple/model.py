"""The scorer of REL-RAG's triple-based learning (REL-RAG 4.2)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from retrieval.nn.chain_length import ChainLength
from retrieval.nn.entity_graph import EntityGraphEncoder
from retrieval.nn.query import Texts
from retrieval.nn.question_reader import QuestionReader
from retrieval.nn.text_match import TextMatch
from retrieval.nn.triple_encoder import TripleEncoder


class LineGraphScorer(nn.Module):
    """<z_q, z_v> of question and triple (eq. 15), with z_v from the line graph (or the raw one) alone.

    Args:
        text_features: d of the text encoder.
        hidden: H.
        longest: most hops of a chain.
        dropout: rate after each first layer.
        skip: see ``TripleEncoder``.
        words: read the questions' words.
        graph: the line graph, or the raw one (``EntityGraphEncoder``).
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        *,
        longest: int,
        dropout: float,
        skip: bool,
        words: bool,
        graph: Literal["line", "raw"] = "line",
    ) -> None:
        super().__init__()
        encoder = EntityGraphEncoder if graph == "raw" else TripleEncoder
        self.triples = encoder(text_features, hidden, dropout, skip=skip)
        self.question = nn.Sequential(
            QuestionReader(text_features, hidden, words=words),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden),
        )
        self.bias = nn.Parameter(torch.zeros(()))
        self.match = TextMatch(text_features, 4.0)
        self.length = ChainLength(text_features, longest)
        self.scale = hidden**-0.5

    def query(self, questions: Texts) -> Tensor:
        """z_q scaled by H^-1/2, [B, H]."""
        z: Tensor = self.question(questions) * self.scale
        return z

    def forward(
        self, states: Tensor, questions: Texts, relation_texts: Tensor, graph: Tensor, relations: Tensor
    ) -> Tensor:
        """Logits of n arcs, [n].

        Args:
            states: z_v, [n, H].
            questions: B of them.
            relation_texts: of the directed relations, [2R, d].
            graph: question of each arc, int64 [n].
            relations: directed relation of each arc, int64 [n].
        """
        products = (self.query(questions)[graph] * states).sum(1)
        logits: Tensor = (
            products + self.match(questions.vectors, relation_texts)[graph, relations] + self.bias
        )
        return logits
