"""Training: a question set in, a checkpoint out."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from celery import shared_task

from retrieval.errors import TrainingDataError
from retrieval.kg import snapshot as kg
from retrieval.kg.caches import cache_of
from retrieval.kg.questions import training_sample
from webapp.answers import corrections
from webapp.api.errors import GraphNotReadyError
from webapp.experiments import services as experiments
from webapp.experiments import synthesising
from webapp.experiments.methods import STEERABLE
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.jobs import queue
from webapp.questions.models import QuestionSet
from webapp.questions.selectors import as_engine
from worker import engines, reporting


@shared_task(name=queue.TRAIN)
def train(job_id: int) -> None:
    """Train as a job says."""
    reporting.run(job_id, work)


def work(context: reporting.Context) -> dict[str, Any]:
    """Train; goes on where an earlier attempt of the same job stopped."""
    from retrieval.training import train as fit  # noqa: PLC0415

    job, graph = context.job, context.job.graph
    if graph.snapshot is None:
        raise GraphNotReadyError(f"The graph {graph.name} has no snapshot.", hint="Import it first.")
    question_set = QuestionSet.objects.filter(pk=job.params["question_set"]).first()
    if question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    label_set = LabelSet.objects.filter(pk=job.params["labels"]).first()
    if label_set is None and job.params["labels"] is not None:
        raise TrainingDataError("The label set was deleted.", hint="Choose another one, or train without.")
    fraction, config = job.params["fraction"], job.params["config"]
    encoder = engines.encoder()
    context.check()
    name = files.checkpoint_name(graph.pk, job.pk)
    out = files.local_path(name)
    out.parent.mkdir(parents=True, exist_ok=True)
    snapshot = files.local_path(graph.snapshot.path)
    steerable = job.params["method"] in STEERABLE
    learned = _trajectories(graph.pk, out, job.params.get("trajectories")) if steerable else None
    result = fit(
        job.params["method"],
        kg.open(snapshot),
        training_sample(as_engine(question_set), fraction, seed=config.get("seed", 0)),
        labels=None if label_set is None else files.local_path(files.labels_name(graph.pk, label_set.pk)),
        config=config,
        out=out,
        encoder=encoder,
        progress=context.progress,
        cancelled=context.cancelled,
        cache=cache_of(snapshot),  # where asking looks, so that the first question finds the triple states
        trajectories=learned or (),
    )
    if learned is not None:
        learned.unlink()
    manifest = json.loads((result.checkpoint / "manifest.json").read_text())
    checkpoint = experiments.save_checkpoint(
        job=job,
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
    return {"checkpoint": checkpoint.pk, "metrics": checkpoint.metrics, "notes": list(result.notes)}


def _trajectories(graph: int, out: Path, chosen: int | None) -> Path | None:
    """What an agent learns from beside labels: a trajectory set, and what people corrected; None: nothing.

    Written once: an attempt that goes on learns from what the first one did.

    Raises:
        TrainingDataError: the trajectory set was deleted.
    """
    path = out.with_name(f".{out.name}.trajectories.jsonl")
    if path.exists():
        return path
    lines = list(corrections.trajectories(graph_id=graph))
    if chosen is not None:
        raw = files.local_path(files.trajectories_name(graph, chosen, synthesising.RAW))
        if not raw.is_file():
            raise TrainingDataError(
                "The trajectories were deleted.", hint="Choose other ones, or train without."
            )
        lines.append(raw.read_text(encoding="utf-8"))
    if not lines:
        return None
    path.write_text("".join(lines), encoding="utf-8")
    return path
