"""Indexes of a version that is changed: copied where the strings that they index have stayed the same."""

from __future__ import annotations

import filecmp
import shutil
from pathlib import Path


def copy_index(base: Path | None, directory: Path, strings: str, *files: str) -> bool:
    """Copy index files of ``base``, a version before, if it has the same string table; whether they are copied."""
    if base is None or not all((base / f"{name}.npy").is_file() for name in files):
        return False
    parts = [f"{strings}.{part}.npy" for part in ("utf8", "offsets")]
    if filecmp.cmpfiles(base, directory, parts, shallow=False)[0] != parts:
        return False
    for name in files:
        shutil.copyfile(base / f"{name}.npy", directory / f"{name}.npy")
    return True
