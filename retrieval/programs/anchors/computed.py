"""Words for what two columns come to: "worth", of a price and a quantity; "free" and "full", of what can be held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.programs.algebra import Comparison, Constant, Filter, Fold, Folding, Having, Key
from retrieval.programs.anchors.anchor import Anchor, Features
from retrieval.programs.sorts import stems_in

if TYPE_CHECKING:
    from retrieval.programs.computed import Computed
    from retrieval.programs.schema import Schema
    from retrieval.programs.words import Question

#: Words for the money that things come to, and pairs of such.
_WORTH = frozenset({
    "earnings", "gross", "income", "proceeds", "revenue", "revenues", "sales", "takings", "turnover", "value", "worth",
})  # fmt: skip
_TAKINGS = frozenset(
    {"earnings", "income", "proceeds", "revenue", "revenues", "sales", "takings", "turnover"}
)
_COMES_TO = frozenset({
    ("bring", "in"), ("brought", "in"), ("came", "in"), ("came", "to"), ("come", "to"), ("comes", "in"),
})  # fmt: skip
#: Words for what can still be held, of such things, and for what holds all that it can.
_FREE = frozenset({"available", "free", "left", "open", "remaining", "vacant"})
_PLACES = stems_in("place seat spot slot ticket room space vacancy bed")
_FULL = frozenset({"full", "booked"})
_WHOLE = stems_in("total amount sum revenue payment turnover")
_VALUE = frozenset({"value", "worth"})


def computed(question: Question, schema: Schema) -> list[Anchor]:
    """What words mean that no column is named with, but two columns come to."""
    words = [word.text for word in question.words]
    made = schema.measures.computed
    found = list[Anchor]()
    money = sorted((own for own in made.products if own.money), key=lambda own: not own.kept)
    sold = [own for own in money if not own.kept]
    if {r for r in schema.measures.amounts if set(schema.relations[r].stems) & _WHOLE} - {
        own.rate for own in money
    }:
        sold = []  # what was paid in all is told already
    valued = schema.columns.value_type
    named = {w for w in question.words if any(valued(r) for r in schema.by_stem.get(w.stem, ()))}
    for at, word in enumerate(question.words):
        if word.text in _WORTH and word not in named:
            found += _sums(at, at + 1, money if word.text in _VALUE else sold) or _taken(
                at, word.text, schema
            )
    for at, pair in enumerate(pairwise(words) if {"money", "much"} & set(words) else ()):
        if pair in _COMES_TO:
            found += _sums(at, at + 2, sold)
    if words[:2] == ["how", "many"] and len(words) > 2 and "per" not in words:
        found += _sums(2, 3, [own for own in made.products if question.words[2].stem in own.stems])
    found += _held(question, made.free)
    return found


def _sums(first: int, last: int, products: list[Computed]) -> list[Anchor]:
    features: Features = (("sum.word", 1.0), ("sum.product", 1.0))
    return [
        Anchor("F", first, last, Fold(Folding.SUM, Having(own.key.path[0]), own.key), None, features, 1.0)
        for own in products[:1]
    ]


def _taken(at: int, word: str, schema: Schema) -> list[Anchor]:
    """What "takings" are where one column says how much it was."""
    features: Features = (("sum.word", 1.0), ("sum.place", 0.0))
    return [
        Anchor("F", at, at + 1, Fold(Folding.SUM, Having(r), Key((r,))), None, features, 1.0)
        for r in schema.measures.amounts[:1]
        if word in _TAKINGS
    ]


def _held(question: Question, free: list[Computed]) -> Iterator[Anchor]:
    words, stems = [word.text for word in question.words], {word.stem for word in question.words}
    for own in free[:1]:
        having = Having(own.key.path[0])
        for at, word in enumerate(words):
            if word in _FREE and stems & _PLACES:
                number, features = Fold(Folding.SUM, having, own.key), (("sum.word", 1.0), ("sum.free", 1.0))
                yield Anchor("F", at, at + 1, number, features=features, strength=1.0)
                if words[:2] != ["how", "many"]:
                    some = Filter(having, own.key, Comparison.MORE, Constant(0.0, text="0"))
                    yield Anchor("S", at, at + 1, some, "filter", (("stock", 1.0),), 1.0)
            if word in _FULL and (word == "full" or words[at - 1 : at] in (["fully"], ["all"])):
                full = Filter(having, own.key, Comparison.AT_MOST, Constant(0.0, text="0"))
                first = at if word == "full" else at - 1
                yield Anchor("S", first, at + 1, full, "filter", (("stock", 1.0),), 1.0)
