"""Studies: every cell that is not done, one after the other; each is kept as soon as it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from retrieval.errors import Cancelled, ClewError, OverBudgetError, TrainingDataError
from retrieval.kg.snapshot.storage import publish_directory, read_json
from retrieval.llm.metering import use_meter
from retrieval.questions.files import write_questions
from retrieval.studies.plan import Cell, parse
from retrieval.types import Progress
from webapp.api.failures import NO_ERROR, build_error_columns
from webapp.experiments import reports
from webapp.experiments.models import Checkpoint, Report
from webapp.graphs import files
from webapp.graphs.selectors import require_version
from webapp.jobs import queue
from webapp.questions.selectors import to_engine_questions
from webapp.studies.models import CAPSULE, Study, StudyCell, StudySet
from worker import answerers, job_runs, language_models

if TYPE_CHECKING:
    from retrieval.evaluation.study import StudyRunner as Answerer


@shared_task(name=queue.STUDY)
def study(job_id: int) -> None:
    """Do a study as a job says."""
    job_runs.run(job_id, run_study)


def run_study(context: job_runs.Context) -> dict[str, Any]:
    """Do its cells; one that fails is noted, and the next begun. Goes on where an earlier attempt stopped."""
    from retrieval.evaluation import capsule  # noqa: PLC0415
    from retrieval.evaluation.study import StudyRunner as Answerer  # noqa: PLC0415

    row = Study.objects.select_related("graph", "created_by").filter(pk=context.job.params["study"]).first()
    if row is None:
        raise Cancelled("The study was deleted.")
    name = files.build_study_name(row.graph_id, row.pk)
    out = files.ensure_local_path(name)
    out.mkdir(parents=True, exist_ok=True)
    todo = list(row.cells.all())
    study_progress = _StudyProgress(context, len(todo))
    meter = language_models.make_job_meter(context.job.user_id)
    sets = {study_set.name: study_set for study_set in row.sets.select_related("graph", "question_set", "label_set")}
    answerer = Answerer(
        parse(
            {
                **row.plan,
                "data": {study_set.name: _prepare_data(study_set, out) for study_set in sets.values()},
            },
            out,
        ),
        out,
        encoder=answerers.get_encoder(),
        llm=language_models.get_settings(row.llm) if row.llm is not None else None,
        say=study_progress.show_step,
        progress=study_progress.update_progress,
        cancelled=context.is_cancelled,
        admit=meter.require_open,  # an answer that was given without the language model is none of the study
    )
    doing = _CellRunner(answerer, row, sets)
    try:
        with use_meter(meter):
            for cell in todo:
                study_progress.start_cell(cell)
                doing.run_cell(cell)
                study_progress.done += 1
        row = _require_study(row)
        if row.cells.filter(result__isnull=False).exists():
            study_progress.context.update_progress(Progress("writing the capsule", len(todo), len(todo), "cells"))
            capsule.write(out / CAPSULE, answerer, row.name)
            files.send(f"{name}/{CAPSULE}")
        row.finished_at = timezone.now()
        row.bytes = _measure_bytes(row)
        row.save(update_fields=["finished_at", "bytes"])
    finally:
        if not Study.with_trash.filter(pk=row.pk).exists():
            files.remove(name)
    failed = row.cells.filter(result__isnull=True).count()
    return {"study": row.pk, "cells": len(todo) - failed, "failed": failed}


@dataclass
class _StudyProgress:
    """Tells how far a study is: in cells, with the training or testing that goes on in words."""

    context: job_runs.Context
    cells: int
    done: int = 0
    at: str = "cells"
    cell: str = ""

    def start_cell(self, cell: StudyCell) -> None:
        share = "" if cell.fraction == 1 else f", {cell.fraction:.4g} of it"
        self.cell = f"{cell.variant} on {cell.test if cell.test == cell.train else f'{cell.train}, then {cell.test}'}"
        self.cell += f"{share}, seed {cell.seed}"

    def show_step(self, line: str) -> None:
        self.at = f"{line.split(maxsplit=1)[0]} {self.cell}"  # the engine's own line names directories
        line = self.at
        self.context.update_progress(Progress(line, self.done, self.cells, "cells"))

    def update_progress(self, made: Progress) -> None:
        parts = [
            made.stage,
            f"{made.done:,} of {made.total:,} {made.unit}".strip() if made.total else "",
            made.message,
        ]
        message = " · ".join(filter(None, parts))
        self.context.update_progress(Progress(self.at, self.done, self.cells, "cells", message, made.metrics))


@dataclass(frozen=True, slots=True)
class _CellRunner:
    """A study at work: the engine's, and the rows that its cells are kept in."""

    answerer: Answerer
    row: Study
    sets: dict[str, StudySet]

    def run_cell(self, cell: StudyCell) -> None:
        """Do a cell and keep what came of it; what stops the whole study is passed on."""
        where = Cell(cell.train, cell.variant, cell.fraction, cell.seed, cell.test)
        try:
            if cell.result is None or self.answerer.find_result(where) is None:
                result = self.answerer.run_cell(where)
                _require_study(self.row)
                self._keep(where, cell, result)
        except (Cancelled, OverBudgetError):
            raise
        except ClewError as error:
            StudyCell.objects.filter(pk=cell.pk).update(**build_error_columns(error))

    def _keep(self, where: Cell, cell: StudyCell, result: dict[str, Any]) -> None:
        """Record a finished cell: its figures, its report with all questions, and the checkpoint that it asked."""
        checkpoint = self._ensure_checkpoint(where, cell)
        report = cell.report or self._create_report(where, checkpoint)
        made = _copy_report(self.answerer.get_report_path(where), report)
        with transaction.atomic():
            reports.save_report(report=report, made=made)
            StudyCell.objects.filter(pk=cell.pk).update(
                result=result, report=report, checkpoint=checkpoint, finished_at=timezone.now(), **NO_ERROR
            )
            Study.objects.filter(pk=self.row.pk).update(bytes=_measure_bytes(self.row))

    def _create_report(self, where: Cell, checkpoint: Checkpoint | None) -> Report:
        plan, tested = self.answerer.config, self.sets[where.test]
        variant = plan.variants[where.variant]
        graph = tested.graph
        assert graph is not None, "its questions were asked of it"
        return Report.objects.create(
            graph=graph,
            snapshot_hash=tested.snapshot_hash,
            question_set=tested.question_set,
            question_set_name=tested.name,
            split=plan.split,
            method=variant.method,
            checkpoint=checkpoint if checkpoint is not None and checkpoint.graph_id == graph.pk else None,
            fingerprint=checkpoint.fingerprint if checkpoint is not None else "",
            reasoner=variant.reasoner or plan.reasoner,
            budget=variant.budget or plan.budget,
            seed=where.seed,
            llm=self.row.llm,
            llm_name=self.row.llm_name,
            limit=plan.limit,
            topics=plan.topics,
            subgraphs=plan.subgraphs,
            answers=plan.answers,
            options=dict(variant.options),
            of_study=True,
            created_by_id=self.row.created_by_id,
        )

    def _ensure_checkpoint(self, where: Cell, cell: StudyCell) -> Checkpoint | None:
        """The checkpoint that a cell asked, as a row: a candidate that nobody uses until it is promoted."""
        made = self.answerer.get_checkpoint(where)
        trained = self.sets[where.train]
        if made is None or trained.graph is None:
            return None
        manifest = read_json(made / "manifest.json")
        known = Checkpoint.with_trash.filter(
            cells__study=self.row, fingerprint=manifest["fingerprint"], graph=trained.graph
        )
        existing = known.order_by("pk").first()
        if existing is not None:
            return existing
        name = files.build_checkpoint_name(trained.graph.pk, f"study-{self.row.pk}-{cell.position}")
        with publish_directory(files.ensure_local_path(name)) as directory:
            shutil.copytree(made, directory, dirs_exist_ok=True)
        files.send(name)
        return Checkpoint.with_trash.update_or_create(
            graph=trained.graph,
            path=name,
            defaults={
                "snapshot": require_version(trained.graph, trained.snapshot_hash),
                "method": manifest["method"],
                "question_set": trained.question_set,
                "question_set_name": trained.name,
                "fraction": where.fraction,
                "of_study": True,
                "encoder": manifest["encoder"],
                "fingerprint": manifest["fingerprint"],
                "metrics": manifest["metrics"],
                "config": read_json(made / "config.json"),
            },
        )[0]


