"""The scorer of REL-RAG's triple-based learning (REL-RAG 4.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from retrieval.methods.paths.network import make_encoder
from retrieval.methods.rel_rag_triple.spec import RelRagTripleConfig
from retrieval.nn.chain_length import ChainLength
from retrieval.nn.query import Texts
from retrieval.nn.question_reader import QuestionReader
from retrieval.nn.text_match import TextMatcher


class LineGraphScorer(nn.Module):
    """<z_q, z_v> of question and triple (eq. 15), with z_v from the line graph (or the raw one) alone.

    With ``places`` there is a z_q for each hop from the topic, because z_v does not know where its triple stands.

    Args:
        text_features: d of the text encoder.
        relations: directed relations of the graph, for layers with a weight for each of them.
    """

    def __init__(self, config: RelRagTripleConfig, text_features: int, relations: int | None = None) -> None:
        super().__init__()
        hidden = config.hidden
        self.triples = make_encoder(config, text_features, relations)
        self.question = nn.Sequential(
            QuestionReader(text_features, hidden, words=config.words),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(hidden, hidden * (config.max_hops if config.places else 1)),
        )
        self.hidden = hidden
        self.bias = nn.Parameter(torch.zeros(())) if config.norm else None
        self.match = TextMatcher(text_features, 4.0) if config.texts else None
        self.length = ChainLength(text_features, config.max_hops)
        self.scale = hidden**-0.5 if config.norm else 1.0

    def query(self, questions: Texts) -> Tensor:
        """z_q of each hop, or of all alike, scaled by H^-1/2 with ``norm``, [B, L or 1, H]."""
        z: Tensor = self.question(questions).view(len(questions.vectors), -1, self.hidden) * self.scale
        return z

    def encode_questions(self, questions: Texts, relation_texts: Tensor) -> tuple[Tensor, Tensor | None]:
        """What B questions ask for: their queries, [B, L or 1, H], and matches with the relations, [B, 2R] or None."""
        matches = None if self.match is None else self.match(questions.vectors, relation_texts)
        return self.query(questions), matches

    def compute_logits(
        self,
        states: Tensor,
        encoded: tuple[Tensor, Tensor | None],
        graph: Tensor,
        relations: Tensor,
        *,
        hops: Tensor,
    ) -> Tensor:
        """Logits of n arcs, [n]; ``questions`` is of :meth:`encode_questions`, the rest as for
        :meth:`forward`.
        """
        query, matches = encoded
        logits: Tensor = (query[graph, hops.clamp(max=query.shape[1] - 1)] * states).sum(1)
        if matches is not None:
            logits = logits + matches[graph, relations]
        return logits if self.bias is None else logits + self.bias

    def forward(
        self,
        states: Tensor,
        questions: Texts,
        relation_texts: Tensor,
        graph: Tensor,
        relations: Tensor,
        *,
        hops: Tensor,
    ) -> Tensor:
        """Logits of n arcs, [n].

        Args:
            states: z_v, [n, H].
            questions: B of them.
            relation_texts: of the directed relations, [2R, d].
            graph: question of each arc, int64 [n].
            relations: directed relation of each arc, int64 [n].
            hops: how far from the topic each arc begins, int64 [n].
        """
        return self.compute_logits(
            states, self.encode_questions(questions, relation_texts), graph, relations, hops=hops
        )
