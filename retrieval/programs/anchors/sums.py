"""Words for money that is summed: "how much did we spend on food", "who paid the most", "spending in March"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra import (
    Comparison,
    Constant,
    Entities,
    Filter,
    Fold,
    Folding,
    Having,
    Key,
    Walk,
)
from retrieval.programs.anchors.anchor import Anchor, Features
from retrieval.programs.lexicon import MONEY_NOUNS, MONEY_VERBS, QUANTITY_VERBS
from retrieval.programs.sorts import stems_in
from retrieval.programs.words import Question, stem

if TYPE_CHECKING:
    from retrieval.programs.computed import Computed
    from retrieval.programs.schema import Schema

#: Relations of amounts that are tried.
_AMOUNTS = 2
#: Where what is counted stands behind "how many".
_COUNTED = 2
#: Stems of words for what something costs.
_PRICED = stems_in("price cost fee")
#: Stems of words for how many things there are that may be what is measured of each.
_MEASURES = stems_in("amount quantity")
#: What asks for an amount beside a verb.
_ASKING = ("much", "most", "least", "more", "less")


def summed(question: Question, schema: Schema, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors, with those of words that ask how much there was of it in all.

    "How much" means no price then.
    """
    words = [word.text for word in question.words]
    verbs, products = set(_asked(words)), [own for own in schema.measures.computed.products if not own.kept]
    found = [
        own for at in verbs for own in _sums(at, schema.measures.amounts, Folding.SUM, "sum.word", products)
    ]
    if words[:_COUNTED] == ["how", "many"] and not verbs:
        verbs = {n for n, word in enumerate(words) if word in QUANTITY_VERBS}
        counted = [
            own for own in anchors if own.category == "S" and own.first == _COUNTED and own.extra == "kind"
        ]
        if not any(_is_rows(own, schema) for own in counted):
            found = [
                own for at in verbs for own in _sums(at, schema.measures.quantities, Folding.SUM, "sum.word")
            ]
    owed = "much" in words and not verbs and any(own.extra == "flag" for own in anchors)
    if owed:  # "how much is unpaid": of all that is
        verbs = {words.index("much")}
        found = [
            own
            for at in verbs
            for own in _sums(at, schema.measures.amounts, Folding.SUM, "sum.word", products)
        ]
    anchors = [own for own in anchors if own.category != "Q" or not _measured(own, words, schema)]
    folds = [own for own in anchors if own.category == "A"]
    if folds and not _names_value([own for own in anchors if own.first != folds[0].first], schema):
        found += [
            own
            for fold in folds
            for own in _sums(fold.first, schema.measures.amounts, fold.extra, "sum.bare", products)
        ]
    if not any(name == "sum.word" for own in found for name, _ in own.features):
        verbs = set()
    added = [
        own
        for own in anchors
        if own.category == "R" and own.first == _COUNTED and own.extra.relation in schema.measures.added
    ]
    if words[:_COUNTED] == ["how", "many"] and added:  # "hours were spent": of these hours
        spent = [n for n, word in enumerate(words) if word in MONEY_VERBS]
        anchors = [own for own in anchors if not (own.first in spent and own.last == own.first + 1)]
        anchors += [replace(added[0], first=n, last=n + 1) for n in spent]
    much = {n for n, word in enumerate(words) if word == "much"}
    said = {own.extra.relation for own in anchors if own.category == "R" and own.first not in much}
    said &= set(schema.measures.amounts)
    anchors = [
        own for own in anchors  # "how much does it cost": the verb says what "much" is of
        if not (own.category == "R" and own.first in much and own.extra.relation in said)
    ]  # fmt: skip
    return [*found, *(own for own in anchors if not _told(own, verbs, much if verbs else set()))]


