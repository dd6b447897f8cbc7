"""What speaks for an outcome, and what for others: numbers that mean the same on every graph.

No sign names a relation, an entity or a word of a graph, so that weights fitted on some graphs hold on others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.answering.fusion.direction import infer_direction
from retrieval.language.question import Question
from retrieval.programs.algebra.operations import And, Entities, Having, Walk, walk
from retrieval.results import NoAnswerReason

if TYPE_CHECKING:
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.programs.algebra.operations import Program
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
        asks_gender: the question asks for a gender, which is how many graphs tell sons from daughters.
        genitives: so often it goes on from one thing to another by "of" or "'s".
    """

    question: Question
    read: Understanding | None
    paths: Sequence[RelationPath] = ()
    verdict: Conclusion | None = None
    kinds: Mapping[int, str] = field(default_factory=dict)
    topics: Collection[int] = ()
    unfit: Collection[int] = ()
    asks_gender: bool = False
    genitives: int = 0
    relations: int = 0
    labels: Sequence[str] = ()


def compute_signs(context: QuestionContext, outcomes: Sequence[CandidateOutcome]) -> list[Signs]:
    """The signs of each outcome."""
    common = _compute_question_signs(context)
    programs = [_compute_mass(outcome, context.read) for outcome in outcomes]
    paths = [sum(reach.probability for reach in outcome.reaches) for outcome in outcomes]
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
            | _compute_program_signs(outcome, context)
            | _compute_path_signs(outcome, context)
            | _compute_direction_signs(outcome, context)
            | _compute_result_signs(outcome, context)
        )  # fmt: skip
    return rows


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
        "program.short": float(len(read.select_meaning(place, 0.0).walked) < context.genitives),
        "program.holds": float(
            _BEYOND.search(context.question.text) is not None and _is_existence_test(best.candidate.program)
        ),
    } | {f"program: {name}": value for name, value in best.evidence.items()}


#: "In which city is the publisher", "which city is the publisher in": what something is in or from, and not itself.
_BEYOND = re.compile(r"^\W*(?:in|at|from|on|to|under|by) (?:what|which)\b|\b(?:in|from|at|on|to)\W*$", re.IGNORECASE)


def _is_existence_test(program: Program) -> bool:
    """Whether a program only asks that what it gives has something."""
    either = (program.left, program.right) if isinstance(program, And) else ()
    return any(isinstance(operand, Having) for operand in either)


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
        "path.gender": float(context.asks_gender),
        "path.short": float(len(best.path) < context.genitives),
        "path.back": float(is_round_trip(context.question, best.path, context.relations)),
    }


def _compute_direction_signs(outcome: CandidateOutcome, context: QuestionContext) -> Signs:
    """Whether relations are walked as the question's grammar says, from what it names."""
    starts = {} if context.read is None else {
        node: start for meaning in context.read.meanings for node, start, _ in meaning.named
    }  # fmt: skip
    steps = [(reach.topic, reach.path[0]) for reach in outcome.reaches[:1]]
    if context.read is not None and outcome.programs:
        steps = [
            (part.source.ids[0], part.relation)
            for part in walk(context.read.meanings[outcome.programs[0]].candidate.program)
            if isinstance(part, Walk) and isinstance(part.source, Entities) and part.source.ids
        ]
    directions = [
        infer_direction(context.question.words.words, starts[node], context.labels[relation % context.relations])
        * (1 if relation < context.relations else -1)
        for node, relation in steps
        if node in starts and context.relations
    ]
    return {"way.right": float(1 in directions), "way.wrong": float(-1 in directions)}


def _compute_result_signs(outcome: CandidateOutcome, context: QuestionContext) -> Signs:
    sort = context.question.words.kind
    nodes = outcome.nodes
    kind, mixed, echo = "", False, False
    if nodes is None:
        kind = "truth" if isinstance(outcome.result, bool) else "number"
    elif not len(nodes):
        kind = "nothing"
    else:
        some = nodes[:LOOKED_AT].tolist()
        kinds = {context.kinds.get(node, "thing") for node in some}
        kind, mixed = context.kinds.get(some[0], "thing"), len(kinds) > 1
        echo = set(some) <= set(context.topics)
        kind = kind if kind == "thing" else f"value.{kind}"
    size = -1 if nodes is None else len(nodes)
    return {
        f"gives.{kind}": 1.0,
        f"asks.{sort}": 1.0,
        f"asks.{sort}.{kind}": 1.0,
        "gives.one": float(size == 1),
        "gives.few": float(1 < size <= _FEW),
        "gives.many": float(size > _FEW),
        "gives.mixed": float(mixed),
        "gives.topic": float(echo),
    }


def _compute_mass(outcome: CandidateOutcome, read: Understanding | None) -> float:
    return 0.0 if read is None else sum(read.meanings[index].candidate.probability for index in outcome.programs)


def _compute_log_odds(probability: float) -> float:
    share = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))


_GENITIVE = re.compile(r"\bof\b|['’]s\b")


def count_genitives(question: Question, mentions: Sequence[tuple[int, int, int]]) -> int:
    """How often a question goes on by "of" or "'s" outside of names, given with their characters [start, end)."""
    return sum(
        not any(start <= match.start() < end for _, start, end in mentions)
        for match in _GENITIVE.finditer(question.text)
    )


_SHARED = re.compile(
    r"\b(?:same|shar\w+|also|others?|another|else|together|similar|alike|like|too|common|both|co-?\w+)\b",
    re.IGNORECASE,
)


def is_round_trip(question: Question, path: Sequence[int], relations: int) -> bool:
    """Whether a relation path ends at all that have what its topic has, though nothing is said of the same.

    Args:
        path: directed relations.
    """
    there_and_back = len(path) > 1 and path[-2] < relations and path[-1] == path[-2] + relations
    return there_and_back and _SHARED.search(question.text) is None
