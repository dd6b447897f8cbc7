"""Word lists: one schema, no list that repeats another, none that nobody reads."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from retrieval import lexicon
from retrieval.lexicon import LexiconError, get_words, load_lexicon, split_entries

ROOT = Path(__file__).parents[2]
READERS = {
    "words": lexicon.get_words,
    "ordered": lexicon.get_sequence,
    "groups": lexicon.get_groups,
    "pairs": lexicon.get_pairs,
    "table": lexicon.get_table,
    "weights": lexicon.get_weights,
}
LISTS = load_lexicon()
SETS = {name: get_words(name) for name, entry in LISTS.items() if "words" in entry}
#: Smaller sets have words in common by chance.
SMALL = 6
#: The share of the words of two sets that are the same, from which on they are one; and the share of a set that
#: another one makes up, from which on it is a part of it.
ALIKE, PART = 0.8, 0.5


def collect_included(name: str) -> set[str]:
    """The sets that a set includes, and those that these include."""
    direct = set(LISTS[name].get("includes", ()))
    return direct.union(*map(collect_included, direct))


@pytest.mark.parametrize("name", LISTS)
def test_a_list_follows_the_schema(name):
    entry = LISTS[name]
    forms = READERS.keys() & entry.keys()

    assert len(forms) == 1, forms
    assert set(entry) <= {"about", "cased", *forms} | ({"includes"} if "words" in forms else set())
    assert re.fullmatch(r"[^\n]{8,200}\. (Read by [^\n]{4,100}|Part of other lists)\.", entry["about"])
    assert READERS[next(iter(forms))](name)


@pytest.mark.parametrize("name", LISTS)
def test_entries_are_in_lower_case_and_written_once(name):
    entry = LISTS[name]
    form = next(iter(READERS.keys() & entry.keys()))
    rows = entry[form].strip().splitlines() if form in ("groups", "table") else [entry[form]]
    entries = [split_entries(row.partition(":")[2] if form == "table" else row) for row in rows]
    keys = {"table": [row.partition(":")[0] for row in rows], "groups": []}.get(
        form, [word.partition(":")[0] if form in ("pairs", "weights") else word for word in entries[0]]
    )

    assert entry.get("cased") or entry[form] == entry[form].lower()
    assert len(keys) == len(set(keys))
    assert form == "table" or all(len(row) == len(set(row)) for row in entries)
    if form == "words":
        assert list(entries[0]) == sorted(entries[0])


def test_a_set_repeats_no_word_of_the_sets_that_it_includes():
    for name, entry in LISTS.items():
        included = entry.get("includes", [])
        assert included == sorted(set(included)), name
        for other in included:
            assert not SETS[other].intersection(split_entries(entry["words"])), (name, other)
            assert not any(other in collect_included(third) for third in included), (name, other)


def test_no_set_repeats_another():
    for first, second in combinations(sorted(SETS), 2):
        small, large = sorted((first, second), key=lambda name: len(SETS[name]))
        common = SETS[small] & SETS[large]
        if len(common) < SMALL or small in collect_included(large):
            continue
        assert len(common) < ALIKE * len(SETS[small] | SETS[large]), f"{small} and {large} are nearly the same"
        is_part = common == SETS[small] and len(common) >= PART * len(SETS[large])
        assert not is_part, f"{large} can include {small}"


def test_every_list_is_read():
    code = "".join(
        path.read_text(encoding="utf-8")
        for package in ("retrieval", "webapp", "worker")
        for path in (ROOT / package).rglob("*.py")
    )
    included = {other for entry in LISTS.values() for other in entry.get("includes", ())}

    assert [name for name in LISTS if f'"{name}"' not in code and name not in included] == []


def test_a_name_belongs_to_one_list_and_an_unknown_one_is_an_error():
    names = [name for path in lexicon.DATA.glob("*.toml") for name in tomllib.loads(path.read_text(encoding="utf-8"))]

    assert len(names) == len(set(names))
    with pytest.raises(LexiconError, match="no word list called 'nothing'"):
        get_words("nothing")
    with pytest.raises(LexiconError, match="'prepositions' has no ordered"):
        lexicon.get_sequence("prepositions")
