"""Training: starting it, keeping what it leaves behind, and deleting that."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from retrieval.errors import ConfigError, TrainingDataError
from retrieval.kg.snapshot.cache import get_cache_folder, get_states_folder
from retrieval.kg.snapshot.storage import publish_directory, read_json
from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.api.errors import InvalidError
from webapp.experiments import methods, resolution
from webapp.experiments.models import Checkpoint, LabelSet, TrajectorySet
from webapp.graphs import announce, files, snapshots
from webapp.graphs.models import Graph
from webapp.jobs import queue
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind
from webapp.questions.models import QuestionSet


@dataclass(frozen=True, slots=True)
class Training:
    """What to train.

    Attributes:
        method: one that is trained.
        config: settings that differ from the defaults.
        fraction: share of the training questions that is used, in (0, 1].
        seed: of everything random; the config's own when None.
        labels: rational paths to learn from; the engine finds them itself when None.
        trajectories: for an agent, what to imitate beside what is made of the labels.
        review_queue: id of a review whose verdicts win over its label sets and the labels; None: of none.
        corrections: learn from the programs that people ran in place of what was read, where the method runs programs.
        compare: evaluate what answers now and the new checkpoint on the same held-out questions.
    """

    method: str
    config: dict[str, Any] = field(default_factory=dict)
    fraction: float = 1.0
    seed: int | None = None
    labels: LabelSet | None = None
    trajectories: TrajectorySet | None = None
    review_queue: int | None = None
    review_name: str = ""
    corrections: bool = True
    compare: bool = True


def start_training(*, graph: Graph, question_set: QuestionSet, training: Training, user: User | None) -> Job:
    """Check a training and queue it.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        MethodError: the method is unknown or needs no training.
        ConfigError: a setting is unknown or has a wrong value.
        TrainingDataError: the question set is of another graph or has nothing to train on, or the labels do
            not belong to it.
        InvalidError: the fraction or the seed makes no sense.
    """
    snapshot = snapshots.open_current(graph)
    method = methods.require_trained(training.method)
    config = _build_config(method, training)
    require_set_of_graph(question_set, graph)
    if not question_set.splits.get("train"):
        raise make_empty_split_error(question_set, "train")
    if not 0 < training.fraction <= 1:
        raise InvalidError(
            f"A fraction of {training.fraction:g} cannot be used.", hint="Choose more than 0, and at most 1."
        )
    if training.labels is not None:
        training.labels.require_usable(question_set, snapshot.hash)
    if training.trajectories is not None:
        _require_trajectories_of(training.trajectories, graph, method)
    share = "" if training.fraction == 1 else f" ({training.fraction:.4g} of it)"
    reviewed = f", from the review {training.review_name}" if training.review_name else ""
    return jobs.create(
        kind=JobKind.TRAIN,
        title=f"Train {method} on {question_set.name}{share}{reviewed}",
        graph=graph,
        user=user,
        params={
            "question_set": question_set.pk,
            "snapshot": snapshot.hash,
            "method": method,
            "config": config,
            "fraction": training.fraction,
            "labels": training.labels.pk if training.labels else None,
            "trajectories": training.trajectories.pk if training.trajectories else None,
            "review_queue": training.review_queue,
            "corrections": training.corrections,
            "compare": training.compare,
        },
    )


def _build_config(method: str, training: Training) -> dict[str, Any]:
    """The settings as given, the seed among them, once they have been checked."""
    config = dict(training.config)
    if training.seed is not None and config.setdefault("seed", training.seed) != training.seed:
        raise ConfigError(f"The seed is {training.seed}, and {config['seed']} in the config.", hint="Give it once.")
    registry.parse(method, config)
    return config


def require_set_of_graph(question_set: QuestionSet, graph: Graph) -> None:
    """Refuse a question set of another graph.

    Raises:
        TrainingDataError: it is.
    """
    if question_set.graph_id != graph.pk:
        raise TrainingDataError(
            f"The question set {question_set.name} is about {question_set.graph.name}.",
            hint=f"Choose a question set of {graph.name}.",
        )


def make_empty_split_error(question_set: QuestionSet, split: str) -> TrainingDataError:
    """The error of a split without questions."""
    there = [f"{name} ({count})" for name, count in question_set.splits.items() if count]
    return TrainingDataError(
        f"The question set {question_set.name} has no question in its split {split}.",
        hint=f"It has: {', '.join(there) or 'none'}.",
    )


def _require_trajectories_of(made: TrajectorySet, graph: Graph, method: str) -> None:
    if not registry.get_method(method).steerable:
        raise TrainingDataError(
            f"{method} does not learn from trajectories.",
            hint=f"Leave them out, or train {', '.join(methods.list_steerable())}.",
        )
    if made.graph_id != graph.pk:
        raise TrainingDataError(
            f"The trajectories {made.name} are of the graph {made.graph.name}.",
            hint=f"Choose trajectories of {graph.name}.",
        )
    if made.finished_at is None:
        raise TrainingDataError(
            f"The trajectories {made.name} are not done: {made.state}.", hint="Wait for them, or make others."
        )


def save_checkpoint(*, job: Job, path: str, **made: Any) -> Checkpoint:
    """Record a checkpoint that stands: a candidate until it is promoted.

    Args:
        made: the other columns of the row; ``snapshot`` is the current one when left out.
    """
    graph = job.graph
    assert graph.snapshot is not None, "training ran on a snapshot"
    files.send(path)
    with transaction.atomic():
        for name in ("question_set", "label_set"):  # the engine took long; they may have been deleted
            made[name] = _find_existing(made[name])
        checkpoint, _ = Checkpoint.with_trash.update_or_create(
            job=job, defaults={"graph": graph, "snapshot": graph.snapshot, "path": path, **made}
        )
        announce.notify_graph_on_commit(graph.pk)
    return checkpoint


def adopt_checkpoint(*, graph: Graph, trained: Path, question_set: QuestionSet) -> Checkpoint | None:
    """Record a checkpoint that came with Clew, which answers without a promotion; no job is needed.

    Args:
        graph: the one it was trained on, as it was then.
        trained: its directory, which is copied.
        question_set: what it was trained with.

    Returns:
        None where it does not fit: the graph has other content, or this installation another text encoder.
    """
    manifest, config = (read_json(trained / f"{name}.json") for name in ("manifest", "config"))
    snapshot = graph.snapshot
    if snapshot is None or (snapshot.hash, resolution.get_encoder_name()) != (
        manifest.get("snapshot"),
        manifest.get("encoder"),
    ):
        return None
    path = files.build_checkpoint_name(graph.pk, 0)
    with publish_directory(files.ensure_local_path(path)) as directory:
        shutil.copytree(trained, directory, dirs_exist_ok=True)
    files.send(path)
    with transaction.atomic():
        checkpoint, _ = Checkpoint.objects.update_or_create(
            graph=graph,
            path=path,
            defaults={
                "snapshot": snapshot,
                "method": manifest["method"],
                "question_set": question_set,
                "question_set_name": question_set.name,
                "encoder": manifest["encoder"],
                "fingerprint": manifest["fingerprint"],
                "metrics": manifest["metrics"],
                "config": config,
                "adopted": True,
            },
        )
        announce.notify_graph_on_commit(graph.pk)
        transaction.on_commit(lambda: queue.send(queue.WARM, graph.pk))
    return checkpoint


def _find_existing(row: Any) -> Any:
    return None if row is None else type(row).objects.filter(pk=row.pk).first()


def delete_checkpoint(*, checkpoint: Checkpoint) -> None:
    """Delete a checkpoint for good, its files, and what was computed with it. Reports and runs stay, and name it."""
    path, graph_id = checkpoint.path, checkpoint.graph_id
    computed = [
        get_states_folder(get_cache_folder(files.ensure_local_path(of.path)), checkpoint.fingerprint, of.hash)
        for of in checkpoint.graph.snapshots.all()
    ]
    with transaction.atomic():
        checkpoint.delete()
        transaction.on_commit(lambda: files.remove(path))
        for folder in computed:
            transaction.on_commit(partial(shutil.rmtree, folder, ignore_errors=True))
        announce.notify_graph_on_commit(graph_id)
