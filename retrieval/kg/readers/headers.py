"""Headers in files of their own, as ``neo4j-admin import`` takes them: which data files belong to which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.property_layout import find_layout
from retrieval.kg.readers.rows_layout import split_cells

#: A file of one line is no larger.
HEADER_LIMIT = 64 * 1024
_WORD = re.compile(r"[-_. ]*headers?[-_. ]*", re.IGNORECASE)
_ROLE = re.compile(r":(ID|START_ID|END_ID)\b")


def match_headers(files: Sequence[tuple[Path, str]]) -> tuple[dict[int, str], set[int]]:
    """Data files with headers of their own.

    A header file is one line that names roles (``:ID``, ``:START_ID``); it heads the files whose names begin as its own
    does (``movies_header.csv``: ``movies.csv``, ``movies-part2.csv``), or, where it is the only one with so many
    columns, those that have as many.

    Args:
        files: path and name of each.

    Returns:
        The header of each data file that has one, by position in ``files``, and the positions of header files that
        head something.
    """
    headers = {i: line for i, (path, _) in enumerate(files) if (line := _read_header(path))}
    if not headers:
        return {}, set()
    header_lines: dict[int, str] = {}
    used: set[int] = set()
    for i, (path, name) in enumerate(files):
        first = None if i in headers else _read_first_line(path)
        if first is None or find_layout(first) is not None:
            continue
        header = _find_header(name, first, {h: (files[h][1], line) for h, line in headers.items()})
        if header is not None:
            header_lines[i] = headers[header]
            used.add(header)
    return header_lines, used


def _find_header(name: str, first: str, headers: dict[int, tuple[str, str]]) -> int | None:
    """Which header belongs to a data file, if one does."""
    fitting = []
    for position, (_, line) in headers.items():
        layout = find_layout(line)
        if layout is not None and len(split_cells(first, layout[0])) == layout[1].width:
            fitting.append(position)
    by_name = [(len(stem), i) for i in fitting if _get_stem(name).startswith(stem := _get_stem(headers[i][0]))]
    if by_name:
        return max(by_name)[1]
    return fitting[0] if len(fitting) == 1 else None


def _get_stem(name: str) -> str:
    base = name.rsplit("/", 1)[-1].lower().split(".")[0]
    return _WORD.sub("", base)


def _read_header(path: Path) -> str | None:
    """The line of a header file; None where a file is something else."""
    if not path.is_file() or path.stat().st_size > HEADER_LIMIT:
        return None
    lines = _read_lines(path)
    if len(lines) != 1 or not _ROLE.search(lines[0]) or find_layout(lines[0]) is None:
        return None
    return lines[0]


def _read_first_line(path: Path) -> str | None:
    lines = _read_lines(path)
    return lines[0] if lines else None


def _read_lines(path: Path) -> list[str]:
    try:
        with open_bytes(path) as file:
            text = file.read(HEADER_LIMIT).decode("utf-8-sig", errors="replace")
    except (OSError, SourceError):
        return []
    return [line for line in text.splitlines() if line.strip()]
