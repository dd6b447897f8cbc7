"""In which order answers are wanted: "ordered by age", "in descending order of price", "from oldest to youngest".

What is asked for is the same in any order, so that a question is read without these words; what they name ranks the
answers afterwards, where each of them has a value of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.adjectives import COMPARATIVES, SUPERLATIVES
from retrieval.language.words import get_label_stems
from retrieval.programs.algebra.operations import EVERY, Key, Program, Top

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.similarity import Adjectives
    from retrieval.programs.grounding.schema import Schema

_DOWN = re.compile(
    r"\b(?:descending|decreasing|desc|reversed?)\b|\bfrom (?:the )?(?:high|large|big|most|great|late|new|recent|last)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
#: From this share of a relation's name on it is meant.
_NAMED = 0.5


def apply_order(phrase: str, program: Program, executor: Executor, schema: Schema, adjectives: Adjectives) -> Program:
    """A set as the ranking of all that is in it; the set itself where nothing says by what, or not all have a value.

    Args:
        phrase: the words that say in which order.
        program: denotes a set.
        executor: of the graph.
        schema: of the graph.
        adjectives: know what "oldest" compares.
    """
    nodes = executor.run(program)
    if not phrase or isinstance(program, Top) or not isinstance(nodes, np.ndarray) or len(nodes) < 2:
        return program
    for relation, largest in _find_order_keys(phrase, schema, adjectives):
        if len(find_common(nodes, executor.columns.list_sources(relation))) == len(nodes):
            return Top(program, Key((relation,)), largest, 1, EVERY)
    return program


def _find_order_keys(phrase: str, schema: Schema, adjectives: Adjectives) -> list[tuple[int, bool]]:
    """Relations that a phrase may order by, and whether the largest comes first, likeliest first."""
    phrase_stems = set(get_label_stems(phrase))
    down = _DOWN.search(phrase) is not None
    ranked: list[tuple[float, int, bool]] = []
    for relation in schema.value_relations:
        label_stems, weights = set(schema.relations[relation].stems), schema.get_stem_weights(relation)
        share = sum(weights[stem] for stem in label_stems & phrase_stems) / sum(weights.values())
        if share >= _NAMED:
            ranked.append((-share, relation, down))
    keys = [(relation, largest) for _, relation, largest in sorted(ranked)]
    return keys or _find_adjective_keys(phrase, adjectives)


def _find_adjective_keys(phrase: str, adjectives: Adjectives) -> list[tuple[int, bool]]:
    """By what the first adjective compares: "from the youngest to the oldest" begins with the least age."""
    words = [word.casefold() for word in _WORD.findall(phrase)]
    for first in range(len(words)):
        for end in (first + 2, first + 1):
            known = SUPERLATIVES.get(" ".join(words[first:end])) or COMPARATIVES.get(" ".join(words[first:end]))
            if known is not None and known[0].nouns:
                adjective, up = known
                return [(relation, along == up) for relation, along, _ in adjectives.find_relations(adjective)]
    return []