def _measured(count: Anchor, words: list[str], schema: Schema) -> bool:
    """Whether "the amount of" is no number of things, because things have amounts."""
    said = {stem(word) for word in words[count.first : count.last]} & _MEASURES
    return any(schema.columns.value_type(r) is not None for own in said for r in schema.by_stem.get(own, ()))


def _told(anchor: Anchor, verbs: set[int], prices: set[int]) -> bool:
    """Whether an anchor takes a verb of money for a thing, or what is spent for a price."""
    if anchor.last != anchor.first + 1:
        return False
    return (anchor.category == "S" and anchor.first in verbs) or (
        anchor.category == "R" and anchor.first in prices
    )


def _names_value(anchors: list[Anchor], schema: Schema) -> bool:
    """Whether words name what is to be summed."""
    return any(
        own.category == "R" and schema.columns.value_type(own.extra.relation) is not None for own in anchors
    )


def _asked(words: list[str]) -> Iterator[int]:
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
    members = [node for kind in kinds for node in schema.members(kind).tolist()]
    return any(
        np.isin(members, schema.columns.sources(relation)).any() for relation in schema.measures.quantities
    )


def stocked(question: Question, schema: Schema) -> list[Anchor]:
    """What is "out of stock", "sold out" or "in stock", and what is "free"."""
    words = [word.text for word in question.words]
    found = list(_free(words, schema))
    for at in (at for at, pair in enumerate(pairwise(words)) if pair == ("sold", "out")):
        for relation in schema.measures.stocks[:1]:
            program = Filter(Having(relation), Key((relation,)), Comparison.AT_MOST, Constant(0.0, text="0"))
            found.append(Anchor("S", at, at + 2, program, "filter", (("stock", 1.0),), 1.0))
    for at, word in enumerate(words):
        before = words[max(0, at - 2) : at]
        if (
            word == "stock"
            and before
            and not {"unit", "units"} & set(before)
            and (before == ["out", "of"] or before[-1] == "in")
        ):
            first = at - 2 if before == ["out", "of"] else at - 1
            how = Comparison.AT_MOST if first == at - 2 else Comparison.MORE
            for relation in schema.measures.stocks[:1]:
                program = Filter(Having(relation), Key((relation,)), how, Constant(0.0, text="0"))
                found.append(Anchor("S", first, at + 1, program, "filter", (("stock", 1.0),), 1.0))
    return found


def _free(words: list[str], schema: Schema) -> Iterator[Anchor]:
    """What costs nothing, where something does."""
    places = [at for at, word in enumerate(words) if word == "free" and words[at + 1 : at + 2] != ["of"]]
    for at in places:
        for relation in schema.measures.amounts:
            priced = _PRICED & set(schema.relations[relation].stems)
            if priced and (schema.columns.column(relation).values == 0).any():
                program = Filter(
                    Having(relation), Key((relation,)), Comparison.EQUAL, Constant(0.0, text="0")
                )
                yield Anchor("S", at, at + 1, program, "filter", (("stock", 1.0),), 1.0)


def _sums(
    at: int, relations: list[int], how: Folding, name: str, products: Sequence[Computed] = ()
) -> Iterator[Anchor]:
    if not relations and how is Folding.SUM:  # no column says what was paid, but two do
        for own in (own for own in products[:_AMOUNTS] if own.money):
            program = Fold(how, Having(own.key.path[0]), own.key)
            yield Anchor("F", at, at + 1, program, features=((name, 1.0), ("sum.product", 1.0)), strength=1.0)
    for place, relation in enumerate(relations[:_AMOUNTS]):
        key = Key((relation,))
        features: Features = ((name, 1.0), ("sum.place", float(place)))
        product = next((own for own in products if own.rate == relation and how is Folding.SUM), None)
        if product is not None:  # what was paid is what one costs, so many times
            key, features = product.key, (*features, ("sum.product", 1.0))
        program = Fold(how, Having(key.path[0]), key)
        yield Anchor("F", at, at + 1, program, features=features, strength=1.0 - 0.1 * place)
