"""Which words a relation explains, learned from questions whose path is not known for certain.

Many relation paths reach the same answers ("the gender of X's child" and "the gender of X"), but only one
accounts for the words of the question. Words are explained as in IBM model 1: each word of a question
comes from a relation of its path or from none, so that

    log p(words | path) = sum over words of log((b(word) + sum over r in path of t(word | r)) / (len + 1))
                        + log p(len | number of words) + sum over r in path of log p(direction | relation)

with ``b`` the words' overall frequencies. Where a question has as many telling words (not in most
questions) as its path has steps, their order counts too: questions with the same other words order them in
the same way ("the A of B of X's C", "X's C's B's A"). Expectation maximisation fits ``t``, the lengths and the
directions; what a path's reached set says (its fit) enters as the prior over paths. Nothing is learned from
gold paths. Words that a relation's own name shares are counted for it in advance.

A shape's candidates are judged by what the *other* shapes say (deleted estimation, as leave-one-out). A relation
that only one question uses would else have learned that question's words by heart, and a detour over it
("currency used, topic webpage and back") would explain them better than the plain path.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Path = tuple[int, ...]
#: A word in more than this share of the questions says nothing of the relation.
_COMMON = 0.5
#: Paths of more steps have too many permutations to tell them apart.
_LONGEST_ORDERED = 4
_ORDERS = [np.array(list(itertools.permutations(range(n)))) for n in range(_LONGEST_ORDERED + 1)]
_STEPS = [np.arange(n) for n in range(_LONGEST_ORDERED + 1)]


@dataclass(frozen=True, slots=True)
class AlignmentShape:
    """Questions that differ only in names.

    Attributes:
        words: of the masked question.
        paths: candidates: directed relation ids, at least one.
        fits: how well each path's set fits the answers, in [0, 1], float [n].
        weight: how much it counts.
    """

    words: tuple[str, ...]
    paths: tuple[Path, ...]
    fits: np.ndarray
    weight: float


@dataclass(frozen=True, slots=True)
class AlignmentSettings:
    """How the model is fitted.

    Attributes:
        rounds: of expectation maximisation.
        sharpness: nats that a fit of 1 is worth against a fit of 0.
        named: words counted in advance for each word of a relation's own name.
        smoothing: words of the overall frequencies counted in advance for each relation.
        forward: questions counted in advance that walk a relation forward, for each that walks it backward.
    """

    rounds: int = 6
    sharpness: float = 30.0
    named: float = 3.0
    smoothing: float = 3.0
    forward: float = 2.0


def explain(
    shapes: Sequence[AlignmentShape], names: Sequence[str], settings: AlignmentSettings = AlignmentSettings()
) -> list[np.ndarray]:
    """Fit the model to the shapes and say how well each candidate explains its shape's words.

    Args:
        shapes: with their candidates.
        names: texts of the R relations; directed relation ``R + r`` is relation ``r`` walked backward.

    Returns:
        For each shape the log-likelihoods of its candidates, float64 [n].
    """
    if not shapes:
        return []
    model = _Model(shapes, names, settings)
    for _ in range(settings.rounds):
        model.fit_round()
    return [model.compute_likelihoods(i) for i in range(len(shapes))]


class _Model:
    """The tables of the model over the words and relations that occur."""

    def __init__(self, shapes: Sequence[AlignmentShape], names: Sequence[str], settings: AlignmentSettings) -> None:
        self.shapes = shapes
        self.settings = settings
        words = {w: i for i, w in enumerate(dict.fromkeys(w for shape in shapes for w in shape.words))}
        self.relations = np.array(sorted({r for s in shapes for path in s.paths for r in path}), np.int64)
        place = {r: i for i, r in enumerate(self.relations.tolist())}
        self.words = [np.array([words[w] for w in shape.words], np.int64) for shape in shapes]
        self.paths = [[np.array([place[r] for r in path]) for path in shape.paths] for shape in shapes]
        frequency = np.zeros(len(words))
        for shape, ids in zip(shapes, self.words, strict=True):
            np.add.at(frequency, ids, shape.weight)
        self.frequency = frequency / max(frequency.sum(), 1.0)
        self.base, self.backward = self.relations % len(names), (self.relations >= len(names)).astype(int)
        self.prior = settings.smoothing * self.frequency[:, None] + settings.named * _match_words(
            list(words), [names[r] for r in self.base.tolist()]
        )
        self.longest = max((len(path) for shape in shapes for path in shape.paths), default=1)
        most_words = max((len(shape.words) for shape in shapes), default=0)
        self.lengths = np.full((most_words + 1, self.longest + 1), 1.0 / self.longest)
        self.ahead = np.array([settings.forward, 1.0]) / (1.0 + settings.forward)
        self.direction = np.log(self.ahead[self.backward])
        common = self._find_common(len(words))
        self.skeletons = [
            tuple("" if not common[i] else word for i, word in zip(ids.tolist(), shape.words, strict=True))
            for ids, shape in zip(self.words, shapes, strict=True)
        ]
        self.telling = [np.flatnonzero(~common[ids]) for ids in self.words]
        self.orders: dict[tuple[str, ...], np.ndarray] = {}
        # What was counted in the last round, and of it by each shape: its columns and its mass by word and column.
        self.counts, self.totals = self.prior, self.prior.sum(0)
        self.own: list[tuple[np.ndarray, np.ndarray]] = []
        self.own_lengths = np.zeros((len(shapes), self.longest + 1))

    def _compute_others(self, index: int) -> np.ndarray:
        """t(word | r) as the other shapes see it, [words of the shape, relations]."""
        ids = self.words[index]
        rows, totals = self.counts[ids], self.totals.copy()
        if self.own:
            columns, mass = self.own[index]
            rows[:, columns] -= (ids[:, None] == ids[None, :]).astype(float) @ mass
            totals[columns] -= mass.sum(0)
        probabilities: np.ndarray = np.maximum(rows, 0.0) / np.maximum(totals, 1e-12)
        return probabilities

    def _find_common(self, words: int) -> np.ndarray:
        """Which words stand in most questions, bool [words]."""
        held, total = np.zeros(words), sum(shape.weight for shape in self.shapes)
        for shape, ids in zip(self.shapes, self.words, strict=True):
            held[np.unique(ids)] += shape.weight
        common: np.ndarray = held > _COMMON * total
        return common

    def _score_orders(self, index: int, part: np.ndarray) -> np.ndarray | None:
        """How likely each permutation of a question's telling words is made by the steps of a path, in turn;
        None where their numbers differ. ``part`` is t(word | r), [words, steps]."""
        telling, steps = self.telling[index], part.shape[1]
        if len(telling) != steps or not 1 < steps <= _LONGEST_ORDERED:
            return None
        likely: np.ndarray = part[telling[_ORDERS[steps]], _STEPS[steps]].prod(1) + 1e-30
        return likely

    def compute_likelihoods(self, index: int) -> np.ndarray:
        """log p(words | path) of a shape's candidates."""
        ids = self.words[index]
        values = np.empty(len(self.paths[index]))
        known = self.orders.get(self.skeletons[index])
        rows = self._compute_others(index)
        lengths = np.maximum(self.lengths[len(ids)] - self.own_lengths[index], 1e-12)
        lengths = lengths / lengths[1:].sum()
        for i, path in enumerate(self.paths[index]):
            part = rows[:, path]
            explained = part.sum(1) + self.frequency[ids]
            values[i] = np.log(explained / (len(path) + 1)).sum() + self.direction[path].sum()
            values[i] += np.log(lengths[len(path)])
            likely = self._score_orders(index, part)
            if known is not None and likely is not None and len(likely) == len(known):
                values[i] += np.log(known @ likely / likely.mean())
        return values

    def _count_order(
        self, orders: dict[tuple[str, ...], np.ndarray], index: int, part: np.ndarray, mass: float
    ) -> None:
        """Count for each permutation how much of a path's mass it explains."""
        likely, key = self._score_orders(index, part), self.skeletons[index]
        if likely is not None:
            was = self.orders.get(key)
            share = likely if was is None else likely * was
            known = orders.get(key)
            orders[key] = (np.ones(len(likely)) if known is None else known) + mass * share / share.sum()

    def fit_round(self) -> None:
        """One round: which path each shape has, then the tables that make these likely."""
        counts = np.zeros_like(self.prior)
        lengths = np.full_like(self.lengths, 0.3)
        used = np.zeros(len(self.relations))
        orders: dict[tuple[str, ...], np.ndarray] = {}
        shape_counts: list[tuple[np.ndarray, np.ndarray]] = []
        own_lengths = np.zeros_like(self.own_lengths)
        for index, shape in enumerate(self.shapes):
            ids = self.words[index]
            columns = np.unique(np.concatenate(self.paths[index]))
            cells = np.zeros((len(ids), len(columns)))
            rows = self._compute_others(index)
            value = self.settings.sharpness * shape.fits + self.compute_likelihoods(index)
            chance = np.exp(value - value.max())
            chance /= chance.sum()
            for i in np.flatnonzero(chance > 1e-3):
                path, mass = self.paths[index][i], chance[i] * shape.weight
                part = rows[:, path]
                self._count_order(orders, index, part, mass)
                part = part / (part.sum(1) + self.frequency[ids])[:, None]
                np.add.at(counts, (ids[:, None], path[None, :]), part * mass)
                for step, column in enumerate(np.searchsorted(columns, path).tolist()):
                    cells[:, column] += part[:, step] * mass
                lengths[len(ids), len(path)] += mass
                own_lengths[index, len(path)] += mass
                np.add.at(used, path, mass)
            shape_counts.append((columns, cells))
        table = counts + self.prior
        self.own, self.counts, self.totals = shape_counts, table, table.sum(0)
        self.lengths, self.own_lengths = lengths, own_lengths
        walked = np.tile(2 * self.ahead, (int(self.base.max()) + 1, 1))
        np.add.at(walked, (self.base, self.backward), used)
        walked /= walked.sum(1, keepdims=True)
        self.direction = np.log(walked[self.base, self.backward])
        self.orders = {key: counts / counts.sum() for key, counts in orders.items()}


def _match_words(words: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """1 where a word is among a relation's own, or begins like one (four letters), [words, relations]."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    for i, word in enumerate(words):
        by_stem[word[:4]].append(i)
    is_shared = np.zeros((len(words), len(names)))
    for j, name in enumerate(names):
        for part in name.casefold().replace("_", " ").replace(".", " ").split():
            is_shared[by_stem.get(part[:4], []), j] = 1.0
    return is_shared
