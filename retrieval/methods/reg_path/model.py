"""The small planner of ReG@Path: writes relation paths, one relation after the other (ReG eq. 35)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from retrieval.nn.query import EncodedQuestions, QueryEncoder, Texts


@dataclass(frozen=True, slots=True)
class RelationVocabulary:
    """Relations as the planner reads and writes them, made of their texts, so that any graph's will do.

    Attributes:
        texts: text features, [R, d].
        keys: what a relation is chosen by, [R, H].
        turns: what its direction is chosen by, [R, H].
        taken: what the memory reads of a relation walked forward, then of one walked backward, [2R, H].
    """

    texts: Tensor
    keys: Tensor
    turns: Tensor
    taken: Tensor


@dataclass(frozen=True, slots=True)
class Under:
    """n plans under way.

    Attributes:
        rows: whose question each one answers, [n] int64.
        focus: memory of question and relations so far, with the words that matter now, [n, H].
        sums: of the relations taken, [n, H].
    """

    rows: Tensor
    focus: Tensor
    sums: Tensor

    def select_plans(self, chosen: Tensor) -> Under:
        """Some of the plans, [m] positions, repeats allowed."""
        return Under(self.rows[chosen], self.focus[chosen], self.sums[chosen])


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """What may come next in n plans; unnormalised.

    Attributes:
        relations: logits of the relations whichever way they are walked, [n, R].
        backward: log-odds of walking each backward rather than forward, [n, R].
        stop: logits of ending the plan, [n].
    """

    relations: Tensor
    backward: Tensor
    stop: Tensor

    def compute_logs(self, *, first: bool) -> Tensor:
        """Log-probabilities of each relation and, last, of the end, [n, R+1]; no plan ends before it began."""
        stop = torch.full_like(self.stop, -torch.inf) if first else self.stop
        return functional.log_softmax(torch.cat([self.relations, stop.unsqueeze(1)], dim=1), dim=1)


class SmallPlanner(nn.Module):
    """Question and relations so far in, the next relation out: p(relation) p(direction | relation).

    Relations are scored by inner product and bilinear form with vectors of their texts: one that no training
    question has can be written. The direction has a factor of its own, so that plans whose directions nobody
    knows (RoG's relation paths) teach what to walk, and say nothing about which way.

    ``temperature`` divides the logits when the planner is asked, not when it is trained: planners that saw few
    questions are surer than they are right, and what is answered depends on how sure they are.

    Args:
        text_features: d, size of the text encoder's vectors.
        hidden: H.
        words: attend to the question's words at every step.
        encoder: a copy of the text encoder that is trained too and reads the questions.
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        dropout: float,
        *,
        words: bool,
        encoder: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.words = words
        self.encoder = encoder
        self.temperature: Tensor
        self.register_buffer("temperature", torch.tensor(1.0))
        self.query = QueryEncoder(text_features, hidden, dropout, words=words)
        self.key = nn.Sequential(
            nn.Linear(text_features, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, hidden)
        )
        self.turn = nn.Linear(text_features, hidden)
        self.taken = nn.Linear(text_features, hidden)
        self.taken_back = nn.Linear(text_features, hidden)
        # Until a directed path says otherwise, a relation is walked the way its name reads.
        self.turn_bias = nn.Parameter(torch.tensor(-0.1))
        for layer in (self.turn, self.taken_back):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def build_vocabulary(self, texts: Tensor) -> RelationVocabulary:
        """The relations of a graph, [R, d] text features."""
        forward = self.taken(texts)
        taken = torch.cat([forward, forward + self.taken_back(texts)])
        return RelationVocabulary(texts, self.key(texts), self.turn(texts), taken)

    def encode(self, questions: Sequence[str]) -> Texts:
        """What the trained copy of the encoder says of n questions; there must be one."""
        assert self.encoder is not None, "the planner was made without an encoder of its own"
        vectors, words, lengths = self.encoder(questions)
        return Texts(vectors, words, lengths.cpu()) if self.words else Texts(vectors)

    def list_parameter_groups(self, rate: float, encoder_rate: float) -> list[dict[str, Any]]:
        """Parameters with their learning rates."""
        slow = [] if self.encoder is None else list(self.encoder.parameters())
        slow_ids = {id(p) for p in slow}
        groups: list[dict[str, Any]] = [{"params": [p for p in self.parameters() if id(p) not in slow_ids], "lr": rate}]
        return [*groups, {"params": slow, "lr": encoder_rate}] if slow else groups

    def read(self, texts: Texts) -> EncodedQuestions:
        """n questions."""
        return self.query.read(texts)

    def start_plans(self, questions: EncodedQuestions) -> Under:
        """The empty plan of each question."""
        rows = torch.arange(len(questions.z_q))
        return Under(rows, self.query.compute_focus(questions, rows, questions.z_q), torch.zeros_like(questions.z_q))

    def score_continuations(
        self, questions: EncodedQuestions, under: Under, vocabulary: RelationVocabulary
    ) -> PlanChoice:
        """What may come next in each plan."""
        queries = self.query.compute_queries(under.focus)
        scores = queries @ vocabulary.keys.T
        texts = self.query.compute_text_scores(questions, under.rows, under.focus, vocabulary.texts)
        if texts is not None:
            scores = scores + texts
        stop = (queries * self.query.stop_states(questions.z_q[under.rows], under.sums)).sum(1)
        backward = queries @ vocabulary.turns.T + self.turn_bias
        cooled = 1.0 if self.training else self.temperature
        return PlanChoice(scores / cooled, backward / cooled, stop / cooled)

    def append_relations(self, questions: EncodedQuestions, under: Under, taken: Tensor) -> Under:
        """The plans after one more relation.

        Args:
            taken: vectors of the relations, [n, H]: rows of ``Vocabulary.taken``.
        """
        memory = self.query.update_memory(under.focus, taken)
        return Under(under.rows, self.query.compute_focus(questions, under.rows, memory), under.sums + taken)
