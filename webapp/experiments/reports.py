"""Evaluation reports: starting one, going on with it, keeping it, deleting it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from retrieval.errors import Cancelled, TrainingDataError
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError
from webapp.experiments import resolution
from webapp.experiments.models import (
    AskedQuestions,
    Checkpoint,
    ForeignUse,
    Judgement,
    Report,
    ReportQuestion,
    SubgraphSource,
    TopicSource,
)
from webapp.experiments.services import make_empty_split_error, require_set_of_graph
from webapp.graphs import files, snapshots
from webapp.graphs.models import Graph
from webapp.graphs.selectors import require_version
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, JobKind
from webapp.language_models import selectors as language_models
from webapp.questions.models import QuestionSet

ALL = "all"
SPLITS = ("train", "dev", "test", ALL)


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to evaluate, as it came."""

    split: str = "test"
    method: str | None = None
    checkpoint: Checkpoint | None = None
    reasoner: str | None = None
    budget: int | None = None
    seed: int = 0
    llm: int | None = None
    limit: int | None = None
    topics: str = TopicSource.GIVEN.value
    subgraphs: str = SubgraphSource.OWN.value
    answers: str = AskedQuestions.ALL.value
    foreign: str = ForeignUse.ZERO_SHOT.value
    judgements: Sequence[str] = ()
    options: dict[str, Any] = field(default_factory=dict)


def start_report(
    *, graph: Graph, question_set: QuestionSet, evaluation: EvaluationRequest, user: User | None
) -> Report:
    """Make a report and queue the job that fills it.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        MethodError: there is no such method.
        CheckpointError: the checkpoint is of another graph, snapshot, method or encoder.
        TrainingDataError: the question set is of another graph, or the split is empty.
        ConfigError: an option is unknown or has a wrong value.
        InvalidError: split, budget, limit, reasoner or ``foreign`` makes no sense.
        NotConfiguredError: a language model is to answer or to judge and none is set up.
    """
    snapshot = snapshots.open_current(graph)
    require_set_of_graph(question_set, graph)
    _require_split(question_set, evaluation.split)
    if evaluation.limit is not None and evaluation.limit < 1:
        raise InvalidError("No question is left to ask.", hint="Give a limit of at least 1, or none.")
    method, checkpoint = resolution.resolve_method_and_checkpoint(graph, evaluation.method, evaluation.checkpoint)
    resolution.resolve_options(method, evaluation.options, checkpoint)
    reasoner = resolution.resolve_reasoner(evaluation.reasoner, method)
    _require_to_ask(checkpoint, evaluation.foreign)
    llm = resolution.resolve_language_model(reasoner, evaluation.llm)
    if llm is None and evaluation.judgements:
        llm = language_models.resolve_model(evaluation.llm, "have nothing judged")
    with transaction.atomic():
        report = Report.objects.create(
            graph=graph,
            snapshot_hash=snapshot.hash,
            question_set=question_set,
            question_set_name=question_set.name,
            split=evaluation.split,
            method=method,
            checkpoint=checkpoint,
            fingerprint=checkpoint.fingerprint if checkpoint else "",
            reasoner=reasoner,
            llm=llm.id if llm else None,
            llm_name=llm.name if llm else "",
            budget=resolution.resolve_budget(evaluation.budget),
            seed=evaluation.seed,
            limit=evaluation.limit,
            topics=evaluation.topics,
            subgraphs=evaluation.subgraphs,
            answers=evaluation.answers,
            foreign=evaluation.foreign,
            judgements=[name for name in Judgement.values if name in evaluation.judgements],
            options=evaluation.options,
            created_by=user,
        )
        _enqueue_job(report, user)
    return report


def _require_to_ask(checkpoint: Checkpoint | None, foreign: str) -> None:
    """Refuse to ask a checkpoint all the same where there is none."""
    if checkpoint is None and foreign == ForeignUse.ASK:
        raise InvalidError(
            "There is no checkpoint that could be asked.",
            hint="Choose a checkpoint, upload one of another graph, or leave foreign out.",
        )


def _require_split(question_set: QuestionSet, split: str) -> None:
    if split not in SPLITS:
        raise InvalidError(f"There is no split {split}.", hint=f"Choose one of: {', '.join(SPLITS)}.")
    if not (question_set.questions if split == ALL else question_set.splits.get(split)):
        raise make_empty_split_error(question_set, split)


def _enqueue_job(report: Report, user: User | None) -> None:
    job = jobs.create(
        kind=JobKind.EVALUATE,
        title=f"Evaluate {report.method} on {report.question_set_name} ({report.split})",
        graph=report.graph,
        user=user,
        params={"report": report.pk},
    )
    report.job = job
    report.save(update_fields=["job"])


def resume_report(*, report: Report, user: User) -> Report:
    """Go on with a report whose job was stopped or failed; questions that were asked are not asked again.

    Raises:
        ConflictError: it is done, or its job goes on.
        TrainingDataError: its question set was deleted.
        CheckpointError: the graph, or what it was asked with, is not there any more.
    """
    with transaction.atomic():
        locked = Report.objects.select_for_update().get(pk=report.pk)
        if locked.finished_at is not None or locked.state in ACTIVE:
            raise ConflictError(
                "This report is done already." if locked.finished_at else "This report is being made.",
                hint="Start a new one if you need another.",
            )
        require_unchanged(locked)
        _enqueue_job(locked, user)
    return locked


def require_unchanged(report: Report) -> QuestionSet:
    """Refuse to go on with a report when what it is made of has gone: results are never mixed; its question set.

    Raises:
        TrainingDataError: its question set was deleted.
        ConflictError: its checkpoint was deleted, or the version of the graph that it asks.
    """
    anew = "Start a new report."
    if report.question_set is None:
        raise TrainingDataError(f"The question set {report.question_set_name} of this report was deleted.", hint=anew)
    if report.fingerprint and report.checkpoint is None:
        raise ConflictError("The checkpoint of this report was deleted.", hint=anew)
    require_version(report.graph, report.snapshot_hash)
    return report.question_set


def save_report(*, report: Report, made: dict[str, Any]) -> None:
    """Record a finished report: its summary and a row for each question, all or nothing.

    Args:
        made: the engine's report as JSON.

    Raises:
        Cancelled: the report was deleted meanwhile.
    """
    rows = [_build_row(report, position, row) for position, row in enumerate(made["per_question"])]
    with transaction.atomic():
        if not Report.objects.select_for_update().filter(pk=report.pk).exists():
            raise Cancelled("The report was deleted.")
        ReportQuestion.objects.filter(report=report).delete()
        ReportQuestion.objects.bulk_create(rows, batch_size=1000)
        Report.objects.filter(pk=report.pk).update(
            summary={name: value for name, value in made.items() if name != "per_question"},
            finished_at=timezone.now(),
        )


def _build_row(report: Report, position: int, row: dict[str, Any]) -> ReportQuestion:
    return ReportQuestion(
        report=report,
        position=position,
        key=row["id"],
        question=row["question"],
        hops=row["hops"],
        outcome=row["outcome"],
        predicted_hash=_hash_value(sorted(set(row["predicted"]))),
        row=row,
    )


def _hash_value(value: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def delete_report(*, report: Report) -> None:
    """Delete a report for good, with its questions and files; a job that still makes it is stopped."""
    name = files.build_report_name(report.graph_id, report.pk)
    jobs.stop(report.job)
    with transaction.atomic():
        report.delete()
        transaction.on_commit(lambda: files.remove(name))
