"""What a question asks for by its words alone: the kind of the answer, and operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.language.adjectives import SUPERLATIVES
from retrieval.language.english import NEGATIONS, STOP
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords


#: What something is called or told apart by: of "the names of stadiums", stadiums are asked for.
_NAMING = get_words("naming_relation_words")


#: Words before what is asked for that say no more than how.
_BEFORE = frozenset({"number", "total", "count", "'s", "average", "list"})


#: Words of one noun phrase that are looked at.
_HEAD = 4


#: Words that ask for an operator.
CUES = {
    "count": frozenset({"many", "count"}),
    "avg": frozenset({"average", "mean"}),
    "sum": frozenset({"total", "sum", "overall"}),
    "neg": frozenset({*NEGATIONS, "never"}),
    "or": frozenset({"or"}),
    "and": frozenset({"both"}),
    "sup": frozenset(phrase for phrase in SUPERLATIVES if " " not in phrase),
    "cmp": get_words("comparison_cues"),
    "each": frozenset({"each", "per"}),
}


_COMPARING = frozenset({"than", "above", "below", "over", "under"})


Signs = dict[str, float]


@dataclass(frozen=True, slots=True)
class QuestionTraits:
    """What a question asks for, by its words alone.

    Attributes:
        head: the words that say of which kind the answer is.
        content: words that mean something.
        cues: operators that words ask for.
    """

    question: QuestionWords
    head: tuple[int, ...]
    content: tuple[int, ...]
    cues: frozenset[str]


def build_question_traits(question: QuestionWords) -> QuestionTraits:
    """What the words of a question ask for."""
    words = question.words
    content = tuple(n for n, word in enumerate(words) if word.text not in STOP and word.text != "'s")
    return QuestionTraits(question, _find_head(question), content, _find_cues(question))


def _find_head(question: QuestionWords) -> tuple[int, ...]:
    words = question.words
    for n, word in enumerate(words):
        behind = words[n + 1].text if n + 1 < len(words) else ""
        if word.text in STOP | _BEFORE or (word.text in _NAMING and behind in ("of", "for")):
            continue
        last = n + 1
        while last < min(len(words), n + _HEAD) and words[last].text not in STOP:
            last += 1
        return tuple(range(n, last))
    return ()


def _find_cues(question: QuestionWords) -> frozenset[str]:
    texts = {word.text for word in question.words}
    cue_names = {name for name, cues in CUES.items() if texts & cues}
    if "number of" in " ".join(word.text for word in question.words):
        cue_names.add("count")
    if "cmp" in cue_names and not question.quantities and not texts & _COMPARING:
        cue_names.discard("cmp")
    return frozenset(cue_names)
