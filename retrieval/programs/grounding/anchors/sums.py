"""Words for money that is summed: "how much did we spend on food", "who paid the most", "spending in March"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.amounts import Comparison, Folding
from retrieval.language.english import MONEY_NOUNS, MONEY_VERBS
from retrieval.language.words import QuestionWords, get_stem
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Constant, Entities, Filter, Fold, Having, Key, Walk
from retrieval.programs.grounding.anchors.anchor import Anchor, Features
from retrieval.programs.grounding.relation_types import parse_stems

if TYPE_CHECKING:
    from retrieval.programs.grounding.computed import Computed
    from retrieval.programs.grounding.schema import Schema

_QUANTITY_VERBS = get_words("quantity_verbs")

#: Relations of amounts that are tried.
_AMOUNTS = 2
#: Where what is counted stands behind "how many".
_COUNTED = 2
#: Stems of words for what something costs.
_PRICED = parse_stems("price cost fee")
#: Stems of words for how many things there are that may be what is measured of each.
_MEASURES = parse_stems("amount quantity")
#: What asks for an amount beside a verb.
_ASKING = ("much", "most", "least", "more", "less")


def add_sum_anchors(question: QuestionWords, schema: Schema, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors, with those of words that ask how much there was of it in all.

    "How much" means no price then.
    """
    words = [word.text for word in question.words]
    verbs, products = (
        set(_find_sum_words(words)),
        [product for product in schema.measures.computed.products if not product.kept],
    )
    sums = [
        anchor
        for index in verbs
        for anchor in _make_sum_anchors(index, schema.measures.amounts, Folding.SUM, "sum.word", products)
    ]
    if words[:_COUNTED] == ["how", "many"] and not verbs:
        verbs = {n for n, word in enumerate(words) if word in _QUANTITY_VERBS}
        counted = [
            anchor
            for anchor in anchors
            if anchor.category == "S" and anchor.first == _COUNTED and anchor.extra == "kind"
        ]
        if not any(_is_rows(anchor, schema) for anchor in counted):
            sums = [
                anchor
                for index in verbs
                for anchor in _make_sum_anchors(index, schema.measures.quantities, Folding.SUM, "sum.word")
            ]
    owed = "much" in words and not verbs and any(anchor.extra == "flag" for anchor in anchors)
    if owed:  # "how much is unpaid": of all that is
        verbs = {words.index("much")}
        sums = [
            anchor
            for index in verbs
            for anchor in _make_sum_anchors(index, schema.measures.amounts, Folding.SUM, "sum.word", products)
        ]
    anchors = [anchor for anchor in anchors if anchor.category != "Q" or not _is_amount(anchor, words, schema)]
    folds = [anchor for anchor in anchors if anchor.category == "A"]
    if folds and not _has_named_value([anchor for anchor in anchors if anchor.first != folds[0].first], schema):
        sums += [
            anchor
            for fold in folds
            for anchor in _make_sum_anchors(fold.first, schema.measures.amounts, fold.extra, "sum.bare", products)
        ]
    if not any(name == "sum.word" for anchor in sums for name, _ in anchor.features):
        verbs = set()
    added = [
        anchor
        for anchor in anchors
        if anchor.category == "R" and anchor.first == _COUNTED and anchor.extra.relation in schema.measures.added
    ]
    if words[:_COUNTED] == ["how", "many"] and added:  # "hours were spent": of these hours
        spent = [n for n, word in enumerate(words) if word in MONEY_VERBS]
        anchors = [anchor for anchor in anchors if not (anchor.first in spent and anchor.last == anchor.first + 1)]
        anchors += [replace(added[0], first=n, last=n + 1) for n in spent]
    much = {n for n, word in enumerate(words) if word == "much"}
    named_relations = {
        anchor.extra.relation for anchor in anchors if anchor.category == "R" and anchor.first not in much
    }
    named_relations &= set(schema.measures.amounts)
    anchors = [
        anchor for anchor in anchors  # "how much does it cost": the verb says what "much" is of
        if not (anchor.category == "R" and anchor.first in much and anchor.extra.relation in named_relations)
    ]  # fmt: skip
    return [
        *sums,
        *(anchor for anchor in anchors if not _is_misread(anchor, verbs, much if verbs else set())),
    ]


def _is_amount(count: Anchor, words: list[str], schema: Schema) -> bool:
    """Whether "the amount of" is no number of things, because things have amounts."""
    measure_stems = {get_stem(word) for word in words[count.first : count.last]} & _MEASURES
    return any(
        schema.columns.get_value_type(r) is not None
        for word_stem in measure_stems
        for r in schema.by_stem.get(word_stem, ())
    )


