"""Looking through an installation: its servers, its home, whether database and files agree. ``manage.py doctor``."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from retrieval.errors import ClewError
from retrieval.kg.analysis import doctor as engine
from retrieval.kg.analysis.doctor import Finding
from retrieval.kg.snapshot.manifest import MANIFEST, read_manifest
from webapp.api.errors import StorageAwayError
from webapp.api.redis import get_redis_client
from webapp.experiments.models import Checkpoint, LabelSet, Report, TrajectorySet
from webapp.experiments.trajectories import PAIRS, RAW, REFINED
from webapp.graphs import files, object_storage
from webapp.graphs.models import Graph, GraphVersion, SourceFile
from webapp.jobs import heartbeats
from webapp.jobs.models import ACTIVE, Job
from webapp.project.env import COMMAND
from webapp.uploads.models import Upload
from webapp.uploads.models import get_folder as incoming

GB = 10**9
#: Less free disk than this is worth a word.
FREE_MIN = 2 * GB
AGAIN = f"Start it again with `{COMMAND} up`."
BACKUP = "Restore it from a backup, or delete what it belongs to."


def check_all(*, fix: bool = False) -> Iterator[Finding]:
    """Everything, one after the other; what needs the database only where that answers.

    Args:
        fix: mend what can be mended without a choice, see :mod:`retrieval.kg.analysis.doctor`.
    """
    yield from check_home()
    yield from engine.check_plugins()
    yield check_redis()
    finding = check_postgresql()
    yield finding
    if finding.state == "damaged":
        return
    try:
        stored = frozenset[str]() if not object_storage.is_enabled() else _list_remote_files()
    except StorageAwayError as error:
        yield Finding("damaged", "object storage", error.message, error.hint)
        stored = frozenset()
    yield from check_snapshots(stored, fix=fix)
    yield from check_checkpoints(stored)
    yield from check_files(stored)
    yield from find_strays()
    yield from engine.find_leftovers(Path(settings.MEDIA_ROOT), fix=fix)


def check_home() -> Iterator[Finding]:
    """Whether the home can be written, by whom it can be read, and how much room there is."""
    place = settings.CLEW.home
    if not os.access(place, os.W_OK | os.X_OK):
        yield Finding("damaged", "home", f"{place} cannot be written", "Give it to the user that runs Clew.")
        return
    free = shutil.disk_usage(place).free
    if free < FREE_MIN:
        message = f"{free / GB:.1f} GB are left on its disk"
        yield Finding("note", "home", message, "Make room: delete versions, graphs, or caches of graphs.")
    mode = place.stat().st_mode & 0o777
    if mode & 0o077:
        message = f"other users of this machine may enter {place} (mode {mode:o})"
        yield Finding("note", "home", message, f"chmod 700 {place}")
    yield Finding("ok", "home", f"{place}, {free / GB:.0f} GB free")


def check_redis() -> Finding:
    """Whether Redis answers and keeps what it is told; and the workers that say so there."""
    try:
        persistence = get_redis_client().info("persistence")
        alive = {queue: heartbeats.count(queue) for queue in (heartbeats.ANSWERS, *heartbeats.JOB_QUEUES)}
    except (redis.RedisError, OSError) as error:
        return Finding("damaged", "Redis", f"does not answer ({type(error).__name__})", AGAIN)
    if isinstance(persistence, dict) and persistence.get("aof_last_write_status", "ok") != "ok":
        return Finding("damaged", "Redis", "cannot write to its disk", "Make room there.")
    workers = ", ".join(f"{count} for {queue}" for queue, count in alive.items())
    return Finding("ok", "Redis", f"answers; workers: {workers}")


def check_postgresql() -> Finding:
    """Whether PostgreSQL answers, with the tables of this version of Clew."""
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return Finding("damaged", "PostgreSQL", f"does not answer ({type(error).__name__})", AGAIN)
    if waiting:
        message = f"{len(waiting)} changes of its tables wait"
        return Finding("damaged", "PostgreSQL", message, f"`{COMMAND} up` makes them, or `{COMMAND} migrate`.")
    return Finding("ok", "PostgreSQL", "answers")


def check_snapshots(stored: frozenset[str], *, fix: bool) -> Iterator[Finding]:
    """All versions of all graphs, those in the trash too."""
    for row in GraphVersion.objects.select_related("graph").order_by("graph__name", "version"):
        thing = f"{row.graph.name}, version {row.version}"
        place = files.get_path(row.path)
        if not place.exists() and row.path in stored:
            yield Finding("ok", thing, "in the object storage, not on this machine")
            continue
        findings = list(engine.check_snapshot(place, thing, fix=fix))
        yield from (_suggest_fetch(finding, row.path, place, stored) for finding in findings)
        if (
            not any(finding.state == "damaged" for finding in findings)
            and read_manifest(place).content_hash != row.hash
        ):
            yield Finding("damaged", thing, "holds something else than the database says", engine.RESTORE)


def check_checkpoints(stored: frozenset[str]) -> Iterator[Finding]:
    """All checkpoints."""
    for row in Checkpoint.with_trash.select_related("graph").order_by("pk"):
        thing = f"checkpoint {row.pk} ({row.method} of {row.graph.name})"
        place = files.get_path(row.path)
        if not place.exists() and row.path in stored:
            yield Finding("ok", thing, "in the object storage, not on this machine")
            continue
        finding = engine.check_checkpoint(place, thing)
        if finding.state != "damaged" and _read_fingerprint(place) != row.fingerprint:
            finding = Finding("damaged", thing, "holds something else than the database says", engine.RETRAIN)
        yield _suggest_fetch(finding, row.path, place, stored)


def check_files(stored: frozenset[str]) -> Iterator[Finding]:
    """Whether every other file that the database names is there. One finding for all that are."""
    there = 0
    for thing, name, size in _list_named_files():
        place = files.get_path(name)
        if name in stored or (place.is_file() and size in (None, place.stat().st_size)):
            there += 1
        elif place.is_file():
            yield Finding("damaged", thing, f"{name} has not the length that it had", BACKUP)
        else:
            yield Finding("damaged", thing, f"{name} is missing", BACKUP)
    yield Finding("ok", "other files", f"{there} are there")


def find_strays() -> Iterator[Finding]:
    """Files that nothing in the database names. They are left: a database that was restored may lack their rows."""
    mend = "Delete it, unless the database is an old copy that should know it."
    graphs = set(Graph.objects.values_list("pk", flat=True))
    busy = set(Job.objects.filter(state__in=ACTIVE).exclude(graph=None).values_list("graph_id", flat=True))
    known = {
        *GraphVersion.objects.values_list("path", flat=True),
        *Checkpoint.with_trash.values_list("path", flat=True),
    }
    for kind in files.KINDS:
        for path in _list_visible(files.get_path(kind)):
            if not (path.name.isdigit() and int(path.name) in graphs):
                yield Finding("note", f"{kind}/{path.name}", "belongs to no graph", mend)
            elif kind in ("snapshots", "checkpoints") and int(path.name) not in busy:
                for inner in _list_visible(path):
                    name = f"{kind}/{path.name}/{inner.name}"
                    if name not in known:
                        yield Finding("note", name, "is not in the database", mend)
    uploads = {str(pk) for pk in Upload.objects.values_list("pk", flat=True)}
    for path in _list_visible(incoming()):
        if path.name not in uploads:
            message = "an upload that is not in the database; it is deleted after a while"
            yield Finding("note", f"{incoming().name}/{path.name}", message)


def _list_named_files() -> Iterator[tuple[str, str, int | None]]:
    """What there is beside snapshots and checkpoints: what it is, its name in the storage, its length where known."""
    for source in SourceFile.objects.select_related("graph").filter(origin="").exclude(path="").order_by("pk"):
        yield f"file {source.name} of {source.graph.name}", source.path, source.size
    for labels in LabelSet.objects.exclude(finished_at=None).order_by("pk"):
        yield f"label set {labels.name}", files.build_labels_name(labels.graph_id, labels.pk), None
    for report in Report.with_trash.exclude(finished_at=None).order_by("pk"):
        yield (
            f"report {report.pk}",
            f"{files.build_report_name(report.graph_id, report.pk)}/report.json",
            None,
        )
    for made in TrajectorySet.objects.exclude(finished_at=None).order_by("pk"):
        for form in (RAW, REFINED, PAIRS):
            name = files.build_trajectories_name(made.graph_id, made.pk, form)
            yield f"trajectory set {made.name}", name, None


def _list_remote_files() -> frozenset[str]:
    """What the object storage has: each file by its name, and the directories of snapshots and checkpoints."""
    names = {name for kind in files.KINDS for name in object_storage.list_sizes(kind)}
    return frozenset(names | {"/".join(name.split("/")[:3]) for name in names})


def _suggest_fetch(finding: Finding, name: str, place: Path, stored: frozenset[str]) -> Finding:
    """Of a copy that is damaged here the object storage still has the whole."""
    if finding.state != "damaged" or name not in stored:
        return finding
    mend = f"Delete {place} on this machine; it is fetched from the object storage again."
    return Finding(finding.state, finding.thing, finding.said, mend)


def _read_fingerprint(place: Path) -> str:
    try:
        fingerprint: str = json.loads((place / MANIFEST).read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError, ClewError):
        return ""
    return fingerprint


def _list_visible(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
