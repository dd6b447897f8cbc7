"""Preparing a review of programs: the one that is given for each question, and those that it is read as."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.kg import snapshot as kg
from retrieval.language.question import Question
from retrieval.types import Progress, QuestionRecord
from webapp.answers import programs as corrections
from webapp.experiments.resolution import find_checkpoint_in_use
from webapp.graphs import files
from webapp.review.domain import program_candidates
from webapp.review.models import Queue
from webapp.review.services import queues
from worker import answerers, job_runs

if TYPE_CHECKING:  # torch comes with it
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.reader import ProgramReader
    from retrieval.programs.understanding import Understanding

LEAST = 0.01
"""Readings that are less probable are no candidates."""
_SURE = 0.5


@dataclass(slots=True)
class _ProgramCandidate:
    """A program of a question, and who holds it."""

    understanding: Understanding
    sources: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _ProvidedProgram:
    """A program that somebody gives for a question."""

    program: dict[str, Any]
    source: str
    name: str


def build_drafts(context: job_runs.Context, row: Queue, questions: Sequence[QuestionRecord]) -> list[queues.DraftItem]:
    """A question each, with its candidates: programs of the question set and of corrections, and the best readings.

    Raises:
        Cancelled: the job was stopped.
    """
    from retrieval.programs.reader import ProgramReader  # noqa: PLC0415

    context.update_progress(Progress("opening", 0, len(questions), "questions"))
    snapshot = kg.open(files.ensure_local_path(row.snapshot.path))
    reader = ProgramReader(snapshot, answerers.get_encoder().encode, _find_weights(row))
    corrected: dict[str, list[_ProvidedProgram]] = defaultdict(list)
    for correction in corrections.iter_questions(graph_id=row.graph_id):
        if correction.program is not None:
            corrected[correction.question.casefold()].append(
                _ProvidedProgram(correction.program, "person", "a correction")
            )
    made = []
    for done, question in enumerate(questions, start=1):
        context.check()
        provided = [_ProvidedProgram(question.program, "given", row.question_set_name)] if question.program else []
        provided += corrected[question.question.casefold()]
        made.append(_build_draft(reader, question, provided))
        context.update_progress(Progress("reading", done, len(questions), "questions"))
    return made


def _find_weights(row: Queue) -> Path:
    """Those that the checkpoint in use learned, where it learned some."""
    from retrieval.pretrained import PROGRAMS  # noqa: PLC0415
    from retrieval.supervision.program_learning import FILE  # noqa: PLC0415

    used = find_checkpoint_in_use(row.graph) if row.graph.snapshot_id == row.snapshot_id else None
    learned = None if used is None else files.ensure_local_path(used.path) / FILE
    return PROGRAMS if learned is None or not learned.is_file() else learned


def _build_draft(
    reader: ProgramReader, question: QuestionRecord, provided: Sequence[_ProvidedProgram]
) -> queues.DraftItem:
    from retrieval.programs.algebra.equivalence import normalize_program  # noqa: PLC0415
    from retrieval.programs.rendering.names import from_named_json  # noqa: PLC0415

    by_program: dict[Program, _ProgramCandidate] = {}
    misfits: list[str] = []
    for entry in provided:
        try:
            understanding = reader.execute(from_named_json(reader.snapshot, entry.program))
        except ProgramError as error:
            misfits.append(f"The program of {entry.name} does not fit the graph: {error.message}")
            continue
        kept = by_program.setdefault(
            normalize_program(understanding.best.program), _ProgramCandidate(understanding, [])
        )
        kept.sources.append(_source(entry.source, entry.name, 1.0))
    wanted = set(by_program)
    read = reader.read(Question(question.question))
    readings = [] if read is None else [(read.best.program, read.confidence)]
    if read is not None:
        readings += [(other.program, other.probability) for other in read.others]
    for program, score in readings:
        if score < LEAST and normalize_program(program) not in by_program:
            continue
        kept = by_program.setdefault(normalize_program(program), _ProgramCandidate(reader.execute(program), []))
        kept.sources.append(_source("reader", "as it is read", score))
    best = None if read is None else normalize_program(read.best.program)
    candidates = [_build_candidate(candidate, question) for candidate in by_program.values()]
    doubt, reason = _estimate_doubt(candidates, wanted, best, 0.0 if read is None else read.confidence)
    return queues.DraftItem(
        question.id,
        question.question,
        question.topic_entities,
        question.answers,
        doubt,
        " ".join([reason, *misfits]),
        candidates,
    )


def _estimate_doubt(
    candidates: Sequence[queues.DraftCandidate], provided: set[Program], best: Program | None, sure: float
) -> tuple[float, str]:
    """How much a question needs a person, in [0, 1], and the reason in words."""
    if not candidates:
        return 0.0, "No program was read."
    if best is None:
        return 1.0, "No program was read; one is given."
    if provided and best not in provided:
        return max(sure, _SURE), f"It is read otherwise than is given, with confidence {sure:.2f}."
    read = next(candidate for candidate in candidates if any(s["source"] == "reader" for s in candidate.sources))
    known = read.recall > 0 or read.precision > 0 or any(candidate.hits for candidate in candidates)
    if not provided and known and (read.precision < 1 or read.recall < 1):
        return (
            max(sure, _SURE),
            f"What it is read as gives other answers than the known ones, with confidence {sure:.2f}.",
        )
    return 1 - sure, f"It is read with confidence {sure:.2f}."


def _build_candidate(candidate: _ProgramCandidate, question: QuestionRecord) -> queues.DraftCandidate:
    return queues.DraftCandidate(sources=candidate.sources, **build_program_fields(candidate.understanding, question))


def build_program_fields(understanding: Understanding, question: QuestionRecord) -> dict[str, Any]:
    """The fields of a candidate that follow from a program that was executed."""
    from retrieval.answering.program_answers import build_program_event  # noqa: PLC0415
    from retrieval.answering.proofs import build_chains  # noqa: PLC0415
    from retrieval.programs.rendering.table_formatting import get_answer_labels  # noqa: PLC0415

    executor, best = understanding.executor, understanding.best
    gives = get_answer_labels(executor.snapshot, executor.columns, best.program, best.result)
    chains = build_chains(executor, best.program, 1.0)
    return program_candidates.build_fields(
        build_program_event(understanding, lambda: 0.0),
        gives[: program_candidates.ANSWERS_MAX],
        [hop for chain in chains for hop in chain.hops],
        question.answers,
    )


def _source(source: str, name: str, score: float) -> dict[str, Any]:
    return {
        "source": source,
        "label_set": None,
        "name": name,
        "score": round(score, 4),
        "explanation": "",
    }
