"""Readable pages from plain blocks: Markdown, or one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from retrieval.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Heading:
    """A section's title."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table; the first column names the row, the others are figures or words."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is opened when wanted: a title, and named lines under it."""

    title: str
    lines: Sequence[tuple[str, str]]


Block = Heading | Text | PageTable | Entry

_MARKED = re.compile(r"([\\`*_\[\]<>|#])")
_CSS = """
:root { color-scheme: light dark; --ink: #1d2430; --paper: #ffffff; --soft: #f2f4f7; --line: #d5dae2;
  --quiet: #5a6475; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --paper: #14181f; --soft: #1e242e; --line: #353d4a; --quiet: #9aa5b5; }
}
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
td + td { font-variant-numeric: tabular-nums; }
details { background: var(--soft); border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
dt { color: var(--quiet); } dd { margin: 0 0 .4rem 1rem; overflow-wrap: anywhere; white-space: pre-line; }
"""


def render_markdown(title: str, blocks: Sequence[Block]) -> str:
    """The page as Markdown; everything that is not layout is escaped."""
    return "\n\n".join([f"# {_clean_text(title)}", *(_render_markdown_block(block) for block in blocks)]) + "\n"


def render_html(title: str, blocks: Sequence[Block]) -> str:
    """The page as one HTML file, light or dark as the reader's system is; everything is escaped."""
    body = "\n".join(_render_html_block(block) for block in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def render(out: Path, title: str, blocks: Sequence[Block]) -> str:
    """The page in the form that the file's name asks for.

    Raises:
        ConfigError: it ends in neither ``.md`` nor ``.html``.
    """
    kind = out.suffix.lower()
    if kind in (".html", ".htm"):
        return render_html(title, blocks)
    if kind == ".md":
        return render_markdown(title, blocks)
    raise ConfigError(f"A page cannot be written as {out.name}.", hint="End its name in .md or .html.")


def _clean_text(text: str) -> str:
    return _MARKED.sub(r"\\\1", " ".join(text.split()))


def _render_markdown_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"## {_clean_text(block.text)}"
    if isinstance(block, Text):
        return _clean_text(block.text)
    if isinstance(block, PageTable):
        rows = [block.head, ("---",) * len(block.head), *block.rows]
        cells = [row if i == 1 else tuple(map(_clean_text, row)) for i, row in enumerate(rows)]
        return "\n".join(f"| {' | '.join(row)} |" for row in cells)
    lines = [f"- {_clean_text(name)}: {_clean_text(text)}" for name, text in block.lines]
    return "\n".join([f"**{_clean_text(block.title)}**", "", *lines])


def _render_html_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h2>{escape(block.text)}</h2>"
    if isinstance(block, Text):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, PageTable):
        head = "".join(f"<th>{escape(cell)}</th>" for cell in block.head)
        rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
        return f'<div class="scroll"><table>\n<tr>{head}</tr>\n{rows}\n</table></div>'
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in block.lines)
    return f"<details><summary>{escape(block.title)}</summary><dl>{lines}</dl></details>"
