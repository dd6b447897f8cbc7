"""Files given twice."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path


def find_repeats(files: Sequence[Path]) -> list[int | None]:
    """For each file, the position of an earlier one with the same content, or None; one that cannot be read has none.

    Only files of one size are read for it.
    """
    sizes = [file.stat().st_size if file.is_file() else -1 for file in files]
    shared = Counter(sizes)
    known: dict[tuple[int, str], int] = {}
    originals: list[int | None] = []
    for position, (file, size) in enumerate(zip(files, sizes, strict=True)):
        if size <= 0 or shared[size] < 2:
            originals.append(None)
            continue
        first = known.setdefault((size, _compute_digest(file)), position)
        originals.append(first if first != position else None)
    return originals


def _compute_digest(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return f"unread {file}"
