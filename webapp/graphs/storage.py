"""What graphs take on the disk, and how much a user may."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import QuerySet, Sum

from webapp.accounts.models import User
from webapp.api.errors import QuotaError
from webapp.graphs import files, remote
from webapp.graphs.models import Graph, Snapshot, SourceFile
from webapp.uploads.models import Upload, folder

GB = 10**9
OTHERS = [kind for kind in files.KINDS if kind not in ("uploads", "snapshots")]


@dataclass(frozen=True, slots=True)
class Used:
    """Bytes that a graph takes, by what they are of. ``caches`` can be deleted at the cost of time only.

    ``question_sets`` are rows of the database, as long as they are when written.
    """

    uploads: int
    snapshots: int
    caches: int
    others: int
    question_sets: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.uploads + self.snapshots + self.caches + self.others + self.question_sets


def of_graphs(graph_ids: Collection[int]) -> dict[int, Used]:
    """What graphs take, by their ids: as found on the disk, or in the object storage where that keeps everything.

    Raises:
        StorageAwayError: the object storage does not answer.
    """
    found = (
        _stored_elsewhere(graph_ids)
        if remote.enabled()
        else {graph_id: _on_disk(graph_id) for graph_id in graph_ids}
    )
    sets = (
        _question_sets().filter(graph__in=graph_ids).order_by().values_list("graph").annotate(n=Sum("bytes"))
    )
    of_sets = dict(sets)
    return {key: replace(used, question_sets=of_sets.get(key, 0)) for key, used in found.items()}


def _question_sets() -> QuerySet[Any]:
    """All question sets, those in the trash too. By name: questions come after graphs in the order of apps."""
    return apps.get_model("questions", "QuestionSet")._base_manager.all()


def _on_disk(graph_id: int) -> Used:
    def bytes_of(kind: str) -> int:
        return files.size(f"{kind}/{graph_id}", caches=True)

    paths = list(Snapshot.objects.filter(graph=graph_id).values_list("path", flat=True))
    snapshots = sum(files.size(path) for path in paths)
    return Used(
        uploads=bytes_of("uploads"),
        snapshots=snapshots,
        caches=sum(files.size(path, caches=True) for path in paths) - snapshots,
        others=sum(bytes_of(kind) for kind in OTHERS),
    )


def _stored_elsewhere(graph_ids: Collection[int]) -> dict[int, Used]:
    found: Counter[tuple[str, str]] = Counter()
    for kind in files.KINDS:
        for name, size in remote.sizes(kind).items():
            _, graph_id, *inside = name.split("/")
            cache = kind == "snapshots" and inside[1:2] == [files.CACHE]
            found["caches" if cache else kind, graph_id] += size
    return {
        graph_id: Used(
            uploads=found["uploads", str(graph_id)],
            snapshots=found["snapshots", str(graph_id)],
            caches=found["caches", str(graph_id)],
            others=sum(found[kind, str(graph_id)] for kind in OTHERS),
        )
        for graph_id in graph_ids
    }


def arriving() -> int:
    """What uploads take that nothing was made of yet."""
    return sum(path.stat().st_size for path in folder().iterdir()) if folder().is_dir() else 0


def free() -> int:
    """Bytes left on the disk."""
    return shutil.disk_usage(settings.CLEW.home).free


def of_user(user: User) -> int:
    """What counts against a user's quota, also in the trash.

    Files and versions of one's graphs, question sets that one made, and uploads as long as announced.
    """
    mine = Graph.objects.filter(owner=user)
    sums = (
        SourceFile.objects.filter(graph__in=mine).aggregate(n=Sum("size"))["n"],
        Snapshot.objects.filter(graph__in=mine).aggregate(n=Sum("bytes"))["n"],
        _question_sets().filter(created_by=user).aggregate(n=Sum("bytes"))["n"],
        Upload.objects.filter(user=user).aggregate(n=Sum("length"))["n"],
    )
    return sum(int(n or 0) for n in sums)


def of_users() -> dict[int, int]:
    """The same of everybody who keeps anything, by the user's id."""
    kept = (
        (SourceFile.objects.all(), "graph__owner", "size"),
        (Snapshot.objects.all(), "graph__owner", "bytes"),
        (_question_sets(), "created_by", "bytes"),
        (Upload.objects.all(), "user", "length"),
    )
    found: Counter[int] = Counter()
    for rows, whose, what in kept:
        summed = rows.exclude(**{whose: None}).order_by().values_list(whose).annotate(n=Sum(what))
        found.update(dict(summed))
    return found


def quota() -> int | None:
    """Bytes that each user may take of whom nothing else is said; None for no limit."""
    limit: float | None = settings.CLEW.quota_gb
    return None if limit is None else int(limit * GB)


def quota_of(user: User) -> int | None:
    """Bytes that a user may take; None for no limit."""
    return quota() if user.quota is None else user.quota


def require_room(user: User, more: int) -> None:
    """Refuse what would take a user over the quota.

    Raises:
        QuotaError: it would.
    """
    limit = quota_of(user)
    if limit is not None and of_user(user) + more > limit:
        raise QuotaError(
            f"You may keep {limit / GB:g} GB, and have {of_user(user) / GB:.2g} GB; {more / GB:.2g} GB more "
            "is too much.",
            hint="Delete versions, graphs, question sets or uploads that you do not need for good, or ask an "
            "administrator for more.",
        )
