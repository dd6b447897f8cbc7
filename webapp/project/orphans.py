"""Processes of this home whose supervisor was killed, found by the identity that they carry in their environment."""

from __future__ import annotations

import contextlib
import os

import psutil

HOME = "CLEW_HOME_ID"
PART = "CLEW_PART"


def build_environ(home_id: str, part: str) -> dict[str, str]:
    """What a process carries, so that it is known."""
    return {HOME: home_id, PART: part}


def find(home_id: str) -> dict[psutil.Process, str]:
    """Living processes that belong to a home, this one and those above it left out, and which part of Clew each is."""
    mine = {os.getpid(), *(p.pid for p in psutil.Process().parents())}
    parts = {}
    for process in psutil.process_iter():
        if process.pid in mine:
            continue
        with contextlib.suppress(psutil.Error, OSError):
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            carried = process.environ()
            if carried.get(HOME) == home_id:
                parts[process] = carried.get(PART, "process")
    return parts


def stop_all(home_id: str, patience: float = 10.0) -> list[str]:
    """End them, politely first; the name and number of each."""
    parts = find(home_id)
    for process in parts:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    _, stubborn = psutil.wait_procs(list(parts), timeout=patience)
    for process in stubborn:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(stubborn, timeout=5)
    return [f"{part} ({process.pid})" for process, part in parts.items()]
