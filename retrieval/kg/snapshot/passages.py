"""The passages of a snapshot: documents cut into pieces, and which facts were extracted from which piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import StringTable, load_array
from retrieval.types import Passage

#: Bytes that are searched together.
PIECE = 16 * 1024 * 1024
COLUMNS = ("name", "title", "text", "document", "url")


class PassageTable:
    """Passages by position, in the order of their source; memory-mapped.

    ``get_fact_passages`` and ``get_passage_facts`` are the two directions of one relation between facts and passages.

    Attributes:
        columns: one string table for each of ``COLUMNS``, P strings long.
        by_name: int32 [P], positions in the byte order of the names.
        fact_offsets, fact_passages: int64 [T+1] and int32 [L], the passages of each fact, ascending.
        passage_offsets, passage_facts: int64 [P+1] and int32 [L], the facts of each passage, ascending.
    """

    def __init__(
        self,
        columns: dict[str, StringTable],
        by_name: np.ndarray,
        fact_links: tuple[np.ndarray, np.ndarray],
        passage_links: tuple[np.ndarray, np.ndarray],
    ) -> None:
        self.columns = columns
        self.by_name = by_name
        self.fact_offsets, self.fact_passages = fact_links
        self.passage_offsets, self.passage_facts = passage_links

    @classmethod
    def load(cls, directory: Path, passages: int, facts: int) -> PassageTable:
        """Open the passages of a snapshot with so many passages and facts.

        Raises:
            DamagedError: a file is missing or of another size.
        """
        table = cls(
            {name: StringTable.load(directory, f"passage_{name}s") for name in COLUMNS},
            load_array(directory, "passages_by_name", "int32"),
            (
                load_array(directory, "fact_passage_offsets", "int64"),
                load_array(directory, "fact_passages", "int32"),
            ),
            (
                load_array(directory, "passage_fact_offsets", "int64"),
                load_array(directory, "passage_facts", "int32"),
            ),
        )
        sizes = {len(strings) for strings in table.columns.values()} | {
            len(table.by_name),
            len(table.passage_offsets) - 1,
        }
        links = {len(table.fact_passages), len(table.passage_facts)}
        if sizes != {passages} or len(table.fact_offsets) != facts + 1 or len(links) != 1:
            raise integrity.make_damaged_error(directory, ["passages"])
        return table

    def __len__(self) -> int:
        return len(self.by_name)

    def get_passage(self, i: int) -> Passage:
        """Passage ``i`` with all that is known of it.

        Raises:
            DamagedError: there is none.
        """
        name, title, text, document, url = (self.columns[column][i] for column in COLUMNS)
        return Passage(int(i), name, title, text, document, url)

    def get_name(self, i: int) -> str:
        """The id of passage ``i`` as its source spells it."""
        return self.columns["name"][i]

    def get_title(self, i: int) -> str:
        """The title of passage ``i``, which may be empty."""
        return self.columns["title"][i]

    def get_text(self, i: int) -> str:
        """What passage ``i`` says."""
        return self.columns["text"][i]

    def get_texts(self, ids: Iterable[int]) -> list[str]:
        """The texts of several passages, in that order."""
        return self.columns["text"].get_many(ids)

    def find(self, name: str) -> int | None:
        """The passage of exactly this name, or None."""
        key, names = name.encode(), self.columns["name"]
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if names.get_bytes(int(self.by_name[middle])) < key:
                low = middle + 1
            else:
                high = middle
        position = int(self.by_name[low]) if low < len(self) else -1
        return position if position >= 0 and names.get_bytes(position) == key else None

    def find_containing(self, text: str) -> np.ndarray:
        """Passages whose title or text holds ``text``, in whatever case, int64, ascending. Reads through all."""
        matches = [find_holding(self.columns[column], text) for column in ("title", "text")]
        return np.union1d(*matches)

    def get_fact_passages(self, fact: int) -> np.ndarray:
        """The passages that a fact was extracted from, int32, ascending; empty where none is known."""
        return self.fact_passages[self.fact_offsets[fact] : self.fact_offsets[fact + 1]]

    def get_passage_facts(self, i: int) -> np.ndarray:
        """The facts that were extracted from passage ``i``, int32, ascending."""
        return self.passage_facts[self.passage_offsets[i] : self.passage_offsets[i + 1]]

    def apply_restriction(self, facts: np.ndarray) -> PassageTable:
        """The same passages for some of the facts, which are numbered anew: int64 ids, ascending."""
        starts, lengths = self.fact_offsets[facts], self.fact_offsets[facts + 1] - self.fact_offsets[facts]
        offsets = np.zeros(len(facts) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        passages = self.fact_passages[np.repeat(starts, lengths) + within]
        numbers = np.repeat(np.arange(len(facts), dtype=np.int32), lengths)
        return PassageTable(
            self.columns, self.by_name, (offsets, passages), group_by_passage(numbers, passages, len(self))
        )

    def list_arrays(self) -> list[np.ndarray]:
        """Everything it holds but what follows from the rest, for the snapshot's hash."""
        strings = [a for table in self.columns.values() for a in (table.offsets, table.blob)]
        return [*strings, self.fact_offsets, self.fact_passages]


def group_by_passage(facts: np.ndarray, passages: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds [total + 1] and facts of each passage, from links sorted by fact."""
    offsets = np.zeros(total + 1, np.int64)
    np.cumsum(np.bincount(passages, minlength=total), out=offsets[1:])
    return offsets, facts[np.argsort(passages, kind="stable")].astype(np.int32)


def find_holding(strings: StringTable, text: str) -> np.ndarray:
    """Positions of the strings that hold ``text``, in whatever case, int64, ascending. Read in pieces of
    ``PIECE``.
    """
    offsets = strings.offsets
    positions: list[int] = []
    first = 0
    while text and first < len(strings):
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + PIECE, "right")) - 1)
        start = int(offsets[first])
        bounds = offsets[first : last + 1] - start
        span = _make_finder(strings.blob[start : int(offsets[last])].tobytes(), text)
        hit = span(0)
        while hit is not None:
            i = int(np.searchsorted(bounds, hit[0], "right")) - 1
            inside = hit[1] <= bounds[i + 1]  # or else it begins in one string and ends in the next
            if inside:
                positions.append(first + i)
            hit = span(int(bounds[i + 1]) if inside else hit[0] + 1)
        first = last
    return np.array(positions, np.int64)


def _make_finder(data: bytes, text: str) -> Callable[[int], tuple[int, int] | None]:
    """What finds the first place of ``text`` in ``data``, in whatever case, from a position on."""
    if text.isascii():  # much faster than a pattern
        lowered, key = data.lower(), text.lower().encode()

        def find(start: int) -> tuple[int, int] | None:
            i = lowered.find(key, start)
            return None if i < 0 else (i, i + len(key))

        return find
    spellings = [sorted({c, c.lower(), c.upper()}) for c in text]
    pattern = re.compile("".join(f"(?:{'|'.join(map(re.escape, s))})" for s in spellings).encode())

    def match(start: int) -> tuple[int, int] | None:
        hit = pattern.search(data, start)
        return None if hit is None else hit.span()

    return match