def _is_misread(anchor: Anchor, verbs: set[int], prices: set[int]) -> bool:
    """Whether an anchor takes a verb of money for a thing, or what is spent for a price."""
    if anchor.last != anchor.first + 1:
        return False
    return (anchor.category == "S" and anchor.first in verbs) or (anchor.category == "R" and anchor.first in prices)


def _has_named_value(anchors: list[Anchor], schema: Schema) -> bool:
    """Whether words name what is to be summed."""
    return any(
        anchor.category == "R" and schema.columns.get_value_type(anchor.extra.relation) is not None
        for anchor in anchors
    )


def _find_sum_words(words: list[str]) -> Iterator[int]:
    """Where a word asks for a sum."""
    verbs = [n for n, word in enumerate(words) if word in MONEY_VERBS]
    asks = any(word in _ASKING for word in words) and "many" not in words and "than" not in words
    if not asks and words[:1] == ["what"]:
        asks = any(words[n - 1] in ("we", "i") for n in verbs if n)
    if asks:
        yield from verbs
    if not asks or not verbs:
        yield from (n for n, word in enumerate(words) if word in MONEY_NOUNS)


def _is_rows(anchor: Anchor, schema: Schema) -> bool:
    """Whether a kind is one of rows that say how many: orders are counted, what was ordered is summed."""
    kinds = (
        anchor.program.source.ids
        if isinstance(anchor.program, Walk) and isinstance(anchor.program.source, Entities)
        else ()
    )
    members = [node for kind in kinds for node in schema.list_members(kind).tolist()]
    return any(np.isin(members, schema.columns.list_sources(relation)).any() for relation in schema.measures.quantities)


def find_stock_anchors(question: QuestionWords, schema: Schema) -> list[Anchor]:
    """What is "out of stock", "sold out" or "in stock", and what is "free"."""
    words = [word.text for word in question.words]
    anchors = list(_find_free_items(words, schema))
    for index in (index for index, pair in enumerate(pairwise(words)) if pair == ("sold", "out")):
        for relation in schema.measures.stocks[:1]:
            program = Filter(Having(relation), Key((relation,)), Comparison.AT_MOST, Constant(0.0, text="0"))
            anchors.append(Anchor("S", index, index + 2, program, "filter", (("stock", 1.0),), 1.0))
    for index, word in enumerate(words):
        before = words[max(0, index - 2) : index]
        if (
            word == "stock"
            and before
            and not {"unit", "units"} & set(before)
            and (before == ["out", "of"] or before[-1] == "in")
        ):
            first = index - 2 if before == ["out", "of"] else index - 1
            how = Comparison.AT_MOST if first == index - 2 else Comparison.MORE
            for relation in schema.measures.stocks[:1]:
                program = Filter(Having(relation), Key((relation,)), how, Constant(0.0, text="0"))
                anchors.append(Anchor("S", first, index + 1, program, "filter", (("stock", 1.0),), 1.0))
    return anchors


def _find_free_items(words: list[str], schema: Schema) -> Iterator[Anchor]:
    """What costs nothing, where something does."""
    places = [index for index, word in enumerate(words) if word == "free" and words[index + 1 : index + 2] != ["of"]]
    for index in places:
        for relation in schema.measures.amounts:
            priced = _PRICED & set(schema.relations[relation].stems)
            if priced and (schema.columns.get_column(relation).values == 0).any():
                program = Filter(Having(relation), Key((relation,)), Comparison.EQUAL, Constant(0.0, text="0"))
                yield Anchor("S", index, index + 1, program, "filter", (("stock", 1.0),), 1.0)


def _make_sum_anchors(
    index: int, relations: list[int], how: Folding, name: str, products: Sequence[Computed] = ()
) -> Iterator[Anchor]:
    if not relations and how is Folding.SUM:  # no column says what was paid, but two do
        for computed in (computed for computed in products[:_AMOUNTS] if computed.money):
            program = Fold(how, Having(computed.key.path[0]), computed.key)
            yield Anchor("F", index, index + 1, program, features=((name, 1.0), ("sum.product", 1.0)), strength=1.0)
    for place, relation in enumerate(relations[:_AMOUNTS]):
        key = Key((relation,))
        features: Features = ((name, 1.0), ("sum.place", float(place)))
        product = next((candidate for candidate in products if candidate.rate == relation and how is Folding.SUM), None)
        if product is not None:  # what was paid is what one costs, so many times
            key, features = product.key, (*features, ("sum.product", 1.0))
        program = Fold(how, Having(key.path[0]), key)
        yield Anchor("F", index, index + 1, program, features=features, strength=1.0 - 0.1 * place)
