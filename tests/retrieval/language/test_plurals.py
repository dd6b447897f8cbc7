"""Singulars of nouns and of names, and things called by the plural of their name."""

import pytest

from retrieval.lexicon.nouns import list_singulars
from tests.retrieval.programs.asking import answers, reader_of


@pytest.mark.parametrize(
    ("name", "singulars"),
    [
        ("lions", ["lion"]),
        ("wood elves", ["wood elve", "wood elf", "wood elfe"]),
        ("city wolves", ["city wolf"]),
        ("pygmy ponies", ["pygmy pony"]),
        ("buses", ["bus"]),
        ("moss", []),
        ("sheep", []),
    ],
)
def test_a_name_in_the_plural_has_singulars(name, singulars):
    assert list_singulars(name) == singulars


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do dwarves speak?", ["Dwarvish"]),
        ("What do ponies eat?", ["Hay"]),
        ("What do wolves eat?", ["Deer"]),
    ],
)
def test_the_plural_of_a_name_stands_for_the_thing(tmp_path, question, expected):
    facts = [("Dwarf", "speaks", "Dwarvish"), ("Pony", "eats", "Hay"), ("Wolf", "eats", "Deer")]
    assert answers(reader_of(facts, tmp_path), question) == expected
