"""Servers that outlived their test run, because it was killed: stopped before the next run starts its own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from webapp.project.embedded import Servers, is_alive

PREFIX = "clew-test-"


def stop() -> list[Path]:
    """Stop the servers of test runs that have ended without doing so, and delete their data; where they lay.

    A run that has not started its servers yet, or that lives, is left alone.
    """
    stopped = []
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        holders = home / "run" / "holders"
        pids = [int(file.name) for file in holders.iterdir()] if holders.is_dir() else []
        if pids and not any(map(is_alive, pids)):
            servers = Servers(home)
            servers.hold()
            servers.release()
            shutil.rmtree(home, ignore_errors=True)
            stopped.append(home)
    return stopped
