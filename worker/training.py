"""Training: a question set in, a checkpoint out."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from celery import shared_task
from django.db import transaction
from django.db.models import Model, QuerySet

from retrieval.errors import TrainingDataError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.methods import registry
from retrieval.questions.splits import remove_measured, sample_training
from retrieval.types import QuestionRecord
from webapp.answers import corrections, programs
from webapp.api.errors import GraphNotReadyError
from webapp.experiments import promotions, trajectories
from webapp.experiments import services as experiments
from webapp.experiments.models import Checkpoint, LabelSet
from webapp.graphs import files
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.selectors import require_version
from webapp.jobs import queue
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet
from webapp.questions.selectors import to_engine_questions
from webapp.review.models import Queue, QueueKind
from worker import answerers, job_runs
from worker.program_labels import collect_reviewed_programs
from worker.review_labels import LearnedLabels, collect_reviewed_labels
from worker.review_versions import move_queue

Row = TypeVar("Row", bound=Model)


@shared_task(name=queue.TRAIN)
def train(job_id: int) -> None:
    """Train as a job says."""
    job_runs.run(job_id, run_training)


def run_training(context: job_runs.Context) -> dict[str, Any]:
    """Train on the version that was current when it was asked for; goes on where an earlier attempt stopped."""
    from retrieval.train import train as fit  # noqa: PLC0415

    job, graph = context.job, context.job.graph
    if graph.snapshot is None:
        raise GraphNotReadyError(f"The graph {graph.name} has no snapshot.", hint="Import it first.")
    question_set = QuestionSet.objects.filter(pk=job.params["question_set"]).first()
    if question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    label_set = _find_chosen(LabelSet.objects.all(), job.params["labels"], "label set")
    fraction, config = job.params["fraction"], job.params["config"]
    encoder = answerers.get_encoder()
    context.check()
    name = files.build_checkpoint_name(graph.pk, job.pk)
    out = files.ensure_local_path(name)
    out.parent.mkdir(parents=True, exist_ok=True)
    version = require_version(graph, job.params.get("snapshot") or graph.snapshot.hash)
    snapshot = files.ensure_local_path(version.path)
    opened = kg.open(snapshot)
    questions = sample_training(to_engine_questions(question_set), fraction, seed=config.get("seed", 0))
    learned = _collect_learned(context, label_set, version, opened, questions)
    steerable = registry.get_method(job.params["method"]).steerable
    imitated = _write_trajectories(graph.pk, out, job.params.get("trajectories")) if steerable else None
    corrected = _list_corrections(job, learned.questions)
    result = fit(
        job.params["method"],
        opened,
        learned.questions,
        labels=learned.labels,
        config=config,
        out=out,
        encoder=encoder,
        progress=context.update_progress,
        cancelled=context.is_cancelled,
        cache=get_cache_folder(snapshot),  # where asking looks, so that the first question finds the triple states
        trajectories=imitated or (),
        programs=[*learned.programs, *corrected],
        refused=learned.refused,
    )
    if imitated is not None:
        imitated.unlink()
    manifest = json.loads((result.checkpoint / "manifest.json").read_text())
    checkpoint = _keep(
        job,
        snapshot=version,
        path=name,
        method=job.params["method"],
        question_set=question_set,
        question_set_name=question_set.name,
        label_set=label_set,
        fraction=fraction,
        encoder=manifest["encoder"],
        fingerprint=manifest["fingerprint"],
        metrics={name: value for name, value in result.metrics.items() if math.isfinite(value)},
        config=json.loads((result.checkpoint / "config.json").read_text()),
    )
    queue.send(queue.WARM, graph.pk)
    return {
        "checkpoint": checkpoint.pk,
        "metrics": checkpoint.metrics,
        "notes": list(result.notes),
        **({"corrections": len(corrected)} if corrected else {}),
        **({"labels": learned.counts} if learned.counts else {}),
        **({"reports": reports} if (reports := job.params.get("reports")) else {}),
    }


def _find_chosen(rows: QuerySet[Row], key: int | None, called: str) -> Row | None:
    """What a training was asked with, if anything.

    Raises:
        TrainingDataError: it was deleted.
    """
    row = None if key is None else rows.filter(pk=key).first()
    if row is None and key is not None:
        raise TrainingDataError(f"The {called} was deleted.", hint="Choose another one, or train without.")
    return row


def _collect_learned(
    context: job_runs.Context,
    label_set: LabelSet | None,
    version: GraphVersion,
    snapshot: kg.Snapshot,
    questions: list[QuestionRecord],
) -> LearnedLabels:
    """Questions and labels: of a label set, of a review, or what the engine finds itself."""
    known = Queue.objects.filter(deleted_at=None)
    review = _find_chosen(known, context.job.params.get("review_queue"), "review")
    if review is not None and version.pk == context.job.graph.snapshot_id:
        move_queue(context, review, version)
    if review is not None and review.kind == QueueKind.PROGRAMS:
        return collect_reviewed_programs(review, label_set, questions)
    if review is not None:
        return collect_reviewed_labels(context, review, label_set, snapshot, questions)
    if label_set is None:
        return LearnedLabels(None, questions)
    return LearnedLabels(
        files.ensure_local_path(files.build_labels_name(context.job.graph_id, label_set.pk)), questions
    )


def _keep(job: Job, **made: Any) -> Checkpoint:
    """Record the checkpoint, and where its questions have held-out ones, start its comparison with what answers now.

    All or nothing: an attempt that goes on starts it once.
    """
    with transaction.atomic():
        checkpoint = experiments.save_checkpoint(job=job, **made)
        current = Graph.objects.filter(pk=job.graph_id, snapshot=made["snapshot"]).exists()
        if current and job.params.get("compare", True) and checkpoint.comparison is None:
            promotions.compare_where_possible(checkpoint=checkpoint, user=job.user)
        if checkpoint.comparison is not None:
            job.params["reports"] = [checkpoint.comparison["before"], checkpoint.comparison["after"]]
            job.save(update_fields=["params"])
    return checkpoint


def _list_corrections(job: Job, questions: Sequence[QuestionRecord]) -> list[QuestionRecord]:
    """Programs that people ran in place of what was read, but for questions that are measured by."""
    if not job.params.get("corrections") or not registry.get_method(job.params["method"]).runs_programs:
        return []
    return remove_measured(programs.iter_questions(graph_id=job.graph_id), questions)


def _write_trajectories(graph: int, out: Path, chosen: int | None) -> Path | None:
    """What an agent learns from beside labels: a trajectory set, and what people corrected; None: nothing.

    Written once: an attempt that goes on learns from what the first one did.

    Raises:
        TrainingDataError: the trajectory set was deleted.
    """
    path = out.with_name(f".{out.name}.trajectories.jsonl")
    if path.exists():
        return path
    lines = list(corrections.export_trajectories(graph_id=graph))
    if chosen is not None:
        raw = files.ensure_local_path(files.build_trajectories_name(graph, chosen, trajectories.RAW))
        if not raw.is_file():
            raise TrainingDataError("The trajectories were deleted.", hint="Choose other ones, or train without.")
        lines.append(raw.read_text(encoding="utf-8"))
    if not lines:
        return None
    path.write_text("".join(lines), encoding="utf-8")
    return path
