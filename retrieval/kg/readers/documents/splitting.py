"""Cutting documents into passages of bounded size, at the borders of paragraphs and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from retrieval.kg.readers.documents.sentences import split_sentences

#: Characters of a passage: what the default encoder reads whole (256 tokens), so that nothing of it is unseen.
PASSAGE_LIMIT = 1000
#: A passage that long is not filled up with the next paragraph.
FULL = 700
_SPACES = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph as a reader found it, under a heading.

    Attributes:
        text: white space inside a line does not count.
        section: the headings above it, outermost first.
        place: where in the document, such as a page; empty when it has no such thing.
    """

    text: str
    section: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage before it has a name: its text, and the section and place of its first block."""

    text: str
    section: tuple[str, ...] = ()
    place: str = ""


def split_blocks(blocks: Iterable[TextBlock], limit: int = PASSAGE_LIMIT) -> Iterator[Piece]:
    """Passages of at most ``limit`` characters, in order; no more than one is held in memory.

    Short paragraphs of one section share a passage, joined by an empty line. A paragraph that is longer than
    ``limit`` is cut between sentences, and a sentence that is longer between words.
    """
    full = min(FULL, limit)
    held: list[str] = []
    size = 0
    first = TextBlock("")
    for block in blocks:
        text = "\n".join(line for part in block.text.split("\n") if (line := _SPACES.sub(" ", part).strip()))
        if not text:
            continue
        if held and (
            size >= full or size + 2 + len(text) > limit or (block.section, block.place) != (first.section, first.place)
        ):
            yield Piece("\n\n".join(held), first.section, first.place)
            held, size = [], 0
        if len(text) > limit:
            for part in _split_paragraph(text, limit):
                yield Piece(part, block.section, block.place)
            continue
        first = block if not held else first
        held.append(text)
        size += len(text) + (2 if size else 0)
    if held:
        yield Piece("\n\n".join(held), first.section, first.place)


def _split_paragraph(text: str, limit: int) -> Iterator[str]:
    """A long paragraph in parts of about equal length, none longer than ``limit``."""
    aim = min(limit, -(-len(text) // -(-len(text) // limit)) + limit // 10)
    start = end = 0
    for begin, stop in _iter_units(text, limit):
        if stop - start > aim and end > start:
            yield text[start:end]
            start = begin
        end = stop
    yield text[start:end]


def _iter_units(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """Sentences, and where one is longer than ``limit``, runs of its words (or characters) that are not."""
    for begin, end in split_sentences(text):
        start = begin
        while end - start > limit:
            space = text.rfind(" ", start + 1, start + limit + 1)
            middle = space if space > start else start + limit
            yield start, middle
            start = middle + (1 if space > start else 0)
        if end > start:
            yield start, end
