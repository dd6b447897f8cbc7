"""Calibrating a graph's limit on wrong answers: what answers it is asked questions whose answers are known."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from retrieval.errors import Cancelled
from retrieval.types import QuestionRecord
from webapp.answers import programs
from webapp.experiments import error_limits
from webapp.experiments.models import Checkpoint
from webapp.graph_tests.models import GraphTest
from webapp.graph_tests.selectors import list_tests
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.selectors import require_version
from webapp.jobs import log, queue
from webapp.review.selectors import list_queues
from webapp.review.services.training import list_answered
from worker import answerers, job_runs


@shared_task(name=queue.CALIBRATE)
def calibrate(job_id: int) -> None:
    """Calibrate as a job says."""
    job_runs.run(job_id, run_calibration)


def run_calibration(context: job_runs.Context) -> dict[str, Any]:
    """Ask written and reviewed questions, and keep how sure and how right the answers are."""
    from retrieval.evaluation.calibration import calibrate as ask_known  # noqa: PLC0415 - imports torch

    job, params = context.job, context.job.params
    version = require_version(job.graph, params["snapshot"])
    checkpoint = Checkpoint.objects.filter(pk=params["checkpoint"]).first() if params["checkpoint"] else None
    if version.pk != job.graph.snapshot_id or (params["checkpoint"] and checkpoint is None):
        return {"skipped": "The graph has another version or checkpoint by now, which is calibrated in its place."}
    answerer = answerers.open_test_engine(version, checkpoint, params["method"], {})
    answers = ask_known(
        answerer,
        list_reviewed(job.graph),
        progress=context.update_progress,
        cancelled=context.is_cancelled,
    )
    context.check_before_commit()
    if not GraphVersion.objects.filter(pk=version.pk, deleted_at=None).exists():
        raise Cancelled("The version was deleted.")
    error_limits.save_calibration(
        version=version, method=params["method"], fingerprint=params["fingerprint"], answers=answers
    )
    right = sum(answer.right for answer in answers)
    reviewed = sum(answer.reviewed for answer in answers)
    log.write(job.pk, f"{right:,} of {len(answers):,} questions were answered rightly; {reviewed:,} were reviewed.")
    return {"questions": len(answers), "reviewed": reviewed, "right": right}


def list_reviewed(graph: Graph) -> list[QuestionRecord]:
    """Questions of people whose right answers are known: tests of the graph, corrected programs, and reviews.

    Tests that run a program, or that pin entities, are asked in another way than people ask.
    """
    records = [_read_test(test) for test in list_tests(graph).filter(program__isnull=True, entities=[])]
    records += [record for record in programs.iter_questions(graph_id=graph.pk) if record.answers]
    records += [
        QuestionRecord(f"review-{item.pk}", item.question, answers=tuple(item.answers))
        for row in list_queues().filter(graph=graph)
        for item in list_answered(row)
    ]
    return list({record.question: record for record in records}.values())


def _read_test(test: GraphTest) -> QuestionRecord:
    return QuestionRecord(f"test-{test.pk}", test.question, answers=tuple(test.expected))
