"""Operators in a question: words that ask for more than a walk through the graph (counts, superlatives, negation ...).

Programs compute them (:mod:`retrieval.programs`); here it is only told that there is one. What says that a question
has one is a *cue*, and a cue may be explained by what answers the question: a name ("The Last Samurai"), or a relation
("largest city"). One that nothing explains was not understood.
English only: questions in other languages have no cues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from retrieval.lexicon import get_groups, get_words


class Operator(StrEnum):
    """What a question may ask to be computed."""

    COUNT = "count"
    SUPERLATIVE = "superlative"
    ORDINAL = "ordinal"
    COMPARISON = "comparison"
    NEGATION = "negation"
    YES_NO = "yes/no"
    AGGREGATE = "aggregate"


@dataclass(frozen=True, slots=True)
class Cue:
    """Characters ``start`` to ``end`` of the question ask for ``operator``; ``text`` is what stands there."""

    operator: Operator
    start: int
    end: int
    text: str


#: Words that mean the same here: a relation that has one of them explains a cue of another.
_ALIKE = get_groups("operator_synonyms")
_SUPERLATIVES = (
    "largest|biggest|bigest|smallest|smalest|greatest|highest|heighest|lowest|longest|shortest|tallest|oldest|youngest|"
    "newest|earliest|latest|deepest|richest|poorest|cheapest|nearest|closest|farthest|furthest|heaviest|lightest|fastest|"
    "slowest|widest|broadest|narrowest|busiest|northernmost|southernmost|easternmost|westernmost|fewest|least|most|"
    "maximum|minimum|minimal|maximal"
)
_FAMED = "known|famous|famously|notable|important|recogni[sz]ed"
_NUMBER = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred|thousand|million)"
_COMPARATIVES = (
    "more|less|fewer|greater|larger|bigger|smaller|higher|lower|older|younger|longer|shorter|taller|earlier|later|"
    "newer|deeper|cheaper|heavier|lighter|faster|slower|wider|closer|richer|lesser|ealier|sooner"
)
_NTH = "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|2nd|3rd|[4-9]th|1\\dth"
_ASKING = (
    "who|whom|whose|what|which|where|when|how|why|name|list|show|tell|give|find|describe|explain|provide|suggest|say"
)
_AUXILIARY = (
    "is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|must|may|might|isnt|arent|wasnt|werent|"
    "dont|doesnt|didnt|hasnt|havent"
)

#: What a cue looks like. A group called ``cue`` narrows a match to its telling part.
_PATTERNS: tuple[tuple[Operator, str], ...] = (
    (Operator.COUNT, r"\bho?w\s*man+y\b"),
    (
        Operator.COUNT,
        r"(?<!phone )(?<!telephone )(?<!mobile )(?<!serial )(?<!model )(?<!atomic )(?<!account )(?<!room )"
        r"\b(?:total\s+)?numbers?\s+of\b",
    ),
    (Operator.COUNT, r"(?:^|\s)#\s*of\b|\b(?:nr|no)\.?\s+of\b"),
    (Operator.COUNT, r"^\W*(?:please\s+)?(?P<cue>count)\b|\bcount\s+(?:of|the|all|how)\b"),
    (Operator.AGGREGATE, r"\b(?:average|avg|median)\b|\bmean\s+(?:of|value|\w+\s+of)\b"),
    (Operator.AGGREGATE, r"\bdifference\s+(?:between|in|of)\b"),
    (Operator.AGGREGATE, r"\b(?:sum|total)\s+of\b|\bin\s+total\b|\baltogether\b|\bcombined\b|\btotal\b"),
    (Operator.SUPERLATIVE, rf"(?<!at )\b(?:{_SUPERLATIVES})\b(?!\s+(?:{_FAMED})\b)"),
    (
        Operator.SUPERLATIVE,
        r"\b(?:best|worst)\b(?!\s+\w+\s+to\b)"
        r"(?![- ]?(?:known|friends?|man|picture|act(?:or|ress)|director|supporting|original|foreign|"
        r"animated|film|song|screenplay))|\btop[- ](?:rated|selling|paid|ranked|scoring|\d+)\b",
    ),
    (Operator.SUPERLATIVE, r"\b(?:the|his|her|its|their|'s|s)\s+(?P<cue>first|last)\b(?!\s+names?\b)"),
    (Operator.SUPERLATIVE, r"\b(?P<cue>first|last)\s+(?:to|of|\d+)\b"),
    (Operator.SUPERLATIVE, r"\b(?:\w+ed|\w+[wr]n|die|built|came|made|left|did)\s+(?P<cue>first|last)\b"),
    (Operator.ORDINAL, rf"\b(?:the|his|her|its|their|'s)\s+(?P<cue>{_NTH})\b(?!\s+centur)"),
    (Operator.COMPARISON, rf"\b(?:{_COMPARATIVES})\s+(?:\w+\s+){{0,3}}?th[ae]n\b"),
    (Operator.COMPARISON, rf"\b(?P<cue>{_COMPARATIVES})\b(?=.*\b(?:or|vs|versus)\b)"),
    (Operator.COMPARISON, rf"\b(?:vs|versus|between)\b.*?\b(?P<cue>{_COMPARATIVES})\b"),
    (Operator.COMPARISON, rf"\bor\s+(?:{_COMPARATIVES}|above|below)\b"),
    (Operator.COMPARISON, r"\b(?:in|from|of|during)\s+the\s+(?:(?:early|late|mid)[- ])?(?:1\d|20)?\d0[’']?s\b"),
    (Operator.COMPARISON, r"\b(?:at\s+(?:least|most)|no\s+(?:more|less|fewer)\s+than)\b"),
    (Operator.COMPARISON, rf"\b(?P<cue>over|under|above|below)\s+(?:level|grade|age|number|year|rank)\s+{_NUMBER}\b"),
    (Operator.COMPARISON, rf"\b(?:over|under|above|below|exceed(?:s|ing)?|up\s+to)\s+{_NUMBER}\b"),
    (
        Operator.COMPARISON,
        r"\b(?:after|before|since|until|till|by|prior\s+to)\s+(?:the\s+)?(?:year\s+)?(?:1\d|20)\d\ds?\b",
    ),
    (Operator.COMPARISON, r"(?<!named )(?<!called )(?<!look )(?<!looks )(?<!looked )\b(?:after|before)\b(?=\s+\w)"),
    (
        Operator.COMPARISON,
        r"\bbetween\s+(?:the\s+(?:years?\s+)?)?[$€£]?\d[^?]{0,20}?(?:\band|\bto|-)\s*[$€£]?\d[\d.,]*",
    ),
    (Operator.COMPARISON, r"[<>]=?\s*\d[\d.,]*"),
    (Operator.NEGATION, r"\b(?:not|never|neither|nor|cannot|without|except(?:ing)?|excluding|besides|none)\b|n[’']t\b"),
    (Operator.NEGATION, r"\b(?:isnt|arent|wasnt|werent|dont|doesnt|didnt|hasnt|havent|cant|wont)\b"),
    (Operator.NEGATION, r"\b(?:other\s+th[ae]n|apart\s+from|no\s+longer)\b"),
    (Operator.NEGATION, r"\b(?:with|has|have|had|having|there\s+(?:is|are|was|were))\s+(?P<cue>no)\s+\w"),
    (Operator.YES_NO, rf"^\W*(?:(?:so|and|hey|hi|ok|okay|well|please)\W+)*(?P<cue>{_AUXILIARY})(?:n[’']t)?\b"),
    (Operator.YES_NO, r"\b(?:true\s+or\s+false|yes\s+or\s+no)\b"),
    (Operator.YES_NO, r",\s*(?P<cue>right|correct|true)\s*\?*\s*$"),
)  # fmt: skip
_COMPILED = tuple((operator, re.compile(pattern, re.IGNORECASE)) for operator, pattern in _PATTERNS)
#: "Can you tell me who ...": a request that begins like a question of yes or no.
_REQUEST = re.compile(
    rf"^\W*(?:(?:so|and|hey|hi|ok|okay|well|please)\W+)*(?:{_AUXILIARY})\s+(?:you|u|ya|we|i|anyone|anybody|somebody|someone)\b"
    rf".*?\b(?:{_ASKING})\b",
    re.IGNORECASE | re.DOTALL,
)
#: "Is it a man or a woman": one of the two is the answer.
_CHOICE = re.compile(r"\bor\b(?!\s+(?:not|false|no)\b)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"^[^\w+-]{0,2}[+-]?\d[\d.,_\s]*(?:\s?[^\d\s].{0,20})?$")
_DATE = re.compile(r"^-?\d{1,4}-\d{1,2}(?:-\d{1,2})?")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")
#: Letters of words that a clause is too short to be told by.
_SHORT = 3
#: Words of a cue that say nothing by themselves.
# fmt: off
_EMPTY = get_words("operator_cue_fillers")
# fmt: on

HINTS: dict[Operator, str] = {
    Operator.COUNT: "Name what is counted by a kind or relation of the graph, or ask “which ...”.",
    Operator.AGGREGATE: "Name the numbers by a relation of the graph (“the average area of ...”).",
    Operator.SUPERLATIVE: "Say by what, with a relation of the graph (“the largest by area”).",
    Operator.ORDINAL: "Say by what they are put in order (“the second largest by area”).",
    Operator.COMPARISON: "Name the value by a relation of the graph (“with a population over a million”).",
    Operator.NEGATION: "Name what is left out by a relation of the graph, or ask for both lists.",
    Operator.YES_NO: "Ask for the fact itself (“what is ...”, “who ...”).",
}
"""What can be asked instead, where no program was found."""


def find_cues(text: str) -> tuple[Cue, ...]:
    """The cues of a question's text in their order; of those that overlap the longest."""
    matches: list[Cue] = []
    for operator, pattern in _COMPILED:
        if operator is Operator.YES_NO and (_REQUEST.search(text) or has_choice(text)):
            continue
        for match in pattern.finditer(text):
            start, end = match.span("cue" if match.groupdict().get("cue") else 0)
            start += len(match[0]) - len(match[0].lstrip()) if start == match.start() else 0
            matches.append(Cue(operator, start, end, " ".join(text[start:end].split())))
    kept: list[Cue] = []
    for cue in sorted(matches, key=lambda cue: (cue.start - cue.end, cue.start)):
        if all(cue.end <= other.start or cue.start >= other.end for other in kept):
            kept.append(cue)
    return tuple(sorted(kept, key=lambda cue: cue.start))