def _require_study(row: Study) -> Study:
    """The study, as it is now.

    Raises:
        Cancelled: it was deleted.
    """
    current = Study.objects.select_related("graph").filter(pk=row.pk).first()
    if current is None:
        raise Cancelled("The study was deleted.")
    return current


def _prepare_data(study_set: StudySet, out: Path) -> dict[str, str]:
    """Where the graph, the questions and the labels of a set lie. Its questions and labels are written once.

    Raises:
        TrainingDataError: the graph was deleted, or the question set or label set before it was first read.
        VersionGoneError: the version of the graph was deleted.
    """
    if study_set.graph is None:
        raise TrainingDataError(f"The graph of {study_set.name} was deleted.", hint="Start another study without it.")
    questions = out / "data" / f"{study_set.position}.jsonl"
    if not questions.is_file():
        if study_set.question_set is None:
            raise TrainingDataError(f"The question set {study_set.name} was deleted.", hint="Start another study.")
        questions.parent.mkdir(parents=True, exist_ok=True)
        building = questions.with_suffix(".part")
        write_questions(building, to_engine_questions(study_set.question_set))
        building.replace(questions)
    graph = files.ensure_local_path(require_version(study_set.graph, study_set.snapshot_hash).path)
    paths = {"graph": str(graph), "questions": str(questions)}
    if study_set.label_set_name:
        paths["labels"] = str(_copy_labels(study_set, out))
    return paths


