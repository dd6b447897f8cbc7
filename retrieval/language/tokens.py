"""BM25 over passages: which words are in which, with the weights worked out beforehand, memory-mapped.

Words are taken as they are: no list of stop words and no stemming, so that every language is treated alike;
a word that is everywhere weighs next to nothing by itself.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot.storage import StringTable, load_array, save_array, save_strings

#: BM25's saturation and length, and how often a title's words count; chosen on half of MuSiQue's questions.
K1, B, TITLE = 1.5, 0.75, 3
_WORDS = re.compile(r"[^\W_]+")
#: Scripts written without spaces: their characters are taken two by two.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")
_WORD_LIMIT = 64


def tokenize_text(text: str) -> list[str]:
    """The words of a text in small letters and without accents, in order."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    tokens: list[str] = []
    for word in _WORDS.findall("".join(c for c in folded if not unicodedata.combining(c))):
        if _UNSPACED.search(word):
            tokens += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        else:
            tokens.append(word[:_WORD_LIMIT])
    return tokens


def write(directory: Path, passages: Iterable[tuple[str, str]], check: Callable[[], None]) -> None:
    """Index passages (title, text) and write ``words*`` into a directory.

    Args:
        directory: where to.
        passages: in their order.
        check: called now and then; may raise to stop.
    """
    vocabulary: dict[str, int] = {}
    terms, owners, counts = array("i"), array("i"), array("f")
    lengths = array("i")
    for number, (title, text) in enumerate(passages):
        if number % 1000 == 0:
            check()
        word_counts = Counter(tokenize_text(text))
        for word in tokenize_text(title):
            word_counts[word] += TITLE
        lengths.append(sum(word_counts.values()))
        for word, count in word_counts.items():
            terms.append(vocabulary.setdefault(word, len(vocabulary)))
            owners.append(number)
            counts.append(count)
    order = sorted(vocabulary, key=str.encode)
    position = np.empty(len(vocabulary), np.int32)
    position[[vocabulary[word] for word in order]] = np.arange(len(order), dtype=np.int32)
    _write_strings(directory, order)
    _write_postings(directory, position, (terms, owners, counts), np.asarray(lengths, np.float32))


def _write_strings(directory: Path, order: list[str]) -> None:
    blobs = [word.encode() for word in order]
    offsets = np.zeros(len(blobs) + 1, np.int64)
    np.cumsum([len(blob) for blob in blobs], out=offsets[1:])
    save_strings(directory, "words", b"".join(blobs), offsets)


def _write_postings(
    directory: Path,
    position: np.ndarray,
    columns: tuple[array[int], array[int], array[float]],
    lengths: np.ndarray,
) -> None:
    raw, owners, counts = (np.asarray(column) for column in columns)
    terms = position[raw] if len(raw) else raw
    by_term = np.argsort(terms, kind="stable")
    owners, counts = owners[by_term].astype(np.int32), counts[by_term]
    frequency = np.bincount(terms, minlength=len(position))
    total = len(lengths)
    rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0)) if total else lengths
    weights = np.repeat(rarity, frequency) * counts * (K1 + 1) / (counts + norm[owners])
    offsets = np.zeros(len(position) + 1, np.int64)
    np.cumsum(frequency, out=offsets[1:])
    save_array(directory, "words_starts", offsets)
    save_array(directory, "words_passages", owners)
    save_array(directory, "words_weights", weights.astype(np.float32))


class WordIndex:
    """BM25 scores of all passages for a question."""

    def __init__(self, directory: Path, count: int) -> None:
        self._words = StringTable.load(directory, "words")
        self._starts = load_array(directory, "words_starts", "int64")
        self._passages = load_array(directory, "words_passages", "int32")
        self._weights = load_array(directory, "words_weights", "float32")
        self._count = count

    def find_passages(self, word: str) -> np.ndarray:
        """The passages that have a word as :func:`tokenize_text` gives it, int32, ascending."""
        term = self._words.find(word)
        if term is None:
            return np.zeros(0, np.int32)
        return self._passages[int(self._starts[term]) : int(self._starts[term + 1])]

    def compute_scores(self, text: str) -> np.ndarray:
        """float32 [P]; 0 where no word is shared. A word counts once, however often the text says it."""
        scores = np.zeros(self._count, np.float32)
        for word in dict.fromkeys(tokenize_text(text)):
            term = self._words.find(word)
            if term is not None:
                here = slice(int(self._starts[term]), int(self._starts[term + 1]))
                scores[self._passages[here]] += self._weights[here]
        return scores
