"""What takes long to make is made once for all processes that run the tests."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


def get_shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of this test run have in common."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def make_once(makers: Mapping[str, Callable[[Path], object]], folder: Path) -> None:
    """Let each maker write the folder of its name, unless another process does; returns when all are there.

    A process makes what no other is making, and only then waits.
    """
    folder.mkdir(exist_ok=True)
    for wait in (False, True):
        for name, make in makers.items():
            with (folder / f"{name}.lock").open("w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                if not (folder / name).is_dir():
                    make(folder / name)
