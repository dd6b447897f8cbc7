"""Plain text and Markdown as blocks, read in pieces of bounded size whatever the length of their lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from retrieval.kg.readers.documents.splitting import TextBlock

#: A line or paragraph that goes on for longer is passed on in parts.
PART = 64 * 1024
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
#: Runs of marks of emphasis, and the fewest and most of each that mark together.
_MARKS = re.compile(r"\*+|_{2,}|`+")
_WIDTHS = {"*": (1, 3), "_": (2, 3), "`": (1, 1)}
_RULE = re.compile(r"^ {0,3}([-*_=])(?:[ \t]*\1){2,}[ \t]*$")


def split_lines(pieces: Iterable[str]) -> Iterator[str]:
    """Lines without their ends; a line longer than ``PART`` comes in parts, cut at a space where there is one."""
    rest = ""
    for piece in pieces:
        *full_lines, rest = (rest + piece).split("\n")
        for line in full_lines:
            yield from _split_long_line(line)
        *parts, rest = _split_long_line(rest)
        yield from parts
    yield rest


def _split_long_line(line: str) -> Iterator[str]:
    while len(line) > PART:
        space = line.rfind(" ", PART // 2, PART)
        cut = space if space > 0 else PART
        yield line[:cut]
        line = line[cut:]
    yield line


def read_text_blocks(pieces: Iterable[str]) -> Iterator[TextBlock]:
    """Paragraphs of plain text: lines between empty ones."""
    for paragraph in _join_paragraphs(split_lines(pieces)):
        yield TextBlock(paragraph)


def _join_paragraphs(text_lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in text_lines:
        if held and (not line.strip() or size > PART):
            yield "\n".join(held)
            held, size = [], 0
        if line.strip():
            held.append(line)
            size += len(line)
    if held:
        yield "\n".join(held)


def read_markdown_blocks(pieces: Iterable[str]) -> Iterator[TextBlock]:
    """Paragraphs of Markdown under their headings, without link targets and emphasis."""
    section: list[tuple[int, str]] = []
    held: list[str] = []
    size = 0
    fenced = False

    def flush() -> Iterator[TextBlock]:
        nonlocal size
        if held:
            yield TextBlock("\n".join(held), tuple(title for _, title in section))
        held.clear()
        size = 0

    for line in split_lines(pieces):
        if _FENCE.match(line):
            fenced = not fenced
            yield from flush()
            continue
        heading = None if fenced else _HEADING.match(line)
        under = not fenced and len(held) == 1 and re.fullmatch(r" {0,3}(=+|-{2,})[ \t]*", line)
        if heading or under:
            level = len(heading[1]) if heading else 1 if "=" in line else 2
            title = clean_markdown(_remove_closing_marks(line[heading.end() :])) if heading else held.pop()
            yield from flush()
            section = [(depth, name) for depth, name in section if depth < level]
            if title:
                section.append((level, title))
        elif not line.strip() or (not fenced and _RULE.match(line)):
            yield from flush()
        else:
            held.append(line if fenced else clean_markdown(line))
            size += len(line)
            if size > PART:
                yield from flush()
    yield from flush()


def clean_markdown(line: str) -> str:
    """A line of Markdown as it reads."""
    return _remove_emphasis(_LINK.sub(r"\1", line)).strip()


def _remove_closing_marks(title: str) -> str:
    """A heading's text without the marks that may close it."""
    text = title.strip(" \t")
    bare = text.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else text


def _remove_emphasis(line: str) -> str:
    """A line without the marks that stand around words, each looked at once: the nearest end of each kind is known."""
    runs = [(match.start(), match.end()) for match in _MARKS.finditer(line)]
    nearest: dict[tuple[str, int], int] = {}
    ends: list[dict[tuple[str, int], int]] = []
    for i in range(len(runs) - 1, -1, -1):
        ends.append(dict(nearest))
        start, stop = runs[i]
        if start and not line[start - 1].isspace():
            least, most = _WIDTHS[line[start]]
            nearest.update(((line[start], width), i) for width in range(least, min(most, stop - start) + 1))
    ends.reverse()
    kept, position, i = [], 0, 0
    while i < len(runs):
        start, stop = max(runs[i][0], position), runs[i][1]
        least, most = _WIDTHS[line[start]] if start < stop else (1, 0)
        for width in range(min(most, stop - start), least - 1, -1):
            end = ends[i].get((line[start], width))
            follows = line[start + width : start + width + 1]
            if end is not None and follows and not follows.isspace():
                kept += [line[position:start], line[start + width : runs[end][0]]]
                position, i = runs[end][0] + width, end - 1
                break
        i += 1
    return "".join([*kept, line[position:]])
