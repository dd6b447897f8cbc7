"""Builds the checkpoint that comes with the demo graph.

It is trained as the demo's training job would train, but for one setting: the names of entities are not read, so that
its triple states are there as soon as the relations' names have vectors. A test says that the examples are right.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.demo import CHECKPOINT, FACTS, METHOD, QUESTIONS
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.report import build_metrics, score
from retrieval.kg.build.from_files import build_from_files
from retrieval.limits import DEFAULT_BUDGET
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.questions import files
from retrieval.supervision.distribution_shift import FILE as SEEN
from retrieval.train import train
from retrieval.training import checkpoint as checkpoints
from retrieval.types import Progress, QuestionRecord
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import DEMO
from retrieval.weights.suites import raise_problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

CONFIG: Mapping[str, Any] = {"entity_texts": "no"}
_METRICS = {"exact_set": "exact set", "hit_at_1": "Hit@1", "macro_f1": "Macro-F1"}


def build_demo_graph(out: Path, facts: Sequence[Path] = FACTS) -> Snapshot:
    """The demo's graph, as any import of its files makes it."""
    snapshot, _ = build_from_files(facts, out, problems=raise_problem)
    return snapshot


def read_demo_questions(*splits: str, sources: Mapping[str, Path] = QUESTIONS) -> list[QuestionRecord]:
    """The demo's questions of these splits."""
    return [
        replace(question, split=split)
        for split in splits
        for question in files.read_questions(sources[split], problems=raise_problem)
    ]


@dataclass(slots=True)
class DemoTask:
    """What the checkpoint learns from and is measured on.

    Attributes:
        encoder: of texts.
        graph: the demo graph.
        home: folder for checkpoints that are trained.
        trained: checkpoints that were trained, by seed.
    """

    encoder: Encoder
    graph: Snapshot
    home: Path
    trained: dict[int, Path] = field(default_factory=dict)


class DemoCheckpointBuilder(WeightBuilder[DemoTask, "Path"]):
    """Builds the demo's checkpoint.

    Args:
        facts: files of the graph.
        questions: question files by split.
        config: settings that differ from the method's defaults.
    """

    name: ClassVar[str] = "demo"
    file: ClassVar[Path] = CHECKPOINT
    about: ClassVar[str] = "retrieves paths in the demo graph"
    page: ClassVar[str] = "checkpoint.md"
    sources = (DEMO,)

    def __init__(
        self,
        facts: Sequence[Path] = FACTS,
        questions: Mapping[str, Path] = QUESTIONS,
        config: Mapping[str, Any] = CONFIG,
    ) -> None:
        self.facts, self.questions, self.config = facts, questions, config

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> DemoTask:
        """Build the graph."""
        del seed
        home = data.cache / "demo"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        return DemoTask(encoder, build_demo_graph(home / "graph", self.facts), home)

    def build(self, examples: DemoTask, seed: int) -> Path:
        """Train on the questions of train and dev; the folder of the packed checkpoint."""
        if seed not in examples.trained:
            examples.trained[seed] = self._train(examples, seed)
        return examples.trained[seed]

    def evaluate(self, examples: DemoTask, seed: int) -> HeldOutFigures:
        """Ask the test split, whose wordings, topics and some of whose relation paths were not trained on."""
        spec = AnswererSpec(examples.graph.path, self.build(examples, seed), METHOD)
        answerer = load_answerer(spec, load_parts(examples.graph, examples.encoder))
        questions = read_demo_questions("test", sources=self.questions)
        outcomes = evaluate_answerer(answerer, questions, budget=DEFAULT_BUDGET, seed=seed, topics="given").outcomes
        rows = []
        for group, keep in (("answerable", True), ("unanswerable", False)):
            chosen = [outcome for outcome in outcomes if bool(outcome.question.answers) is keep]
            if not chosen:
                continue
            refused = sum(outcome.no_answer is not None for outcome in chosen) / len(chosen)
            figures: dict[str, float] = {"questions": len(chosen), "refused": refused}
            if keep:
                metrics = build_metrics([score(outcome) for outcome in chosen])
                figures |= {shown: metrics[name] or 0.0 for name, shown in _METRICS.items()}
            rows.append(FigureRow(group, figures))
        return HeldOutFigures(
            "The test split, whose wordings, topic entities and some of whose relation paths were not trained on; "
            "topic entities given, extractive reasoner, one seed.",
            tuple(rows),
        )

    def write(self, built: Path, out: Path) -> None:
        """Copy the packed checkpoint."""
        shutil.copytree(built, out)

    def _train(self, task: DemoTask, seed: int) -> Path:
        made, packed = task.home / f"trained-{seed}", task.home / f"packed-{seed}"
        train(
            METHOD,
            task.graph,
            read_demo_questions("train", "dev", sources=self.questions),
            config={**self.config, "seed": seed},
            out=made,
            encoder=task.encoder,
            progress=_print_progress,
        )
        trained = open_checkpoint(made, method=METHOD, encoder=task.encoder.name)
        checkpoints.pack(packed, trained, also=partial(_copy_seen, made))
        return packed


def _copy_seen(made: Path, out: Path) -> None:
    """The record of what was trained on goes with the checkpoint."""
    shutil.copyfile(made / SEEN, out / SEEN)


def _print_progress(progress: Progress) -> None:
    if progress.metrics:
        sys.stderr.write(f"{progress.stage}: {progress.done}/{progress.total} {progress.metrics}\n")
