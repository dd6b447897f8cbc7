"""Checkpoints that are downloaded, and those that people bring, which are read in a process of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from retrieval.errors import CheckpointError
from retrieval.kg.readers import child_process
from retrieval.kg.readers.child_process import MB, Limits
from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.experiments import resolution
from webapp.experiments.models import Checkpoint
from webapp.graphs import announce, files, snapshots
from webapp.graphs.models import Graph

#: A file is looked through by a child without torch; opening its weights takes one that loads it.
LOOKING, LIMITS = Limits(memory=512 * MB, seconds=120), Limits(memory=4096 * MB, seconds=120)
_PIECE = 1 << 20


def pieces_of(checkpoint: Checkpoint) -> Iterator[bytes]:
    """The file of a checkpoint, piece by piece; it is gone with the last.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    place = files.local_path(checkpoint.path)
    if not place.is_dir():  # a process that loads torch would say no more
        raise CheckpointError("The files of this checkpoint are gone.", hint="Train it again.")
    folder = Path(tempfile.mkdtemp(dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        out = folder / "checkpoint.zip"
        child_process.call(
            child_process.named, "retrieval.methods.exchange:hand_on", place, out,
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


def take_checkpoint(*, graph: Graph, upload: UploadedFile[bytes], user: User) -> Checkpoint:
    """Keep a checkpoint that a person brings: a candidate until it is promoted.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        CheckpointError: the file is no checkpoint, holds anything but numbers and JSON, or fits no model here.
        TooMuchError: opening it took more time or memory than it may.
        QuotaError: the user's quota is used up.
    """
    snapshots.of_graph(graph)
    assert graph.snapshot is not None, "a graph with a snapshot has its row"
    quotas.require_room(user, upload.size or 0)
    name = Path(upload.name or "checkpoint.zip").name[:150]
    path = files.checkpoint_name(graph.pk, f"upload-{uuid4().hex}")
    place = files.place(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        file = Path(folder) / "checkpoint.zip"
        with file.open("wb") as out:
            for chunk in upload.chunks():
                out.write(chunk)
        held = Path(folder) / "held"
        child_process.call(
            child_process.named, "retrieval.methods.checkpoint_zip:unpack", file, held,
            what=name, limits=LOOKING, encoder=resolution.encoder_name(),
        )  # fmt: skip
        file.unlink()
        made: dict[str, Any] = child_process.call(
            child_process.named, "retrieval.methods.exchange:take", held, place, what=name, limits=LIMITS
        )
    manifest = made["manifest"]
    if Checkpoint.with_trash.filter(graph=graph, fingerprint=manifest["fingerprint"]).exists():
        files.remove(path)
        raise CheckpointError(
            "The graph has this very checkpoint already.", hint="It may be in the trash: restore it there."
        )
    files.send(path)
    with transaction.atomic():
        checkpoint = Checkpoint.objects.create(
            method=manifest["method"],
            graph=graph,
            snapshot=graph.snapshot,
            question_set_name=f"uploaded: {name}",
            foreign=manifest["snapshot"] != graph.snapshot.hash,
            encoder=manifest["encoder"],
            fingerprint=manifest["fingerprint"],
            path=path,
            metrics=manifest["metrics"],
            config=made["config"],
        )
        announce.graph_changed_on_commit(graph.pk)
    return checkpoint
