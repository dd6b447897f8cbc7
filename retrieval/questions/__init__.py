"""Question sets: their formats, their splits, checking them against a graph, and making them from one."""

from __future__ import annotations

from pathlib import Path

from retrieval.kg.readers.options import DETECT, ReadOptions
from retrieval.kg.readers.preview import Preview

__all__ = ["preview_questions"]


def preview_questions(path: Path | str, name: str | None = None, options: ReadOptions = DETECT) -> Preview:
    """What a question file is taken for, with its first questions.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.

    Raises:
        ConfigError: a correction is unknown.
        SourceError: the file is missing.
    """
    from retrieval.questions import preview  # noqa: PLC0415 - loads polars

    file = Path(path)
    return preview.preview_questions(file, name or file.name, options)
