"""Learns how a graph's own questions are meant as programs: from programs that are given, else from answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.question import Question
from retrieval.metrics.values import is_same_value
from retrieval.programs.algebra.equivalence import normalize_program
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.parser import Parser
from retrieval.programs.rendering.names import from_named_json
from retrieval.programs.rendering.table_formatting import get_answer_labels
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.scoring.fitting import FittingExample, fit
from retrieval.types import Progress

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.grounding.anchors.similarity import Encode
    from retrieval.programs.weights import Weights
    from retrieval.types import QuestionRecord

FILE = "programs.json"
"""In a checkpoint: the weights that were learned with it."""
#: Questions that are read, at most; fewer with a right program than the second teach nothing.
_READ, _LEAST = 800, 20
#: How strongly weights are held to those that come with Clew.
_PULL = 0.001


Refused = Mapping[str, Sequence[dict[str, Any]]]
"""Programs that people rejected, by names of the graph, by question id."""


@dataclass(frozen=True, slots=True)
class LearnedPrograms:
    """What came of learning from questions.

    Attributes:
        weights: the fitted ones; None where the questions teach too little.
        examples: questions that some program was right for.
        given: of the questions that were read, those that bring a program.
        composed: of these, those whose program is among the candidates.
        same_answers: those that are learned from by what their program gives, since it is not among them.
        unfit: those whose program the graph lacks something of; their answers count.
    """

    weights: Weights | None
    examples: int
    given: int = 0
    composed: int = 0
    same_answers: int = 0
    unfit: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """For people; none where no program was given."""
        if not self.given:
            return ()
        note = (
            f"Programs that were given: {self.given:,}; read as such {self.composed:,}, "
            f"by their answers alone {self.same_answers:,}, not of this graph {self.unfit:,}."
        )
        if self.weights is None:
            note += f" {self.examples:,} questions could be read, {_LEAST} are needed: programs are ranked as before."
        return (note,)


def fit_weights(
    snapshot: Snapshot,
    encode: Encode | None,
    questions: Sequence[QuestionRecord],
    weights: Weights,
    *,
    refused: Refused = MappingProxyType({}),
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> LearnedPrograms:
    """Weights fitted to a graph's questions, features of its relations among them; none where they teach nothing.

    Of a question that brings a program, the candidates that are equivalent to it are right; where there is none,
    those that give what it gives. Of any other, those that give its answers.

    Args:
        encode: texts to unit vectors.
        questions: for training, with answers or programs; those with programs are read first.
        weights: where learning starts.
        refused: of these no candidate is right, whatever it gives.
        progress: told of each question read.
    """
    parser, examples, counts = Parser(snapshot, encode, weights), list[FittingExample](), Counter[str]()
    chosen = _select_questions(questions, refused)
    for done, question in enumerate(chosen):
        check(cancelled)
        candidates = parser.read(Question(question.question), cancelled=cancelled).candidates
        how, right = _find_right(parser, candidates, question)
        right = _remove_refused(parser, candidates, right, refused.get(question.id, ()))
        counts.update((how, "given") if question.program is not None else (how,))
        if any(right):
            examples.append(FittingExample(tuple(candidate.features for candidate in candidates), right))
        progress(Progress("programs", done + 1, len(chosen), "questions"))
    fitted = fit(examples, weights, pull=_PULL) if len(examples) >= _LEAST else None
    return LearnedPrograms(
        fitted, len(examples), counts["given"], counts["composed"], counts["same answers"], counts["unfit"]
    )


def _select_questions(questions: Sequence[QuestionRecord], refused: Refused) -> list[QuestionRecord]:
    """Those that are read: all with a program that people gave or rejected, then others from all over the set."""
    judged = {question.id for question in questions if question.program is not None or question.id in refused}
    selected = [question for question in questions if question.id in judged][:_READ]
    others = [question for question in questions if question.id not in judged]
    room = _READ - len(selected)
    return [*selected, *(others[:: max(1, len(others) // room)][:room] if room else ())]


def _find_right(
    parser: Parser, candidates: Sequence[Candidate], question: QuestionRecord
) -> tuple[str, tuple[bool, ...]]:
    """How right candidates were told, and which are right."""
    answers, how = question.answers, "answers"
    if question.program is not None:
        try:
            program = from_named_json(parser.snapshot, question.program)
            wanted = normalize_program(program)
            right = tuple(normalize_program(candidate.program) is wanted for candidate in candidates)
            if any(right):
                return "composed", right
            result = Executor(parser.snapshot, parser.columns).run(program)
            answers = get_answer_labels(parser.snapshot, parser.columns, program, result)
            how = "missed"
        except ProgramError:
            how = "unfit"
    is_answer = tuple(is_right(parser, candidate, answers) for candidate in candidates)
    return ("same answers" if how == "missed" and any(is_answer) else how), is_answer


def _remove_refused(
    parser: Parser,
    candidates: Sequence[Candidate],
    right: tuple[bool, ...],
    refused: Sequence[dict[str, Any]],
) -> tuple[bool, ...]:
    """What is right, without programs that were refused; one that does not fit the graph is no candidate."""
    wrong: list[Program] = []
    for data in refused:
        with suppress(ProgramError):
            wrong.append(normalize_program(from_named_json(parser.snapshot, data)))
    return tuple(
        yes and not any(normalize_program(candidate.program) is program for program in wrong)
        for candidate, yes in zip(candidates, right, strict=True)
    )


def is_right(parser: Parser, candidate: Candidate, answers: Iterable[str]) -> bool:
    """Whether a program gives exactly these answers, numbers and names compared as people write them."""
    result, wanted = candidate.result, list(answers)
    if isinstance(result, np.ndarray) and len(result) > 2 * len(wanted) + 10:
        return False
    labels = get_answer_labels(parser.snapshot, parser.columns, candidate.program, result)
    return all(any(_is_alike(label, answer) for answer in wanted) for label in labels) and all(
        any(_is_alike(label, answer) for label in labels) for answer in wanted
    )


def _is_alike(left: str, right: str) -> bool:
    return normalize_name(left) == normalize_name(right) or is_same_value(left, right)
