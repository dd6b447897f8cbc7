"""The extractive reasoner: a relation path answers with the set it reaches, no language model needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from retrieval import thresholds
from retrieval.errors import ConfigError
from retrieval.events import AnswerDelta
from retrieval.evidence.reach import Ids, Reach, compute_similarity
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.choosing import select_best_guess
from retrieval.reasoning.comparison import Compared
from retrieval.reasoning.no_answers import (
    explain_no_path,
    explain_not_in_graph,
    explain_not_linked,
    explain_nothing_shared,
)
from retrieval.results import Answer

NAME = "extractive"


@dataclass(frozen=True, slots=True)
class ExtractiveSettings:
    """How answer sets are cut.

    Attributes:
        hit: when relation paths reach different sets, how much it counts that some answer is right beside the
            expected F1 of what is answered, at least 0; see ``choosing.select_best_guess``. On a
            development part of WebQSP 0.2 gives Hit 0.891 for 0.884, and costs MetaQA's dev questions half a point
            of exact sets.
        floor: when the best relation path fits the question less than this, in [0, 1], the graph is said
            not to hold what was asked. 0.1 turns away 1 in 100 right answers of the demo's dev questions and
            none of MetaQA's, and catches 40 in 100 questions that the graph cannot answer; 0.25 catches 60
            and turns away 2 in 100, on MetaQA's tags 5 in 100 of one hop.
        trusted: answers of a lower score, in [0, 1], are guesses; of an intersection, of a lower score a topic.
        kinship: when topics lead to nothing in common, and what each leads to is of one kind to at least
            this degree, in [0, 1], then nothing is the answer; below it, the topics were not meant to be
            intersected, and the most probable one answers alone.
    """

    hit: float = 0.0
    floor: float = 0.1
    kinship: float = 0.6
    trusted: float = thresholds.GUESS

    def __post_init__(self) -> None:
        if self.hit < 0:
            raise ConfigError(f"hit is {self.hit}.", hint="Give a number of at least 0.")
        if not 0 <= self.floor <= 1:
            raise ConfigError(f"floor is {self.floor}.", hint="Give a number from 0 to 1.")
        for name in ("kinship", "trusted"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is {getattr(self, name)}.", hint="Give a number from 0 to 1.")


@dataclass(frozen=True, slots=True, eq=False)
class TargetSet:
    """Relation paths of one topic that mean or reach the same, all that they reach, and their summed probability."""

    members: tuple[int, ...]
    targets: Ids
    probability: float


class ExtractiveReasoner:
    """Answers with the entities that the most probable relation paths reach."""

    name = NAME
    llm: str | None = None
    prompts: dict[str, str] = {}

    def __init__(self, settings: ExtractiveSettings | None = None) -> None:
        self.settings = settings or ExtractiveSettings()

    def answer(self, evidence: Evidence, *, cancelled: Callable[[], bool]) -> Iterator[AnswerDelta | Conclusion]:
        """Yield the verdict; there is nothing to stream and nothing long enough to cancel."""
        del cancelled
        yield self.draw_conclusion(evidence)

    def draw_conclusion(self, evidence: Evidence) -> Conclusion:
        """The verdict: a comparison, an intersection, or the best sets of the best topic."""
        verdict = self._infer_conclusion(evidence)
        best = max((answer.score for answer in verdict.answers), default=0.0)
        return replace(
            verdict, answers=tuple(self._calibrate_answer(answer, best, evidence) for answer in verdict.answers)
        )

    def _calibrate_answer(self, answer: Answer, best: float, evidence: Evidence) -> Answer:
        """The answer with the probability that its score stands for, beside that of the best."""
        if evidence.sure is not None:
            score = round(evidence.sure * answer.score / best, 6) if best else 0.0
        elif evidence.odds != (1.0, 0.0):
            score = calibrate_score(answer.score, evidence.odds)
        else:
            return answer
        return replace(answer, score=score, guess=score < self.settings.trusted)

    def _infer_conclusion(self, evidence: Evidence) -> Conclusion:
        if not evidence.entities:
            return Conclusion(no_answer=explain_not_linked(evidence.unmatched, ()))
        topics = tuple(dict.fromkeys(linked.entity.id for linked in evidence.entities))
        if not any(reach.topic in topics for reach in evidence.reaches):
            return Conclusion(no_answer=explain_no_path(evidence.entities))
        if evidence.coverage < self.settings.floor:
            return Conclusion(no_answer=explain_not_in_graph(evidence))
        if evidence.compared is not None:
            return _build_comparison_verdict(evidence, evidence.compared, self.settings.trusted)
        if evidence.join is not None:
            return _build_verdict(evidence, evidence.join.targets, topics, self.settings.trusted)
        return self._answer_single_topic(evidence, topics)

    def _answer_single_topic(self, evidence: Evidence, topics: tuple[int, ...]) -> Conclusion:
        """The best sets of the topic that reaches its set most surely; the smaller set when equal."""
        inverse = evidence.snapshot.inverse_relations
        options = [(topic, group_target_sets(evidence.reaches, topic, inverse)) for topic in topics]
        # What a search began at by itself is linked with a score of 0: it competes, and restricts nothing.
        named_topics = {linked.entity.id for linked in evidence.entities if linked.score > 0}
        if self._is_empty_intersection(evidence, [sets for topic, sets in options if topic in named_topics]):
            return Conclusion(no_answer=explain_nothing_shared(evidence.entities))
        topic, sets = min(
            ((topic, sets) for topic, sets in options if sets),
            key=lambda option: (-option[1][0].probability, len(option[1][0].targets)),
        )
        targets = select_best_guess(sets, self.settings.hit)
        warnings: tuple[str, ...] = ()
        label = evidence.snapshot.get_entity_label
        if others := " and ".join(label(t) for t in topics if t != topic and t in named_topics):
            why = (
                f"Nothing was found that {label(topic)} and {others} lead to together"
                if evidence.joins
                else f"What {label(topic)} and {others} lead to together was not looked for"
            )
            warnings = (f"{why}; these answers follow from {label(topic)} alone.",)
        return _build_verdict(evidence, targets, (topic,), self.settings.trusted, warnings)

    def _is_empty_intersection(self, evidence: Evidence, options: Sequence[list[TargetSet]]) -> bool:
        """Whether all topics lead to things of one kind, so that an empty intersection is the answer."""
        if len(options) < 2 or not all(options) or not evidence.joins:
            return False
        first = options[0][0].targets
        return all(
            compute_similarity(evidence.snapshot, first, sets[0].targets) >= self.settings.kinship
            for sets in options[1:]
        )


def calibrate_score(score: float, odds: tuple[float, float]) -> float:
    """The probability of an answer whose relation paths have one of ``score``; see ``Evidence.odds``."""
    share = min(max(score, 1e-6), 1 - 1e-6)
    slope, offset = odds
    return round(1 / (1 + exp(-(slope * log(share / (1 - share)) + offset))), 6)


def group_target_sets(reaches: Sequence[Reach], topic: int, inverse: Ids) -> list[TargetSet]:
    """The distinct target sets of one topic, most probable first.

    A graph seldom writes all its facts from both ends, so relation paths that are each other's inverse
    answer together.

    Args:
        reaches: relation paths of all topics.
        topic: whose paths count.
        inverse: what stands for each directed relation, [2 R]; ``Snapshot.inverse_relations``.
    """
    alike: dict[bytes, list[int]] = {}
    for i, reach in enumerate(reaches):
        if reach.topic == topic and len(reach.targets):
            alike.setdefault(inverse[list(reach.path)].tobytes(), []).append(i)
    groups: dict[bytes, tuple[Ids, list[int]]] = {}
    for members in alike.values():
        targets = np.unique(np.concatenate([reaches[i].targets for i in members]))
        groups.setdefault(targets.tobytes(), (targets, []))[1].extend(members)
    sets = [
        TargetSet(tuple(sorted(indices)), targets, sum(reaches[i].probability for i in sorted(indices)))
        for targets, indices in groups.values()
    ]
    return sorted(sets, key=lambda s: -s.probability)


def _build_verdict(
    evidence: Evidence, targets: Ids, topics: Sequence[int], trusted: float, warnings: tuple[str, ...] = ()
) -> Conclusion:
    """One answer for each target, most probable first, then by label."""
    scores = np.ones(len(targets))
    for topic in topics:
        mass = np.zeros(len(targets))
        for reach in evidence.reaches:
            if reach.topic == topic:
                mass[np.isin(targets, reach.targets, assume_unique=True)] += reach.probability
        scores *= np.minimum(mass, 1.0)
    shown = evidence.reaches[: len(evidence.chains)]
    chains: list[list[int]] = [[] for _ in targets]
    for i, reach in enumerate(shown):
        if reach.topic in topics:
            for position in np.flatnonzero(np.isin(targets, reach.targets, assume_unique=True)):
                chains[position].append(i)
    sound = [all(hop.verified for hop in chain.hops) for chain in evidence.chains]
    answers = []
    for entity, score, answer_chains in zip(targets, scores, chains, strict=True):
        node = evidence.snapshot.get_node(int(entity))
        verified = any(sound[i] for i in answer_chains)
        guess = bool(score < trusted ** len(topics))
        answers.append(Answer(node.label, round(float(score), 6), node, tuple(answer_chains), verified, guess=guess))
    answers.sort(key=lambda answer: (-answer.score, answer.label))
    return Conclusion(answers=tuple(answers), text="", warnings=warnings)


def _build_comparison_verdict(evidence: Evidence, compared: Compared, trusted: float) -> Conclusion:
    """The winning topics; the chain of every topic is evidence, because the loser's value counts too."""
    snapshot = evidence.snapshot
    shown = tuple(i for i in compared.members if i < len(evidence.chains))
    verified = bool(shown) and all(hop.verified for i in shown for hop in evidence.chains[i].hops)
    values = "; ".join(
        f"{snapshot.get_entity_label(evidence.reaches[i].topic)}: "
        f"{snapshot.get_entity_label(int(evidence.reaches[i].targets[0]))}"
        for i in compared.members
    )
    score = round(min(1.0, compared.probability), 6)
    answers = tuple(
        Answer(node.label, score, node, shown, verified, guess=score < trusted)
        for node in (snapshot.get_node(topic) for topic in compared.winners)
    )
    return Conclusion(answers=answers, text=f"Compared: {values}.")
