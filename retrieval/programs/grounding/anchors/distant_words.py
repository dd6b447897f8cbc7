"""Words of a relation's name that stand elsewhere in a question than the rest of it.

The year of "circulation of Le Monde in 2013", of a column for 2013; the end of a long name, of "percentage of drivers
in Texas who were speeding"; the noun that joined names share, of "beer and wine servings".
"""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from retrieval.language.words import QuestionWords

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

_JOINING = frozenset({"and", "or"})
#: Most words between the first of some joined names and the word that joins the last; most words of the last.
_MOST_BETWEEN, _LONGEST_NAME = 4, 4
#: Fewest words of a name that distant words may complete.
_LONG = 3


def measure_recall(
    question: QuestionWords, last: int, relation: int, span_stems: Set[str], schema: Schema
) -> tuple[float, Set[str]]:
    """The share of a relation's name that a question says, in [0, 1], and the stems of it that stand apart.

    Args:
        last: behind the words that name a part of the relation.
        relation: of which they name a part.
    """
    weights = schema.get_stem_weights(relation)
    missing = weights.keys() - span_stems
    apart = _find_distant_stems(question, span_stems, missing)
    covered = span_stems | apart | _find_shared_head(question, last, relation, missing, schema)
    return sum(weight for stem, weight in weights.items() if stem in covered) / sum(weights.values()), apart


def _find_distant_stems(question: QuestionWords, span_stems: Set[str], missing: Set[str]) -> Set[str]:
    """Those of the missing stems that stand elsewhere: numbers, or all that a long name lacks."""
    stems = {word.stem for word in question.words}
    if missing <= stems and len(span_stems) >= _LONG and len(missing) < len(span_stems):
        return missing
    return {stem for stem in missing & stems if stem.isdecimal()}


def _find_shared_head(question: QuestionWords, last: int, relation: int, missing: Set[str], schema: Schema) -> Set[str]:
    """The missing stems, if the last of some joined names has them: the servings of beer and wine."""
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
