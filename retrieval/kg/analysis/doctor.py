"""Looking through what was written: snapshots, what was computed from them, checkpoints; and how to mend each fault."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from retrieval.errors import ClewError
from retrieval.kg import snapshot
from retrieval.kg.snapshot import consistency, integrity
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.kg.snapshot.manifest import MANIFEST

State = Literal["ok", "mended", "note", "damaged"]
RESTORE = "Restore its files from a backup, go back to another version, or import the graph again."
RETRAIN = "Restore its files from a backup, or train again and delete it."
#: What begins a build that its writer did not end, and how long it is left alone in case he does.
LEFT = (".building-", ".retired-")
LEFT_FOR_S = 24 * 3600.0
_WIDTH = 34


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one thing.

    Attributes:
        state: ``ok``; ``mended`` just now; ``note``, which works all the same; or ``damaged``.
        thing: what was looked at.
        said: what is the matter.
        mend: what to do.
    """

    state: State
    thing: str
    said: str
    mend: str = ""


def check_snapshot(directory: Path, thing: str, *, fix: bool = False) -> Iterator[Finding]:
    """Read all of a snapshot, and of what was computed from it.

    Args:
        directory: of the snapshot.
        thing: what to call it.
        fix: write checksums that are missing, and remove what is damaged and can be computed again.
    """
    if not directory.is_dir():
        yield Finding("damaged", thing, "its directory is missing", RESTORE)
        return
    try:
        yield (
            _check_sealed(directory, thing)
            if integrity.is_sealed(directory)
            else _check_unsealed(directory, thing, fix)
        )
    except ClewError as error:
        yield Finding("damaged", thing, error.message, RESTORE)
    yield from _check_computed(directory, thing, fix=fix)


def check_checkpoint(directory: Path, thing: str, *, fix: bool = False) -> Finding:
    """Read all of a checkpoint; ``fix`` writes checksums that are missing."""
    if not directory.is_dir():
        return Finding("damaged", thing, "its directory is missing", RETRAIN)
    if integrity.is_sealed(directory):
        wrong = _find_mismatches(directory)
    else:
        wrong = [name for name in (MANIFEST, "config.json") if not (directory / name).is_file()]
        wrong += find_unreadable(directory)
    if wrong:
        return Finding("damaged", thing, f"not what was written: {', '.join(wrong)}", RETRAIN)
    return _ensure_checksums(directory, thing, fix=fix, shallow=False)


def format_findings(findings: Iterable[Finding]) -> Iterator[str]:
    """Findings as lines of a table, each as soon as it is there, with what to do below it."""
    for finding in findings:
        yield f"{finding.state:<8} {finding.thing:<{_WIDTH}} {finding.said}"
        if finding.mend:
            yield f"{'':<8} {'':<{_WIDTH}} -> {finding.mend}"


def find_leftovers(folder: Path, *, fix: bool = False) -> Iterator[Finding]:
    """Directories that a crash left half written anywhere in ``folder``; ``fix`` removes them."""
    for path in sorted(folder.rglob(".*")):
        if any(mark in path.name for mark in LEFT) and path.is_dir() and _is_at_rest(path):
            if fix:
                shutil.rmtree(path, ignore_errors=True)
            message = "a build that was not ended" + (", removed" if fix else "")
            yield Finding("mended" if fix else "note", str(path), message, "" if fix else "Run with --fix.")


def find_unreadable(directory: Path) -> list[str]:
    """Files that cannot be what their endings say, as far as that is told without checksums."""
    unreadable_files = []
    for path in sorted(directory.rglob("*")):
        check = _CHECKS.get(path.suffix)
        try:
            if check is not None and path.is_file():
                check(path)
        except (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError, zipfile.BadZipFile):
            unreadable_files.append(path.relative_to(directory).as_posix())
    return unreadable_files


def _check_sealed(directory: Path, thing: str) -> Finding:
    wrong = _find_mismatches(directory)
    if wrong:
        return Finding("damaged", thing, f"not what was written: {', '.join(wrong)}", RESTORE)
    snapshot.open(directory)
    return Finding("ok", thing, "all checksums fit")


def _check_unsealed(directory: Path, thing: str, fix: bool) -> Finding:
    wrong = consistency.find_senseless(directory)
    if wrong:
        return Finding("damaged", thing, f"numbers that make no sense: {', '.join(wrong)}", RESTORE)
    snapshot.verify(snapshot.open(directory))
    return _ensure_checksums(directory, thing, fix=fix, shallow=True)


def _ensure_checksums(directory: Path, thing: str, *, fix: bool, shallow: bool) -> Finding:
    """What is said of files in which nothing is wrong."""
    if integrity.is_sealed(directory):
        return Finding("ok", thing, "all checksums fit")
    if fix:
        integrity.write_checksums(directory, shallow=shallow)
        return Finding("mended", thing, "its checksums were missing and are written")
    return Finding("note", thing, "reads well, and has no checksums", "Run with --fix to write them.")


def _find_mismatches(directory: Path) -> list[str]:
    try:
        return integrity.compare(directory)
    except ClewError:
        return [integrity.CHECKSUMS]


def _check_computed(directory: Path, thing: str, *, fix: bool) -> Iterator[Finding]:
    """What lies in a snapshot's directory and can be computed again: vectors, states, statistics."""
    for path in sorted(directory.glob("*/**/")):
        if not integrity.is_sealed(path):
            continue
        wrong = _find_mismatches(path)
        if not wrong:
            continue
        what = f"{thing}: {path.relative_to(directory).as_posix()}"
        if fix:
            shutil.rmtree(path, ignore_errors=True)
        again = "It is computed again when it is next needed."
        if get_cache_folder(directory) not in path.parents:
            again = "It is computed again when a worker starts, or the graph is indexed again."
        message = f"not what was written: {', '.join(wrong)}"
        yield (
            Finding("mended", what, f"{message}; removed", again)
            if fix
            else Finding("damaged", what, message, f"Run with --fix to remove it. {again}")
        )


def _is_at_rest(path: Path) -> bool:
    """Whether nobody has written in a directory for long."""
    times = [entry.stat().st_mtime for entry in (path, *path.rglob("*"))]
    return time.time() - max(times) > LEFT_FOR_S


def _check_array(path: Path) -> None:
    try:
        np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        if np.load(path, allow_pickle=False).size:
            raise


def _check_weights(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        broken = file.testzip()
    if broken is not None:
        raise ValueError(broken)


def _check_tensors(path: Path) -> None:
    """That a safetensors file has the length that its header says."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        size = path.stat().st_size
        if not 0 < length <= size - 8:
            raise ValueError("no header")
        header = json.loads(file.read(length))
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    if 8 + length + max(ends, default=0) != size:
        raise ValueError("cut short")


def _check_json(path: Path) -> None:
    json.loads(path.read_text(encoding="utf-8"))


_CHECKS = {".npy": _check_array, ".pt": _check_weights, ".safetensors": _check_tensors, ".json": _check_json}
