"""The navigator that needs no language model: triples whose passage answers what the way there left open.

A search begins at what the question names and at what the passages nearest to it speak of. A fact that begins a
chain is worth what its context says to the question: the cosine of both, and the share of the question's words
it holds. A fact that goes on is worth a share of the way there, what its context says to the
question without what the last context said already (the residual), and the words that were still open. Without
passages a fact is its own context. Weights were chosen on half of 100 MuSiQue questions (docs/inses.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.inses.base import Decision, Pick, Stand, View
from retrieval.methods.inses.contexts import Contexts
from retrieval.text.features import TextEncoder
from retrieval.text.stems import words_in
from retrieval.types import Usage

NAME = "encoder"
DROPPED = 12
"""Facts that were left and are told of."""

FACTS_READ = 20_000
"""Facts of a graph without passages up to which all are compared with the question to begin with."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each thing counts.

    Attributes:
        words: of the question's words in a context that begins a chain, beside the cosine.
        open_words: of words that were open, in a context that goes on.
        way: of the way there.
        said: how much of what the last context said is taken out of the question, in [0, 1].
        step: added for going on; negative, since more steps find more by chance.
        hub: taken off for each e-fold of passages that speak of the entity.
        crowd: passages after which an entity says nothing about where to go on.
        sources: contexts that are gone on from at one entity.
        width: contexts selected a step.
        enough: contexts that a step has to get among, else the search has enough.
        share: of the facts left to select that the first step may take.
    """

    words: float = 0.3
    open_words: float = 0.5
    way: float = 0.5
    said: float = 0.6
    step: float = -0.1
    hub: float = 0.03
    crowd: int = 60
    sources: int = 5
    width: int = 10
    enough: int = 5
    share: float = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class QuestionReading:
    """A question as the navigator reads it.

    Attributes:
        words: of the question.
        vector: float32 [d].
        weights: how much each of the words tells, as shares.
        held: float32 [P, words], by weight, the words of the question that each passage holds.
        worth: float32 [P], what each passage says to the question.
    """

    words: frozenset[str]
    vector: np.ndarray
    weights: dict[str, float]
    held: np.ndarray
    worth: np.ndarray


class EncoderNavigator:
    """Selects by the text encoder and the question's words. Threads may share it.

    Args:
        snapshot: the graph.
        encoder: the text encoder.
        contexts: of the whole graph.
        weights: see :class:`Weights`.
    """

    name = NAME
    prompts: tuple[str, ...] = ()

    def __init__(
        self, snapshot: Snapshot, encoder: TextEncoder, contexts: Contexts, weights: Weights | None = None
    ) -> None:
        self._snapshot = snapshot
        self._encoder = encoder
        self._contexts = contexts
        self._weights = weights or Weights()
        self.read = lru_cache(maxsize=32)(self._read)

    def restricted_to(self, snapshot: Snapshot) -> EncoderNavigator:
        """The same navigator on some facts of the graph."""
        return EncoderNavigator(snapshot, self._encoder, self._contexts, self._weights)

    def mentions(
        self, question: str, *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[tuple[str, ...], Usage]:
        """None: names are the linker's work, and the question's own passages give the rest."""
        del question
        check(cancelled)
        return (), Usage()

    def starts(self, question: str) -> list[Stand]:
        """Entities that the contexts nearest to the question speak of; of passages, those that it does not name itself.

        A graph of more than ``FACTS_READ`` facts without passages is not read whole: what the question names begins.
        """
        reading = self.read(question)
        found: dict[int, dict[int, tuple[int, float]]] = {}
        for place, worth, facts in self._nearest(reading):
            for fact in facts:
                for entity in (int(self._snapshot.heads[fact]), int(self._snapshot.tails[fact])):
                    found.setdefault(entity, {}).setdefault(place, (fact, worth))
        return [
            Stand(entity, max(score for _, score in sources.values()), (), tuple(sources.values()))
            for entity, sources in found.items()
            if self._snapshot.passages is None or not self.named(reading, entity)
        ]

    def _nearest(self, reading: QuestionReading) -> Iterator[tuple[int, float, list[int]]]:
        """The contexts nearest to the question: place, worth and facts; a fact without passages is its own."""
        table, width = self._snapshot.passages, self._weights.width
        if table is not None:
            for place in np.argsort(-reading.worth, kind="stable")[:width].tolist():
                yield place, float(np.clip(reading.worth[place], 0, 1)), table.facts_of(place).tolist()
        elif self._snapshot.num_triples <= FACTS_READ:
            facts = np.arange(self._snapshot.num_triples)
            worth = self._contexts.fact_vectors(self._snapshot, facts) @ reading.vector
            worth += self._weights.words * self._words(reading, facts).sum(1)
            for fact in np.argsort(-worth, kind="stable")[:width].tolist():
                yield fact, float(np.clip(worth[fact], 0, 1)), [fact]

    def _words(self, reading: QuestionReading, facts: np.ndarray) -> np.ndarray:
        """Which of the question's words facts hold themselves, by weight, float32 [n, words]."""
        return self._contexts.words_of(self._snapshot, facts, reading.weights)

    def choose(self, view: View, *, cancelled: Callable[[], bool] = lambda: False) -> Decision:
        """See ``base.Navigator``."""
        check(cancelled)
        reading, facts = self.read(view.question), view.arcs % self._snapshot.num_triples
        context = self._contexts.of_facts(self._snapshot, facts, reading.worth)
        order, scores = self._order(view, reading, context, facts)
        if not len(order):
            return Decision((), (), False, "Nothing that was not seen before leads on from here.")
        if self._settled(view, reading, scores[order[0]]):
            left = order[: 2 * view.left].tolist()
            thought = "Nothing here says more than what is selected already."
            return Decision((), tuple(left[:DROPPED]), True, thought, rest=_picks(left, scores))
        if (context < 0).all():
            order = self._spread(reading, order, scores, facts, 2 * view.left)
        chosen = self._choose(view, reading, order, context, facts)
        kept = set(chosen)
        dropped = tuple([i for i in order.tolist() if i not in kept][:DROPPED])
        rest = [i for i in order[: 2 * view.left].tolist() if i not in kept]
        thought = self._thought(view, chosen, len(order))
        return Decision(_picks(chosen, scores), dropped, False, thought, rest=_picks(rest, scores))

    def ranked(self, view: View) -> np.ndarray:
        """Positions of the arcs that were not selected before, the best first; each fact once."""
        reading, facts = self.read(view.question), view.arcs % self._snapshot.num_triples
        context = self._contexts.of_facts(self._snapshot, facts, reading.worth)
        order, _ = self._order(view, reading, context, facts)
        _, first = np.unique(facts[order], return_index=True)
        return order[np.sort(first)]

    def _order(
        self, view: View, reading: QuestionReading, context: np.ndarray, facts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the new arcs that can be taken, the best first, and the scores of all arcs."""
        own = self._contexts.fact_vectors(self._snapshot, facts)
        fit = own @ reading.vector
        said = np.zeros((len(facts), len(reading.weights)), np.float32)
        if (context < 0).any():
            said[context < 0] = self._words(reading, facts[context < 0])
        scores = _by_fact(self._scores(view, reading, context, own, said), facts)
        order = np.lexsort((-fit, -scores))
        new = np.array([fact not in view.selected for fact in facts.tolist()], bool)
        return order[np.isfinite(scores[order]) & new[order]], scores

    def _read(self, question: str) -> QuestionReading:
        vector = self._encoder.encode([question])[0]
        words = words_in(question)
        weights = self._contexts.weights(words)
        held = self._contexts.held(weights)
        worth = self._contexts.cosines(vector) + self._weights.words * held.sum(1)
        return QuestionReading(frozenset(words), vector, weights, held, worth)

    def _scores(
        self, view: View, reading: QuestionReading, context: np.ndarray, own: np.ndarray, said: np.ndarray
    ) -> np.ndarray:
        """Scores of the arcs, float [n]; -inf for those that cannot be taken."""
        scores: np.ndarray = (own @ reading.vector).astype(np.float64)
        inside = context >= 0
        scores[inside] = reading.worth[context[inside]]
        scores[~inside] += self._weights.words * said[~inside].sum(1)
        bounds = np.searchsorted(view.owners, np.arange(len(view.stands) + 1))
        for position, stand in enumerate(view.stands):
            mine = slice(bounds[position], bounds[position + 1])
            sources = self._sources(stand, reading)
            if not sources:
                scores[mine] *= stand.score
            elif bounds[position] < bounds[position + 1]:
                onward = self._onward(stand, reading, context[mine], own[mine], said[mine])
                known = inside[mine] & np.isin(context[mine], [place for place, _, _ in sources])
                alone = np.where(known & (view.step > 1), -np.inf, scores[mine])
                either = view.step == 1 or bool(inside[mine].any())
                scores[mine] = np.maximum(onward, alone) if either else onward
        return scores

    def _sources(self, stand: Stand, reading: QuestionReading) -> list[tuple[int, int, float]]:
        """What a stand goes on from: context, fact and score, the best first, each passage once."""
        best = sorted(stand.sources, key=lambda source: -source[1])
        facts = np.array([fact for fact, _ in best], np.int64)
        places = self._contexts.of_facts(self._snapshot, facts, reading.worth).tolist()
        kept: dict[int, tuple[int, int, float]] = {}
        for place, (fact, score) in zip(places, best, strict=True):
            kept.setdefault(place if place >= 0 else -2 - fact, (place, fact, score))
        return list(kept.values())[: self._weights.sources]

    def _onward(
        self,
        stand: Stand,
        reading: QuestionReading,
        context: np.ndarray,
        own: np.ndarray,
        words: np.ndarray,
    ) -> np.ndarray:
        """Scores of the arcs that go on from one stand, from whichever source makes the most of each."""
        weights, inside = self._weights, context >= 0
        places = context[inside]
        vectors, held = self._contexts.vectors_of(places), reading.held[places]
        crowd = len(np.unique(places))
        closed = bool(len(places)) and (crowd > weights.crowd or self.named(reading, stand.entity))
        best = np.full(len(context), -np.inf)
        for before, fact, score in self._sources(stand, reading):
            if before >= 0:
                said, missing = self._contexts.vectors_of(np.array([before]))[0], reading.held[before] == 0
            else:
                said = self._contexts.fact_vectors(self._snapshot, np.array([fact]))[0]
                missing = self._words(reading, np.array([fact]))[0] == 0
            left = reading.vector - weights.said * (reading.vector @ said) * said
            left /= max(1e-6, float(np.linalg.norm(left)))
            scores = own @ left + weights.open_words * words[:, missing].sum(1).astype(np.float64)
            if len(places):
                scores[inside] = vectors @ left + weights.open_words * held[:, missing].sum(1)
                scores[inside] -= weights.hub * math.log(crowd)
                scores[inside] = np.where((places == before) | closed, -np.inf, scores[inside])
            best = np.maximum(best, scores + weights.way * score + weights.step)
        return best

    def named(self, reading: QuestionReading, entity: int) -> bool:
        """Whether most of an entity's name stands in the question, so that it leads nowhere new."""
        words = words_in(self._snapshot.entity_label(entity))
        return 2 * sum(word in reading.words for word in words) > len(words) or not words

    def _settled(self, view: View, reading: QuestionReading, best: float) -> bool:
        """Whether a later step adds nothing to the best contexts of what is selected."""
        if view.step == 1 or len(view.selected) < self._weights.enough:
            return False
        facts = np.array(list(view.selected), np.int64)
        context = self._contexts.of_facts(self._snapshot, facts, reading.worth)
        held: dict[int, float] = {}
        for fact, place in zip(facts.tolist(), context.tolist(), strict=True):
            key = place if place >= 0 else -2 - fact
            held[key] = max(view.selected[fact], held.get(key, 0.0))
        ranked = sorted(held.values(), reverse=True)
        return len(ranked) >= self._weights.enough and best < ranked[self._weights.enough - 1]

    def _choose(
        self, view: View, reading: QuestionReading, order: np.ndarray, context: np.ndarray, facts: np.ndarray
    ) -> list[int]:
        """Positions of the selected arcs: the best contexts, some facts of each, each fact once."""
        weights = self._weights
        most = max(1, int(view.left * (weights.share if view.step == 1 else 1.0)))
        each = max(1, most // weights.width)
        places: dict[int, int] = {}
        taken: set[int] = set()
        turned: set[int] = set()
        distinct, counts = np.unique(facts, return_counts=True)
        twice = set(distinct[counts > 1].tolist())
        chosen: list[int] = []
        for i in order.tolist():
            key = int(context[i]) if context[i] >= 0 else -2 - i
            if facts[i] in taken or places.get(key, 0) >= each:
                continue
            if key not in places and len(places) >= (weights.width if context[i] >= 0 else most):
                continue
            fact = int(facts[i])
            if fact in twice - turned and self.named(reading, int(view.targets[i])):
                turned.add(fact)  # it is there the other way round too, and leads to something new that way
                continue
            places[key] = places.get(key, 0) + 1
            taken.add(int(facts[i]))
            chosen.append(i)
            if len(chosen) >= most:
                break
        return chosen

    def _spread(
        self, reading: QuestionReading, order: np.ndarray, scores: np.ndarray, facts: np.ndarray, count: int
    ) -> np.ndarray:
        """An order whose first facts together hold more of the question: words that one holds no longer count."""
        held = self._words(reading, facts[order])
        worth, still = scores[order].copy(), np.ones(held.shape[1], bool)
        taken: list[int] = []
        for _ in range(min(count, len(order))):
            best = int(np.argmax(worth + self._weights.open_words * held[:, still].sum(1)))
            taken.append(best)
            worth[best] = -np.inf
            still &= held[best] == 0
            if not still.any():
                break
        rest = np.delete(np.arange(len(order)), taken)
        spread: np.ndarray = order[np.concatenate([np.array(taken, np.int64), rest])]
        return spread

    def _thought(self, view: View, chosen: list[int], count: int) -> str:
        names = [self._snapshot.entity_label(int(view.targets[i])) for i in chosen[:3]]
        return f"Took {len(chosen)} of {count} new facts; the best lead to {', '.join(names)}."


def _picks(positions: list[int], scores: np.ndarray) -> tuple[Pick, ...]:
    return tuple(Pick(i, float(np.clip(scores[i], 0, 1))) for i in positions)


def _by_fact(scores: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """The best score of each arc's fact: one between two stands is worth its better reading, whichever way it leads."""
    _, which = np.unique(facts, return_inverse=True)
    best = np.full(int(which.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, which, scores)
    found: np.ndarray = best[which]
    return found
