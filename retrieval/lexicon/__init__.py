"""Word lists: TOML files in ``data/``, one table for each list, with one loader.

Every list has a line ``about`` that says what it holds and who reads it, and its entries as text in one of these forms.
Entries are separated by commas and line ends.

- ``words``: a set of words or phrases, sorted. It may have ``includes``: names of other sets that it contains.
- ``ordered``: words or phrases whose order matters.
- ``groups``: a group of words on each line.
- ``pairs``: ``word: word``, one word for each word.
- ``table``: ``word: word, word`` on each line, several words for each word.
- ``weights``: ``word: number``, a number for each word.

A list is in lower case unless it has ``cased = true``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

DATA = Path(__file__).parent / "data"


class LexiconError(LookupError):
    """A word list that does not exist, or that has another form than the one that is read."""


@cache
def get_words(name: str) -> frozenset[str]:
    """Return the set of words of a list, with those of the lists that it includes.

    Raises:
        LexiconError: there is no such list, or it has no ``words``.
    """
    entry = _get_entry(name, "words")
    return frozenset(split_entries(entry["words"])).union(*map(get_words, entry.get("includes", ())))


@cache
def get_sequence(name: str) -> tuple[str, ...]:
    """Return the words of an ``ordered`` list.

    Raises:
        LexiconError: there is no such list, or it has no ``ordered`` words.
    """
    return split_entries(_get_entry(name, "ordered")["ordered"])


@cache
def get_groups(name: str) -> tuple[frozenset[str], ...]:
    """Return the groups of a list: the words of each line.

    Raises:
        LexiconError: there is no such list, or it has no ``groups``.
    """
    return tuple(frozenset(split_entries(line)) for line in _get_entry(name, "groups")["groups"].strip().splitlines())


@cache
def get_pairs(name: str) -> Mapping[str, str]:
    """Return one word for each word of a list.

    Raises:
        LexiconError: there is no such list, or it has no ``pairs``.
    """
    return MappingProxyType(dict(_split_pair(pair) for pair in split_entries(_get_entry(name, "pairs")["pairs"])))


@cache
def get_table(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return several words for each word of a list.

    Raises:
        LexiconError: there is no such list, or it has no ``table``.
    """
    rows = map(_split_pair, _get_entry(name, "table")["table"].strip().splitlines())
    return MappingProxyType({word: split_entries(words) for word, words in rows})


@cache
def get_weights(name: str) -> Mapping[str, float]:
    """Return a number for each word of a list.

    Raises:
        LexiconError: there is no such list, or it has no ``weights``.
    """
    pairs = map(_split_pair, split_entries(_get_entry(name, "weights")["weights"]))
    return MappingProxyType({word: float(number) for word, number in pairs})


@cache
def load_lexicon() -> Mapping[str, Mapping[str, Any]]:
    """Read all word lists, by name.

    Raises:
        LexiconError: two files have a list of the same name.
    """
    lists: dict[str, Mapping[str, Any]] = {}
    for path in sorted(DATA.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if name in lists:
                raise LexiconError(f"two word lists are called {name!r}, one of them in {path.name}")
            lists[name] = entry
    return MappingProxyType(lists)


def split_entries(text: str) -> tuple[str, ...]:
    """Split the text of a list into its words and phrases, in order."""
    return tuple(entry for part in text.replace("\n", ",").split(",") if (entry := part.strip()))


def _split_pair(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(":")
    return word.strip(), rest.strip()


def _get_entry(name: str, form: str) -> Mapping[str, Any]:
    entry = load_lexicon().get(name)
    if entry is None:
        raise LexiconError(f"there is no word list called {name!r} in {DATA}")
    if form not in entry:
        raise LexiconError(f"the word list {name!r} has no {form}")
    return entry
