"""Where the optional public data sets are; they are not part of the repository."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

DATA = Path(os.environ.get("CLEW_BENCH_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def found(*parts: str) -> Path | None:
    """The file or folder, or None (said aloud) when it is not there."""
    path = DATA.joinpath(*parts)
    if path.exists():
        return path
    print(f"skipped: {path} is not there", flush=True)
    return None


def musique_texts() -> list[str]:
    """The texts of MuSiQue's passages; none where they are not there."""
    path = found("text", "musique_passages.jsonl.gz")
    if path is None:
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]
