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
from retrieval.errors import EvaluationError
from retrieval.evaluation.coverage import answerable
from retrieval.evaluation.evaluator import Subgraphs, Topics, evaluate_engine, sample
from retrieval.evaluation.outcomes import Journal, Outcome, fingerprint
from retrieval.evaluation.report import write_report, write_text
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_engine, load_parts
from retrieval.methods import registry
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.questions.files import read_questions, to_json, training_sample, with_splits
from retrieval.studies.curves import Curve
from retrieval.studies.plan import Cell, DataSet, StudyConfig, Variant, cells, folder
from retrieval.studies.winners import TESTED
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import ground, require
from retrieval.supervision.labels import read_labels, write_labels
from retrieval.train import train
from retrieval.types import Progress, Question
from retrieval.version import code_version

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.text.encoder import Encoder

TRAINED, REPORT, CELL = "trained.json", "report.json", "cell.json"


class Study:
    """Runs a study in a directory.

    Args:
        config: what is trained and tested.
        out: where checkpoints, reports and finished cells are kept.
        encoder: the text encoder.
        llm: for the language-model reasoner.
        say: told in a line what begins.
        progress: told about every stage.
        cancelled: asked often.
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
        for cell in cells(self.config):
            yield self.do(cell)

    @property
    def cells(self) -> list[Cell]:
        """Every cell, those of one training side by side."""
        return cells(self.config)

    def finished(self, cell: Cell) -> dict[str, Any] | None:
        """The result of a cell that was done and would not be done again; None of any other.

        Earlier versions had the zero-shot retriever stand in for a checkpoint of other relations; such a cell is none.
        """
        kept = _kept(self._folder(cell) / CELL, self._key(cell))
        return None if kept is not None and kept["manifest"].get("stood_in") else kept

    def do(self, cell: Cell) -> dict[str, Any]:
        """The result of one cell, done now unless it was; see :meth:`run`."""
        kept = self.finished(cell)
        if kept is not None:
            return kept
        variant, data = self.config.variants[cell.variant], self._data[cell.test]
        folder, asked, key = self._folder(cell), self._asked(data), self._key(cell)
        trained = self._trained_as(cell)
        home, training = self._home(trained), self._train(trained, self.config.variants[trained.variant])
        self._say(f"testing {cell.training} on {cell.test}")
        checkpoint = home / "checkpoint" if trains(variant) else None
        engine = load_engine(
            EngineSpec(
                data.of.graph, checkpoint, variant.method, variant.reasoner or self.config.reasoner,
                cache=self.out / "cache", options=tuple(variant.options.items()), asks_foreign=True,
            ),
            load_parts(data.snapshot, self.encoder), llm=self.llm,
        )  # fmt: skip
        journal = Journal(folder / ".asked", key, asked)

        def keep(outcome: Outcome) -> None:
            self._admit()
            journal.add(outcome)

        evaluation = evaluate_engine(
            engine, asked,
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

    def report_of(self, cell: Cell) -> Path:
        """Where the report of a finished cell lies."""
        return self._folder(cell) / REPORT

    def values_of(self, row: Mapping[str, Any]) -> list[dict[str, dict[str, float | None]]]:
        """The questions of a row's cells, for ``find_winners``; a list of one a seed."""
        reports = [
            self.report_of(Cell(row["train"], row["variant"], row["fraction"], seed, row["test"]))
            for seed in row["seeds"]
        ]
        return [
            {
                question["id"]: {name: question.get(field) for name, field in TESTED.items()}
                for question in json.loads(path.read_text(encoding="utf-8"))["per_question"]
            }
            for path in reports
        ]

    def checkpoint_of(self, cell: Cell) -> Path | None:
        """The directory of the checkpoint that a cell asks; None where it asks the zero-shot retriever."""
        if not trains(self.config.variants[cell.variant]):
            return None
        return self._home(self._trained_as(cell)) / "checkpoint"

    def questions_of(self, name: str) -> list[Question]:
        """All questions of a data set."""
        return self._data[name].questions

    def snapshot_of(self, name: str) -> Snapshot:
        """The graph of a data set."""
        return self._data[name].snapshot

    def _trained_as(self, cell: Cell) -> Cell:
        """The cell whose checkpoint is asked."""
        return replace(cell, variant=self.config.variants[cell.variant].of or cell.variant)

    def _train(self, cell: Cell, variant: Variant) -> dict[str, Any]:
        """Train unless that is done. Returns what is known of the training."""
        home, key = self._home(cell), self._trained_key(cell, variant)
        if not trains(variant):
            return {
                "seconds": 0.0,
                "metrics": {},
                "curve": [],
                "questions": 0,
                "code_version": code_version(),
            }
        kept = _kept(home / TRAINED, key)
        if kept is not None:
            return kept
        data = self._data[cell.train]
        self._say(f"training {cell.training}")
        began = time.perf_counter()
        labels = self._labels(data, variant)
        questions = training_sample(data.questions, cell.fraction, seed=cell.seed)
        resumed = (home / ".checkpoint.resume").exists()
        (home / TRAINED).unlink(missing_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        curve = Curve()
        result = train(
            variant.method, data.snapshot, questions,
            labels=labels, config=dict(variant.config) | {"seed": cell.seed}, out=home / "checkpoint",
            encoder=self.encoder, progress=curve.told(self._progress), cancelled=self._cancelled,
            cache=self.out / "cache",
        )  # fmt: skip
        trained = {
            "key": key,
            "seconds": round(time.perf_counter() - began, 1),
            "resumed": resumed,
            "metrics": result.metrics,
            "curve": curve.rows,
            "questions": sum(question.split == "train" for question in questions),
            "code_version": code_version(),
        }
        write_text(home / TRAINED, json.dumps(trained, indent=1) + "\n")
        return trained

    def _labels(self, data: _Data, variant: Variant) -> Path | None:
        """The labels to learn from: made once for each data set and strategy."""
        if variant.strategy is None:
            return data.of.labels
        prompt = variant.prompt or "reg"
        how = f"{variant.strategy}-{prompt}" if variant.strategy == "llm" else variant.strategy
        max_hops = variant.config.get("max_hops")
        how += f"-{max_hops}" if max_hops is not None else ""
        path = self.out / "labels" / f"{folder(data.name)}--{how}--{_digest(data.key)[:12]}.jsonl"
        if not path.is_file():
            self._say(f"labelling {data.name} by {how}")
            asked = [question for question in data.questions if question.split != "test"]
            grounded, skipped = ground(data.snapshot, asked)
            require(grounded, skipped)
            work = rationalizers.LLMWork(self.llm, self.out / "replies", prompt)
            found = rationalizers.get(variant.strategy, work, max_hops=max_hops).label(
                data.snapshot, grounded,
                encoder=self.encoder, progress=self._progress, cancelled=self._cancelled,
            )  # fmt: skip
            path.parent.mkdir(parents=True, exist_ok=True)
            write_labels(path, found.labels)
        return path

    def _asked(self, data: _Data) -> list[Question]:
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
            mine = answerable(data.snapshot, mine, subgraphs=self.config.subgraphs)
        return sample(mine, self.config.limit, 0)

    def _home(self, cell: Cell) -> Path:
        return self.out / "cells" / cell.training

    def _folder(self, cell: Cell) -> Path:
        """A cell asked in two ways is two cells."""
        return self._home(cell) / f"{folder(cell.test)}--{_digest(self._how(cell))[:8]}"

    def _how(self, cell: Cell) -> list[Any]:
        """How the questions are asked."""
        c = self.config
        variant = c.variants[cell.variant]
        budget, reasoner = variant.budget or c.budget, variant.reasoner or c.reasoner
        how = [c.split, c.limit, budget, c.topics, c.subgraphs, reasoner, dict(variant.options)]
        return how if c.answers == "all" else [*how, c.answers]

    def _key(self, cell: Cell) -> str:
        """Names what the outcomes depend on."""
        data = self._data[cell.test]
        base = self._trained_as(cell)
        trained = self._trained_key(base, self.config.variants[base.variant])
        asked = fingerprint(self._asked(data))
        return _digest(trained, data.snapshot.hash, asked, self._how(cell), _file(data.of.labels))

    def _trained_key(self, cell: Cell, variant: Variant) -> str:
        """Names what the weights depend on."""
        if not trains(variant):
            return _digest(variant.method, self.encoder.name, cell.seed)
        data = self._data[cell.train]
        settings = configs.as_json(registry.parse(variant.method, dict(variant.config) | {"seed": cell.seed}))
        labels = variant.strategy or _file(data.of.labels)
        if variant.prompt:
            labels = f"{labels} {variant.prompt}"
        return _digest(variant.method, settings, labels, data.key, cell.fraction, self.encoder.name)


def trains(variant: Variant) -> bool:
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
    def questions(self) -> list[Question]:
        return with_splits(read_questions(self.of.questions, problems=lambda _: None))

    @cached_property
    def key(self) -> str:
        rows = [to_json(question) for question in self.questions]
        return _digest(self.snapshot.hash, rows)


def _kept(path: Path, key: str) -> dict[str, Any] | None:
    """What a finished piece left, when it is of the same key."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("key") == key else None


def _file(path: Path | None) -> str | None:
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
