"""Words for what two columns come to: "worth", of a price and a quantity; "free" and "full", of what can be held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.language.amounts import Comparison, Folding
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Constant, Filter, Fold, Having, Key
from retrieval.programs.grounding.anchors.anchor import Anchor, Features
from retrieval.programs.grounding.relation_types import load_stems, parse_stems

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.grounding.computed import Computed
    from retrieval.programs.grounding.schema import Schema

#: Words for the money that things come to, and pairs of such.
_WORTH = get_words("value_nouns")
_TAKINGS = get_words("revenue_nouns")
_COMES_TO = frozenset({
    ("bring", "in"), ("brought", "in"), ("came", "in"), ("came", "to"), ("come", "to"), ("comes", "in"),
})  # fmt: skip
#: Words for what can still be held, of such things, and for what holds all that it can.
_FREE = frozenset({"available", "free", "left", "open", "remaining", "vacant"})
_PLACES = load_stems("capacity_nouns")
_FULL = frozenset({"full", "booked"})
_WHOLE = parse_stems("total amount sum revenue payment turnover")
_VALUE = frozenset({"value", "worth"})


def find_computed_anchors(question: QuestionWords, schema: Schema) -> list[Anchor]:
    """What words mean that no column is named with, but two columns come to."""
    words = [word.text for word in question.words]
    made = schema.measures.computed
    anchors = list[Anchor]()
    money = sorted((product for product in made.products if product.money), key=lambda product: not product.kept)
    sold = [product for product in money if not product.kept]
    if {r for r in schema.measures.amounts if set(schema.relations[r].stems) & _WHOLE} - {
        product.rate for product in money
    }:
        sold = []  # what was paid in all is told already
    valued = schema.columns.get_value_type
    named_words = {w for w in question.words if any(valued(r) for r in schema.by_stem.get(w.stem, ()))}
    for index, word in enumerate(question.words):
        if word.text in _WORTH and word not in named_words:
            anchors += _make_sum_anchors(
                index, index + 1, money if word.text in _VALUE else sold
            ) or _make_takings_anchors(index, word.text, schema)
    for index, pair in enumerate(pairwise(words) if {"money", "much"} & set(words) else ()):
        if pair in _COMES_TO:
            anchors += _make_sum_anchors(index, index + 2, sold)
    if words[:2] == ["how", "many"] and len(words) > 2 and "per" not in words:
        anchors += _make_sum_anchors(
            2, 3, [product for product in made.products if question.words[2].stem in product.stems]
        )
    anchors += _find_capacity_anchors(question, made.free)
    return anchors


def _make_sum_anchors(first: int, last: int, products: list[Computed]) -> list[Anchor]:
    features: Features = (("sum.word", 1.0), ("sum.product", 1.0))
    return [
        Anchor("F", first, last, Fold(Folding.SUM, Having(product.key.path[0]), product.key), None, features, 1.0)
        for product in products[:1]
    ]


def _make_takings_anchors(index: int, word: str, schema: Schema) -> list[Anchor]:
    """What "takings" are where one column says how much it was."""
    features: Features = (("sum.word", 1.0), ("sum.place", 0.0))
    return [
        Anchor("F", index, index + 1, Fold(Folding.SUM, Having(r), Key((r,))), None, features, 1.0)
        for r in schema.measures.amounts[:1]
        if word in _TAKINGS
    ]


def _find_capacity_anchors(question: QuestionWords, free: list[Computed]) -> Iterator[Anchor]:
    words, stems = [word.text for word in question.words], {word.stem for word in question.words}
    for capacity in free[:1]:
        having = Having(capacity.key.path[0])
        for index, word in enumerate(words):
            if word in _FREE and stems & _PLACES:
                number, features = (
                    Fold(Folding.SUM, having, capacity.key),
                    (("sum.word", 1.0), ("sum.free", 1.0)),
                )
                yield Anchor("F", index, index + 1, number, features=features, strength=1.0)
                if words[:2] != ["how", "many"]:
                    some = Filter(having, capacity.key, Comparison.MORE, Constant(0.0, text="0"))
                    yield Anchor("S", index, index + 1, some, "filter", (("stock", 1.0),), 1.0)
            if word in _FULL and (word == "full" or words[index - 1 : index] in (["fully"], ["all"])):
                full = Filter(having, capacity.key, Comparison.AT_MOST, Constant(0.0, text="0"))
                first = index if word == "full" else index - 1
                yield Anchor("S", first, index + 1, full, "filter", (("stock", 1.0),), 1.0)
