"""What is stored in S3-compatible storage: sent there when it is made, fetched when another machine needs it.

Snapshots are memory-mapped, so that each machine works on files of its own. The storage holds the truth, the
local disk a copy. A stored thing, a file or a directory such as ``snapshots/3/1``, is sent file by file and then
listed under ``NAME/.complete``; only what is listed is ever fetched, so that nothing half sent is taken for whole. It
is fetched once a machine, whoever asks for it first, and snapshots not used for long make way (``CLEW_CACHE_GB``).
With ``CLEW_STORAGE=file`` nothing here does anything.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import storages

from webapp.api.errors import StorageAwayError

ALIAS = "remote"
LISTED = ".complete"
#: Kept on this machine beside a copy: the list that it was fetched or sent by.
STAMP = ".copied"
LOOK_AGAIN_S = 30.0
"""How long a copy is taken for the newest before the storage is asked again."""

IN_USE_S = 600.0
"""A snapshot that was asked for so lately does not make way."""

GB = 10**9
_looked: dict[str, float] = {}
_lock = threading.Lock()


def is_enabled() -> bool:
    """Whether there is such a storage."""
    return ALIAS in settings.STORAGES


@contextmanager
def _open_bucket() -> Iterator[tuple[Any, str]]:
    """The bucket, and the prefix of everything in it.

    Raises:
        StorageAwayError: it does not answer, or refuses.
    """
    from boto3.exceptions import Boto3Error  # noqa: PLC0415 - loads for a while, and only where it is used
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    storage: Any = storages[ALIAS]
    try:
        yield storage.bucket, f"{storage.location.strip('/')}/" if storage.location else ""
    except (Boto3Error, BotoCoreError, ClientError) as error:
        raise StorageAwayError(
            f"The object storage does not do what it should: {error}",
            hint="Try again in a moment; if it stays, its address, bucket and keys are the operator's to check.",
        ) from error


def send(name: str, path: Path) -> None:
    """Send a stored thing as it is on this machine. What is there already with the same size is not sent again.

    Args:
        name: in the storage.

    Raises:
        StorageAwayError: the storage does not answer, or refuses.
    """
    if not is_enabled():
        return
    files = {"": path} if path.is_file() else _list_files(path)
    sizes = {relative: file.stat().st_size for relative, file in files.items()}
    with _open_bucket() as (bucket, prefix):
        before = _read_listing(bucket, prefix + name)
        for relative, file in files.items():
            if relative != "" and before.get(relative) == sizes[relative]:
                continue
            bucket.upload_file(str(file), _build_key(prefix + name, relative))
        listing = json.dumps(sizes, sort_keys=True)
        bucket.put_object(Key=f"{prefix}{name}/{LISTED}", Body=listing.encode())
    _write_stamp(path, listing)


def ensure(name: str, path: Path) -> None:
    """Have a stored thing on this machine as the storage has it, if the storage has it.

    Raises:
        StorageAwayError: the storage does not answer, and nothing of it is here.
    """
    if not is_enabled() or name.count("/") != 2:
        return
    now = time.monotonic()
    with _lock:
        if path.exists() and now - _looked.get(name, float("-inf")) < LOOK_AGAIN_S:
            return
        _looked[name] = now
    try:
        with _lock_fetch(path), _open_bucket() as (bucket, prefix):
            _fetch(bucket, prefix + name, path)
    except StorageAwayError:
        if not path.exists():
            raise
    if path.is_dir():
        _update_stamp(path)


def _fetch(bucket: Any, key: str, path: Path) -> None:
    listed = _read_listing(bucket, key)
    if not listed or _read_stamp(path) == listed:
        return
    if "" in listed:
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
        part.parent.mkdir(parents=True, exist_ok=True)
        bucket.download_file(_build_key(key, ""), str(part))
        part.replace(path)
        _write_stamp(path, json.dumps(listed))
        return
    _make_room(sum(listed.values()), keep=path)
    target = path if path.exists() else path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        for relative, size in listed.items():
            file = target / relative
            if not file.is_file() or file.stat().st_size != size:
                file.parent.mkdir(parents=True, exist_ok=True)
                part = file.with_name(f".{file.name}.part")
                bucket.download_file(_build_key(key, relative), str(part))
                part.replace(file)
        if target != path:
            target.rename(path)
    finally:
        if target != path:
            shutil.rmtree(target, ignore_errors=True)
    _write_stamp(path, json.dumps(listed))


def remove(name: str) -> None:
    """Delete a stored thing, or all that begin with a name, from the storage."""
    if not is_enabled():
        return
    with _open_bucket() as (bucket, prefix):
        bucket.objects.filter(Prefix=f"{prefix}{name}/").delete()
        bucket.Object(f"{prefix}{name}").delete()
    _get_stamp_path(Path(settings.MEDIA_ROOT) / name).unlink(missing_ok=True)
    with _lock:
        _looked.pop(name, None)


def list_sizes(kind: str) -> dict[str, int]:
    """Bytes of all that is stored of a kind, by name, such as ``checkpoints/3/7/weights.pt``.

    Raises:
        StorageAwayError: the storage does not answer, or refuses.
    """
    with _open_bucket() as (bucket, prefix):
        summaries = bucket.objects.filter(Prefix=f"{prefix}{kind}/")
        return {summary.key.removeprefix(prefix): summary.size for summary in summaries}


def _make_room(more: int, keep: Path) -> None:
    """Delete the copies of snapshots that were not used for longest, until ``more`` bytes fit into the cache."""
    limit = settings.CLEW.cache_gb * GB
    root = Path(settings.MEDIA_ROOT) / "snapshots"
    copies = [path for path in root.glob("*/*") if path.is_dir() and path != keep and _get_stamp_path(path).is_file()]
    sizes = {path: sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) for path in copies}
    used = sum(sizes.values()) + more
    for path in sorted(copies, key=lambda path: _get_stamp_path(path).stat().st_mtime):
        if used <= limit or time.time() - _get_stamp_path(path).stat().st_mtime < IN_USE_S:
            return
        # Whoever has it open keeps its pages; the next to ask fetches it again.
        shutil.rmtree(path, ignore_errors=True)
        _get_stamp_path(path).unlink(missing_ok=True)
        used -= sizes[path]


def _list_files(directory: Path) -> dict[str, Path]:
    """The files of a directory by their relative names; none of them hidden, which are half written."""
    files = {}
    for path in sorted(directory.rglob("*")):
        relative = path.relative_to(directory)
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            files[relative.as_posix()] = path
    return files


def _build_key(name: str, relative: str) -> str:
    return f"{name}/{relative}" if relative else name


def _read_listing(bucket: Any, name: str) -> dict[str, int]:
    """What the storage says belongs to a thing; nothing when it has not all of it."""
    from botocore.exceptions import ClientError  # noqa: PLC0415

    try:
        body = bucket.Object(f"{name}/{LISTED}").get()["Body"].read()
    except ClientError as error:
        if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
            return {}
        raise
    listing: dict[str, int] = json.loads(body)
    return listing


def _get_stamp_path(path: Path) -> Path:
    return path.with_name(f"{STAMP}-{path.name}")


def _write_stamp(path: Path, listing: str) -> None:
    _get_stamp_path(path).write_text(listing)


def _read_stamp(path: Path) -> dict[str, int] | None:
    try:
        listing: dict[str, int] = json.loads(_get_stamp_path(path).read_text()) if path.exists() else {}
    except (OSError, ValueError):
        return None
    return listing


def _update_stamp(path: Path) -> None:
    if _get_stamp_path(path).is_file():
        _get_stamp_path(path).touch()


@contextmanager
def _lock_fetch(path: Path) -> Iterator[None]:
    """One process of this machine at a time fetches a thing; the others wait and then find it."""
    folder = Path(settings.MEDIA_ROOT) / "fetching"
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / "-".join(path.parts[-3:])
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
