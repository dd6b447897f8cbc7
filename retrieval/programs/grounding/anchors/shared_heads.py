"""Nouns that joined names of relations share: the "servings" of "beer and wine servings"."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from retrieval.language.words import QuestionWords

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

_JOINING = frozenset({"and", "or"})
#: Words between the first of some joined names and the word that joins the last; words of the last.
_MOST_BETWEEN, _LONGEST_NAME = 4, 4


def find_shared_head(question: QuestionWords, last: int, relation: int, missing: Set[str], schema: Schema) -> Set[str]:
    """The stems that a relation's name lacks in front of ``last``, if the last of some joined names has them.

    Args:
        question: in words.
        last: behind the words of the relation's name; "and", "or" or a comma follows.
        relation: that they name a part of.
        missing: stems of its name that they lack.
        schema: of the graph.
    """
    words = question.words
    if not missing or last >= len(words) or not _is_joined(question, last):
        return frozenset()
    joins = (n for n in range(last, min(len(words), last + _MOST_BETWEEN)) if words[n].text in _JOINING)
    behind = next(joins, len(words)) + 1
    for end in range(behind + 2, min(len(words), behind + _LONGEST_NAME) + 1):
        stems = {word.stem for word in words[behind:end]}
        if words[end - 1].stem not in missing or not missing < stems:
            continue
        if any(
            set(schema.relations[r].stems) == stems
            for r in schema.by_stem.get(words[end - 1].stem, ())
            if r != relation
        ):
            return missing
    return frozenset()


def _is_joined(question: QuestionWords, last: int) -> bool:
    between = question.text[question.words[last - 1].end : question.words[last].start]
    return "," in between or question.words[last].text in _JOINING
