"""Finding entities by name: exact, alias, prefix, word, and misspelt. No vectors, no torch.

Built with the snapshot, memory-mapped, so that it is there as soon as the graph is. Names are normalised
(case, accents, punctuation and underscores do not count; signs that end a word do: C, C#, C++) and sorted, which
makes exact and prefix look-up binary searches; misspelt names are found by shared trigrams, then ranked by edit
distance. The folded name (ß as ss, ø as o, without signs) is an alias where it is not the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from rapidfuzz import fuzz, process

from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.kg.snapshot.manifest import Manifest
from retrieval.kg.snapshot.storage import StringTable, load_array
from retrieval.types import Node

#: Names longer than this, in bytes, are texts and not looked up.
NAME_LIMIT = 256
TRIGRAM_BUCKETS = 1 << 18
#: How alike a misspelt name must be, of 100 (edit similarity).
FUZZY_CUTOFF = 72.0
_FUZZY_POOL = 200
_POSTINGS_LIMIT = 150_000
#: Names whose highest degree is known together.
_BLOCK = 512
#: Names that hold words with one beginning, of which no more are put together; and how many are read instead.
_WORDS_LIMIT, _READ_LIMIT = 200_000, 5_000
NAME_SIGNS = r"(?:[+#♯♭]+|(?<=(?<![^\W_])[^\W\d_])[-−–]+(?![^\W_])|(?<=(?<![^\W_])[^\W\d_]{2})[-−–]+(?![^\W_]))"
"""Signs behind a word that make it another name: C#, C++, Canal+, blood types and grades such as A-."""
_WORD = re.compile(rf"[^\W_]+{NAME_SIGNS}?")
_SAME_SIGNS = str.maketrans({"♯": "#", "−": "-", "–": "-"})
_SIGNS = re.compile(r"[-+#♭]+")
#: Letters that Unicode does not take apart, as people write them who lack the key.
_LETTERS = str.maketrans({
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŋ": "n", "þ": "th",
    "ŧ": "t",
})  # fmt: skip

MatchSource = Literal["exact", "alias", "prefix", "word", "fuzzy", "vector"]
_SCORES: dict[MatchSource, float] = {"exact": 1.0, "alias": 0.97, "prefix": 0.9, "word": 0.8}


@dataclass(frozen=True, slots=True)
class Match:
    """An entity found by name.

    Attributes:
        name: the normalised name that matched (its label's or an alias).
        score: in [0, 1]; comparable within one search.
        source: how it was found.
        degree: number of its facts.
    """

    entity: int
    node: Node
    name: str
    score: float
    source: MatchSource
    degree: int


def normalize_name(text: str) -> str:
    """Return a name as it is compared: lower case, no accents, words of letters and digits with single spaces.

    The signs of ``NAME_SIGNS`` belong to their word. A text without any letter or digit is only lowered and trimmed.
    """
    lowered = text.lower()
    decomposed = unicodedata.normalize("NFKD", lowered)
    plain = "".join(c for c in decomposed if not unicodedata.category(c).startswith("M")).lower()
    return " ".join(_WORD.findall(plain)).translate(_SAME_SIGNS) or lowered.strip()


def to_latin_letters(name: str) -> str:
    """Return a normalised name in letters of the Latin alphabet: ``strasse`` of ``straße``, ``lodz`` of ``łodz``."""
    return name.translate(_LETTERS)


def drop_signs(name: str) -> str:
    """Return a normalised name without its signs: ``canal`` of ``canal+``; the name itself where it is all signs."""
    return " ".join(_SIGNS.sub(" ", name).split()) or name


def keep_as_written(matches: Sequence[Match], text: str, start: int, end: int) -> list[Match]:
    """Return the matches without namesakes that the text writes otherwise: of "Wham!" and "Wham" the former.

    Args:
        matches: entities of one normalised name.
        start: of the mention.
        end: of the mention, the signs around it left out.
    """
    folded = text.casefold()
    sizes = {
        match.entity: len(match.node.label)
        for match in matches
        if match.source == "exact" and _has_label_at(match.node.label.casefold(), folded, start, end)
    }
    longest = max(sizes.values(), default=0)
    return [
        match for match in matches
        if not sizes or match.source != "exact" or sizes.get(match.entity) == longest
    ]  # fmt: skip


def _has_label_at(label: str, text: str, start: int, end: int) -> bool:
    """Whether a label stands in a text and covers the characters from ``start`` to ``end``."""
    position = text.rfind(label, 0, start + len(label))
    return position >= 0 and position <= start and position + len(label) >= end


def compute_trigram_buckets(text: np.ndarray) -> np.ndarray:
    """The bucket of each trigram of bytes, int64 [len - 2]."""
    if len(text) < 3:
        return np.zeros(0, np.int64)
    wide = text.astype(np.uint64)
    codes = (wide[:-2] << np.uint64(16)) | (wide[1:-1] << np.uint64(8)) | wide[2:]
    mixed = (codes * np.uint64(2654435761)) >> np.uint64(10)
    return (mixed & np.uint64(TRIGRAM_BUCKETS - 1)).astype(np.int64)


