"""``doctor``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from retrieval.cli.console import print_result
from retrieval.kg.analysis import doctor as answerer
from retrieval.kg.snapshot.manifest import MANIFEST

DAMAGED = 1


def doctor(directory: tuple[Path, ...], /, *, fix: bool = False) -> int:
    """Look through directories; 1 where something is damaged.

    Args:
        directory: graphs and checkpoints.
        fix: remove what is damaged and can be computed again.
    """
    damaged = False
    for finding in _collect_findings(directory, fix=fix):
        damaged |= finding.state == "damaged"
        for line in answerer.format_findings([finding]):
            print_result(line)
    return DAMAGED if damaged else 0


def _collect_findings(directories: tuple[Path, ...], *, fix: bool) -> Iterator[answerer.Finding]:
    for directory in directories:
        name = directory.resolve().name
        if (directory / "config.json").is_file() and (directory / MANIFEST).is_file():
            yield answerer.check_checkpoint(directory, name)
        else:
            yield from answerer.check_snapshot(directory, name, fix=fix)
