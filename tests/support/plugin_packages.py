"""Packages with entry points, made for a test, and the example package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.clew import ROOT

EXAMPLE = ROOT / "examples" / "clew-example-plugin"


def add_package(folder: Path, name: str, entry_points: str, code: str = "") -> None:
    """Put a package into a folder as pip would: its metadata, and a module ``NAME.py``."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    (folder / f"{name}.py").write_text(code, encoding="utf-8")


def install_example(folder: Path) -> Path:
    """Install the example package with pip; the folder that it is in."""
    source, site = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True, env={**os.environ, "PYTHONPATH": ""})
    return site


def run_with(site: Path, *command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own that has the packages of a folder."""
    path = os.pathsep.join(filter(None, [str(ROOT), str(site), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
