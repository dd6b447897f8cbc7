"""What a question asks for by its noun: the sites of "which sites", the rowers of "rowers from Kampen"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language import words as vocabulary
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Having
from retrieval.programs.grammar.constituents import iter_leaves

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grammar.constituents import Part
    from retrieval.programs.grounding.anchors.anchor import Anchor, Relating
    from retrieval.programs.grounding.schema import Schema

#: Words before the noun of a request, and nouns that stand for what follows their "of".
_BEFORE = get_words("words_before_asked_nouns")
#: What ends the noun that is asked for.
_ENDS = get_words("words_behind_asked_nouns")
#: Sorts of answers whose noun is looked for.
_NAMED = frozenset({"which", "what is", "what are", "how many", "list"})
#: How surely a word has to stand for a kind, or for a relation.
_KIND, _RELATION = 0.72, 0.9
#: Words that ask for a number of what follows them.
_FOLDED = frozenset({"average", "mean", "total", "sum", "combined", "altogether", "together"})


def find_wanted_nodes(
    question: QuestionWords, anchors: Sequence[Anchor], schema: Schema, executor: Executor
) -> np.ndarray | None:
    """The nodes of the sort that the noun of a question says, int64 ascending; None where no word of it says one.

    Args:
        anchors: what its words may stand for.
    """
    first, last = _find_noun(question)
    sure = [anchor for anchor in anchors if first <= anchor.first and anchor.last <= last and _is_sure(anchor, schema)]
    if not sure:
        return None
    position = min(anchor.first for anchor in sure)
    while behind := [anchor for anchor in sure if anchor.first == position]:  # "cheese farms" are farms
        ones, position = behind, max(anchor.last for anchor in behind)
    if any(anchor.category == "S" for anchor in ones):
        ones = [anchor for anchor in ones if anchor.category == "S"]
    nodes: np.ndarray = reduce(np.union1d, [_compute_nodes(anchor, schema, executor) for anchor in ones])
    return None if schema.columns.are_values(nodes) else nodes


def _find_noun(question: QuestionWords) -> tuple[int, int]:
    """The words [first, last) that say what is asked for; none where the question asks for no such thing."""
    texts = [word.text for word in question.words]
    if not texts or question.kind not in _NAMED or _FOLDED & set(texts):
        return 0, 0
    first = next((n for n, text in enumerate(texts) if text in ("which", "what", "many", "whats", "what's")), 0)
    while first < len(texts) and (texts[first] in _BEFORE or texts[first].isdecimal()):
        first += 1
    last = next((n for n in range(first, len(texts)) if texts[n] in _ENDS), len(texts))
    return first, last


def _is_sure(anchor: Anchor, schema: Schema) -> bool:
    """Whether an anchor surely stands for a sort of things: a kind, or what a relation that is a noun leads to."""
    if anchor.category == "S":
        return anchor.extra == "kind" and anchor.strength >= _KIND
    if anchor.category != "R" or anchor.extra.relation in schema.truths:
        return False
    relating: Relating = anchor.extra
    return relating.quality >= _RELATION and schema.relations[relating.relation].form == "noun"


def _compute_nodes(anchor: Anchor, schema: Schema, executor: Executor) -> np.ndarray:
    if anchor.program is not None:
        return executor.compute_nodes(anchor.program)
    return executor.compute_nodes(Having(schema.get_inverse(anchor.extra.relation)))


def has_singular_target(question: QuestionWords) -> bool:
    """Whether what is asked for is named in the singular: "which lake", "what is the only lake"."""
    wanted = [question.words[n] for n in sorted(vocabulary.find_target_words(question))]
    return bool(wanted) and not any(word.text.endswith("s") and word.stem != word.text for word in wanted)


def is_value_target(question: QuestionWords, part: Part) -> bool:
    """Whether the noun that is asked for is itself a value of some column: "which Democrats", over rows with a party,
    but not "which Democratic candidates".
    """
    targets = vocabulary.find_target_words(question)
    spans = {leaf.anchored: leaf.extra for leaf in iter_leaves(part) if leaf.anchored is not None}
    ends = {
        last for (first, last), extra in spans.items()
        if extra in ("node", "hub") and not targets.isdisjoint(range(first, last))
    }  # fmt: skip
    return bool(ends) and not any(first in ends and extra in ("kind", "ends") for (first, _), extra in spans.items())
