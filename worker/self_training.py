"""Self-training: a graph nobody trained on learns from questions that are written from its own relations."""

from __future__ import annotations

import json
import shutil
from typing import Any

from celery import shared_task

from retrieval.errors import Cancelled, StorageFullError, TrainingDataError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.kg.snapshot.storage import is_full
from webapp.experiments import error_limits, self_training
from webapp.experiments import services as experiments
from webapp.graphs import files
from webapp.graphs.models import Graph
from webapp.graphs.selectors import require_version
from webapp.jobs import log, queue
from worker import answerers, job_runs


@shared_task(name=queue.SELF_TRAIN)
def self_train(job_id: int) -> None:
    """Self-train as a job says."""
    job_runs.run(job_id, run_self_training)


def run_self_training(context: job_runs.Context) -> dict[str, Any]:
    """Write questions, train, and keep the checkpoint where it is better; goes on where an earlier attempt stopped."""
    from retrieval import self_training as answerer  # noqa: PLC0415 - imports torch

    job, graph = context.job, context.job.graph
    version = require_version(graph, job.params["snapshot"])
    if version.pk != graph.snapshot_id or self_training.is_trained(graph):
        return {"skipped": "The graph has another version, or a checkpoint."}
    name = files.build_checkpoint_name(graph.pk, job.pk)
    out, snapshot = files.ensure_local_path(name), files.ensure_local_path(version.path)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        made = answerer.run_self_training(
            kg.open(snapshot),
            out=out,
            encoder=answerers.get_encoder(),
            progress=context.update_progress,
            cancelled=context.should_give_way,
            cache=get_cache_folder(snapshot),
        )
    except TrainingDataError as error:  # a small graph: nobody asked for this, so nothing failed
        log.write(job.pk, f"Skipped: {error.message}")
        return {"skipped": error.message}
    except Cancelled:
        if Graph.objects.filter(pk=graph.pk, snapshot=version).exists():
            raise  # gone on with
        shutil.rmtree(answerer.get_resume_path(out), ignore_errors=True)  # of a version that nobody asks any more
        raise
    except Exception as error:
        for half_done in (
            out,
            answerer.get_resume_path(out),
        ):  # a full disk, above all: it takes the room of others
            shutil.rmtree(half_done, ignore_errors=True)
        if is_full(error) or isinstance(error, StorageFullError):
            raise StorageFullError(
                f"The disk became full during the self-training of {graph.name}; nothing half done was kept, and "
                "questions are answered as before.",
                hint="Free some space on the worker's disk, or ask its operator, and try the job again.",
            ) from error
        raise
    kept = made.better and not self_training.is_trained(graph)
    summary = {
        "questions": made.questions,
        "compared": made.compared,
        "metrics": {"exact_set": made.after, "exact_set_before": made.before},
        "kept": kept,
    }
    log.write(
        job.pk,
        f"{'Kept' if kept else 'Discarded'}: of the same {made.compared} held-out questions written from the graph, "
        f"{made.after:.1%} are answered exactly with it and {made.before:.1%} without."
        + ("" if kept or not made.better else " A checkpoint that people trained is there by now."),
    )
    if not kept:
        shutil.rmtree(out, ignore_errors=True)
        return summary
    manifest = json.loads((out / "manifest.json").read_text())
    checkpoint = experiments.save_checkpoint(
        job=job,
        path=name,
        snapshot=version,
        method=manifest["method"],
        question_set=None,
        question_set_name="Questions written from the graph",
        label_set=None,
        self_trained=True,
        encoder=manifest["encoder"],
        fingerprint=manifest["fingerprint"],
        metrics=made.result.metrics,
        config=json.loads((out / "config.json").read_text()),
    )
    error_limits.calibrate_where_limited(graph=graph, user=job.user)
    queue.send(queue.WARM, graph.pk)
    return {**summary, "checkpoint": checkpoint.pk}
