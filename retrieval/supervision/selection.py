"""Which numbered candidates a language model's reply selects, however it is written.

Models number oddly, repeat the path instead of its number, forget the prefix, think aloud and add prose. A
candidate counts only where the reply *lists* it: after ``ans:`` (ReG), under a heading such as "The rational
paths are:" (RAPL, REL-RAG), or in a reply that is nothing but a list. A number in prose ("Path 3 is about
aircraft, which is irrelevant") never counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

EXPLANATION_LIMIT = 1_000
"""Characters of an explanation that are kept."""

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_ANS = re.compile(r"(?:^|(?<=[\s*_`>.;,(-]))(?:ans|answer)s?\s*(?:\(s\))?\s*[*_`]*\s*:\s*[*_`]*", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:rational|relevant|selected|possible|correct)\s+(?:reasoning\s+)?(?:paths?|relations?)"
    r"(?:\s*\(s\))?(?:\s+for this question)?(?:\s+(?:are|is))?\s*[*_`]*\s*:",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(r"^\W*explanations?\b\W*", re.IGNORECASE | re.MULTILINE)
_WORD = r"(?:(?:reasoning|rational|relevant)\s+)?(?:paths?|relations?|p)"
_NUMBERED = re.compile(rf"[\W_]*{_WORD}[\s.#\[(:_-]*(\d+)", re.IGNORECASE)
_BARE = re.compile(r"[\W_]*(\d+)")
_BETWEEN = re.compile(r"[\])>*_`\"'.]*\s*(?P<sign>,\s*and\b|,|;|/|&|and\b|to\b|-|–)\s*", re.IGNORECASE)
_ENUMERATED = re.compile(rf"^\W*\d+\s*[.):-]\s*(?={_WORD}[\s.#\[(:_-]*\d)", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|no\s+(?:\w+\s+){0,2}(?:paths?|relations?)|not\s+(?:any|available)|n/a)\b", re.IGNORECASE)
_LINK = re.compile(rf"\b(?:{_WORD}|and|to)\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_SPACES = re.compile(r"\s+")


class NoSelectionError(Exception):
    """The reply lists nothing and does not say that nothing fits: empty, refused or off the point."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a reply selects.

    Attributes:
        chosen: positions of candidates, in the reply's order, each once; empty when it says that none fits.
        explanation: the reply's own reasons, shortened.
    """

    chosen: tuple[int, ...]
    explanation: str


def read_selection(reply: str, candidates: Sequence[str]) -> Selection:
    """The candidates that a reply selects.

    Args:
        candidates: their texts as shown, numbered from 0.

    Raises:
        NoSelectionError: nothing usable.
    """
    visible = _THINKING.sub("", reply).strip()
    pieces = _extract_answers(visible) or _extract_listed(visible) or _extract_bare_list(visible)
    known = [(_normalize_path(text), index) for index, text in enumerate(candidates)]
    chosen: dict[int, None] = {}
    for piece in pieces:
        for index in _match_piece(piece, known):
            chosen.setdefault(index)
    if not chosen and not (_NONE.search("\n".join(pieces)) if pieces else _NONE.search(visible)):
        raise NoSelectionError
    return Selection(tuple(chosen), _extract_explanation(visible))


def _extract_answers(visible: str) -> list[str]:
    """What stands after each ``ans:``; where nothing does, the lines below it."""
    pieces: list[str] = []
    below = False
    for line in visible.splitlines():
        parts = _ANS.split(line)
        if len(parts) > 1:
            pieces += [part for part in parts[1:] if part.strip()]
            below = not parts[-1].strip()
        elif below and line.strip() and not _EXPLANATION.match(line):
            pieces.append(line)
        elif line.strip():
            below = False
    return pieces


def _extract_listed(visible: str) -> list[str]:
    """The lines under the last heading that has any."""
    for heading in reversed(list(_HEADING.finditer(visible))):
        section = _EXPLANATION.split(visible[heading.end() :], maxsplit=1)[0]
        lines = [line for line in section.splitlines() if line.strip(" \t*_`-")]
        if lines:
            return lines
    return []


def _extract_bare_list(visible: str) -> list[str]:
    """The lines of a reply that lists items and says nothing else before its explanation."""
    lines = [line for line in _EXPLANATION.split(visible, maxsplit=1)[0].splitlines() if line.strip()]
    return lines if lines and all(_is_item(line) for line in lines) else []


def _is_item(line: str) -> bool:
    """A number or a numbered path, and not a sentence about it."""
    match = _NUMBERED.match(line)
    if match is None:
        return _is_number_list(line)
    rest = line[match.end() :]
    return "→" in rest or "->" in rest or not _LETTER.search(_LINK.sub(" ", rest))


def _is_number_list(line: str) -> bool:
    return re.fullmatch(r"\W*\d+(?:\W+(?:and\W+)?\d+)*\W*", line) is not None


def _match_piece(piece: str, known: Sequence[tuple[str, int]]) -> list[int]:
    """The candidates of one listed line: by its text, which cannot be misnumbered, or else by its numbers."""
    plain = _normalize_path(piece)
    indices = [index for text, index in known if text and text in plain]
    if indices:
        # A path that begins like another contains it: the longest is meant.
        return [max(indices, key=lambda index: len(next(text for text, i in known if i == index)))]
    line = _ENUMERATED.sub("", piece)
    first = _NUMBERED.match(line) or (_BARE.match(line) if _is_number_list(line.split(" →")[0]) else None)
    if first is None:
        return []
    numbers = [int(first.group(1))]
    position = first.end()
    while (sign := _BETWEEN.match(line, position)) and (
        item := _NUMBERED.match(line, sign.end()) or _BARE.match(line, sign.end())
    ):
        number = int(item.group(1))
        if sign["sign"].lower() in {"-", "–", "to"} and numbers[-1] < number < len(known):
            numbers += range(numbers[-1] + 1, number)
        numbers.append(number)
        position = item.end()
    return [number for number in numbers if number < len(known)]


def _normalize_path(text: str) -> str:
    """A path as compared: arrows, brackets, case and spaces do not count."""
    text = text.replace("->", "→").replace("[", " ").replace("]", " ").replace("*", " ").replace("`", " ")
    return _SPACES.sub(" ", text).strip().casefold()


def _extract_explanation(visible: str) -> str:
    """The reasons in a reply: what follows its heading, else all but its ``ans:`` lines."""
    parts = _EXPLANATION.split(visible, maxsplit=1)
    text = parts[1] if len(parts) > 1 else "\n".join(x for x in visible.splitlines() if not _ANS.search(x))
    return _SPACES.sub(" ", text).strip()[:EXPLANATION_LIMIT]
