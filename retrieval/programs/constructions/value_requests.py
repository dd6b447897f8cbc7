"""What a question asks of two values of one thing, and how well its words say them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.language.amounts import ValueKind
from retrieval.language.words import generate_agent_stems, get_related_stems
from retrieval.programs.grounding.computed import BEGUN, ENDED
from retrieval.programs.grounding.relation_types import parse_stems

#: What asks for the time between two dates of one thing.
TIMES = re.compile(
    r"(?:.*\b)?(?:how (?:long|old)"
    r"|how (?:many|much)(?: full| whole)? (?:days|nights|weeks|months|years|hours|minutes|time)"
    r"|(?:days|nights|weeks|months|years|hours|minutes|time) (?:passed|between|elapsed)|age)\b.*"
)


#: What asks how far apart two numbers of one thing are, and says of neither which it is.
DISTANCE_WORD = re.compile(
    r"\b(?:more|less|fewer|than|differ\w*|rises?|rose|risen|grow[ns]?|grew|increased?|drop(?:ped|s)?|f[ae]ll|fallen"
    r"|between|change[ds]?|apart)\b"
)
#: How such a question begins.
_HOW_MUCH = re.compile(
    r"\bhow (?:much|many)\b|\bdifference\b|^what (?:would|does|did|is|was)\b|^(?:total|balance|profit)\b"
)


#: What asks what is still owed, and what was gained.
_OWED = re.compile(
    r".*\b(?:owe[sd]?|outstanding|still (?:to )?(?:cost|pay|due)|cost still|left to pay|unpaid"
    r"|after (?:the|his|her|their|its|a) deposit|balance)\b.*"
)


_GAINED = re.compile(
    r".*\b(?:gone up|went up|gain(?:ed)?|appreciate[sd]?|profits?|margin|mark ?up|(?:make|made|earn|earned) on"
    r"|increased? in (?:value|price))\b.*"
)


#: Stems of what is owed, what of it was paid; of what something is worth, and what it cost.
_DUE, _PAID = (parse_stems("total price fee rent cost amount invoice due hire"), parse_stems("paid deposit prepaid"))


_WORTH, _SPENT = (
    parse_stems("value worth current valuation estimate sold sale selling resale retail"),
    parse_stems("paid price cost bought purchase buying wholesale"),
)


#: Stems of births and deaths.
_BORN, _DIED = parse_stems("birth born birthday hatched foaled"), parse_stems("death died")


#: Words for how long something was.
_LASTED = re.compile(
    r"\b(?:last(?:ed)?|stay(?:ed)?|take|took|away|gone|run|ran|kept|keep|have|had|live[sd]?|out|open|spend|spent|borrowed"
    r"|lent|serve[sd]?|operate[sd]?|stand|stood|exist(?:ed)?|reign(?:ed)?|rule[sd]?|travel(?:led)?)\b"
)


#: How far a pair of values has to be told.
SURELY_MEANT = 1.0


#: What a step to a value costs, and what a beginning and an end are told by that nobody names.
_FAR, _OPPOSITE = 0.1, 0.5


#: Weight of a word that names both values; a word that names one of them counts 1.
_COMMON = 1.5


#: What words of a related meaning say of a relation.
_ALIKE = 0.7


@dataclass(frozen=True, slots=True)
class EndValue:
    """A value of what is named: the path to it, what it is, and the words [n] that say so with how well."""

    path: tuple[int, ...]
    kind: ValueKind
    year: bool
    dimension: str
    stems: frozenset[str]
    said: dict[int, float]


@dataclass(frozen=True, slots=True)
class ValueRequest:
    """What a question asks of two values: the time between them, how far numbers are apart, what is owed or gained."""

    text: str
    timed: bool
    counted: bool
    owed: bool
    gained: bool

    def score_difference(self, left: EndValue, right: EndValue) -> float:
        """How far words tell that one value less another is asked for."""
        if left.kind is not right.kind or left.year is not right.year or left.dimension != right.dimension:
            return 0.0
        score, times = 0.0, left.kind is not ValueKind.NUMBER or left.year
        if times and self.timed:
            score = self._score_duration(left, right)
        elif not times and not self.timed:
            score = _score_distinct_words(left, right) if self.counted and left.path < right.path else 0.0
            mine, others = left.stems - right.stems, right.stems - left.stems
            if self.owed and left.stems & _DUE and others & _PAID and not mine & _PAID:
                score += SURELY_MEANT
            if self.gained and left.stems & _WORTH and others & _SPENT and not mine & _SPENT:
                score += SURELY_MEANT
        return score - _FAR * (len(left.path) + len(right.path) - 2)

    def _score_duration(self, end: EndValue, begin: EndValue) -> float:
        if re.search(r"\b(?:old|age)\b", self.text):
            return _OPPOSITE + sum(end.said.values()) if end.said and begin.stems & _BORN else 0.0
        score = _score_distinct_words(end, begin)
        lived = begin.stems & _BORN and end.stems & _DIED
        opposite = end.stems & ENDED and begin.stems & BEGUN
        if (lived or opposite) and end.path[:-1] == begin.path[:-1]:
            score += _OPPOSITE + (SURELY_MEANT if _LASTED.search(self.text) else 0.0)
        return score


def _score_distinct_words(left: EndValue, right: EndValue) -> float:
    """How well words name two values; 0 where either has no word of its own. A word that names both counts more: in
    "the population from 2010 to 2020" it is two columns of population that differ.
    """
    mine = sum(how for n, how in left.said.items() if how > right.said.get(n, 0.0))
    others = sum(how for n, how in right.said.items() if how > left.said.get(n, 0.0))
    common = sum(min(left.said[n], right.said[n]) for n in left.said.keys() & right.said.keys())
    return mine + others + _COMMON * common if mine and others else 0.0


def score_word(stem: str, stems: frozenset[str]) -> float:
    """How well a word says a relation: by its form, or by one of the same meaning."""
    if stem in stems or generate_agent_stems(stem) & stems:
        return 1.0
    return _ALIKE if get_related_stems().get(stem, frozenset()) & stems else 0.0


def parse_value_request(text: str) -> ValueRequest | None:
    """What a question asks of two values; None where it asks nothing of them."""
    asks = _HOW_MUCH.search(text) is not None
    request = ValueRequest(
        text,
        timed=TIMES.fullmatch(text) is not None,
        counted=asks and DISTANCE_WORD.search(text) is not None,
        owed=asks and _OWED.fullmatch(text) is not None,
        gained=asks and _GAINED.fullmatch(text) is not None,
    )
    return request if request.timed or request.counted or request.owed or request.gained else None
