"""Where sentences begin and end. Plain Python and no word lists beyond abbreviations, for any script."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Words after which a point ends no sentence, in small letters and without their point.
_WORDS = """
mr mrs ms dr prof sr jr st mt ft gen col sgt capt lt rev hon gov sen rep pres vs etc al cf eg ie fig no nos vol
pp ed eds approx ca inc ltd co corp dept univ jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n e.g i.e
z.b d.h bzw usw nr bd"""
_ABBREVIATIONS = frozenset(_WORDS.split())
#: A mark that may end a sentence, what closes after it, and the white space before the next. Marks of scripts
#: without spaces end it by themselves. Each run of marks is tried once, from its first, and nothing is given back,
#: so that a text of nothing but points takes no longer than another.
_END = re.compile(r"(?:(?<![.!?…؟۔।])[.!?…؟۔।]++[\"'”’»)\]]*+(?=\s)|[。！？｡]++[”’」』）\]]*+)\s*+|\n[^\S\n]*+\n\s*+")
#: How much before a mark tells whether it ends a sentence: no abbreviation is longer.
_BEFORE = 40
_INITIAL = re.compile(r"(?:^|[\s(.])[^\W\d_]$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, in characters, without the white space around it.

    An empty line ends a sentence always; a point does not after an initial, an abbreviation or where the next word
    begins with a small letter. Every character that is not white space lies in exactly one sentence.
    """
    return list(_iter_spans(text))


def _iter_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        if match[0].strip() and not _is_sentence_end(text, start, match):
            continue
        yield from _iter_trimmed(text, start, match.end())
        start = match.end()
    yield from _iter_trimmed(text, start, len(text))


def _is_sentence_end(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the mark ends a sentence that began at ``start``."""
    if match[0].endswith("\n") and match[0].count("\n") > 1:
        return True
    if match.end() < len(text) and text[match.end()].islower():
        return False
    if match[0].strip() != ".":
        return True
    before = text[max(start, match.start() - _BEFORE) : match.start()]
    word = before.rsplit(None, 1)[-1].lstrip("(\"'“‘[").casefold() if before.strip() else ""
    return word not in _ABBREVIATIONS and not _INITIAL.search(before)


def _iter_trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    inner = piece.strip()
    if inner:
        first = start + piece.index(inner)
        yield first, first + len(inner)
