"""Where the files of graphs lie in the storage."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage

from webapp.graphs import object_storage

CACHE = "cache"
KINDS = ("uploads", "snapshots", "checkpoints", "labels", "reports", "trajectories", "studies")


def build_upload_name(graph_id: int, position: int, name: str) -> str:
    """Storage name of an uploaded file. Only the letters of its endings are taken from the owner's name."""
    suffixes = [s for s in Path(name).suffixes[-2:] if s[1:].isascii() and s[1:].isalnum() and len(s) <= 8]
    return f"uploads/{graph_id}/{position}{''.join(suffixes).lower()}"


def build_snapshot_name(graph_id: int, version: int) -> str:
    """Storage name of a snapshot's directory."""
    return f"snapshots/{graph_id}/{version}"


def build_checkpoint_name(graph_id: int, job_id: int | str) -> str:
    """Storage name of the directory that a training job, or a cell of a study, leaves its checkpoint in."""
    return f"checkpoints/{graph_id}/{job_id}"


def build_labels_name(graph_id: int, label_set_id: int) -> str:
    """Storage name of the file that holds a label set."""
    return f"labels/{graph_id}/{label_set_id}.jsonl"


def build_trajectories_name(graph_id: int, set_id: int, form: str) -> str:
    """Storage name of a file of a trajectory set: ``raw``, ``refined``, or ``pairs`` of both."""
    return f"trajectories/{graph_id}/{set_id}.{form}.jsonl"


def build_report_name(graph_id: int, report_id: int) -> str:
    """Storage name of the directory of a report: the report itself, and what was asked when it was stopped."""
    return f"reports/{graph_id}/{report_id}"


def build_study_name(graph_id: int, study_id: int) -> str:
    """Storage name of the directory of a study: its data, trainings and finished cells, and its capsule."""
    return f"studies/{graph_id}/{study_id}"


def get_path(name: str) -> Path:
    """Where a stored file or directory is, or will be, on this machine."""
    return Path(default_storage.path(name))


def ensure_local_path(name: str) -> Path:
    """Path of a stored file or directory on this machine, for memory maps; fetched first where it is stored elsewhere.

    Raises:
        StorageAwayError: it would have to be fetched, and the object storage does not answer.
    """
    path = get_path(name)
    object_storage.ensure(name, path)
    return path


def send(name: str) -> None:
    """Store a file or directory that was made on this machine where all machines find it."""
    object_storage.send(name, get_path(name))


def make_way(out: Path) -> None:
    """Prepare to build a version of a graph: delete what attempts whose worker died left. One is built at a time."""
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    remove_halves(out)


def remove_halves(out: Path) -> None:
    """Delete what a build of this graph that was broken off has left."""
    for half in out.parent.glob(".*.building-*"):
        shutil.rmtree(half, ignore_errors=True)


def remove_leftovers(graph_ids: set[int]) -> None:
    """Delete what a crash left: half-received uploads, and directories of graphs that are not in the database."""
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for kind in KINDS:
        if get_path(kind).is_dir():
            for path in get_path(kind).iterdir():
                if not path.name.isdigit() or int(path.name) not in graph_ids:
                    shutil.rmtree(path, ignore_errors=True)


def remove_graph(graph_id: int) -> None:
    """Delete everything stored for a graph."""
    for kind in KINDS:
        shutil.rmtree(get_path(f"{kind}/{graph_id}"), ignore_errors=True)
        object_storage.remove(f"{kind}/{graph_id}")


def measure_size(name: str, *, caches: bool = False) -> int:
    """Bytes that a stored file or directory takes, with or without what was computed from it."""
    root = get_path(name)
    if root.is_file():
        return root.stat().st_size
    paths = (path for path in root.rglob("*") if caches or path.relative_to(root).parts[0] != CACHE)
    return sum(path.stat().st_size for path in paths if path.is_file())


def remove(name: str) -> None:
    """Delete a stored file or directory, if it is there."""
    path = get_path(name)
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    object_storage.remove(name)


def remove_uploads(graph_id: int) -> None:
    """Delete the uploaded files of a graph."""
    shutil.rmtree(get_path(f"uploads/{graph_id}"), ignore_errors=True)
    object_storage.remove(f"uploads/{graph_id}")
