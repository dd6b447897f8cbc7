"""Servers that outlived their test run, because it was killed: stopped before the next run starts its own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import psutil

from webapp.project.embedded import Servers, list_holders, parse_holder

PREFIX = "clew-test-"


def stop() -> list[Path]:
    """Stop the servers of test runs that have ended without doing so, and delete their data; where they lay.

    A run that has not started its servers yet, or that lives, is left alone.
    """
    stopped = []
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        held = home / "run" / "holders"
        pids = [parse_holder(file) for file in held.iterdir()] if held.is_dir() else []
        if pids and not any(map(psutil.pid_exists, pids)) and not list_holders(home):
            servers = Servers(home)
            servers.hold()
            servers.release()
            shutil.rmtree(home, ignore_errors=True)
            stopped.append(home)
    return stopped