def _find_common(few: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Those of ``few`` that are in ``many``, both ascending: each looked up, far less work than merging the two."""
    if not len(many):
        return few[:0]
    common: np.ndarray = few[many[np.searchsorted(many, few).clip(max=len(many) - 1)] == few]
    return common


class Labelled(Protocol):
    """What an index asks of the snapshot that it belongs to."""

    path: Path
    manifest: Manifest

    def find_entity(self, label: str) -> int | None:
        """The entity of exactly this label."""

    def get_node(self, entity: int) -> Node:
        """The entity as shown."""


class LabelIndex:
    """The lexical index of one snapshot. Reading is thread-safe. Usually reached as ``snapshot.labels``."""

    def __init__(self, snapshot: Labelled) -> None:
        path = snapshot.path
        self._snapshot = snapshot
        self.names = StringTable.load(path, "names")
        self._entities = load_array(path, "names_entity", "int32")
        self._aliases = load_array(path, "names_alias", "uint8")
        self._degrees = load_array(path, "names_degree", "int32")
        self._words = StringTable.load(path, "words")
        self._word_starts = load_array(path, "words_starts", "int64")
        self._word_rows = load_array(path, "words_rows", "int32")
        self._trigram_starts = load_array(path, "trigram_starts", "int64")
        self._trigram_rows = load_array(path, "trigram_rows", "int32")

    def find_exact(self, name: str) -> list[Match]:
        """Entities of exactly this normalised name, else of its folded letters: own labels before aliases, then by
        degree.
        """
        return self._find_exact(name) or self._find_exact(to_latin_letters(name))

    def _find_exact(self, name: str) -> list[Match]:
        key = name.encode()
        first = self.names.find_lower_bound(key)
        if first == len(self.names) or self.names.get_bytes(first) != key:
            return []
        last = self.names.find_lower_bound(key + b"\0", first)
        rows = np.arange(first, last)
        order = np.lexsort((self._entities[rows], -self._degrees[rows], self._aliases[rows]))
        return [self._match(int(row), None) for row in rows[order]]

    def has_continuation(self, name: str) -> bool:
        """Whether some name goes on with further words after ``name``."""
        first, last = self.names.find_prefix_range(name.encode() + b" ")
        return last > first

    def resolve(self, label: str) -> int | None:
        """The entity a data set means by ``label``: the exact label, else the best exact or alias match."""
        exact = self._snapshot.find_entity(label)
        if exact is not None:
            return exact
        matches = self.find_exact(normalize_name(label))
        return matches[0].entity if matches else None

    def search(self, text: str, limit: int = 10) -> list[Match]:
        """Autocomplete: exact names, then prefixes, then names holding the words, then misspelt ones.

        Within each, entities of more facts come first. Each entity is listed once.
        """
        name = normalize_name(text)
        if not name or limit <= 0:
            return []
        exact = sorted(self.find_exact(name), key=lambda match: match.node.label != text.strip())
        matches: dict[int, Match] = {match.entity: match for match in exact}
        if len(matches) < limit:
            self._add(matches, self._find_by_prefix(name, 3 * limit), "prefix")
        if len(matches) < limit:
            matches.update({m.entity: m for m in self.find_exact(drop_signs(name)) if m.entity not in matches})
        if len(matches) < limit:
            self._add(matches, self._find_by_words(name.split(" "), 3 * limit), "word")
        if len(matches) < limit and len(name) >= 3:
            for match in self.find_fuzzy(name, limit):
                matches.setdefault(match.entity, match)
        return list(matches.values())[:limit]

    def count_names(self, word: str) -> int:
        """How many names hold a normalised word."""
        position = self._words.find(word)
        return 0 if position is None else int(self._word_starts[position + 1] - self._word_starts[position])

    def find_entities(self, word: str) -> np.ndarray:
        """Entities with a normalised word in one of their names, int32, ascending."""
        return sort_unique(self._entities[self._find_holding([word])])

    def find_containing(self, name: str, limit: int = 10) -> list[Match]:
        """Entities whose name holds all the words of ``name`` (normalised) and more, most connected first."""
        matches: dict[int, Match] = {}
        for row in self._select_most_connected(self._find_holding(name.split(" ")), 3 * limit):
            match = self._match(int(row), ("word", _SCORES["word"]))
            matches.setdefault(match.entity, match)
        return list(matches.values())[:limit]

    def find_fuzzy(self, name: str, limit: int = 10, cutoff: float = FUZZY_CUTOFF) -> list[Match]:
        """Entities whose name is spelt like ``name`` (normalised) and has the same signs, most alike first."""
        rows = self._find_by_trigrams(name)
        texts = self.names.get_many(rows)
        scored = process.extract(name, texts, scorer=fuzz.ratio, limit=4 * limit, score_cutoff=cutoff)
        ranked = sorted(scored, key=lambda hit: (-hit[1], -int(self._degrees[rows[hit[2]]]), hit[2]))
        matches: dict[int, Match] = {}
        for text, score, position in ranked:
            if _SIGNS.findall(text) != _SIGNS.findall(name):
                continue
            match = self._match(int(rows[position]), ("fuzzy", score / 100 * 0.95))
            matches.setdefault(match.entity, match)
        return list(matches.values())[:limit]

    def _match(self, row: int, how: tuple[MatchSource, float] | None) -> Match:
        entity = int(self._entities[row])
        if how is None:
            source: MatchSource = "alias" if self._aliases[row] else "exact"
            how = (source, _SCORES[source])
        degree = int(self._degrees[row])
        return Match(entity, self._snapshot.get_node(entity), self.names[row], how[1], how[0], degree)

    def _add(self, matches: dict[int, Match], rows: Iterable[int], source: MatchSource) -> None:
        for row in rows:
            match = self._match(int(row), (source, _SCORES[source]))
            matches.setdefault(match.entity, match)

    def _find_by_prefix(self, name: str, limit: int) -> np.ndarray:
        first, last = self.names.find_prefix_range(name.encode())
        low, high = -(-first // _BLOCK), last // _BLOCK
        if high - low <= 4 * limit:
            return self._select_most_connected(np.arange(first, last), limit)
        # The most connected are in the blocks whose most connected name has most.
        best = low + np.argpartition(-self._block_degrees[low:high], 4 * limit)[: 4 * limit]
        inner = (best[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        rows = np.concatenate([inner, np.arange(first, low * _BLOCK), np.arange(high * _BLOCK, last)])
        return self._select_most_connected(rows, limit)

    @cached_property
    def _block_degrees(self) -> np.ndarray:
        """The highest degree among each ``_BLOCK`` names, int32; computed on first use, in one pass."""
        return np.maximum.reduceat(self._degrees, np.arange(0, len(self._degrees), _BLOCK))

    def _find_by_words(self, words: list[str], limit: int) -> np.ndarray:
        """Names that hold all the words, the last of them as a prefix."""
        first, last = self._words.find_prefix_range(words[-1].encode())
        start, stop = int(self._word_starts[first]), int(self._word_starts[last])
        if len(words) == 1:
            # The word itself comes first of those that begin with it.
            return self._select_most_connected(
                sort_unique(self._word_rows[start : min(stop, start + _WORDS_LIMIT)]), limit
            )
        others = self._find_holding(words[:-1])
        if stop - start <= _WORDS_LIMIT:
            rows = sort_unique(self._word_rows[start:stop])
            return self._select_most_connected(_find_common(others, rows), limit)
        # So many names are not put together; the most connected that hold the other words are read instead.
        mark = f" {words[-1]}"
        rows = self._select_most_connected(others, _READ_LIMIT)
        return np.array([row for row in rows if mark in f" {self.names[int(row)]}"][:limit], np.int64)

    def _find_holding(self, words: list[str]) -> np.ndarray:
        """Rows whose name holds all the words, ascending."""
        postings = []
        for word in words:
            position = self._words.find(word)
            if position is None:
                return np.zeros(0, np.int32)
            postings.append(self._word_rows[self._word_starts[position] : self._word_starts[position + 1]])
        rows, *others = sorted(postings, key=len)
        for holding in others:
            rows = _find_common(rows, holding)
        return rows

    def _select_most_connected(self, rows: np.ndarray, limit: int) -> np.ndarray:
        degrees = self._degrees[rows]
        if len(rows) > 4 * limit:
            best = np.argpartition(-degrees, 4 * limit)[: 4 * limit]
            rows, degrees = rows[best], degrees[best]
        return rows[np.lexsort((rows, -degrees))][:limit]

    def _find_by_trigrams(self, name: str) -> np.ndarray:
        """Rows that share most trigrams with ``name``, by Jaccard likeness; at most ``_FUZZY_POOL``."""
        text = np.frombuffer(f" {name} ".encode(), np.uint8)
        buckets = np.unique(compute_trigram_buckets(text))
        sizes = self._trigram_starts[buckets + 1] - self._trigram_starts[buckets]
        rare_first = np.argsort(sizes, kind="stable")
        # Very common trigrams say little and cost most.
        affordable = np.cumsum(sizes[rare_first]) <= _POSTINGS_LIMIT
        affordable[:2] = True
        chosen = buckets[rare_first[affordable]]
        rows = [self._trigram_rows[self._trigram_starts[b] : self._trigram_starts[b + 1]] for b in chosen]
        hits = np.concatenate(rows) if rows else np.zeros(0, np.int32)
        candidates, shared = np.unique(hits, return_counts=True)
        sizes_of = self.names.offsets[candidates + 1] - self.names.offsets[candidates]
        likeness = shared / (len(buckets) + sizes_of - shared)
        if len(candidates) > _FUZZY_POOL:
            best = np.argpartition(-likeness, _FUZZY_POOL)[:_FUZZY_POOL]
            candidates = candidates[np.sort(best)]
        return candidates
