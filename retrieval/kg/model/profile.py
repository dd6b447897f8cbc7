"""What the cells of a column are like: how many are filled and distinct, and what kind of text they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.kg.model.data_model import ColumnType
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.values import parse
from retrieval.lexicon import get_words

#: Cells that are parsed; those of longer columns are taken at even distances.
SAMPLE = 1000
#: How many samples a person is shown, and the longest of them in characters.
SHOWN, SHOWN_LENGTH = 3, 80
#: A code: one word with a digit, capitals alone, or small letters with underscores: "P-104", "ALFKI", "X", "oak_log".
CODE = re.compile(r"(?=\S*\d)[\w./#:-]+|[A-Z][A-Z./#-]{0,10}|[a-z]+(?:_[a-z]+)+")
LINK = re.compile(r"(?:https?|ftp)://\S+|www\.\S+|[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
#: Text of machines: long runs of hexadecimal digits, and paths.
_HASH = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}|[\w-]{36}")
_PATH = re.compile(r"#\w[^#]*#|/\S*/\S*")
#: A code of digits alone: "02138".
_PADDED = re.compile(r"0\d+")
TRUTHS = get_words("truth_words")
_BITS = frozenset({"0", "1"})
#: The longest cell that is a name, in characters, and the most words of one.
_NAME_LENGTH, _NAME_WORDS = 100, 12
#: Letters of what all headings of a table begin with, at most; and columns that show it.
_PREFIX = 3


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of one column. Shares are of its filled cells.

    Attributes:
        heading: as it stands in the file.
        position: of the column, from 0.
        rows: of the table.
        filled: cells that hold something.
        distinct: different values.
        first_rows: values of the first rows, for examples.
        words: share that could be a name: letters, no value, code, address, nor a long text.
        codes: share of codes.
        numbers: share of numbers.
        dates: share of dates and times.
        truths: share of yes and no.
        links: share of addresses of pages and mail.
        hashes: share of long hexadecimal numbers, as programs write keys and hide names.
        lists: whether cells hold several values.
        has_padding: whether whole numbers begin with zeros, as codes do.
        prefix: what every heading of the table begins with, in lower case: ``c`` of ``c_name`` and ``c_phone``.
    """

    heading: str
    position: int
    rows: int
    filled: int
    distinct: int
    first_rows: tuple[str, ...]
    words: float
    codes: float
    numbers: float
    dates: float
    truths: float
    links: float
    hashes: float
    lists: bool
    has_padding: bool
    prefix: str = ""

    @cached_property
    def label(self) -> str:
        """The heading as a person would write it."""
        return format_relation_name(self.heading) if self.heading.strip() else ""

    @cached_property
    def heading_words(self) -> tuple[str, ...]:
        """The words of the label, in lower case, without signs, numbers and the table's prefix."""
        words = tuple(word for word in re.split(r"[\W\d_]+", self.label.casefold()) if word)
        return words[1:] if self.prefix and words[:1] == (self.prefix,) else words

    @property
    def coverage(self) -> float:
        """The share of rows that have a value."""
        return self.filled / self.rows if self.rows else 0.0

    @property
    def uniqueness(self) -> float:
        """Different values among those that are there; 1 where each is met once."""
        return self.distinct / self.filled if self.filled else 0.0

    @property
    def type(self) -> ColumnType:
        """What most cells hold."""
        if self.lists:
            return "list"
        if self.filled and self.truths == 1 and self.distinct <= 2:
            return "boolean"
        if self.has_padding:
            return "text"
        shares: tuple[tuple[float, ColumnType], ...] = (
            (self.dates, "date"), (self.numbers, "number"), (self.links, "link"),
        )  # fmt: skip
        return next((name for share, name in shares if share >= 0.8), "text")


def find_prefix(header: Sequence[str]) -> str:
    """The abbreviation that every heading of a table begins with, in lower case; empty where there is none."""
    first = {heading.casefold().partition("_")[0] if "_" in heading else "" for heading in header}
    prefix = first.pop() if len(first) == 1 and len(header) > _PREFIX else ""
    return prefix if len(prefix) <= _PREFIX else ""


def profile_column(
    heading: str, position: int, cells: Sequence[str | list[str] | None], prefix: str = ""
) -> ColumnProfile:
    """Profile the cells of a column; distinct values are counted over all of them, kinds of text over a sample."""
    lists = any(isinstance(cell, list) and len(cell) > 1 for cell in cells[:SAMPLE])
    texts = [cell if isinstance(cell, str) else "; ".join(cell) for cell in cells if cell]
    step = max(1, len(texts) // SAMPLE)
    sample = texts[::step][:SAMPLE]
    kinds = [_classify(text) for text in sample]
    count = max(1, len(sample))
    return ColumnProfile(
        heading=heading,
        position=position,
        rows=len(cells),
        filled=len(texts),
        distinct=len(set(texts)),
        first_rows=tuple(text[:SHOWN_LENGTH] for text in list(dict.fromkeys(texts[:100]))[:SHOWN]),
        words=kinds.count("words") / count,
        codes=kinds.count("code") / count,
        numbers=kinds.count("number") / count,
        dates=(kinds.count("date") + kinds.count("time")) / count,
        truths=1.0
        if set(texts[:SAMPLE]) == _BITS and set(texts) == _BITS
        else sum(text.casefold() in TRUTHS for text in sample) / count,
        links=kinds.count("link") / count,
        hashes=kinds.count("hash") / count,
        lists=lists,
        has_padding=any(_PADDED.fullmatch(text) for text in sample),
        prefix=prefix,
    )


def _classify(text: str) -> str:
    value = parse(text)
    if value is not None:
        return value.kind
    if LINK.fullmatch(text):
        return "link"
    if _HASH.fullmatch(text):
        return "hash"
    if _PATH.fullmatch(text):
        return "path"
    if CODE.fullmatch(text):
        return "code"
    is_short = len(text) <= _NAME_LENGTH and len(text.split()) <= _NAME_WORDS
    return "words" if is_short and any(char.isalpha() for char in text) else "text"
