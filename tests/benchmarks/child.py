"""Measuring a piece of work in a process of its own: how long it takes and the most memory it has at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SETUP = """
import json, resource, sys, time
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
given = json.loads(sys.argv[2])
told = {}
"""
_END = """
peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
print(json.dumps({**told, "peak_mb": int(peak) / 1024}))
"""


def run(code: str, given: Mapping[str, Any], *, memory: int = 0) -> dict[str, Any]:
    """Run ``code``, which finds ``given`` and puts what it measures into ``told``.

    Args:
        code: Python; ``json``, ``sys`` and ``time`` are imported.
        given: of JSON types.
        memory: bytes of its own that the process may have; 0 sets no limit.

    Returns:
        ``told`` and ``peak_mb``, the highest resident memory, mapped files included.
    """
    command = [sys.executable, "-c", _SETUP + code + _END, str(memory), json.dumps(given)]
    root = str(Path(__file__).resolve().parents[2])
    environment = os.environ | {"PYTHONPATH": root}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def load() -> str:
    """How busy the machine is with other work, for reading the times by."""
    return f"{os.getloadavg()[0]:.1f}"


def size_of(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
