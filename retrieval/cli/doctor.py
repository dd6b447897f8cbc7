"""``doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from retrieval.cli.console import say
from retrieval.kg.analysis import doctor as engine
from retrieval.kg.snapshot.manifest import MANIFEST

DAMAGED = 1


def doctor(args: argparse.Namespace) -> int:
    """Look through directories; 1 where something is damaged."""
    damaged = False
    for finding in _findings(args):
        damaged |= finding.state == "damaged"
        for line in engine.shown([finding]):
            say(line)
    return DAMAGED if damaged else 0


def _findings(args: argparse.Namespace) -> Iterator[engine.Finding]:
    for directory in args.directory:
        name = directory.resolve().name
        if (directory / "config.json").is_file() and (directory / MANIFEST).is_file():
            yield engine.of_checkpoint(directory, name, fix=args.fix)
        else:
            yield from engine.of_snapshot(directory, name, fix=args.fix)
