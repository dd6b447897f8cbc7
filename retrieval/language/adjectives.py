"""Adjectives with their comparatives and superlatives, and what each compares."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.lexicon import get_table, get_words


@dataclass(frozen=True, slots=True)
class Adjective:
    """What a comparative or superlative compares: nouns that name the attribute, best first.

    The flag of a noun says whether more of the adjective is more of the noun; False for "young" and "age".
    """

    nouns: tuple[tuple[str, bool], ...] = ()


def _make_adjective(*nouns: str) -> Adjective:
    return Adjective(tuple((noun.removeprefix("-"), not noun.startswith("-")) for noun in nouns))


_MEASURES = {name: _make_adjective(*nouns) for name, nouns in get_table("measures").items()}
ADJECTIVES: tuple[tuple[str, str, str, Adjective, bool], ...] = tuple(
    (base, comparative, superlative, _MEASURES[measure], end == "large")
    for superlative, (base, comparative, measure, end) in get_table("adjectives").items()
)
"""Positive, comparative, superlative, what it measures, whether it is the large end of that."""
BASES = {
    word: base
    for base, comparative, superlative, _, _ in ADJECTIVES
    for word in (comparative, superlative)
    if base not in ("first", "last", "good", "bad", "late") and " " not in word
}
"""Comparatives and superlatives of one word, and their adjective."""
_ENDS = ("first", "last")
_EARNING = {"paid": "earning"}
_ANY = Adjective()
SUPERLATIVES: dict[str, tuple[Adjective, bool]] = {
    **{superlative: (adjective, up) for _, _, superlative, adjective, up in ADJECTIVES},
    **{"most " + base: (adjective, up) for base, _, _, adjective, up in ADJECTIVES if base not in _ENDS},
    **{"least " + base: (adjective, not up) for base, _, _, adjective, up in ADJECTIVES if base not in _ENDS},
    **{
        f"{end} {word}": (adjective, end != "lowest")
        for base, _, _, adjective, _ in ADJECTIVES
        if base in ("rated", "paid", "selling", "scoring")
        for end in ("highest", "top", "lowest")
        for word in (base, _EARNING.get(base, base))
    },
    **dict.fromkeys(get_words("superlatives_of_more"), (_ANY, True)),
    **dict.fromkeys(get_words("superlatives_of_less"), (_ANY, False)),
}
"""By their words: what is compared (without nouns: what follows says it) and whether the largest is meant."""
MET = frozenset(
    word
    for word in SUPERLATIVES
    if re.search(r"(?:common(?:ly|est)?|frequent(?:ly)?|often|used|rarest|popular)$", word)
)
"""Superlatives that compare how often something is met."""
EXTREMES = frozenset({"maximum", "minimum", "max", "min", "maximum number", "minimum number"})
"""Superlatives that ask for a value more often than for what has it."""
COMPARATIVES: dict[str, tuple[Adjective, bool]] = {
    **{comparative: (adjective, up) for _, comparative, _, adjective, up in ADJECTIVES if comparative != "last"},
    "more": (_ANY, True),
    "less": (_ANY, False),
    "fewer": (_ANY, False),
}
"""By their words, like :data:`SUPERLATIVES`."""
POSITIVES: dict[str, Adjective] = {
    **{base: adjective for base, _, _, adjective, _ in ADJECTIVES},
    "much": _make_adjective("price", "cost", "amount", "rent", "salary"),
    "far": _MEASURES["distance"],
    "big": _make_adjective("area", "size", "population"),
}
"""What "how <adjective>" asks for."""
