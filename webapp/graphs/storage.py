"""What graphs take on the disk."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from django.conf import settings
from django.db.models import Model, Sum

from webapp.graphs import files, object_storage
from webapp.graphs.models import GraphVersion
from webapp.uploads.models import get_folder

OTHERS = [kind for kind in files.KINDS if kind not in ("uploads", "snapshots")]
_counted: list[tuple[type[Model], str]] = []


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


def measure_graphs(graph_ids: Collection[int]) -> dict[int, Used]:
    """What graphs take, by their ids: as found on the disk, or in the object storage where that keeps everything.

    Raises:
        StorageAwayError: the object storage does not answer.
    """
    usage = (
        _measure_remote(graph_ids)
        if object_storage.is_enabled()
        else {graph_id: _measure_on_disk(graph_id) for graph_id in graph_ids}
    )
    rows = measure_rows(graph_ids)
    return {key: replace(used, question_sets=rows[key]) for key, used in usage.items()}


def count_rows(model: type[Model], size: str) -> None:
    """Count the rows of a model, which has a graph and a column of bytes, as what its graph takes from now on."""
    _counted.append((model, size))


def measure_rows(graph_ids: Collection[int]) -> Counter[int]:
    """Bytes of rows, those in the trash too, by graph."""
    bytes_by_graph: Counter[int] = Counter()
    for model, size in _counted:
        rows = model._base_manager.filter(graph__in=graph_ids).order_by()
        bytes_by_graph.update(dict(rows.values_list("graph").annotate(n=Sum(size))))
    return bytes_by_graph


def _measure_on_disk(graph_id: int) -> Used:
    def measure_kind(kind: str) -> int:
        return files.measure_size(f"{kind}/{graph_id}", caches=True)

    paths = list(GraphVersion.objects.filter(graph=graph_id).values_list("path", flat=True))
    snapshots = sum(files.measure_size(path) for path in paths)
    return Used(
        uploads=measure_kind("uploads"),
        snapshots=snapshots,
        caches=sum(files.measure_size(path, caches=True) for path in paths) - snapshots,
        others=sum(measure_kind(kind) for kind in OTHERS),
    )


def _measure_remote(graph_ids: Collection[int]) -> dict[int, Used]:
    bytes_by_kind: Counter[tuple[str, str]] = Counter()
    for kind in files.KINDS:
        for name, size in object_storage.list_sizes(kind).items():
            _, graph_id, *inside = name.split("/")
            cache = kind == "snapshots" and inside[1:2] == [files.CACHE]
            bytes_by_kind["caches" if cache else kind, graph_id] += size
    return {
        graph_id: Used(
            uploads=bytes_by_kind["uploads", str(graph_id)],
            snapshots=bytes_by_kind["snapshots", str(graph_id)],
            caches=bytes_by_kind["caches", str(graph_id)],
            others=sum(bytes_by_kind[kind, str(graph_id)] for kind in OTHERS),
        )
        for graph_id in graph_ids
    }


def measure_uploads() -> int:
    """What uploads take that nothing was made of yet."""
    return sum(path.stat().st_size for path in get_folder().iterdir()) if get_folder().is_dir() else 0


def get_free_bytes() -> int:
    """Bytes left on the disk."""
    return shutil.disk_usage(settings.CLEW.home).free
