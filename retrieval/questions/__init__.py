"""Question sets: their formats, their splits, checking them against a graph, and making them from one."""

from __future__ import annotations

from pathlib import Path

from retrieval.kg.readers.preview import Preview

__all__ = ["preview_questions"]


def preview_questions(
    path: Path | str, name: str | None = None, *, fmt: str | None = None, encoding: str | None = None
) -> Preview:
    """What a question file is taken for, with its first questions.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.
        fmt, encoding: corrections, as :func:`retrieval.questions.files.read_questions` takes them.

    Raises:
        ConfigError: a correction is unknown.
        SourceError: the file is missing.
    """
    from retrieval.kg.readers.reading import ReadOptions  # noqa: PLC0415 - loads polars
    from retrieval.questions import preview  # noqa: PLC0415 - loads polars

    file = Path(path)
    return preview.preview_questions(file, name or file.name, ReadOptions(fmt, encoding=encoding))
