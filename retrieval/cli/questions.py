"""``import-questions`` and ``label``."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from retrieval.cli.console import Bars, ProblemList, note, say, stoppable
from retrieval.errors import SourceError, TrainingDataError
from retrieval.kg import questions as question_files
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.types import Question


def import_questions(args: argparse.Namespace) -> int:
    """Read question files of any known format and write them as one JSONL file, with splits."""
    read_all = [question for file in args.file for question in read(file, args.format)]
    distinct = {question.id: question for question in read_all}
    if len(distinct) < len(read_all):
        raise SourceError("Two of the files use the same question ids.", hint="Import them one by one.")
    found = question_files.with_splits(read_all)
    question_files.write_questions(args.out, found)
    counts = Counter(question.split for question in found)
    shares = ", ".join(f"{counts[name]:,} {name}" for name in question_files.SPLITS if counts[name])
    say(f"{args.out}: {len(found):,} questions ({shares})")
    return 0


def label(args: argparse.Namespace) -> int:
    """Write the rational relation path of each question that one can be found for."""
    from retrieval.supervision import grounding, rationalizers  # noqa: PLC0415 - imports torch
    from retrieval.supervision.labels import write_labels  # noqa: PLC0415

    rationalizer = rationalizers.get(args.strategy)

    graph = snapshots.open(args.graph)
    grounded, skipped = grounding.ground(graph, of_split(read(args.questions), args.split))
    grounding.require(grounded, skipped)
    with stoppable() as stop, Bars() as bars:
        encoder = load_encoder(args.encoder, args.device)
        found = rationalizer.label(graph, grounded, encoder=encoder, progress=bars, cancelled=stop.is_set)
    if skipped.total:
        note(f"Skipped: {skipped}.")
    count = write_labels(args.out, found.labels)
    say(f"{args.out}: {count:,} labels, mean fit {found.fit:.3f}; {found.unlabelled:,} questions without one")
    return 0


def read(path: Path, fmt: str = "auto") -> list[Question]:
    """The good questions of a file; rows that cannot be used are listed on stderr."""
    problems = ProblemList()
    try:
        return question_files.read_questions(path, problems=problems, fmt=fmt)
    finally:
        problems.report()


def of_split(questions: list[Question], split: str | None) -> list[Question]:
    """The questions of one split; all when none is named.

    Raises:
        TrainingDataError: the split is empty.
    """
    if split is None:
        return questions
    chosen = [question for question in questions if question.split == split]
    if not chosen:
        known = ", ".join(sorted({question.split for question in questions if question.split})) or "none"
        raise TrainingDataError(f"No question is of split {split!r}.", hint=f"Splits of this file: {known}.")
    return chosen