def _copy_labels(study_set: StudySet, out: Path) -> Path:
    """The labels of a set, copied when they are first read."""
    labels = out / "data" / f"{study_set.position}.labels.jsonl"
    if not labels.is_file():
        if study_set.label_set is None:
            raise TrainingDataError(
                f"The label set {study_set.label_set_name} was deleted.",
                hint="Start another study without it.",
            )
        building = labels.with_suffix(".part")
        source = files.ensure_local_path(files.build_labels_name(study_set.label_set.graph_id, study_set.label_set.pk))
        shutil.copyfile(source, building)
        building.replace(labels)
    return labels


def _copy_report(source: Path, report: Report) -> dict[str, Any]:
    """Put a cell's report where reports lie, with its pages; the report itself."""
    from retrieval.evaluation import report_page  # noqa: PLC0415
    from retrieval.evaluation.pages import render  # noqa: PLC0415
    from retrieval.evaluation.report import read_report, write_text  # noqa: PLC0415

    made = read_report(source)
    name = files.build_report_name(report.graph_id, report.pk)
    out = files.ensure_local_path(name)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, out / "report.json")
    for kind in ("report.md", "report.html"):
        write_text(out / kind, render(out / kind, report_page.build_title(made), report_page.build_blocks(made)))
    files.send(name)
    return made


def _measure_bytes(row: Study) -> int:
    """What is kept of a study on the disk, with its reports and checkpoints."""
    cells = row.cells.select_related("report", "checkpoint")
    names: Iterable[str] = {
        files.build_study_name(row.graph_id, row.pk),
        *(files.build_report_name(c.report.graph_id, c.report.pk) for c in cells if c.report is not None),
        *(c.checkpoint.path for c in cells if c.checkpoint is not None),
    }
    return sum(files.measure_size(name) for name in names)
