"""What speaks for an outcome, and what for others: numbers that mean the same on every graph.

No sign names a relation, an entity or a word of a graph, so that weights fitted on some graphs hold on others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.language.question import Question
from retrieval.results import NoAnswerReason

if TYPE_CHECKING:
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.programs.understanding import Meaning, Understanding
    from retrieval.reasoning.base import Conclusion
    from retrieval.types import RelationPath

Signs = dict[str, float]
#: Answers that are few, and what stands for no place.
_FEW, _NOWHERE = 8, 12
LOOKED_AT = 20
"""Answers whose kinds are looked at."""
#: A score that stands for no program, behind the best.
_FAR = -8.0
_LEAST = 1e-4
SCORED = 12
"""The cross-encoder scores at most this many outcomes of a question."""
#: Outcomes below this probability are not scored: scoring them costs 30% more time and answers no more questions.
_UNLIKELY = 1e-3
#: Log odds are clipped to this absolute value.
_SUREST = 9.0


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """What is known of a question beside its outcomes.

    Attributes:
        read: its programs.
        paths: its relation paths, with the support of each.
        verdict: what they answer together; None where none were retrieved.
        kinds: of nodes that answer, what those are that are no things: "number", "year", "date", "time" or "yes/no".
        topics: nodes that relation paths begin at.
        unfit: positions of outcomes of another sort than was asked for.
    """

    question: Question
    read: Understanding | None
    paths: Sequence[RelationPath] = ()
    verdict: Conclusion | None = None
    kinds: Mapping[int, str] = field(default_factory=dict)
    topics: Collection[int] = ()
    unfit: Collection[int] = ()


def select_scored(context: QuestionContext, outcomes: Sequence[CandidateOutcome]) -> list[int]:
    """Positions of the outcomes that the cross-encoder scores: the likeliest by their programs or relation paths."""
    likely = [max(_compute_mass(outcome, context.read), _sum_reaches(outcome)) for outcome in outcomes]
    positions = sorted(range(len(outcomes)), key=lambda position: -likely[position])
    return [position for position in positions[:SCORED] if likely[position] >= _UNLIKELY]


def compute_signs(
    context: QuestionContext, outcomes: Sequence[CandidateOutcome], log_odds: Mapping[int, float]
) -> list[Signs]:
    """The signs of each outcome.

    Args:
        log_odds: the cross-encoder's, by position; outcomes that it did not score are missing.
    """
    common = _compute_question_signs(context)
    programs = [_compute_mass(outcome, context.read) for outcome in outcomes]
    paths = [_sum_reaches(outcome) for outcome in outcomes]
    most = max(log_odds.values(), default=0.0)
    none = 1 / (1 + sum(math.exp(min(odds, _SUREST)) for odds in log_odds.values()))
    rows = []
    for index, outcome in enumerate(outcomes):
        other = max((mass for n, mass in enumerate(programs) if n != index), default=0.0)
        further = max((mass for n, mass in enumerate(paths) if n != index), default=0.0)
        rows.append(
            common
            | {
                "programs": programs[index], "programs.odds": _compute_log_odds(programs[index]),
                "programs.other": other, "programs.other.odds": _compute_log_odds(other),
                "paths": paths[index], "paths.odds": _compute_log_odds(paths[index]),
                "paths.other": further, "paths.other.odds": _compute_log_odds(further),
                "unfit": float(index in context.unfit),
            }
            | _compute_text_signs(log_odds.get(index), most, none)
            | _compute_program_signs(outcome, context)
            | _compute_path_signs(outcome, context)
            | _compute_result_signs(outcome, context)
        )  # fmt: skip
    return rows


def _compute_text_signs(odds: float | None, most: float, none: float) -> Signs:
    """Signs from the cross-encoder's log odds.

    Args:
        odds: of this outcome; None where it was not scored.
        most: the highest of the question.
        none: the probability that no outcome is right.
    """
    if odds is None:
        return {"text.unscored": 1.0}
    return {
        "text.odds": max(-_SUREST, min(_SUREST, odds)),
        "text.share": math.exp(min(odds, _SUREST)) * none,
        "text.best": float(odds == most),
        "text.behind": max(odds - most, -_SUREST),
        "text.none": none,
    }


def _compute_question_signs(context: QuestionContext) -> Signs:
    verdict, read = context.verdict, context.read
    reason = None if verdict is None or verdict.no_answer is None else verdict.no_answer.reason
    supports = [path.support or 0.0 for path in context.paths]
    return {
        "one": 1.0,
        "words": float(len(context.question.text.split())),
        "read": 0.0 if read is None else read.confidence,
        "unread": float(read is None or not read.meanings),
        "says nothing": float(read is not None and read.says_nothing),
        "support": max(supports, default=0.0),
        "doubted": float(any(path.doubted for path in context.paths)),
        "no paths": float(not context.paths),
        "topics": float(len({path.topic for path in context.paths})),
        "lacking": float(reason is NoAnswerReason.NOT_IN_GRAPH),
        "unanswered": float(reason is not None),
    }


def _compute_program_signs(outcome: CandidateOutcome, context: QuestionContext) -> Signs:
    read = context.read
    if read is None or not outcome.programs:
        return {"program": 0.0, "program.place": _NOWHERE, "program.behind": _FAR}
    place = outcome.programs[0]
    best: Meaning = read.meanings[place]
    return {
        "program": 1.0,
        "program.place": float(place),
        "program.behind": best.candidate.score - read.meanings[0].candidate.score,
        "program.read": read.confidence * (place == 0),
        "program.refused": float(best.refused),
        "program.several": float(len(outcome.programs)),
    } | {f"program: {name}": value for name, value in best.evidence.items()}


def _compute_path_signs(outcome: CandidateOutcome, context: QuestionContext) -> Signs:
    if not outcome.reaches:
        return {"path": 0.0, "path.by all": float(outcome.by_paths)}
    best = outcome.reaches[0]
    ranked = sorted(context.paths, key=lambda path: -path.score)
    place = next(
        (n for n, path in enumerate(ranked) if (path.topic, path.relations) == (best.topic, best.path)),
        _NOWHERE,
    )
    score = 0.0 if context.verdict is None or not context.verdict.answers else context.verdict.answers[0].score
    return {
        "path": 1.0,
        "path.alone": float(not outcome.programs),
        "path.by all": float(outcome.by_paths),
        "path.by all.score": score * outcome.by_paths,
        "path.place": float(place),
        "path.steps": float(len(best.path)),
        "path.first": float(place == 0),
    }


def _compute_result_signs(outcome: CandidateOutcome, context: QuestionContext) -> Signs:
    nodes = outcome.nodes
    kind, mixed, echo = "", False, False
    if nodes is None:
        kind = "truth" if isinstance(outcome.result, bool) else "number"
    elif not len(nodes):
        kind = "nothing"
    else:
        some = nodes[:LOOKED_AT].tolist()
        kinds = {context.kinds.get(node, "thing") for node in some}
        kind, mixed = "value" if some[0] in context.kinds else "thing", len(kinds) > 1
        echo = set(some) <= set(context.topics)
    size = -1 if nodes is None else len(nodes)
    return {
        f"gives.{kind}": 1.0,
        "gives.one": float(size == 1),
        "gives.few": float(1 < size <= _FEW),
        "gives.many": float(size > _FEW),
        "gives.mixed": float(mixed),
        "gives.topic": float(echo),
    }


def _sum_reaches(outcome: CandidateOutcome) -> float:
    return sum(reach.probability for reach in outcome.reaches)


def _compute_mass(outcome: CandidateOutcome, read: Understanding | None) -> float:
    return 0.0 if read is None else sum(read.meanings[index].candidate.probability for index in outcome.programs)


def _compute_log_odds(probability: float) -> float:
    share = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))
