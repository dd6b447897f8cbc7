"""The small policy of Graph-S3: scores what an agent could do next by question, relation texts and history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from retrieval.nn.query import EncodedQuestions, QueryEncoder, Texts


@dataclass(frozen=True, slots=True)
class Walked:
    """n places that agents came to.

    Attributes:
        rows: whose question, [n] int64.
        focus: memory of the question and of what was taken, with the words that matter now, [n, H].
        sums: of the relations taken, [n, H].
    """

    rows: Tensor
    focus: Tensor
    sums: Tensor


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations of a graph as the policy reads them, made of their texts; directed ones, r and R + r.

    Attributes:
        texts: text features, [R, d].
        keys: what a directed relation is chosen by, [2R, H].
        taken: what the memory reads of it, [2R, H].
    """

    texts: Tensor
    keys: Tensor
    taken: Tensor


@dataclass(frozen=True, slots=True)
class ActionOptions:
    """m options of several decisions.

    Attributes:
        place: position in :class:`Walked` of the state that each is an option of, [m].
        kinds: [m].
        relations: directed relation of a choice, [m].
        features: [m, F].
    """

    place: Tensor
    kinds: Tensor
    relations: Tensor
    features: Tensor


class AgentModel(nn.Module):
    """Scores options; a softmax over those of one state is the policy.

    A choice of a relation is scored by inner product and bilinear form with its text; the direction turns the key.
    Every action has a key of its kind; the end is also scored by what was taken (STOP of RAPL eq. 5). Numbers about an
    option (how many facts, whether it leads back) enter by a small network beside the query.

    Args:
        text_features: d.
        hidden: H.
        words: attend to the question's words.
        kinds: of actions; the first chooses a relation, the last ends.
        features: F, numbers about an option.
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        dropout: float,
        *,
        words: bool,
        kinds: int,
        features: int,
    ) -> None:
        super().__init__()
        self.temperature: Tensor
        self.register_buffer("temperature", torch.tensor(1.0))
        self.query = QueryEncoder(text_features, hidden, dropout, words=words)
        self.key = nn.Sequential(
            nn.Linear(text_features, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, hidden)
        )
        self.turn = nn.Linear(text_features, hidden)
        self.taken = nn.Linear(text_features, hidden)
        self.taken_back = nn.Linear(text_features, hidden)
        for layer in (self.turn, self.taken_back):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.kinds = nn.Embedding(kinds, hidden)
        self.came_back = nn.Parameter(torch.zeros(hidden))
        self.numbers = nn.Linear(features, 32)
        self.asked = nn.Linear(hidden, 32)
        self.worth = nn.Linear(32, 1, bias=False)
        # Until something else is learned, numbers say nothing and a relation is walked the way its name reads.
        nn.init.zeros_(self.worth.weight)
        self.turn_bias = nn.Parameter(torch.tensor(-0.1))
        self.finish = kinds - 1

    def encode_relations(self, texts: Tensor) -> Relations:
        """The directed relations of a graph, from [R, d] text features."""
        key, turn, taken = self.key(texts), self.turn(texts), self.taken(texts)
        return Relations(
            texts,
            torch.cat([key - turn, key + turn]),
            torch.cat([taken, taken + self.taken_back(texts)]),
        )

    def read(self, texts: Texts) -> EncodedQuestions:
        """n questions, each as seen from a topic."""
        return self.query.read(texts)

    def start_walks(self, questions: EncodedQuestions, rows: Tensor) -> Walked:
        """Where agents begin; ``rows`` says with which question, [n]."""
        memory = questions.z_q[rows]
        return Walked(rows, self.query.compute_focus(questions, rows, memory), torch.zeros_like(memory))

    def take_steps(
        self, questions: EncodedQuestions, walked: Walked, before: Tensor, taken: Tensor, back: Tensor
    ) -> Walked:
        """One step further.

        Args:
            before: which of them each step leaves, [m].
            taken: vectors of the relations taken, [m, H] rows of ``Relations.taken``.
            back: where nothing was taken and the agent came back, [m] bool.
        """
        rows, sums = walked.rows[before], walked.sums[before]
        step = torch.where(back.unsqueeze(1), self.came_back, taken)
        memory = self.query.update_memory(walked.focus[before], step)
        return Walked(
            rows,
            self.query.compute_focus(questions, rows, memory),
            torch.where(back.unsqueeze(1), sums, sums + taken),
        )

    def compute_scores(
        self, questions: EncodedQuestions, walked: Walked, relations: Relations, options: ActionOptions
    ) -> Tensor:
        """Logits of options, [m]."""
        queries = self.query.compute_queries(walked.focus)
        choose, place = options.kinds == 0, options.place
        total = len(relations.texts)
        sign = torch.where(options.relations >= total, 1.0, -1.0)
        by_relation = (queries @ relations.keys.T)[place, options.relations] + sign * self.turn_bias
        texts = self.query.compute_text_scores(questions, walked.rows, walked.focus, relations.texts)
        if texts is not None:
            by_relation = by_relation + texts[place, options.relations % total]
        keys = self.kinds(options.kinds)
        by_kind = (queries[place] * keys).sum(1)
        stops = self.query.stop_states(questions.z_q[walked.rows], walked.sums)
        stop = (queries * stops).sum(1)[place] * (options.kinds == self.finish)
        numbers = torch.relu(self.numbers(options.features) + self.asked(walked.focus)[place])
        scores: Tensor = torch.where(choose, by_relation, stop) + by_kind + self.worth(numbers).squeeze(1)
        return scores if self.training else scores / self.temperature


def merge_places(parts: Sequence[Walked]) -> Walked:
    """Places of several levels, one after the other."""
    return Walked(
        torch.cat([part.rows for part in parts]),
        torch.cat([part.focus for part in parts]),
        torch.cat([part.sums for part in parts]),
    )