def has_choice(text: str) -> bool:
    """Whether one of the things that a question names may be the answer: "is it a man or a woman"."""
    return bool(_CHOICE.search(text))


def find_unexplained(
    text: str,
    cues: Sequence[Cue],
    *,
    spans: Sequence[tuple[int, int]] = (),
    names: Iterable[str] = (),
    relations: Iterable[str] = (),
    answers: Sequence[str] = (),
) -> tuple[Cue, ...]:
    """The cues that nothing explains.

    Args:
        cues: of the question, see :func:`find_cues`.
        spans: characters of the question that name an entity.
        names: of those entities; where one stands in the question, it names it there too.
        relations: texts of the relations that lead to the answers.
        answers: their labels; one that is a number answers "how many" by a relation that holds it.
    """
    if not cues:
        return ()
    name_spans = [
        *((start, end) for start, end in spans if 0 <= start < end),
        *_find_mentions(text, names),
    ]
    relation_words = {word for relation in relations for word in _extract_words(relation)}
    counted = len(answers) == 1 and is_count(answers[0])
    return tuple(
        cue
        for cue in cues
        if not any(start <= cue.start < end for start, end in name_spans)  # a year that is an entity explains nothing
        and not _is_explained(cue, relation_words, text)
        and not (cue.operator is Operator.COUNT and counted)
    )


