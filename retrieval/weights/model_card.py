"""Model cards: a section for each file of weights, written from the record of its building."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.weights.builder import FigureRow
    from retrieval.weights.data import DataSource
    from retrieval.weights.record import BuildRecord

DATA = "data"
"""The name of the section about data."""
_WIDTH = 120


def update_card(page: Path, record: BuildRecord) -> None:
    """Write the generated section of some weights: replace the one that the page has, or append it.

    Args:
        page: Markdown; made where it is missing.
        record: how the weights were made.
    """
    section = render_card(record)
    text = page.read_text(encoding="utf-8") if page.is_file() else "# Weights\n"
    replaced, count = re.subn(_make_pattern(record.name), lambda _: section, text, flags=re.DOTALL)
    page.write_text(replaced if count else f"{text}\n{section}\n", encoding="utf-8")


def extract_section(page: Path, name: str) -> str:
    """The generated section of a page; empty where there is none."""
    match = re.search(_make_pattern(name), page.read_text(encoding="utf-8"), re.DOTALL)
    return match.group() if match else ""


def render_card(record: BuildRecord) -> str:
    """The generated section of some weights, between its marks."""
    start, end = _make_marks(record.name)
    lines = [
        start,
        "",
        f"Built by `{record.command}` on {record.date} with version {record.version} and the text encoder "
        f"`{record.encoder}`. Data:",
        "",
        *(f"- {name}: {origin}" for name, origin in record.data.items()),
        "",
        record.figures.about,
    ]
    wrapped = [piece for line in lines for piece in (_wrap(line) if line else [""])]
    return "\n".join([*wrapped, "", *_render_table(record.figures.rows), "", end])


def render_sources(sources: Iterable[DataSource]) -> str:
    """The section that says what the data folder must hold, between its marks."""
    start, end = _make_marks(DATA)
    lines = []
    for source in dict.fromkeys(sources):
        paths = f" In {', '.join(f'`{path}`' for path in source.paths)}." if source.paths else ""
        needed = "" if source.required else " (optional)"
        lines += _wrap(f"- *{source.name}*{needed}: {source.origin}.{paths}")
    return "\n".join([start, "", *lines, "", end])


def _wrap(line: str) -> list[str]:
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _render_table(rows: Sequence[FigureRow]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for row in rows:
        cells = [_format_value(row.values[name]) if name in row.values else "" for name in names]
        lines.append(f"| {row.group} | {' | '.join(cells)} |")
    return lines


def _format_value(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _make_pattern(name: str) -> str:
    start, end = (re.escape(mark) for mark in _make_marks(name))
    return f"{start}.*?{end}"


def _make_marks(name: str) -> tuple[str, str]:
    return f"<!-- build-weights {name} -->", f"<!-- end of build-weights {name} -->"
