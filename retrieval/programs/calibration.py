"""How likely the best program is what was asked: a logistic model over what the ranker and the chart say of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.adjectives import COMPARATIVES, SUPERLATIVES
from retrieval.language.english import NEGATIONS, PERIODICAL, STOP
from retrieval.language.words import Word, find_target_words, get_related_stems, get_stem
from retrieval.lexicon import get_groups, get_table, get_words
from retrieval.programs.algebra.operations import And, Arithmetic, Entities, Exists, Filter, Having, Or, Walk, walk
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.grounding.anchors.anchor import Relating
from retrieval.programs.scoring.features import get_result_key

if TYPE_CHECKING:
    from retrieval.programs.grammar.constituents import Part
    from retrieval.programs.parser import ParsedQuestion
    from retrieval.programs.scoring.candidates import Candidate
    from retrieval.programs.weights import Weights

#: A cosine that says nothing of what a word means.
_UNLIKE = 0.35

#: Words less than this well read say nothing.
_HARDLY = 0.7

_THINGS, _CHOICES = ("who", "where"), ("which", "what")
#: Single words that ask for an operator.
_OPERATORS = frozenset(word for words in (SUPERLATIVES, COMPARATIVES, NEGATIONS) for word in words) - {
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
_UNCOMPUTED = frozenset({"percent", "percentage", "percentages", "proportion", "ratio", "median", "correlation"})
_UNCOMPUTED |= get_table("ratio_nouns").keys()
#: Verbs that say no more than that something was, behind "when".
_HAPPENS = get_words("happening_verbs")
#: Stems of things that happen and of their verbs.
_EVENTS = tuple(frozenset(map(get_stem, group)) for group in get_groups("event_words"))
#: What compares how many or how much of what stands behind it there is.
_MORE = frozenset({"fewer", "less", "more"})
_EACH = frozenset({"each", "every", "per"})
_COUNTED = ("number", "numbers", "order", "orders")


def compute_evidence(reading: ParsedQuestion) -> dict[str, float]:
    """What speaks for and against the best program of a reading."""
    best = reading.candidates[0]
    return compute_program_evidence(reading, best) | compute_ranking_evidence(
        [candidate.probability for candidate in reading.candidates],
        [get_result_key(candidate) == get_result_key(best) for candidate in reading.candidates],
        best.score / max(1, len(reading.question.words)),
    )


def compute_ranking_evidence(likely: Sequence[float], same: Sequence[bool], score: float) -> dict[str, float]:
    """What the ranking says of its best program.

    Args:
        likely: the probability of each program, the best first.
        same: which give the same result as the best.
        score: of the best, for each word of the question.
    """
    second = likely[1] if len(likely) > 1 else 0.0
    return {
        "probability": _compute_logit(likely[0]),
        "margin": math.log(max(likely[0], 1e-4) / max(second, 1e-4)),
        "score": max(-10.0, min(10.0, score)),
        "same result": sum(probability for probability, alike in zip(likely, same, strict=True) if alike),
        "other result": max(
            (probability for probability, alike in zip(likely, same, strict=True) if not alike), default=0.0
        ),
    }


def _read(reading: ParsedQuestion, best: Candidate) -> tuple[dict[int, float], list[int]]:
    """How well a program reads each word that it reads, and the positions of all words that say something."""
    words = reading.question.words
    quality = {word: score for part, score in _iter_leaves(best.part) for word in range(*(part.anchored or (0, 0)))}
    quality |= {n: 1.0 for n in _find_event_verbs([words[n].text for n in quality], words) if n not in quality}
    quality |= {n: 1.0 for n in _find_distant_words(reading, best) if n not in quality}
    empty = STOP | _HAPPENS if words[0].text == "when" else STOP
    return quality, [n for n, word in enumerate(words) if word.text not in empty and word.text != "'s"]


def _find_distant_words(reading: ParsedQuestion, best: Candidate) -> Iterator[int]:
    """Where words stand that complete the names of a program's relations from elsewhere in the question."""
    distant = {
        stem for part, _ in _iter_leaves(best.part) if isinstance(part.extra, Relating) for stem in part.extra.distant
    }
    return (n for n, word in enumerate(reading.question.words) if word.stem in distant)


