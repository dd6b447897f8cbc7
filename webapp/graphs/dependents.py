"""What depends on a graph and on its versions. It looks up to the apps above, so only the API and the trash use it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Count, Model, QuerySet

from webapp.answers.models import Run
from webapp.experiments.models import Checkpoint, LabelSet, Report, TrajectorySet
from webapp.graphs.models import Graph, Snapshot
from webapp.questions.models import QuestionSet
from webapp.review.models import Queue

BY_VERSION: dict[str, type[Model]] = {"checkpoints": Checkpoint, "queues": Queue}
BY_HASH: dict[str, type[Model]] = {
    "runs": Run,
    "label_sets": LabelSet,
    "trajectory_sets": TrajectorySet,
    "reports": Report,
}


def of_graph(graph: Graph) -> dict[str, int]:
    """How many things of each kind go with a graph."""
    models: dict[str, type[Model]] = {**BY_VERSION, **BY_HASH, "question_sets": QuestionSet}
    return {"versions": graph.snapshots.filter(deleted_at=None).count()} | {
        kind: _rows(model, graph).count() for kind, model in models.items()
    }


def of_versions(graph: Graph) -> dict[int, dict[str, int]]:
    """How many things of each kind point at each version, by the version's id."""
    versions = list(Snapshot.objects.filter(graph=graph).values_list("pk", "hash"))
    found: dict[int, dict[str, int]] = {pk: {} for pk, _ in versions}
    for kind, model in BY_VERSION.items():
        counts = _counts(_all(model, graph), "snapshot_id")
        for pk, _ in versions:
            found[pk][kind] = counts[pk]
    for kind, model in BY_HASH.items():
        counts = _counts(_all(model, graph), "snapshot_hash")
        for pk, hash in versions:
            found[pk][kind] = counts[hash]
    return found


def _rows(model: type[Model], graph: Graph) -> QuerySet[Any]:
    return model._default_manager.filter(graph=graph)


def _all(model: type[Model], graph: Graph) -> QuerySet[Any]:
    """Also those in the trash: one that is restored needs its version."""
    return model._base_manager.filter(graph=graph)


def _counts(rows: QuerySet[Any], column: str) -> Counter[Any]:
    return Counter(dict(rows.order_by().values_list(column).annotate(n=Count("pk"))))
