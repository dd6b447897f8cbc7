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
from retrieval.language.question import Question
from retrieval.linking.stems import extract_stems
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.inses.base import NavigatorDecision, Pick, Stand, View
from retrieval.methods.inses.contexts import Contexts
from retrieval.types import Usage

NAME = "encoder"
DROPPED = 12
"""Facts that were left and are told of."""

FACTS_READ = 20_000
"""Facts of a graph without passages up to which all are compared with the question to begin with."""


@dataclass(frozen=True, slots=True)
class NavigatorWeights:
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
class QuestionProfile:
    """A question as the navigator reads it.

    Attributes:
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
        weights: see :class:`NavigatorWeights`.
    """

    name = NAME
    prompts: tuple[str, ...] = ()

    def __init__(
        self, snapshot: Snapshot, encoder: TextEncoder, contexts: Contexts, weights: NavigatorWeights | None = None
    ) -> None:
        self._snapshot = snapshot
        self._encoder = encoder
        self._contexts = contexts
        self._weights = weights or NavigatorWeights()
        self.read = lru_cache(maxsize=32)(self._read)

    def apply_restriction(self, snapshot: Snapshot) -> EncoderNavigator:
        """The same navigator on some facts of the graph."""
        return EncoderNavigator(snapshot, self._encoder, self._contexts, self._weights)

    def extract_mentions(
        self, question: Question, *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[tuple[str, ...], Usage]:
        """None: names are the linker's work, and the question's own passages give the rest."""
        del question
        check(cancelled)
        return (), Usage()

    def find_stands(self, question: Question) -> list[Stand]:
        """Entities that the contexts nearest to the question speak of; of passages, those that it does not name itself.

        A graph of more than ``FACTS_READ`` facts without passages is not read whole: what the question names begins.
        """
        reading = self.read(question)
        by_entity: dict[int, dict[int, tuple[int, float]]] = {}
        for place, worth, facts in self._find_nearest_contexts(reading):
            for fact in facts:
                for entity in (int(self._snapshot.heads[fact]), int(self._snapshot.tails[fact])):
                    by_entity.setdefault(entity, {}).setdefault(place, (fact, worth))
        return [
            Stand(entity, max(score for _, score in sources.values()), (), tuple(sources.values()))
            for entity, sources in by_entity.items()
            if self._snapshot.passages is None or not self.is_named(reading, entity)
        ]

    def _find_nearest_contexts(self, reading: QuestionProfile) -> Iterator[tuple[int, float, list[int]]]:
        """The contexts nearest to the question: place, worth and facts; a fact without passages is its own."""
        table, width = self._snapshot.passages, self._weights.width
        if table is not None:
            for place in np.argsort(-reading.worth, kind="stable")[:width].tolist():
                yield (
                    place,
                    float(np.clip(reading.worth[place], 0, 1)),
                    table.get_passage_facts(place).tolist(),
                )
        elif self._snapshot.num_triples <= FACTS_READ:
            facts = np.arange(self._snapshot.num_triples)
            worth = self._contexts.get_fact_vectors(self._snapshot, facts) @ reading.vector
            worth += self._weights.words * self._compute_fact_words(reading, facts).sum(1)
            for fact in np.argsort(-worth, kind="stable")[:width].tolist():
                yield fact, float(np.clip(worth[fact], 0, 1)), [fact]

    def _compute_fact_words(self, reading: QuestionProfile, facts: np.ndarray) -> np.ndarray:
        """Which of the question's words facts hold themselves, by weight, float32 [n, words]."""
        return self._contexts.compute_fact_words(self._snapshot, facts, reading.weights)

    def select_arcs(self, view: View, *, cancelled: Callable[[], bool] = lambda: False) -> NavigatorDecision:
        """See ``base.Navigator``."""
        check(cancelled)
        reading, facts = self.read(view.question), view.arcs % self._snapshot.num_triples
        context = self._contexts.find_fact_passages(self._snapshot, facts, reading.worth)
        order, scores = self._rank_arcs(view, reading, context, facts)
        if not len(order):
            return NavigatorDecision((), (), False, "Nothing that was not seen before leads on from here.")
        if self._is_settled(view, reading, scores[order[0]]):
            left = order[: 2 * view.left].tolist()
            thought = "Nothing here says more than what is selected already."
            return NavigatorDecision((), tuple(left[:DROPPED]), True, thought, rest=_make_picks(left, scores))
        if (context < 0).all():
            order = self._rank_by_coverage(reading, order, scores, facts, 2 * view.left)
        chosen = self._select_arcs(view, reading, order, context, facts)
        kept = set(chosen)
        dropped = tuple([i for i in order.tolist() if i not in kept][:DROPPED])
        rest = [i for i in order[: 2 * view.left].tolist() if i not in kept]
        thought = self._write_thought(view, chosen, len(order))
        return NavigatorDecision(_make_picks(chosen, scores), dropped, False, thought, rest=_make_picks(rest, scores))

    def rank_arcs(self, view: View) -> np.ndarray:
        """Positions of the arcs that were not selected before, the best first; each fact once."""
        reading, facts = self.read(view.question), view.arcs % self._snapshot.num_triples
        context = self._contexts.find_fact_passages(self._snapshot, facts, reading.worth)
        order, _ = self._rank_arcs(view, reading, context, facts)
        _, first = np.unique(facts[order], return_index=True)
        return order[np.sort(first)]

    def _rank_arcs(
        self, view: View, reading: QuestionProfile, context: np.ndarray, facts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the new arcs that can be taken, the best first, and the scores of all arcs."""
        fact_vectors = self._contexts.get_fact_vectors(self._snapshot, facts)
        fit = fact_vectors @ reading.vector
        words = np.zeros((len(facts), len(reading.weights)), np.float32)
        if (context < 0).any():
            words[context < 0] = self._compute_fact_words(reading, facts[context < 0])
        scores = _compute_fact_scores(self._score_arcs(view, reading, context, fact_vectors, words), facts)
        order = np.lexsort((-fit, -scores))
        new = np.array([fact not in view.selected for fact in facts.tolist()], bool)
        return order[np.isfinite(scores[order]) & new[order]], scores

    def _read(self, question: Question) -> QuestionProfile:
        vector = self._encoder.encode([question.text])[0]
        words = extract_stems(question.text)
        weights = self._contexts.compute_word_weights(words)
        held = self._contexts.compute_passage_words(weights)
        worth = self._contexts.compute_cosines(vector) + self._weights.words * held.sum(1)
        return QuestionProfile(frozenset(words), vector, weights, held, worth)

    def _score_arcs(
        self,
        view: View,
        reading: QuestionProfile,
        context: np.ndarray,
        fact_vectors: np.ndarray,
        words: np.ndarray,
    ) -> np.ndarray:
        """Scores of the arcs, float [n]; -inf for those that cannot be taken."""
        scores: np.ndarray = (fact_vectors @ reading.vector).astype(np.float64)
        inside = context >= 0
        scores[inside] = reading.worth[context[inside]]
        scores[~inside] += self._weights.words * words[~inside].sum(1)
        bounds = np.searchsorted(view.owners, np.arange(len(view.stands) + 1))
        for position, stand in enumerate(view.stands):
            mine = slice(bounds[position], bounds[position + 1])
            sources = self._list_sources(stand, reading)
            if not sources:
                scores[mine] *= stand.score
            elif bounds[position] < bounds[position + 1]:
                onward = self._score_onward_arcs(stand, reading, context[mine], fact_vectors[mine], words[mine])
                known = inside[mine] & np.isin(context[mine], [place for place, _, _ in sources])
                alone = np.where(known & (view.step > 1), -np.inf, scores[mine])
                either = view.step == 1 or bool(inside[mine].any())
                scores[mine] = np.maximum(onward, alone) if either else onward
        return scores

    def _list_sources(self, stand: Stand, reading: QuestionProfile) -> list[tuple[int, int, float]]:
        """What a stand goes on from: context, fact and score, the best first, each passage once."""
        best = sorted(stand.sources, key=lambda source: -source[1])
        facts = np.array([fact for fact, _ in best], np.int64)
        places = self._contexts.find_fact_passages(self._snapshot, facts, reading.worth).tolist()
        kept: dict[int, tuple[int, int, float]] = {}
        for place, (fact, score) in zip(places, best, strict=True):
            kept.setdefault(place if place >= 0 else -2 - fact, (place, fact, score))
        return list(kept.values())[: self._weights.sources]

    def _score_onward_arcs(
        self,
        stand: Stand,
        reading: QuestionProfile,
        context: np.ndarray,
        fact_vectors: np.ndarray,
        words: np.ndarray,
    ) -> np.ndarray:
        """Scores of the arcs that go on from one stand, from whichever source makes the most of each."""
        weights, inside = self._weights, context >= 0
        places = context[inside]
        vectors, held = self._contexts.get_vectors(places), reading.held[places]
        crowd = len(np.unique(places))
        closed = bool(len(places)) and (crowd > weights.crowd or self.is_named(reading, stand.entity))
        best = np.full(len(context), -np.inf)
        for before, fact, score in self._list_sources(stand, reading):
            if before >= 0:
                source_vector, missing = (
                    self._contexts.get_vectors(np.array([before]))[0],
                    reading.held[before] == 0,
                )
            else:
                source_vector = self._contexts.get_fact_vectors(self._snapshot, np.array([fact]))[0]
                missing = self._compute_fact_words(reading, np.array([fact]))[0] == 0
            left = reading.vector - weights.said * (reading.vector @ source_vector) * source_vector
            left /= max(1e-6, float(np.linalg.norm(left)))
            scores = fact_vectors @ left + weights.open_words * words[:, missing].sum(1).astype(np.float64)
            if len(places):
                scores[inside] = vectors @ left + weights.open_words * held[:, missing].sum(1)
                scores[inside] -= weights.hub * math.log(crowd)
                scores[inside] = np.where((places == before) | closed, -np.inf, scores[inside])
            best = np.maximum(best, scores + weights.way * score + weights.step)
        return best

    def is_named(self, reading: QuestionProfile, entity: int) -> bool:
        """Whether most of an entity's name stands in the question, so that it leads nowhere new."""
        words = extract_stems(self._snapshot.get_entity_label(entity))
        return 2 * sum(word in reading.words for word in words) > len(words) or not words

    def _is_settled(self, view: View, reading: QuestionProfile, best: float) -> bool:
        """Whether a later step adds nothing to the best contexts of what is selected."""
        if view.step == 1 or len(view.selected) < self._weights.enough:
            return False
        facts = np.array(list(view.selected), np.int64)
        context = self._contexts.find_fact_passages(self._snapshot, facts, reading.worth)
        held: dict[int, float] = {}
        for fact, place in zip(facts.tolist(), context.tolist(), strict=True):
            key = place if place >= 0 else -2 - fact
            held[key] = max(view.selected[fact], held.get(key, 0.0))
        ranked = sorted(held.values(), reverse=True)
        return len(ranked) >= self._weights.enough and best < ranked[self._weights.enough - 1]

    def _select_arcs(
        self, view: View, reading: QuestionProfile, order: np.ndarray, context: np.ndarray, facts: np.ndarray
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
            if fact in twice - turned and self.is_named(reading, int(view.targets[i])):
                turned.add(fact)  # it is there the other way round too, and leads to something new that way
                continue
            places[key] = places.get(key, 0) + 1
            taken.add(int(facts[i]))
            chosen.append(i)
            if len(chosen) >= most:
                break
        return chosen

    def _rank_by_coverage(
        self, reading: QuestionProfile, order: np.ndarray, scores: np.ndarray, facts: np.ndarray, count: int
    ) -> np.ndarray:
        """An order whose first facts together hold more of the question: words that one holds no longer count."""
        held = self._compute_fact_words(reading, facts[order])
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

    def _write_thought(self, view: View, chosen: list[int], count: int) -> str:
        names = [self._snapshot.get_entity_label(int(view.targets[i])) for i in chosen[:3]]
        return f"Took {len(chosen)} of {count} new facts; the best lead to {', '.join(names)}."


def _make_picks(positions: list[int], scores: np.ndarray) -> tuple[Pick, ...]:
    return tuple(Pick(i, float(np.clip(scores[i], 0, 1))) for i in positions)


def _compute_fact_scores(scores: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """The best score of each arc's fact: one between two stands is worth its better reading, whichever way it leads."""
    _, which = np.unique(facts, return_inverse=True)
    best = np.full(int(which.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, which, scores)
    fact_scores: np.ndarray = best[which]
    return fact_scores