def list_unread_words(reading: ParsedQuestion, best: Candidate) -> list[Word]:
    """List the words that say something and that a program leaves out."""
    quality, content = _read(reading, best)
    return [reading.question.words[n] for n in content if n not in quality]


def compute_program_evidence(reading: ParsedQuestion, best: Candidate) -> dict[str, float]:
    """What speaks for and against a program, whatever else the question may mean."""
    features = best.features
    leaves, words = list(_iter_leaves(best.part)), reading.question.words
    quality, content = _read(reading, best)
    unread = [1.0 - quality.get(n, 0.0) for n in content]
    named_words = {word for part, _ in leaves if part.extra == "node" for word in range(*(part.anchored or (0, 0)))}
    rest = [1.0 - quality.get(n, 0.0) for n in content if n not in named_words]
    guessed = [1.0 - score for part, score in leaves if _is_relation_part(part)]
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
        "known unread": float(any(words[n].stem in get_related_stems() for n in content if n not in quality)),
        "number unread": float(
            any(
                n not in quality
                for quantity in reading.question.quantities
                for n in range(quantity.first, quantity.last)
            )
        ),
        "name unread": float(
            any(n and words[n].capital and n not in quality and not words[n].text.startswith("'") for n in content)
        ),
        "operator unread": float(any(words[n].text in _OPERATORS and n not in quality for n in range(len(words)))),
        "echo": float(bool(features.get("root.echo.And"))),
        "target unread": float(any(n not in quality for n in content if n in find_target_words(reading.question))),
        "plain unread": float(_is_plain(best) and any(n not in quality for n in content)),
        "unfit": float(any(features.get(f"root.{question_kind}.unfit") for question_kind in _THINGS)),
        "wrong sort": float(_has_wrong_sort(reading, best)),
        "joins nothing": float(any(features.get(name) for name in _JOINS_NOTHING)),
        "nothing": float(not isinstance(best.result, np.ndarray) and not best.result),
        "adjective guessed": max((1.0 - min(1.0, features[n]) for n in _ADJECTIVES if features.get(n)), default=0.0),
        "adjective counted": features.get("rank.count.named", 0.0),
        "plain share": float(_is_plain(best)) * (sum(unread) / len(unread) if unread else 0.0),
        "idle": features.get("root.idle", 0.0),
        "related": features.get("r.related", 0.0),
        "bridges": features.get("bridge", 0.0),
        "empty": features.get("root.empty", 0.0),
        "target": features.get("target.bad", 0.0),
        "fuzzy": float(any(name in features for name in ("e.fuzzy", "e.part", "e.end"))),
        **{f"s:{name}": value for name, value in reading.signs.get(best.program, {}).items()},
    }


def compute_confidence(weights: Weights, reading: ParsedQuestion) -> float:
    """The calibrated probability that the best program is what was asked, in [0, 1]."""
    if is_refused(reading, reading.candidates[0]):
        return 0.0
    features = compute_evidence(reading)
    return 1.0 / (1.0 + math.exp(-sum(weights.calibration.get(name, 0.0) * value for name, value in features.items())))


def is_refused(reading: ParsedQuestion, best: Candidate) -> bool:
    """Whether a program is no answer: what the question names is not what it asks for, but for several, "which ones"
    of a follow-up; a date is no number of things, and a fee no number of days; or something is asked for that no
    program computes.
    """
    if best.features.get("root.dated") or best.features.get("root.unit"):
        return True
    if _has_unread_comparison(reading, best) or _is_of_periods(reading, best):
        return True
    program = best.program
    source = program.source if isinstance(program, Exists) else program
    if isinstance(source, Entities):
        return len(source.ids) < 2 or _needs_missing_operation(reading, best)
    only_names = isinstance(source, Or | And) and all(isinstance(inner, Or | And | Entities) for inner in walk(source))
    return (only_names and source is program) or _needs_missing_operation(reading, best)


