"""Preparing a review of programs: the one that is given for each question, and those that it is read as."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.kg import snapshot as kg
from retrieval.types import Progress, Question
from webapp.answers import programs as corrections
from webapp.experiments.resolution import checkpoint_in_use
from webapp.graphs import files
from webapp.review.domain import program_candidates
from webapp.review.models import Queue
from webapp.review.services import queues
from worker import engines, job_runs

if TYPE_CHECKING:  # torch comes with it
    from retrieval.programs.algebra import Program
    from retrieval.programs.reader import ProgramReader, Understanding

LEAST = 0.01
"""Readings that are less probable are no candidates."""
_SURE = 0.5


@dataclass(slots=True)
class _Found:
    """A program of a question, and who holds it."""

    understanding: Understanding
    sources: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Given:
    """A program that somebody gives for a question."""

    program: dict[str, Any]
    source: str
    name: str


def drafts(context: job_runs.Context, row: Queue, questions: Sequence[Question]) -> list[queues.DraftItem]:
    """A question each, with its candidates: programs of the question set and of corrections, and the best readings.

    Raises:
        Cancelled: the job was stopped.
    """
    from retrieval.programs.reader import ProgramReader  # noqa: PLC0415

    context.progress(Progress("opening", 0, len(questions), "questions"))
    snapshot = kg.open(files.local_path(row.snapshot.path))
    reader = ProgramReader(snapshot, engines.encoder().encode, _weights(row))
    corrected: dict[str, list[_Given]] = defaultdict(list)
    for one in corrections.as_questions(graph_id=row.graph_id):
        if one.program is not None:
            corrected[one.question.casefold()].append(_Given(one.program, "person", "a correction"))
    made = []
    for done, question in enumerate(questions, start=1):
        context.check()
        given = [_Given(question.program, "given", row.question_set_name)] if question.program else []
        given += corrected[question.question.casefold()]
        made.append(_draft(reader, question, given))
        context.progress(Progress("reading", done, len(questions), "questions"))
    return made


def _weights(row: Queue) -> Path:
    """Those that the checkpoint in use learned, where it learned some."""
    from retrieval.pretrained import PROGRAMS  # noqa: PLC0415
    from retrieval.supervision.program_learning import FILE  # noqa: PLC0415

    used = checkpoint_in_use(row.graph) if row.graph.snapshot_id == row.snapshot_id else None
    learned = None if used is None else files.local_path(used.path) / FILE
    return PROGRAMS if learned is None or not learned.is_file() else learned


def _draft(reader: ProgramReader, question: Question, given: Sequence[_Given]) -> queues.DraftItem:
    from retrieval.programs.equivalence import canonical  # noqa: PLC0415
    from retrieval.programs.rendering.names import resolved  # noqa: PLC0415

    found: dict[Program, _Found] = {}
    misfits: list[str] = []
    for one in given:
        try:
            understanding = reader.execute(resolved(reader.snapshot, one.program))
        except ProgramError as error:
            misfits.append(f"The program of {one.name} does not fit the graph: {error.message}")
            continue
        kept = found.setdefault(canonical(understanding.best.program), _Found(understanding, []))
        kept.sources.append(_source(one.source, one.name, 1.0))
    wanted = set(found)
    read = reader.read(question.question)
    readings = [] if read is None else [(read.best.program, read.confidence)]
    if read is not None:
        readings += [(other.program, other.probability) for other in read.others]
    for program, score in readings:
        if score < LEAST and canonical(program) not in found:
            continue
        kept = found.setdefault(canonical(program), _Found(reader.execute(program), []))
        kept.sources.append(_source("reader", "as it is read", score))
    best = None if read is None else canonical(read.best.program)
    candidates = [_candidate(one, question) for one in found.values()]
    doubt, reason = _doubt(candidates, wanted, best, 0.0 if read is None else read.confidence)
    return queues.DraftItem(
        question.id,
        question.question,
        question.topic_entities,
        question.answers,
        doubt,
        " ".join([reason, *misfits]),
        candidates,
    )


def _doubt(
    candidates: Sequence[queues.DraftCandidate], given: set[Program], best: Program | None, sure: float
) -> tuple[float, str]:
    """How much a question needs a person, in [0, 1], and the reason in words."""
    if not candidates:
        return 0.0, "No program was read."
    if best is None:
        return 1.0, "No program was read; one is given."
    if given and best not in given:
        return max(sure, _SURE), f"It is read otherwise than is given, with confidence {sure:.2f}."
    read = next(one for one in candidates if any(s["source"] == "reader" for s in one.sources))
    known = read.recall > 0 or read.precision > 0 or any(one.hits for one in candidates)
    if not given and known and (read.precision < 1 or read.recall < 1):
        return (
            max(sure, _SURE),
            f"What it is read as gives other answers than the known ones, with confidence {sure:.2f}.",
        )
    return 1 - sure, f"It is read with confidence {sure:.2f}."


def _candidate(found: _Found, question: Question) -> queues.DraftCandidate:
    return queues.DraftCandidate(sources=found.sources, **program_fields(found.understanding, question))


def program_fields(understanding: Understanding, question: Question) -> dict[str, Any]:
    """The fields of a candidate that follow from a program that was executed."""
    from retrieval.methods._shared.program_answers import chains_of, executed  # noqa: PLC0415
    from retrieval.programs.rendering.formatting import labels_of  # noqa: PLC0415

    executor, best = understanding.executor, understanding.best
    gives = labels_of(executor.snapshot, executor.columns, best.program, best.result)
    chains = chains_of(executor, best.program, 1.0)
    return program_candidates.fields(
        executed(understanding, lambda: 0.0),
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
