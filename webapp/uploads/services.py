"""Uploads that arrive in pieces: begun, added to, used, dropped."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from retrieval.errors import StorageFullError
from webapp.accounts.models import User
from webapp.api.concurrency import release_connection
from webapp.api.errors import (
    BusyError,
    ChecksumError,
    ConflictError,
    GoneError,
    InvalidError,
    TooLargeError,
    TooManyUploadsError,
)
from webapp.uploads.models import Upload, get_folder

if TYPE_CHECKING:
    _File = File[Any]
else:  # generic for the type checker alone
    _File = File

ALGORITHMS = ("sha1", "sha256", "md5")
STRAY_AFTER_S = 3600.0
"""Age from which a file that no upload refers to is taken for what a crash left."""

NO_ROOM = "Free some space on the server's disk, or ask its operator, and upload again."


@dataclass(frozen=True, slots=True)
class Checksum:
    """What the bytes of one request must add up to."""

    algorithm: str
    digest: bytes


class Arrived(_File):
    """The file of a complete upload, as Django's storages take it.

    A storage on the same disk gets a second name of the same bytes and moves that, so that nothing is copied and the
    upload is still there when what was to be made of it fails.
    """

    def __init__(self, upload: Upload) -> None:
        try:
            file = upload.path.open("rb")
        except FileNotFoundError:
            raise _make_used_error() from None
        super().__init__(file, name=upload.name)
        self._path = upload.path

    def temporary_file_path(self) -> str:
        """A file to be moved away."""
        second = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
        os.link(self._path, second)
        return str(second)


def create(*, user: User, name: str, length: int, metadata: str = "") -> Upload:
    """Begin an upload of ``length`` bytes.

    Raises:
        TooManyUploadsError: the user has begun more than anybody needs.
        TooLargeError: larger than any upload may be.
        StorageFullError: the disk has no room for it.
    """
    if length > settings.RESUMABLE_MAX_BYTES:
        raise TooLargeError(
            f"{name} has {length:,} bytes; an upload may have {settings.RESUMABLE_MAX_BYTES:,}.",
            hint="Compress it, or upload it in several files.",
        )
    if Upload.objects.filter(user=user).count() >= settings.UPLOADS_KEPT:
        raise TooManyUploadsError(
            f"You have {settings.UPLOADS_KEPT} uploads of which nothing was made.",
            hint="Make something of them, or stop some.",
        )
    get_folder().mkdir(parents=True, exist_ok=True)
    if length > shutil.disk_usage(get_folder()).free:
        raise StorageFullError(f"There is no room for {name} ({length:,} bytes) on the disk.", hint=NO_ROOM)
    upload = Upload(user=user, name=name.replace("\0", "")[-255:] or "file", length=length, metadata=metadata)
    upload.expires_at = _compute_expiry()
    try:
        upload.path.touch(mode=0o600, exist_ok=False)
        upload.save(force_insert=True)
    except BaseException:
        upload.path.unlink(missing_ok=True)
        raise
    return upload


def append_chunks(*, upload: Upload, offset: int, chunks: Iterable[bytes], checksum: Checksum | None = None) -> int:
    """Add bytes at the end. When ``chunks`` breaks off, what came until then is kept, unless it had a checksum.

    Returns:
        How many bytes there are now.

    Raises:
        BusyError: another request is adding to it.
        ConflictError: ``offset`` is not its end; ``chunks`` was not read.
        TooLargeError: more came than was announced; none of it is kept.
        ChecksumError: something else came than was sent; none of it is kept.
        StorageFullError: the disk is full. Nothing is left of the upload.
        GoneError: the upload was dropped meanwhile.
    """
    try:
        with upload.path.open("r+b") as file:
            _lock(file)
            end = file.seek(0, os.SEEK_END)
            if offset != end:
                raise ConflictError(
                    f"{upload.name} has {end} bytes, not {offset}.",
                    hint="Ask with HEAD and go on from there.",
                )
            release_connection()  # a client may take as long as it needs
            try:
                end = _append(file, upload, end, chunks, checksum)
            except (TooLargeError, ChecksumError):
                file.truncate(offset)
                raise
    except FileNotFoundError:
        raise _make_gone_error(upload) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        drop(upload=upload)
        message = f"The disk became full while {upload.name} arrived; nothing of it is left."
        raise StorageFullError(message, hint=NO_ROOM) from error
    upload.expires_at = _compute_expiry()
    if not Upload.objects.filter(pk=upload.pk).update(expires_at=upload.expires_at):
        raise _make_gone_error(upload)
    return end


def _lock(file: IO[bytes]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError("Another request is adding to this upload.", hint="Wait a few seconds and go on.") from None


def _append(file: IO[bytes], upload: Upload, end: int, chunks: Iterable[bytes], checksum: Checksum | None) -> int:
    sums = hashlib.new(checksum.algorithm, usedforsecurity=False) if checksum else None
    for chunk in chunks:
        end += len(chunk)
        if end > upload.length:
            raise TooLargeError(
                f"{upload.name} was announced with {upload.length} bytes, and more came.",
                hint="Begin the upload again; the file changed while it was read.",
            )
        file.write(chunk)
        if sums is not None:
            sums.update(chunk)
    file.flush()
    if sums is not None and checksum is not None and sums.digest() != checksum.digest:
        raise ChecksumError("The bytes that came are not those that were sent.", hint="Send them again.")
    return end


def _make_gone_error(upload: Upload) -> GoneError:
    return GoneError(f"The upload of {upload.name} was stopped or has expired.", hint="Begin it again.")


def _make_used_error() -> ConflictError:
    return ConflictError("An upload was used or dropped meanwhile.", hint="Upload the files again.")


def _compute_expiry() -> Any:
    return timezone.now() + timedelta(seconds=settings.UPLOAD_KEPT_S)


def drop(*, upload: Upload) -> None:
    """Forget an upload with what has arrived of it."""
    Upload.objects.filter(pk=upload.pk).delete()
    upload.path.unlink(missing_ok=True)


def require_complete(*, ids: Sequence[UUID], user: User) -> list[Upload]:
    """A user's uploads of these ids, in their order, to make something of.

    Raises:
        InvalidError: one is not there, or is named twice.
        ConflictError: one has not arrived whole.
    """
    by_id = Upload.objects.filter(user=user, expires_at__gt=timezone.now()).in_bulk(list(ids))
    if len(set(ids)) < len(ids):
        raise InvalidError("An upload is named twice.", hint="Name each once.")
    for id in ids:
        if id not in by_id:
            raise InvalidError(
                f"There is no upload {id}.", hint="It may have expired or been used; upload the file again."
            )
    uploads = [by_id[id] for id in ids]
    for upload in uploads:
        if not upload.complete:
            raise ConflictError(
                f"{upload.name} has not arrived whole: {upload.offset:,} of {upload.length:,} bytes.",
                hint="Wait for its upload, or go on with it.",
            )
    return uploads


def use(*, uploads: Sequence[Upload]) -> None:
    """Say, in a transaction, that something was made of these: with it they go.

    Raises:
        ConflictError: something else was made of one meanwhile.
    """
    ids = [upload.pk for upload in uploads]
    deleted, _ = Upload.objects.filter(pk__in=ids).delete()
    if deleted != len(ids):
        raise _make_used_error()
    for upload in uploads:
        transaction.on_commit(partial(upload.path.unlink, missing_ok=True))


def drop_expired() -> None:
    """Drop uploads that have expired, and files that belong to none."""
    for upload in Upload.objects.filter(expires_at__lte=timezone.now()):
        drop(upload=upload)
    if not get_folder().is_dir():
        return
    known = {str(pk) for pk in Upload.objects.values_list("pk", flat=True)}
    for path in get_folder().iterdir():
        if path.name not in known and _compute_age(path) > STRAY_AFTER_S:
            path.unlink(missing_ok=True)


def _compute_age(path: Path) -> float:
    try:
        return timezone.now().timestamp() - path.stat().st_ctime
    except FileNotFoundError:
        return 0.0