def _has_unread_comparison(reading: ParsedQuestion, best: Candidate) -> bool:
    """Whether "more" of something that was not read would be more of whatever: more visits, and a longer road."""
    words = reading.question.words
    read = {n for part, _ in _iter_leaves(best.part) for n in range(*(part.anchored or (0, 0)))}
    unsaid = any(
        word.text in _MORE and n + 1 in range(len(words)) and n + 1 not in read and words[n + 1].text not in STOP
        for n, word in enumerate(words)
    )
    keys = [inner.key for inner in walk(best.program) if isinstance(inner, Filter)]
    return (
        unsaid
        and any(not key.counted for key in keys)
        and not any(_is_relation_part(p) for p, _ in _iter_leaves(best.part))
    )


def _is_of_periods(reading: ParsedQuestion, best: Candidate) -> bool:
    """Whether something is asked of each month or year, and no program says of which."""
    words = reading.question.words
    read = {n for part, _ in _iter_leaves(best.part) for n in range(*(part.anchored or (0, 0)))}
    return any(
        word.text in PERIODICAL and n not in read and words[n - 1].text in _EACH for n, word in enumerate(words) if n
    )


def _find_event_verbs(read: list[str], words: Sequence[Word]) -> list[int]:
    """Where a verb says no more than a thing that was read: the matches that "were played"."""
    things = {get_stem(text) for text in read}
    events = [group for group in _EVENTS if group & things]
    return [n for n, word in enumerate(words) if any(word.stem in group for group in events)]


def _needs_missing_operation(reading: ParsedQuestion, best: Candidate) -> bool:
    """Whether something is asked for that no program computes: a percentage, where no relation gives one; "the
    percentage of hispanics" is what a relation of that name gives.
    """
    if isinstance(best.program, Arithmetic | Table):
        return False
    words, leaves = reading.question.words, list(_iter_leaves(best.part))
    read = {n for part, score in leaves if score > _HARDLY for n in range(*(part.anchored or (0, 0)))}
    values = {n for part, _ in leaves if part.category == "R" for n in range(*(part.anchored or (0, 0)))}

    def has_relation(n: int) -> bool:
        behind = n + 2 if n + 1 < len(words) and words[n + 1].text == "of" else n + 1
        return bool({n - 1, behind} & values)

    return any(word.text in _UNCOMPUTED and n not in read and not has_relation(n) for n, word in enumerate(words))


def _is_plain(best: Candidate) -> bool:
    """Whether all of a kind answer, or what a single step leads to: nothing else that was said is in it."""
    program = best.program
    return isinstance(program, Having) or (isinstance(program, Walk) and isinstance(program.source, Entities))


def _has_wrong_sort(reading: ParsedQuestion, best: Candidate) -> bool:
    """Whether a number or date answers a question for somebody or a place, a thing one for a time, or a yes "which"."""
    features, words = best.features, reading.question.words
    values = any(features.get(f"root.{question_kind}.{sort}") for question_kind in _THINGS for sort in _VALUES)
    somebody = any(
        words[n].text.endswith(_SOMEBODY) and words[n].text not in _COUNTED for n in find_target_words(reading.question)
    )
    valued = somebody and any(
        features.get(f"root.{question_kind}.{sort}") for question_kind in _CHOICES for sort in _VALUES
    )
    return values or valued or any(features.get(name) for name in ("root.when.nodes", "root.flag"))


def _iter_leaves(part: Part) -> Iterator[tuple[Part, float]]:
    """The anchored parts of a program, each with how well its words say what it is: 1 by their form."""
    if part.anchored and not part.parts:
        alike = next((value for name, value in part.features if name.endswith(".similar")), 1.0)
        yield part, min(1.0, max(0.05, (alike - _UNLIKE) / (1.0 - _UNLIKE)))
    for inner in part.parts:
        yield from _iter_leaves(inner)


def _is_relation_part(part: Part) -> bool:
    return part.category == "R" or part.extra in ("ends", "starts", "flag")


def _compute_logit(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
