"""In which order answers are wanted: "ordered by age", "in descending order of price", "from oldest to youngest".

What is asked for is the same in any order, so that a question is read without these words; what they name ranks the
answers afterwards, where each of them has a value of it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.adjectives import COMPARATIVES, SUPERLATIVES, Adjective
from retrieval.language.words import get_label_stems
from retrieval.programs.algebra.operations import EVERY, Key, Program, Top, walk
from retrieval.programs.algebra.table_operations import Attribute, Measure, Ordering, Table, Tally
from retrieval.programs.grounding.relation_types import parse_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.similarity import Adjectives
    from retrieval.programs.grounding.schema import Schema

_DOWN = re.compile(
    r"\b(?:descending|decreasing|desc|reversed?)\b|\bfrom (?:the )?(?:high|large|big|most|great|late|new|recent|last)",
    re.IGNORECASE,
)
_NUMBERS, _NAMES = parse_stems("number count"), parse_stems("name alphabetical")
_WORD = re.compile(r"[^\W\d_]+")
#: From this share of a relation's name on it is meant.
_NAMED = 0.5


def apply_order(phrase: str, program: Program, executor: Executor, schema: Schema, adjectives: Adjectives) -> Program:
    """A set as the ranking of all that is in it; the set itself where nothing says by what, or not all have a value.

    Args:
        phrase: the words that say in which order.
        program: denotes a set.
        adjectives: know what "oldest" compares.
    """
    if not phrase:
        return program
    if isinstance(program, Table) or (isinstance(program, Top) and program.count == EVERY):
        return _sort_rows(phrase, program, schema, adjectives)
    nodes = executor.run(program)
    if isinstance(program, Top) or not isinstance(nodes, np.ndarray) or len(nodes) < 2:
        return program
    if set(get_label_stems(phrase)) & _NUMBERS and (counted := find_counted_key(program)) is not None:
        return Top(program, counted, _DOWN.search(phrase) is not None, 1, EVERY)
    for relation, largest in _find_order_keys(phrase, schema, adjectives):
        if len(find_common(nodes, executor.columns.list_sources(relation))) == len(nodes):
            return Top(program, Key((relation,)), largest, 1, EVERY)
    return program


def find_counted_key(program: Program) -> Key | None:
    """The number that a set is compared or ranked by: of suppliers with more than 3 products that of products."""
    keys = (getattr(inner, "key", None) for inner in walk(program))
    return next((key for key in keys if isinstance(key, Key) and key.counted), None)


def _sort_rows(phrase: str, program: Table | Top, schema: Schema, adjectives: Adjectives) -> Program:
    """A table, or a number of each thing, in the order of the column that a phrase names, else of its first number."""
    keys = dict(_find_order_keys(phrase, schema, adjectives))
    superlative = _find_superlative(phrase)
    down = superlative[1] if superlative is not None else _DOWN.search(phrase) is not None
    if isinstance(program, Top):
        return replace(program, largest=keys.get(program.key.path[-1], down))
    groups, stems = len(program.groups), set(get_label_stems(phrase))
    if stems & _NAMES:
        return replace(program, order=(Ordering(0, down),))
    ranked = list[tuple[float, int, bool]]()
    for number, column in enumerate(program.columns, groups):
        path = column.key.path if isinstance(column, Measure) else column.path if isinstance(column, Attribute) else ()
        relation = path[-1] if path else None
        counts = isinstance(column, Tally) and bool(stems & _NUMBERS)
        ranked.append((-float(counts or relation in keys), number, keys.get(relation, down) if relation else down))
    _, number, descending = min(ranked)
    return replace(program, order=(Ordering(number, descending),))


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
    known = _find_superlative(phrase)
    if known is None or not known[0].nouns:
        return []
    return [(relation, along == known[1]) for relation, along, _ in adjectives.find_relations(known[0])]


def _find_superlative(phrase: str) -> tuple[Adjective, bool] | None:
    """The first adjective of a phrase that compares, and whether the large end of it comes first."""
    words = [word.casefold() for word in _WORD.findall(phrase)]
    for first in range(len(words)):
        for end in (first + 2, first + 1):
            known = SUPERLATIVES.get(" ".join(words[first:end])) or COMPARATIVES.get(" ".join(words[first:end]))
            if known is not None:
                return known
    return None
