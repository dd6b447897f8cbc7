"""Evaluating: a question set asked of an engine, a report out."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from celery import shared_task

from retrieval.errors import Cancelled
from retrieval.llm.metering import use_meter
from retrieval.types import Progress, QuestionRecord
from retrieval.version import get_code_version
from webapp.experiments import error_limits, promotions, reports
from webapp.experiments.models import AskedQuestions, ForeignUse, Report
from webapp.graphs import files
from webapp.jobs import queue
from webapp.questions.selectors import to_engine_questions
from worker import answerers, job_runs, language_models

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.evaluation.evaluator import Subgraphs, Topics
    from retrieval.evaluation.outcomes import Outcome
    from retrieval.metrics.guarantee import Guarantee
    from retrieval.supervision.labels import Label

JOURNAL, REPLIES = "asked.jsonl", "replies"


@shared_task(name=queue.EVALUATE)
def evaluate(job_id: int) -> None:
    """Evaluate as a job says."""
    job_runs.run(job_id, build_report)


def build_report(context: job_runs.Context) -> dict[str, Any]:
    """Make the report; what a deleted one leaves behind is removed."""
    report = (
        Report.objects.select_related("graph__snapshot", "question_set", "checkpoint")
        .filter(pk=context.job.params["report"])
        .first()
    )
    if report is None:
        raise Cancelled("The report was deleted.")
    try:
        made = _make(context, report)
        files.send(files.build_report_name(report.graph_id, report.pk))
        reports.save_report(report=report, made=made)
        promotions.save_comparison(report=report)
    finally:
        if not Report.objects.filter(pk=report.pk).exists():
            files.remove(files.build_report_name(report.graph_id, report.pk))
    figures = {name: value for name, value in made["metrics"].items() if value is not None}
    return {"report": report.pk, "metrics": figures}


def _make(context: job_runs.Context, report: Report) -> dict[str, Any]:
    """Ask the questions; goes on where an earlier attempt, or an earlier job of the same report, stopped."""
    from retrieval.evaluation import report_page  # noqa: PLC0415
    from retrieval.evaluation.coverage import filter_answerable  # noqa: PLC0415
    from retrieval.evaluation.evaluator import evaluate_answerer, sample  # noqa: PLC0415
    from retrieval.evaluation.outcomes import Journal, compute_fingerprint  # noqa: PLC0415
    from retrieval.evaluation.pages import render  # noqa: PLC0415
    from retrieval.evaluation.report import write_report, write_text  # noqa: PLC0415

    question_set = reports.require_unchanged(report)
    split = [q for q in to_engine_questions(question_set) if report.split in (reports.ALL, q.split)]
    context.update_progress(Progress("opening", 0, 0))
    answerer = answerers.open_report_engine(report)
    if report.answers == AskedQuestions.IN_GRAPH:
        split = filter_answerable(answerer.snapshot, split, subgraphs=cast("Subgraphs", report.subgraphs))
    questions = sample(split, report.limit, report.seed)
    out = files.ensure_local_path(files.build_report_name(report.graph_id, report.pk))
    journal = Journal(out / JOURNAL, _make_key(report, compute_fingerprint(questions)), questions)
    meter = language_models.make_job_meter(context.job.user_id)

    def keep(outcome: Outcome) -> None:
        meter.require_open()  # an answer that was given without the language model is none of this report
        journal.add(outcome)

    with use_meter(meter):
        evaluation = evaluate_answerer(
            answerer,
            questions,
            budget=report.budget,
            seed=report.seed,
            topics=cast("Topics", report.topics),
            subgraphs=cast("Subgraphs", report.subgraphs),
            done=journal.done,
            keep=keep,
            progress=_make_progress_reporter(context, len(journal.done)),
            cancelled=context.is_cancelled,
        )
    checkpoint = files.ensure_local_path(report.checkpoint.path) if report.checkpoint else None
    labels = _find_paths(context, answerer, questions, checkpoint)
    context.update_progress(Progress("writing the report", 0, 0))
    made = write_report(
        out / "report.json",
        evaluation,
        checkpoint=checkpoint,
        split=report.split,
        limit=report.limit,
        labels=labels,
        asks_foreign=report.foreign == ForeignUse.ASK,
        guarantee=_find_guarantee(report),
    )
    if report.judgements:
        with use_meter(meter):
            made = _add_judgements(context, report, made, out)
        meter.require_open()
        write_text(out / "report.json", json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    for name in ("report.md", "report.html"):
        page = out / name
        write_text(page, render(page, report_page.build_title(made), report_page.build_blocks(made)))
    journal.remove()
    return made


def _find_guarantee(report: Report) -> Guarantee | None:
    """Of the graph's limit on wrong answers, as far as what answered was calibrated."""
    limit = error_limits.get_limit(report.graph)
    if limit is None:
        return None
    return error_limits.find_run_guarantee(
        graph=report.graph,
        snapshot_hash=report.snapshot_hash,
        method=report.method,
        fingerprint=report.fingerprint,
        reasoner=report.reasoner,
        changed=bool(report.options),
        at_most_wrong=limit,
    )


def _add_judgements(context: job_runs.Context, report: Report, made: dict[str, Any], out: Path) -> dict[str, Any]:
    """The report with what a language model says of it; replies are kept until all of it is there."""
    from retrieval.evaluation.judgements import add_judgements  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    assert report.llm is not None, "a report that is judged was started with a language model"
    asker = Asker(language_models.get_settings(report.llm), ReplyStore(out / REPLIES))
    judged_report = add_judgements(
        made, report.judgements, asker, progress=context.update_progress, cancelled=context.is_cancelled
    )
    shutil.rmtree(out / REPLIES, ignore_errors=True)
    return judged_report


def _make_progress_reporter(context: job_runs.Context, kept: int) -> Callable[[Progress], None]:
    """Reports questions that were asked before apart, so that rate and time left are of those that are asked now."""

    def send_progress(made: Progress) -> None:
        context.update_progress(replace(made, stage="taking up" if made.done <= kept else "asking"))

    return send_progress


def _find_paths(
    context: job_runs.Context, answerer: Answerer, questions: Sequence[QuestionRecord], checkpoint: Path | None
) -> Sequence[Label]:
    """Relation paths of the questions that bring none, by answer-set consistency.

    Only to tell how far each question is from what the checkpoint was trained on: they change no figure.
    """
    from retrieval.supervision import grounding, rationalizers  # noqa: PLC0415
    from retrieval.supervision.distribution_shift import TrainingCoverage  # noqa: PLC0415

    if checkpoint is None or TrainingCoverage.load(checkpoint) is None:
        return ()
    grounded, _ = grounding.resolve_questions(answerer.snapshot, [q for q in questions if not q.paths])
    if not grounded:
        return ()
    result = rationalizers.get("answer-set").label(
        answerer.snapshot,
        grounded,
        encoder=answerers.get_encoder(),
        progress=context.update_progress,
        cancelled=context.is_cancelled,
    )
    return result.labels


def _make_key(report: Report, questions: str) -> str:
    """Names everything that the outcomes depend on, so that only the same evaluation is gone on with."""
    what = [
        report.snapshot_hash,
        report.method,
        report.fingerprint,
        report.reasoner,
        report.llm_name,
        report.budget,
        report.seed,
    ]
    how = [
        report.topics,
        report.subgraphs,
        report.answers,
        report.foreign,
        report.options,
        questions,
        get_code_version(),
    ]
    return hashlib.sha256(json.dumps([*what, *how], sort_keys=True).encode()).hexdigest()
