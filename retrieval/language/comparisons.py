"""Phrases of questions that compare numbers and texts, or ask for one number of many."""

from __future__ import annotations

import re

from retrieval.language.amounts import Comparison, Folding, TextMatch
from retrieval.lexicon import get_table

COMPARISONS = {
    phrase: Comparison[name.upper()]
    for name, phrases in get_table("comparisons_before_numbers").items()
    for phrase in phrases
}
"""What stands before a number."""
POSTFIXES = {
    phrase: Comparison[name.upper()]
    for name, phrases in get_table("comparisons_behind_numbers").items()
    for phrase in phrases
}
"""What stands behind a number."""
FOLDINGS = {word: Folding[name.upper()] for name, words in get_table("folding_words").items() for word in words}
LIKENESS = re.compile(
    r"(?:(?P<how>at least|at most) )?(?:just )?as (?P<adjective>\w+) as|(?:no|not) (?P<comparative>[\w ]+) than"
)
"""What compares with something without a comparative: "at least as long as", "no longer than"."""
TEXT_MATCHES: tuple[tuple[str, TextMatch], ...] = (
    (
        r"(?:that\s+)?(?:contain(?:s|ing)?|includ(?:es?|ing)|mention(?:s|ing)?|"
        r"(?:ha(?:s|ve|ving)|with)(?=\s+(?:the|a)\s+(?:\w+\s+)?(?:words?|substring|string|phrase|letters?)\s))",
        TextMatch.CONTAINS,
    ),
    (r"(?:start(?:s|ing)?|begin(?:s|ning)?)(?:\s+with)", TextMatch.STARTS),
    (r"end(?:s|ing)?\s+(?:with|in)", TextMatch.ENDS),
)
"""What says that a text is looked into, before a quoted text or letter."""
