"""Looking through what was written: snapshots, what was computed from them, checkpoints; and how to mend each fault."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retrieval import plugins
from retrieval.errors import ClewError
from retrieval.kg import snapshot
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.cache import get_cache_folder

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
        thing: what to call it.
        fix: remove what is damaged and can be computed again.
    """
    if not directory.is_dir():
        yield Finding("damaged", thing, "its directory is missing", RESTORE)
        return
    try:
        finding = _check_files(directory, thing, RESTORE)
        if finding.state == "ok":
            snapshot.open(directory)
        yield finding
    except ClewError as error:
        yield Finding("damaged", thing, error.message, RESTORE)
    yield from _check_computed(directory, thing, fix=fix)


def check_checkpoint(directory: Path, thing: str) -> Finding:
    """Read all of a checkpoint."""
    if not directory.is_dir():
        return Finding("damaged", thing, "its directory is missing", RETRAIN)
    return _check_files(directory, thing, RETRAIN)


def check_plugins() -> Iterator[Finding]:
    """Load all plug-ins."""
    for plugin in plugins.list_plugins():
        thing = f"plug-in {plugin.name} ({plugin.group})"
        if plugin.problem:
            yield Finding("note", thing, plugin.problem, f"Repair, update or uninstall {plugin.package}.")
        else:
            yield Finding("ok", thing, plugin.package)


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


def _check_files(directory: Path, thing: str, mend: str) -> Finding:
    wrong = _find_mismatches(directory)
    if wrong:
        return Finding("damaged", thing, f"not what was written: {', '.join(wrong)}", mend)
    return Finding("ok", thing, "all checksums fit")


def _find_mismatches(directory: Path) -> list[str]:
    if not integrity.is_sealed(directory):
        return [integrity.CHECKSUMS]
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
