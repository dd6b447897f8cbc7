"""Keys of rankings and computations as nouns with units: "the highest price", "the second most pages"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.lexicon import get_words
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.grammar import get_first_word, is_countable
from retrieval.programs.rendering.sentences.values import Measure, split_measure
from retrieval.programs.rendering.wording import format_ordinal, make_plural

if TYPE_CHECKING:
    from retrieval.programs.algebra.operations import Key, Top
    from retrieval.programs.rendering.set_wording import SetDescriber

#: What is high or low, and not large or small.
_HIGH = get_words("high_measures")


def describe_key(describer: SetDescriber, key: Key) -> Measure:
    """The noun and the unit of a key; of what is folded of the things of each node, without these things."""
    text = describer.describe_key(key)
    inverse, _ = split_direction(describer.words.snapshot, key.path[0])
    if inverse and not key.counted:
        text = text.removesuffix(f" of {describer.words.describe_relation(key.path[0])}")
    return split_measure(text)


def describe_each(describer: SetDescriber, key: Key) -> str:
    """The noun of a key in a list of things with their keys: ``number of products``."""
    things = describer.describe_things(key)
    if key.counted and things not in ("things", "of these"):
        return f"number of {things}"
    return describe_key(describer, key).noun


def describe_superlative(describer: SetDescriber, program: Top) -> str:
    """What a ranking takes: ``the highest price``, ``the second most pages``, ``the earliest birth``."""
    key, word = program.key, describer.words.get_superlative(program.key, largest=program.largest)
    rank = f"{format_ordinal(program.rank)} " if program.rank > 1 and program.count == 1 else ""
    late = f" from the {format_ordinal(program.rank)} on" if program.rank > 1 and program.count > 1 else ""
    noun = _describe_counted(describer, key) if key.counted else describe_key(describer, key).noun
    if word in ("largest", "smallest"):
        if get_first_word(noun) in _HIGH:
            word = "highest" if word == "largest" else "lowest"
        elif is_countable(noun):
            word = "most" if word == "largest" else "fewest"
    return f"the {rank}{word} {noun}".rstrip() + late


def _describe_counted(describer: SetDescriber, key: Key) -> str:
    """What a key counts in one plural noun; empty where it has none."""
    *before, last = key.path
    if not split_direction(describer.words.snapshot, last)[0]:
        noun = make_plural(describer.words.get_noun(last))
        return f"{describer.words.describe_path(tuple(before))}'s {noun}" if before else noun
    things = describer.describe_things(key)
    return "" if things in ("things", "of these") or things.startswith("those ") else things
