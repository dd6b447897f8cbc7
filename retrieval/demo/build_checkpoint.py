"""Makes the checkpoint that comes with the demo graph: ``python -m retrieval.demo.build_checkpoint``.

It is trained as the demo's training job would train, but for one setting: the names of entities are not read, so that
its triple states are there as soon as the relations' names have vectors. A test says that the examples are right.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.answering.loading import load_encoder
from retrieval.demo import CHECKPOINT, FACTS, METHOD, QUESTIONS
from retrieval.errors import SourceError
from retrieval.kg.build.from_files import build_from_files
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.questions import files as questions
from retrieval.supervision.distribution_shift import FILE as SEEN
from retrieval.train import train
from retrieval.training import checkpoint as checkpoints
from retrieval.types import Problem, Progress, QuestionRecord

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

CONFIG = {"entity_texts": "no", "seed": 0}


def build_graph(out: Path) -> Snapshot:
    """The demo's graph, as any import of its files makes it."""
    snapshot, _ = build_from_files(FACTS, out, problems=_raise_problem)
    return snapshot


def read_questions(*splits: str) -> list[QuestionRecord]:
    """The demo's questions of these splits."""
    return [
        replace(question, split=split)
        for split in splits
        for question in questions.read_questions(QUESTIONS[split], problems=_raise_problem)
    ]


def build(out: Path) -> None:
    """Train, and write the checkpoint to ``out``; ``checkpoint.md`` beside it is its model card."""
    encoder = load_encoder()
    with tempfile.TemporaryDirectory() as folder:
        graph = build_graph(Path(folder) / "graph")
        made = Path(folder) / "checkpoint"
        training_questions = read_questions("train", "dev")
        train(
            METHOD,
            graph,
            training_questions,
            config=CONFIG,
            out=made,
            encoder=encoder,
            progress=_print_progress,
        )
        trained = open_checkpoint(made, method=METHOD, encoder=encoder.name)
        checkpoints.pack(out, trained, also=partial(_copy_seen, made))


def _copy_seen(made: Path, out: Path) -> None:
    """What it was trained on goes with it."""
    shutil.copyfile(made / SEEN, out / SEEN)


def _raise_problem(problem: Problem) -> None:
    raise SourceError(f"{problem.file}, line {problem.line}: {problem.message}")


def _print_progress(progress: Progress) -> None:
    if progress.metrics:
        sys.stderr.write(f"{progress.stage}: {progress.done}/{progress.total} {progress.metrics}\n")


if __name__ == "__main__":
    build(CHECKPOINT)
