"""Evaluating: a question set asked of an engine, a report out."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from celery import shared_task

from retrieval.errors import Cancelled, TrainingDataError
from retrieval.types import Progress, Question
from retrieval.version import code_version
from webapp.experiments import reports
from webapp.experiments.models import Report, Topics
from webapp.graphs import files
from webapp.jobs import queue
from webapp.questions.selectors import as_engine
from worker import engines, reporting
from worker.journal import Journal

JOURNAL = "asked.jsonl"


@shared_task(name=queue.EVALUATE)
def evaluate(job_id: int) -> None:
    """Evaluate as a job says."""
    reporting.run(job_id, work)


def work(context: reporting.Context) -> dict[str, Any]:
    """Make the report; what a deleted one leaves behind is removed."""
    report = _report(context.job.params["report"])
    try:
        return _work(context, report)
    finally:
        if not Report.objects.filter(pk=report.pk).exists():
            files.remove(files.report_name(report.graph_id, report.pk))


def _work(context: reporting.Context, report: Report) -> dict[str, Any]:
    """Ask the questions; goes on where an earlier attempt, or an earlier job of the same report, stopped."""
    from retrieval.evaluation.evaluator import Evaluation, ask, sample  # noqa: PLC0415
    from retrieval.evaluation.report import write_report  # noqa: PLC0415

    reports.require_unchanged(report)
    questions = sample(_of_split(report), report.limit, report.seed)
    asked = reports.digest([asdict(question) for question in questions])
    context.progress(Progress("opening", 0, len(questions), "questions"))
    engine = engines.of_report(report)
    out = files.local_path(files.report_name(report.graph_id, report.pk))
    with Journal(out / JOURNAL, _key(report, asked)) as journal:
        outcomes = journal.outcomes(questions)
        context.progress(Progress("asking", len(outcomes), len(questions), "questions"))
        for question in questions[len(outcomes) :]:
            outcome = ask(
                engine, question, budget=report.budget, seed=report.seed, cancelled=context.cancelled
            )
            journal.add(outcome)
            outcomes.append(outcome)
            context.progress(Progress("asking", len(outcomes), len(questions), "questions"))
    context.progress(Progress("writing the report", 0, 0))
    evaluation = Evaluation(engine, tuple(outcomes), report.budget, report.seed)
    made = write_report(out / "report.json", evaluation, split=report.split)
    reports.save_report(report=report, made=made, questions_hash=asked)
    (out / JOURNAL).unlink(missing_ok=True)
    figures = {name: value for name, value in made["metrics"].items() if value is not None}
    return {"report": report.pk, "metrics": figures}


def _report(key: int) -> Report:
    found = (
        Report.objects.select_related("graph__snapshot", "question_set", "checkpoint").filter(pk=key).first()
    )
    if found is None:
        raise Cancelled("The report was deleted.")
    return found


def _of_split(report: Report) -> list[Question]:
    """The questions of the report's split, without their topics when the linker is to find them."""
    assert report.question_set is not None, "require_unchanged looked"
    questions = [q for q in as_engine(report.question_set) if report.split in (reports.ALL, q.split)]
    if not questions:
        raise TrainingDataError(
            f"{report.question_set_name} has no question in its split {report.split}.",
            hint="Choose another split.",
        )
    if report.topics == Topics.LINKED:
        return [replace(question, topic_entities=()) for question in questions]
    return questions


def _key(report: Report, asked: str) -> str:
    """Names everything that the outcomes depend on, so that only the same evaluation is gone on with."""
    parts = [
        report.snapshot_hash,
        report.method,
        report.fingerprint,
        report.reasoner,
        report.budget,
        report.seed,
    ]
    return reports.digest([*parts, json.dumps(report.options, sort_keys=True), asked, code_version()])
