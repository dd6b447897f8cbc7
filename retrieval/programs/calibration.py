"""How likely the best program is what was asked: a logistic model over what the ranker and the chart say of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra import And, Arithmetic, Entities, Exists, Filter, Having, Or, Walk, walk
from retrieval.programs.judging.signs import result_key
from retrieval.programs.lexicon import COMPARATIVES, EVENTS, NEGATIONS, PERIODICAL, STOP, SUPERLATIVES
from retrieval.programs.words import Word, related, stem, targets

if TYPE_CHECKING:
    from retrieval.programs.candidates import Candidate
    from retrieval.programs.parser import Reading
    from retrieval.programs.parts import Part
    from retrieval.programs.weights import Weights

#: A cosine that says nothing of what a word means.
_UNLIKE = 0.35

#: Words less than this well read say nothing.
_HARDLY = 0.7

_THINGS, _CHOICES = ("who", "where"), ("which", "what")
#: Single words that ask for an operator.
_OPERATORS = frozenset(word for own in (SUPERLATIVES, COMPARATIVES, NEGATIONS) for word in own) - {
    "first",
    "last",
    "non",
}
_VALUES = ("number", "date", "time")
#: Ends of nouns for those who do something: "publisher", "director".
_SOMEBODY = ("er", "or", "ers", "ors", "ist", "ists")
#: Features of sets that were put together though they have nothing in common, and of adjectives that compare.
_JOINS_NOTHING = (
    "and.empty", "and.empty.named", "and.empty.claim", "walk.empty", "count.empty", "value.empty", "filter.empty",
)  # fmt: skip
_ADJECTIVES = ("top.adjective", "value.adjective")
#: What no operation of the algebra gives.
_UNCOMPUTED = frozenset(
    {"percent", "percentage", "percentages", "proportion", "ratio", "median", "correlation"}
)
#: Verbs that say no more than that something was, behind "when".
_HAPPENS = frozenset(
    {"go", "went", "goes", "happen", "happened", "happens", "occur", "occurred", "visit", "visited"}
)
#: Stems of things that happen and of their verbs.
_EVENTS = tuple(frozenset(map(stem, group)) for group in EVENTS)
#: What compares how many or how much of what stands behind it there is.
_MORE = frozenset({"fewer", "less", "more"})
_EACH = frozenset({"each", "every", "per"})
_COUNTED = ("number", "numbers", "order", "orders")


def evidence(reading: Reading) -> dict[str, float]:
    """What speaks for and against the best program of a reading."""
    best = reading.candidates[0]
    return of_program(reading, best) | of_ranking(
        [own.probability for own in reading.candidates],
        [result_key(own) == result_key(best) for own in reading.candidates],
        best.score / max(1, len(reading.question.words)),
    )


def of_ranking(likely: Sequence[float], same: Sequence[bool], score: float) -> dict[str, float]:
    """What the ranking says of its best program.

    Args:
        likely: the probability of each program, the best first.
        same: which give the same result as the best.
        score: of the best, for each word of the question.
    """
    second = likely[1] if len(likely) > 1 else 0.0
    return {
        "probability": _logit(likely[0]),
        "margin": math.log(max(likely[0], 1e-4) / max(second, 1e-4)),
        "score": max(-10.0, min(10.0, score)),
        "same result": sum(own for own, alike in zip(likely, same, strict=True) if alike),
        "other result": max((own for own, alike in zip(likely, same, strict=True) if not alike), default=0.0),
    }


def _read(reading: Reading, best: Candidate) -> tuple[dict[int, float], list[int]]:
    """How well a program reads each word that it reads, and the positions of all words that say something."""
    words = reading.question.words
    quality = {word: own for part, own in _leaves(best.part) for word in range(*(part.anchored or (0, 0)))}
    quality |= {n: 1.0 for n in _said_of_events([words[n].text for n in quality], words) if n not in quality}
    empty = STOP | _HAPPENS if words[0].text == "when" else STOP
    return quality, [n for n, word in enumerate(words) if word.text not in empty and word.text != "'s"]


def unread_words(reading: Reading, best: Candidate) -> list[Word]:
    """List the words that say something and that a program leaves out."""
    quality, content = _read(reading, best)
    return [reading.question.words[n] for n in content if n not in quality]


def of_program(reading: Reading, best: Candidate) -> dict[str, float]:
    """What speaks for and against a program, whatever else the question may mean."""
    features = best.features
    leaves, words = list(_leaves(best.part)), reading.question.words
    quality, content = _read(reading, best)
    unread = [1.0 - quality.get(n, 0.0) for n in content]
    named = {word for part, _ in leaves if part.extra == "node" for word in range(*(part.anchored or (0, 0)))}
    rest = [1.0 - quality.get(n, 0.0) for n in content if n not in named]
    guessed = [1.0 - own for part, own in leaves if _names_relation(part)]
    return {
        "one": 1.0,
        "skipped": features.get("skip", 0.0),
        "unread": sum(unread) / len(unread) if unread else 0.0,
        "unread besides names": sum(rest) / len(rest) if rest else 0.0,
        "nothing read besides names": float(bool(rest) and min(rest) > _HARDLY),
        "least read": max(unread, default=0.0),
        "guessed": sum(guessed),
        "all guessed": min(guessed, default=0.0),
        "foreign": float(any(features.get(name) for name in ("r.foreign", "s.foreign"))),
        "known unread": float(any(words[n].stem in related() for n in content if n not in quality)),
        "number unread": float(
            any(n not in quality for own in reading.question.quantities for n in range(own.first, own.last))
        ),
        "name unread": float(
            any(
                n and words[n].capital and n not in quality and not words[n].text.startswith("'")
                for n in content
            )
        ),
        "operator unread": float(
            any(words[n].text in _OPERATORS and n not in quality for n in range(len(words)))
        ),
        "echo": float(bool(features.get("root.echo.And"))),
        "target unread": float(any(n not in quality for n in content if n in targets(reading.question))),
        "plain unread": float(_plain(best) and any(n not in quality for n in content)),
        "unfit": float(any(features.get(f"root.{asked}.unfit") for asked in _THINGS)),
        "wrong sort": float(_wrong_sort(reading, best)),
        "joins nothing": float(any(features.get(name) for name in _JOINS_NOTHING)),
        "nothing": float(not isinstance(best.result, np.ndarray) and not best.result),
        "adjective guessed": max(
            (1.0 - min(1.0, features[n]) for n in _ADJECTIVES if features.get(n)), default=0.0
        ),
        "adjective counted": features.get("rank.count.named", 0.0),
        "plain share": float(_plain(best)) * (sum(unread) / len(unread) if unread else 0.0),
        "idle": features.get("root.idle", 0.0),
        "related": features.get("r.related", 0.0),
        "bridges": features.get("bridge", 0.0),
        "empty": features.get("root.empty", 0.0),
        "target": features.get("target.bad", 0.0),
        "fuzzy": float(any(name in features for name in ("e.fuzzy", "e.part", "e.end"))),
        **{f"s:{name}": value for name, value in reading.signs.get(best.program, {}).items()},
    }


def confidence(weights: Weights, reading: Reading) -> float:
    """The calibrated probability that the best program is what was asked, in [0, 1]."""
    if is_refused(reading, reading.candidates[0]):
        return 0.0
    said = evidence(reading)
    return 1.0 / (
        1.0 + math.exp(-sum(weights.calibration.get(name, 0.0) * value for name, value in said.items()))
    )


def is_refused(reading: Reading, best: Candidate) -> bool:
    """Whether a program is no answer: what the question names is not what it asks for, but for several, "which ones"
    of a follow-up; a date is no number of things, and a fee no number of days; or something is asked for that no
    program computes.
    """
    if best.features.get("root.dated") or best.features.get("root.unit"):
        return True
    if _compares_another(reading, best) or _is_of_periods(reading, best):
        return True
    program = best.program
    named = program.source if isinstance(program, Exists) else program
    if isinstance(named, Entities):
        return len(named.ids) < 2 or _beyond(reading, best)
    only_names = isinstance(named, Or | And) and all(
        isinstance(own, Or | And | Entities) for own in walk(named)
    )
    return (only_names and named is program) or _beyond(reading, best)


def _compares_another(reading: Reading, best: Candidate) -> bool:
    """Whether "more" of something that was not read would be more of whatever: more visits, and a longer road."""
    words = reading.question.words
    read = {n for part, _ in _leaves(best.part) for n in range(*(part.anchored or (0, 0)))}
    unsaid = any(
        word.text in _MORE
        and n + 1 in range(len(words))
        and n + 1 not in read
        and words[n + 1].text not in STOP
        for n, word in enumerate(words)
    )
    keys = [own.key for own in walk(best.program) if isinstance(own, Filter)]
    return (
        unsaid
        and any(not key.counted for key in keys)
        and not any(_names_relation(p) for p, _ in _leaves(best.part))
    )


def _is_of_periods(reading: Reading, best: Candidate) -> bool:
    """Whether something is asked of each month or year, and no program says of which."""
    words = reading.question.words
    read = {n for part, _ in _leaves(best.part) for n in range(*(part.anchored or (0, 0)))}
    return any(
        word.text in PERIODICAL and n not in read and words[n - 1].text in _EACH
        for n, word in enumerate(words)
        if n
    )


def _said_of_events(read: list[str], words: list[Word]) -> list[int]:
    """Where a verb says no more than a thing that was read: the matches that "were played"."""
    things = {stem(text) for text in read}
    told = [group for group in _EVENTS if group & things]
    return [n for n, word in enumerate(words) if any(word.stem in group for group in told)]


def _beyond(reading: Reading, best: Candidate) -> bool:
    """Whether something is asked for that no program computes: a percentage, where no relation gives one; "the
    percentage of hispanics" is what a relation of that name gives.
    """
    if isinstance(best.program, Arithmetic):
        return False
    words, leaves = reading.question.words, list(_leaves(best.part))
    read = {n for part, own in leaves if own > _HARDLY for n in range(*(part.anchored or (0, 0)))}
    values = {n for part, _ in leaves if part.category == "R" for n in range(*(part.anchored or (0, 0)))}

    def given(n: int) -> bool:
        behind = n + 2 if n + 1 < len(words) and words[n + 1].text == "of" else n + 1
        return bool({n - 1, behind} & values)

    return any(word.text in _UNCOMPUTED and n not in read and not given(n) for n, word in enumerate(words))


def _plain(best: Candidate) -> bool:
    """Whether all of a kind answer, or what a single step leads to: nothing else that was said is in it."""
    program = best.program
    return isinstance(program, Having) or (isinstance(program, Walk) and isinstance(program.source, Entities))


def _wrong_sort(reading: Reading, best: Candidate) -> bool:
    """Whether a number or date answers a question for somebody or a place, a thing one for a time, or a yes "which"."""
    features, words = best.features, reading.question.words
    values = any(features.get(f"root.{asked}.{sort}") for asked in _THINGS for sort in _VALUES)
    somebody = any(
        words[n].text.endswith(_SOMEBODY) and words[n].text not in _COUNTED for n in targets(reading.question)
    )
    valued = somebody and any(features.get(f"root.{asked}.{sort}") for asked in _CHOICES for sort in _VALUES)
    return values or valued or any(features.get(name) for name in ("root.when.nodes", "root.flag"))


def _leaves(part: Part) -> Iterator[tuple[Part, float]]:
    """The anchored parts of a program, each with how well its words say what it is: 1 by their form."""
    if part.anchored and not part.parts:
        alike = next((value for name, value in part.features if name.endswith(".similar")), 1.0)
        yield part, min(1.0, max(0.05, (alike - _UNLIKE) / (1.0 - _UNLIKE)))
    for inner in part.parts:
        yield from _leaves(inner)


def _names_relation(part: Part) -> bool:
    return part.category == "R" or part.extra in ("ends", "starts", "flag")


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
