"""Words for money that is summed: "how much did we spend on food", "who paid the most", "spending in March"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.programs.algebra import Fold, Folding, Having, Key
from retrieval.programs.anchors.anchor import Anchor
from retrieval.programs.lexicon import MONEY_NOUNS, MONEY_VERBS
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.programs.schema import Schema

#: Relations of amounts that are tried.
_AMOUNTS = 2
#: What asks for an amount beside a verb.
_ASKING = ("much", "most", "least", "more", "less")


def summed(question: Question, schema: Schema, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors, with those of words that ask how much there was of it in all.

    "How much" means no price then.
    """
    words = [word.text for word in question.words]
    verbs = set(_asked(words))
    found = [own for at in verbs for own in _sums(at, schema, Folding.SUM, "sum.word")]
    folds = [own for own in anchors if own.category == "A"]
    if folds and not _names_value([own for own in anchors if own.first != folds[0].first], schema):
        found += [own for fold in folds for own in _sums(fold.first, schema, fold.extra, "sum.bare")]
    if not found:
        return anchors
    prices = {n for n, word in enumerate(words) if word == "much"} if verbs else set()
    return [*found, *(own for own in anchors if not _told(own, verbs, prices))]


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
    asks = any(word in _ASKING for word in words) and "many" not in words
    if not asks and words[:1] == ["what"]:
        asks = any(words[n - 1] in ("we", "i") for n in verbs if n)
    if asks:
        yield from verbs
    if not asks or not verbs:
        yield from (n for n, word in enumerate(words) if word in MONEY_NOUNS)


def _sums(at: int, schema: Schema, how: Folding, name: str) -> Iterator[Anchor]:
    for place, relation in enumerate(schema.amounts[:_AMOUNTS]):
        program = Fold(how, Having(relation), Key((relation,)))
        features = ((name, 1.0), ("sum.place", float(place)))
        yield Anchor("F", at, at + 1, program, features=features, strength=1.0 - 0.1 * place)
