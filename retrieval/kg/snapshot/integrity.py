"""Whether files are still what was written: checksums by block, written once and compared when files are opened.

:func:`write_checksums` writes ``checksums.json`` into a directory that is about to be published. :func:`require`
compares, and remembers what it found by inode, size and time, so that it costs a look at each file from the second time
on; a file that changed since is read again. Of a snapshot that is opened (``behind=True``) files of more than ``SMALL``
bytes are read by a thread of their own, so that opening takes milliseconds whatever the size. A directory without
checksums, such as the demo checkpoint in the repository, is taken as it is.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from retrieval.errors import DamagedError

logger = logging.getLogger(__name__)

CHECKSUMS = "checksums.json"
#: Bytes of a block, each of which has a checksum of its own.
BLOCK = 1 << 20
#: Larger files of a snapshot are compared behind its opening.
SMALL = 4 << 20
_ALGORITHM = "xxh3-64"
_DIGITS = 16
#: Bytes that are read and hashed at a time; they stay in the processor's cache.
_PIECE = 1 << 18
#: Blocks that are read before the thread behind lets others go first.
_BURST = 32

#: Device, inode, size and time of a file: whether it is the one that was looked at.
Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FileSums:
    """What a file was when it was written: its bytes, and the checksums of its blocks, one after the other, in hex."""

    size: int
    blocks: str


@dataclass(slots=True)
class _KnownSums:
    """What this process knows of a directory.

    Attributes:
        stamp: of the list of checksums.
        sums: by the name of the file.
        whole, broken: files that were compared, as they were then.
        waiting: those that the thread behind will compare.
    """

    stamp: Stamp
    sums: dict[str, FileSums]
    whole: dict[str, Stamp] = field(default_factory=dict)
    broken: dict[str, Stamp] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)


_known: dict[Path, _KnownSums] = {}
_lock = threading.Lock()
_behind: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_threads: list[threading.Thread] = []


def write_checksums(directory: Path, *, shallow: bool = False) -> None:
    """Write the checksums of all files that a directory has, by their names in it.

    Args:
        directory: where, and of what.
        shallow: leave out what lies in folders of it.
    """
    paths = directory.iterdir() if shallow else directory.rglob("*")
    names = sorted(path.relative_to(directory).as_posix() for path in paths if path.is_file())
    files = {name: _compute_sums(directory / name) for name in names if name != CHECKSUMS}
    listed = {name: {"size": sums.size, "blocks": sums.blocks} for name, sums in files.items()}
    sealed = {"algorithm": _ALGORITHM, "block": BLOCK, "files": listed}
    text = json.dumps({**sealed, "own": _compute_own_sum(sealed)}, sort_keys=True)
    part = directory / f".{CHECKSUMS}.part"
    part.write_text(text, encoding="utf-8")
    part.replace(directory / CHECKSUMS)


def is_sealed(directory: Path) -> bool:
    """Whether there are checksums of a directory, whole or damaged."""
    return (directory / CHECKSUMS).is_file()


def read_checksums(directory: Path) -> dict[str, FileSums] | None:
    """The checksums of a directory by file, or None where it has none.

    Raises:
        DamagedError: they are damaged themselves.
    """
    try:
        raw: Any = json.loads((directory / CHECKSUMS).read_text(encoding="utf-8"))
        own_sum = raw.pop("own")
        if (raw["algorithm"], raw["block"], own_sum) != (_ALGORITHM, BLOCK, _compute_own_sum(raw)):
            raise ValueError("it does not fit its own checksum")
        return {name: FileSums(entry["size"], entry["blocks"]) for name, entry in raw["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise make_damaged_error(directory, [CHECKSUMS]) from error


def compare(directory: Path) -> list[str]:
    """The files of a directory that are missing or not what was written, in full; nothing is remembered.

    Raises:
        DamagedError: the checksums are damaged themselves.
    """
    sums = read_checksums(directory) or {}
    return [name for name, file in sums.items() if not _is_same(directory / name, file)]


def require(directory: Path, *, behind: bool = False) -> None:
    """Compare what was not compared before, or changed since.

    Args:
        directory: what was published.
        behind: leave large files that were never read to a thread; the next call tells what it found.

    Raises:
        DamagedError: a file is missing, or is not what was written.
    """
    known = _load_known(directory)
    if known is None:
        return
    later = []
    for name, sums in known.sums.items():
        stamp = get_stamp(directory / name)
        if stamp is None or stamp[2] != sums.size or known.broken.get(name) == stamp:
            raise make_damaged_error(directory, [name])
        if known.whole.get(name) == stamp:
            continue
        if behind and sums.size > SMALL and name not in known.whole:
            later.append(name)
        else:
            _compare(directory, name, known, stamp)
            if name in known.broken:
                raise make_damaged_error(directory, [name])
    fresh = [name for name in later if name not in known.waiting]
    known.waiting.update(fresh)
    for name in fresh:
        run_behind(lambda name=name: _compare_behind(directory, name, known))  # type: ignore[misc]


def is_whole(directory: Path) -> bool:
    """Whether :func:`require` finds nothing."""
    try:
        require(directory)
    except DamagedError:
        return False
    return True


def run_behind(work: Callable[[], None]) -> None:
    """Have the thread behind do something."""
    with _lock:
        if not _threads or not _threads[0].is_alive():
            _threads[:] = [threading.Thread(target=_run_work, name="integrity", daemon=True)]
            _threads[0].start()
    _behind.put(work)


def flush_work() -> None:
    """Wait until the thread behind has done what it was given so far."""
    done = threading.Event()
    run_behind(done.set)
    done.wait()


def make_damaged_error(directory: Path, names: list[str]) -> DamagedError:
    """The error of a directory, which the log names and the person does not see."""
    logger.error("damaged: %s in %s", ", ".join(names), directory)
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    return DamagedError(f"The graph's files are damaged ({shown}).")


def _load_known(directory: Path) -> _KnownSums | None:
    stamp = get_stamp(directory / CHECKSUMS)
    if stamp is None:
        return None
    with _lock:
        known = _known.get(directory)
    if known is None or known.stamp != stamp:
        sums = read_checksums(directory)
        if sums is None:
            return None
        fresh = _KnownSums(stamp, sums)
        with _lock:
            known = _known[directory] = fresh
    return known


def _compare(directory: Path, name: str, known: _KnownSums, stamp: Stamp, *, rest: bool = False) -> None:
    same = _is_same(directory / name, known.sums[name], rest=rest)
    current, previous = (known.whole, known.broken) if same else (known.broken, known.whole)
    current[name] = stamp
    previous.pop(name, None)


def _compare_behind(directory: Path, name: str, known: _KnownSums) -> None:
    stamp = get_stamp(directory / name)
    if stamp is not None:  # what is gone by now is told when it is opened again
        _compare(directory, name, known, stamp, rest=True)
        if name in known.broken:
            make_damaged_error(directory, [name])
    known.waiting.discard(name)


def _run_work() -> None:
    while True:
        try:
            _behind.get()()
        except Exception:
            logger.exception("could not look at the files of a graph")


def get_stamp(path: Path) -> Stamp | None:
    """What tells a file from another, or from itself after a change; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_same(path: Path, sums: FileSums, *, rest: bool = False) -> bool:
    offset = size = 0
    try:
        for digest, length in _iter_blocks(path, rest=rest):
            if sums.blocks[offset : offset + _DIGITS] != digest:
                return False
            offset, size = offset + _DIGITS, size + length
    except OSError:
        return False
    return (size, offset) == (sums.size, len(sums.blocks))


def _compute_sums(path: Path) -> FileSums:
    blocks = list(_iter_blocks(path))
    return FileSums(sum(length for _, length in blocks), "".join(digest for digest, _ in blocks))


def _iter_blocks(path: Path, *, rest: bool = False) -> Iterator[tuple[str, int]]:
    """The checksum and the length of each block. Read, not mapped: a disk that fails is an error then, no signal."""
    piece = memoryview(bytearray(_PIECE))
    with path.open("rb", buffering=0) as file:
        began, done, ended = time.perf_counter(), 0, False
        while not ended:
            digest, length = xxhash.xxh3_64(), 0
            while length < BLOCK:
                read = file.readinto(piece[: min(_PIECE, BLOCK - length)])
                if not read:
                    ended = True
                    break
                digest.update(piece[:read])
                length += read
            if length:
                yield digest.hexdigest(), length
                done += 1
            if rest and done % _BURST == 0:
                time.sleep(time.perf_counter() - began)
                began = time.perf_counter()


def _compute_own_sum(sealed: dict[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(sealed, sort_keys=True).encode())
