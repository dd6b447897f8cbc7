"""Checkpoints that are downloaded, and those that people bring, which are read in a process of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from retrieval.errors import CheckpointError
from retrieval.kg.readers import child_process
from retrieval.kg.readers.child_process import MB, Limits
from retrieval.methods.checkpoint_origin import Measurement, Origin
from retrieval.types import Progress
from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.experiments import resolution, services
from webapp.experiments.models import Checkpoint
from webapp.graphs import files, snapshots
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind

#: A file is looked through by a child without torch; opening its weights takes one that loads it.
LOOKING, OPENING = Limits(memory=512 * MB, seconds=600), Limits(memory=4096 * MB, seconds=1200)
#: Somebody waits for a download.
LIMITS = Limits(memory=4096 * MB, seconds=120)
_PIECE = 1 << 20


def stream_checkpoint(checkpoint: Checkpoint) -> Iterator[bytes]:
    """The file of a checkpoint, piece by piece; it is gone with the last.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    place = files.ensure_local_path(checkpoint.path)
    if not place.is_dir():  # a process that loads torch would say no more
        raise CheckpointError("The files of this checkpoint are gone.", hint="Train it again.")
    folder = Path(tempfile.mkdtemp(dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        out = folder / "checkpoint.zip"
        child_process.call(
            child_process.call_by_name, "retrieval.methods.exchange:export_checkpoint",
            place, out, _describe_origin(checkpoint),
            what="The checkpoint", limits=LIMITS,
        )  # fmt: skip
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    def read() -> Iterator[bytes]:
        try:
            with out.open("rb") as file:
                while piece := file.read(_PIECE):
                    yield piece
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return read()


def _describe_origin(checkpoint: Checkpoint) -> Origin:
    """What the model card says beside the checkpoint itself: its data, and its reports."""
    measurements = (
        Measurement(
            report.question_set_name,
            report.split,
            {name: value for name, value in report.summary["metrics"].items() if value is not None},
            report.summary["n"],
        )
        for report in checkpoint.reports.exclude(finished_at=None)
    )
    graph = "" if checkpoint.foreign else checkpoint.graph.name
    return Origin(graph, checkpoint.question_set_name, tuple(measurements))


def start_upload(*, graph: Graph, upload: UploadedFile[bytes], user: User) -> Job:
    """Keep the file of a checkpoint that a person brings, and queue the job that looks through it.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        QuotaError: the user's quota is used up.
        TooManyJobsError: the person has enough of them waiting.
    """
    snapshots.open_current(graph)
    quotas.require_room(user, upload.size or 0)
    name = Path(upload.name or "checkpoint.zip").name[:150]
    stored = f"{files.build_checkpoint_name(graph.pk, f'upload-{uuid4().hex}')}.zip"
    place = files.get_path(stored)
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with place.open("wb") as out:
            for chunk in upload.chunks():
                out.write(chunk)
        files.send(stored)
        return jobs.create(
            kind=JobKind.CHECKPOINT,
            title=f"Upload {name} to {graph.name}",
            graph=graph,
            user=user,
            params={"file": stored, "name": name},
        )
    except BaseException:
        files.remove(stored)
        raise


def delete_upload(*, job: Job) -> None:
    """Delete the file of an upload that ended, however it ended."""
    files.remove(job.params["file"])


def take_checkpoint(
    *,
    job: Job,
    progress: Callable[[Progress], None] = lambda _: None,
    check: Callable[[], None] = lambda: None,
) -> Checkpoint:
    """Make a checkpoint of an uploaded file: a candidate until it is promoted.

    Args:
        progress: told of each stage.
        check: called often; may raise to stop.

    Raises:
        CheckpointError: the file is no checkpoint, holds anything but numbers and JSON, or fits no model here.
        TooMuchError: opening it took more time or memory than it may.
    """
    graph, name = job.graph, job.params["name"]
    assert graph.snapshot is not None, "a graph with a snapshot has its row"
    file = files.ensure_local_path(job.params["file"])
    if not file.is_file():
        raise CheckpointError("The uploaded file no longer exists.", hint="Upload it again.")
    path = files.build_checkpoint_name(graph.pk, job.pk)
    try:
        made = _open_upload(file, files.get_path(path), name, progress, check)
        fingerprint = made["manifest"]["fingerprint"]
        if Checkpoint.with_trash.filter(graph=graph, fingerprint=fingerprint).exists():
            raise CheckpointError(
                "The graph has this very checkpoint already.",
                hint="It may be in the trash: restore it there.",
            )
    except BaseException:
        files.remove(path)
        raise
    manifest = made["manifest"]
    return services.save_checkpoint(
        job=job,
        path=path,
        method=manifest["method"],
        question_set=None,
        label_set=None,
        question_set_name=f"uploaded: {name}",
        foreign=manifest["snapshot"] != graph.snapshot.hash,
        encoder=manifest["encoder"],
        fingerprint=manifest["fingerprint"],
        metrics=manifest["metrics"],
        config=made["config"],
    )


def _open_upload(
    file: Path, out: Path, name: str, progress: Callable[[Progress], None], check: Callable[[], None]
) -> dict[str, Any]:
    """Look through an uploaded file, and write the checkpoint that it holds; its manifest and config."""
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        held = Path(folder) / "held"
        progress(Progress("looking through the file", 0, 0))
        child_process.call(
            child_process.call_by_name, "retrieval.methods.checkpoint_zip:unpack", file, held,
            what=name, limits=LOOKING, check=check, encoder=resolution.get_encoder_name(),
        )  # fmt: skip
        progress(Progress("opening the weights", 0, 0))
        made: dict[str, Any] = child_process.call(
            child_process.call_by_name, "retrieval.methods.exchange:take", held, out,
            what=name, limits=OPENING, check=check,
        )  # fmt: skip
    return made
