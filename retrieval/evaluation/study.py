"""Studies: train and test many variants, and know which cells are finished.

A *training* is a variant on a data set, a share of its questions and a seed; a *cell* is a training tested on a data
set. Each is kept under a key of everything it depends on and is not done again while the key stands.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retrieval import config as configs
from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.errors import EvaluationError
from retrieval.evaluation.coverage import filter_answerable
from retrieval.evaluation.evaluator import Subgraphs, Topics, evaluate_answerer, sample
from retrieval.evaluation.outcomes import Journal, Outcome, compute_fingerprint
from retrieval.evaluation.report import write_report, write_text
from retrieval.kg import snapshot as snapshots
from retrieval.methods import registry
from retrieval.questions.files import read_questions, to_json
from retrieval.questions.splits import assign_splits, sample_training
from retrieval.studies.curves import Curve
from retrieval.studies.plan import Cell, DataSet, StudyConfig, Variant, list_cells, make_folder_name
from retrieval.studies.winners import TESTED
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import require, resolve_questions
from retrieval.supervision.labels import read_labels, write_labels
from retrieval.train import train
from retrieval.types import Progress, QuestionRecord
from retrieval.version import get_code_version

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder

TRAINED, REPORT, CELL = "trained.json", "report.json", "cell.json"


class StudyRunner:
    """Runs a study in a directory.

    Args:
        config: what is trained and tested.
        out: where checkpoints, reports and finished cells are kept.
        llm: for the language-model reasoner.
        say: told in a line what begins.
        admit: called before an outcome is kept; what it raises ends the cell, and the outcome is none of it.
    """

    def __init__(
        self,
        config: StudyConfig,
        out: Path,
        *,
        encoder: Encoder,
        llm: LLMSettings | None = None,
        say: Callable[[str], None] = lambda _: None,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        admit: Callable[[], None] = lambda: None,
    ) -> None:
        self.config, self.out, self.encoder, self.llm = config, out, encoder, llm
        self._say, self._progress, self._cancelled = say, progress, cancelled
        self._admit = admit
        self._data = {name: _Data(name, data) for name, data in config.data.items()}

    def run(self) -> Iterator[dict[str, Any]]:
        """Do every cell that is not finished; yields the result of each, finished before or now.

        A result is ``{cell, key, n, metrics, intervals, by_hops, breakdowns, latency_ms, retrieval_ms, usage,
        training, manifest}``.

        Raises:
            ClewError: a cell cannot be done; those before it are kept.
            Cancelled: ``cancelled()`` said so; the training and the evaluation under way go on from there next time.
        """
        for cell in list_cells(self.config):
            yield self.run_cell(cell)

    @property
    def cells(self) -> list[Cell]:
        """Every cell, those of one training side by side."""
        return list_cells(self.config)

    def find_result(self, cell: Cell) -> dict[str, Any] | None:
        """The result of a cell that was done and would not be done again; None of any other."""
        return _read_kept(self._get_cell_folder(cell) / CELL, self._compute_key(cell))

    def run_cell(self, cell: Cell) -> dict[str, Any]:
        """The result of one cell, done now unless it was; see :meth:`run`."""
        kept = self.find_result(cell)
        if kept is not None:
            return kept
        variant, data = self.config.variants[cell.variant], self._data[cell.test]
        folder, questions, key = (
            self._get_cell_folder(cell),
            self._select_questions(data),
            self._compute_key(cell),
        )
        trained = self._get_trained_cell(cell)
        home, training = (
            self._get_training_folder(trained),
            self._train(trained, self.config.variants[trained.variant]),
        )
        self._say(f"testing {cell.training} on {cell.test}")
        checkpoint = home / "checkpoint" if needs_checkpoint(variant) else None
        answerer = load_answerer(
            AnswererSpec(
                data.of.graph, checkpoint, variant.method, variant.reasoner or self.config.reasoner,
                cache=self.out / "cache", options=tuple(variant.options.items()), asks_foreign=True,
            ),
            load_parts(data.snapshot, self.encoder), llm=self.llm,
        )  # fmt: skip
        journal = Journal(folder / ".asked", key, questions)

        def keep(outcome: Outcome) -> None:
            self._admit()
            journal.add(outcome)

        evaluation = evaluate_answerer(
            answerer, questions,
            budget=variant.budget or self.config.budget, seed=cell.seed,
            topics=cast("Topics", self.config.topics), subgraphs=cast("Subgraphs", self.config.subgraphs),
            done=journal.done, keep=keep, progress=self._progress, cancelled=self._cancelled,
        )  # fmt: skip
        report = write_report(
            folder / REPORT, evaluation,
            checkpoint=checkpoint, split=self.config.split, limit=self.config.limit,
            labels=read_labels(data.of.labels) if data.of.labels else [], asks_foreign=True,
        )  # fmt: skip
        journal.remove()
        # Triple states of one checkpoint are large and never used again.
        shutil.rmtree(self.out / "cache" / "states", ignore_errors=True)
        result = {
            "cell": asdict(cell),
            "key": key,
            **{name: report[name] for name in report if name not in ("per_question", "method")},
            "training": training,
        }
        write_text(folder / CELL, json.dumps(result, ensure_ascii=False, indent=1) + "\n")
        return result

    def get_report_path(self, cell: Cell) -> Path:
        """Where the report of a finished cell lies."""
        return self._get_cell_folder(cell) / REPORT

    def load_values(self, row: Mapping[str, Any]) -> list[dict[str, dict[str, float | None]]]:
        """The questions of a row's cells, for ``find_winners``; a list of one a seed."""
        reports = [
            self.get_report_path(Cell(row["train"], row["variant"], row["fraction"], seed, row["test"]))
            for seed in row["seeds"]
        ]
        return [
            {
                question["id"]: {name: question.get(field) for name, field in TESTED.items()}
                for question in json.loads(path.read_text(encoding="utf-8"))["per_question"]
            }
            for path in reports
        ]

    def get_checkpoint(self, cell: Cell) -> Path | None:
        """The directory of the checkpoint that a cell asks; None where it asks the zero-shot retriever."""
        if not needs_checkpoint(self.config.variants[cell.variant]):
            return None
        return self._get_training_folder(self._get_trained_cell(cell)) / "checkpoint"

    def get_snapshot(self, name: str) -> Snapshot:
        """The graph of a data set."""
        return self._data[name].snapshot

    def _get_trained_cell(self, cell: Cell) -> Cell:
        """The cell whose checkpoint is asked."""
        return replace(cell, variant=self.config.variants[cell.variant].of or cell.variant)

    def _train(self, cell: Cell, variant: Variant) -> dict[str, Any]:
        """Train unless that is done. Returns what is known of the training."""
        home, key = self._get_training_folder(cell), self._compute_training_key(cell, variant)
        if not needs_checkpoint(variant):
            return {
                "seconds": 0.0,
                "metrics": {},
                "curve": [],
                "questions": 0,
                "code_version": get_code_version(),
            }
        kept = _read_kept(home / TRAINED, key)
        if kept is not None:
            return kept
        data = self._data[cell.train]
        self._say(f"training {cell.training}")
        began = time.perf_counter()
        labels = self._ensure_labels(data, variant)
        questions = sample_training(data.questions, cell.fraction, seed=cell.seed)
        resumed = (home / ".checkpoint.resume").exists()
        (home / TRAINED).unlink(missing_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        curve = Curve()
        result = train(
            variant.method, data.snapshot, questions,
            labels=labels, config=dict(variant.config) | {"seed": cell.seed}, out=home / "checkpoint",
            encoder=self.encoder, progress=curve.wrap_progress(self._progress), cancelled=self._cancelled,
            cache=self.out / "cache",
        )  # fmt: skip
        trained = {
            "key": key,
            "seconds": round(time.perf_counter() - began, 1),
            "resumed": resumed,
            "metrics": result.metrics,
            "curve": curve.rows,
            "questions": sum(question.split == "train" for question in questions),
            "code_version": get_code_version(),
        }
        write_text(home / TRAINED, json.dumps(trained, indent=1) + "\n")
        return trained

    def _ensure_labels(self, data: _Data, variant: Variant) -> Path | None:
        """The labels to learn from: made once for each data set and strategy."""
        if variant.strategy is None:
            return data.of.labels
        prompt = variant.prompt or "reg"
        how = f"{variant.strategy}-{prompt}" if variant.strategy == "llm" else variant.strategy
        max_hops = variant.config.get("max_hops")
        how += f"-{max_hops}" if max_hops is not None else ""
        path = self.out / "labels" / f"{make_folder_name(data.name)}--{how}--{_compute_digest(data.key)[:12]}.jsonl"
        if not path.is_file():
            self._say(f"labelling {data.name} by {how}")
            questions = [question for question in data.questions if question.split != "test"]
            grounded, skipped = resolve_questions(data.snapshot, questions)
            require(grounded, skipped)
            work = rationalizers.LLMWork(self.llm, self.out / "replies", prompt)
            labelling = rationalizers.get(variant.strategy, work, max_hops=max_hops).label(
                data.snapshot, grounded,
                encoder=self.encoder, progress=self._progress, cancelled=self._cancelled,
            )  # fmt: skip
            path.parent.mkdir(parents=True, exist_ok=True)
            write_labels(path, labelling.labels)
        return path

    def _select_questions(self, data: _Data) -> list[QuestionRecord]:
        """The test questions.

        Raises:
            EvaluationError: the split is empty.
        """
        mine = [question for question in data.questions if question.split == self.config.split]
        if not mine:
            known = ", ".join(sorted({str(question.split) for question in data.questions}))
            raise EvaluationError(
                f"{data.name} has no question in its split {self.config.split!r}.",
                hint=f"Its splits are: {known}.",
            )
        if self.config.answers == "in-graph":
            mine = filter_answerable(data.snapshot, mine, subgraphs=self.config.subgraphs)
        return sample(mine, self.config.limit, 0)

    def _get_training_folder(self, cell: Cell) -> Path:
        return self.out / "cells" / cell.training

    def _get_cell_folder(self, cell: Cell) -> Path:
        """A cell asked in two ways is two cells."""
        return (
            self._get_training_folder(cell)
            / f"{make_folder_name(cell.test)}--{_compute_digest(self._list_settings(cell))[:8]}"
        )

    def _list_settings(self, cell: Cell) -> list[Any]:
        """How the questions are asked."""
        c = self.config
        variant = c.variants[cell.variant]
        budget, reasoner = variant.budget or c.budget, variant.reasoner or c.reasoner
        how = [c.split, c.limit, budget, c.topics, c.subgraphs, reasoner, dict(variant.options)]
        return how if c.answers == "all" else [*how, c.answers]

    def _compute_key(self, cell: Cell) -> str:
        """Names what the outcomes depend on."""
        data = self._data[cell.test]
        base = self._get_trained_cell(cell)
        trained = self._compute_training_key(base, self.config.variants[base.variant])
        questions_key = compute_fingerprint(self._select_questions(data))
        return _compute_digest(
            trained, data.snapshot.hash, questions_key, self._list_settings(cell), _hash_file(data.of.labels)
        )

    def _compute_training_key(self, cell: Cell, variant: Variant) -> str:
        """Names what the weights depend on."""
        if not needs_checkpoint(variant):
            return _compute_digest(variant.method, self.encoder.name, cell.seed)
        data = self._data[cell.train]
        settings = configs.export_settings(registry.parse(variant.method, dict(variant.config) | {"seed": cell.seed}))
        labels = variant.strategy or _hash_file(data.of.labels)
        if variant.prompt:
            labels = f"{labels} {variant.prompt}"
        return _compute_digest(variant.method, settings, labels, data.key, cell.fraction, self.encoder.name)


def needs_checkpoint(variant: Variant) -> bool:
    """Whether a variant asks a checkpoint: not where it says so, nor where its method learns nothing."""
    return variant.trained and variant.method in registry.TRAINED


class _Data:
    """A data set, opened when it is first needed."""

    def __init__(self, name: str, of: DataSet) -> None:
        self.name, self.of = name, of

    @cached_property
    def snapshot(self) -> Snapshot:
        return snapshots.open(self.of.graph)

    @cached_property
    def questions(self) -> list[QuestionRecord]:
        return assign_splits(read_questions(self.of.questions, problems=lambda _: None))

    @cached_property
    def key(self) -> str:
        rows = [to_json(question) for question in self.questions]
        return _compute_digest(self.snapshot.hash, rows)


def _read_kept(path: Path, key: str) -> dict[str, Any] | None:
    """What a finished piece left, when it is of the same key."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and result.get("key") == key else None


def _hash_file(path: Path | None) -> str | None:
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def _compute_digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