def is_count(label: str) -> bool:
    """Whether a literal is a number of something: no date, no year."""
    text = label.strip().strip('"')
    return bool(_VALUE.match(text)) and not _DATE.match(text) and not _YEAR.match(text)


def _is_explained(cue: Cue, relation_words: set[str], text: str) -> bool:
    """Whether a relation has a word of the cue, or one that means the same."""
    if cue.operator is Operator.YES_NO:
        return False
    cue_words = {word for word in _extract_words(cue.text) if word not in _EMPTY}
    cue_words |= {word for group in _ALIKE if cue_words & group for word in group}
    if cue.text.casefold() in ("after", "before"):  # "before it became independent": the relation says that
        cue_words |= {word for word in _extract_words(text[cue.end :]) if len(word) > _SHORT}
    return bool(cue_words & relation_words)


def _find_mentions(text: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Where names stand in the question, whole and without a bracket behind them."""
    folded, positions = text.casefold(), list[tuple[int, int]]()
    if len(folded) != len(text):  # a letter that folds to two: positions would not fit
        folded = text.lower() if len(text.lower()) == len(text) else text
    for name in names:
        for form in {name.casefold().strip(), name.casefold().partition(" (")[0].strip()}:
            if len(form) > 1:
                positions += [match.span() for match in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", folded)]
    return positions


def _extract_words(text: str) -> list[str]:
    """Its words in lower case, the plural's s left out."""
    words = _WORD.findall(text.replace("_", " ").casefold())
    return [word[:-1] if len(word) > _SHORT and word.endswith("s") else word for word in words]


SHARING = get_words("sharing_words")


def is_asking_for_others(text: str) -> bool:
    """Whether a question asks for others that have something in common with what it names."""
    return not SHARING.isdisjoint(re.findall(r"[^\W_]+", text.lower()))
