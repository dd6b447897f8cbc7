"""Comparison questions: "which has the larger population, A or B" is answered by A or by B."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from retrieval.evidence.reach import Reach
from retrieval.language.question import Question

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

Side = Literal["max", "min"]

_MAX = (
    "larger|bigger|greater|more|higher|taller|longer|heavier|deeper|wider|later|newer|faster|hotter"
    "|largest|biggest|highest|tallest|longest|most|latest|newest"
)
_MIN = (
    "smaller|fewer|less|lower|shorter|lighter|shallower|narrower|earlier|sooner|slower|colder"
    "|smallest|fewest|least|lowest|shortest|earliest|first"
)
_OLDER = "older|oldest|elder"
_YOUNGER = "younger|youngest"
_WORD = re.compile(
    rf"\b(?:(?P<max>{_MAX})|(?P<min>{_MIN})|(?P<older>{_OLDER})|(?P<younger>{_YOUNGER}))\b", re.IGNORECASE
)
_CHOICE = re.compile(r"\b(?:or|than|versus|vs|between|of the two|both)\b", re.IGNORECASE)
_DATE = re.compile(r"^(-?\d{1,4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ].*)?$")
_YEAR = re.compile(r"^(\d{1,4}) ?(BCE?|CE|AD)$", re.IGNORECASE)
_TIME_RELATION = re.compile(r"\b(?:year|date|time|born|birth|death|died|founded|released?|built)\b", re.IGNORECASE)
_NUMBER = re.compile(r"^[^\d+-]{0,3}([+-]?\d[\d,_  ]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([^\d\s].{0,15})?$")
_SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison found: positions in the list of reaches, one a topic, and the winning topics."""

    members: tuple[int, ...]
    winners: tuple[int, ...]
    probability: float


def is_comparison(question: Question) -> bool:
    """Whether the question has a comparative word and offers things to choose between."""
    return bool(_WORD.search(question.text) and _CHOICE.search(question.text))


def detect_side(question: Question, *, dates: bool) -> Side | None:
    """Whether the greatest or the least value wins. Older means the earlier date, and the greater age."""
    match = _WORD.search(question.text)
    if match is None:
        return None
    if match["older"]:
        return "min" if dates else "max"
    if match["younger"]:
        return "max" if dates else "min"
    return "max" if match["max"] else "min"


def parse_value(label: str) -> tuple[float, bool] | None:
    """A literal as a number that can be compared, and whether it must be a date; None when it is neither.

    Dates become years with a fraction; ``1,234.5 km²`` and ``8.7 million`` become numbers. A bare number
    may be a year: what it is, its relation says.
    """
    text = label.strip().strip('"')
    if date := _DATE.match(text):
        year, month, day = int(date[1]), int(date[2]), int(date[3] or 1)
        return year + (month - 1) / 12 + (day - 1) / 372, True
    if era := _YEAR.match(text):
        sign = -1 if era[2].upper().startswith("BC") else 1
        return float(sign * int(era[1])), True
    if number := _NUMBER.match(text):
        value = float(re.sub(r"[,_  ]", "", number[1]))
        return value * _SCALE.get((number[2] or "").strip().lower(), 1.0), False
    return None


def compare(snapshot: Snapshot, question: Question, reaches: Sequence[Reach], topics: Sequence[int]) -> Compared | None:
    """The topic with the greatest (or least) value, by the relation path that is best for all topics.

    None when the question compares nothing, or when no relation path ends in one comparable literal for
    every topic. Equal values win together.
    """
    if len(topics) < 2 or not is_comparison(question):
        return None
    by_path: dict[tuple[int, ...], dict[int, int]] = {}
    for i, reach in enumerate(reaches):
        by_path.setdefault(reach.path, {}).setdefault(reach.topic, i)
    best: Compared | None = None
    for positions in by_path.values():
        if any(topic not in positions for topic in topics):
            continue
        members = tuple(positions[topic] for topic in topics)
        values = [_get_single_value(snapshot, reaches[i]) for i in members]
        comparable = [value for value in values if value is not None]
        if len(comparable) < len(values):
            continue
        probability = min(reaches[i].probability for i in members)
        if best is None or probability > best.probability:
            dates = any(is_date for _, is_date in comparable) or _is_time_relation(snapshot, reaches[members[0]])
            numbers = [number for number, _ in comparable]
            best = Compared(members, _select_winners(topics, numbers, detect_side(question, dates=dates)), probability)
    return best


def _is_time_relation(snapshot: Snapshot, reach: Reach) -> bool:
    label = snapshot.get_relation_label(reach.path[-1] % snapshot.num_relations)
    return _TIME_RELATION.search(label) is not None


def _select_winners(topics: Sequence[int], numbers: Sequence[float], wanted: Side | None) -> tuple[int, ...]:
    chosen = max(numbers) if wanted == "max" else min(numbers)
    return tuple(topic for topic, number in zip(topics, numbers, strict=True) if number == chosen)


def _get_single_value(snapshot: Snapshot, reach: Reach) -> tuple[float, bool] | None:
    if len(reach.targets) != 1:
        return None
    return parse_value(snapshot.get_entity_label(int(reach.targets[0])))
