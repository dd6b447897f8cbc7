"""Anchors that no graph is needed for: quantities, words that ask for an operator, texts that are looked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from retrieval.kg.values import parse
from retrieval.language import words as vocabulary
from retrieval.language.adjectives import ADJECTIVES, COMPARATIVES, EXTREMES, MET, POSITIVES, SUPERLATIVES, Adjective
from retrieval.language.amounts import Comparison, ValueKind
from retrieval.language.comparisons import COMPARISONS, FOLDINGS, LIKENESS
from retrieval.language.english import EACH, MONEY_NOUNS, NEGATIONS, STOP, TEMPORAL, is_past
from retrieval.language.words import QuestionWords
from retrieval.lexicon import get_sequence, get_words
from retrieval.programs.grounding.anchors.anchor import Anchor, Comparing, Ranking, Relating
from retrieval.programs.grounding.anchors.similarity import ANY_DATE, Adjectives

_COUNTS = get_sequence("counting_phrases")
_DIFFERENCES = get_words("difference_words")
_ORDINALS = {
    **{word: n for n, word in enumerate(get_sequence("ordinal_words"), 1) if n > 1},
    "2nd": 2,
    "3rd": 3,
    **{f"{n}th": n for n in range(4, 31)},
}
_PARTICLE_VERBS = get_words("particle_verbs")
"""Stems of verbs whose "after", "over" and the like compare nothing."""
_SAME = get_words("sameness_words")

#: Relations that "how long" may ask for.
_MEASURES = 6
#: What stands before the number of places of a ranking; none has more places.
_BEFORE_PLACES = get_words("words_before_ordinals")
_MOST_PLACES = 1000
#: Words that say what a number is asked for each of.
_GROUPED = 3
#: Words that stand before "by" at most where nothing says that they are counted.
_BRIEF = 2
_PLURALS = frozenset({"people", "men", "women", "children"})


def find_quantities(question: QuestionWords) -> list[Anchor]:
    """Numbers, dates and ranges."""
    return [Anchor("N", q.first, q.last, extra=q, features=(("n", 1.0),), strength=1.0) for q in question.quantities]


def find_cues(question: QuestionWords, adjectives: Adjectives) -> list[Anchor]:
    """Words that ask for an operator; of those that overlap the first, longest."""
    anchors: list[Anchor] = []
    taken = [False] * len(question.words)
    for quantity in question.quantities:
        if quantity.last - quantity.first > 1 or not question.words[quantity.first].text.isalpha():
            taken[quantity.first : quantity.last] = [True] * (quantity.last - quantity.first)
    for low, high in [
        *question.quoted,
        *_find_ranking_name_spans(question, adjectives),
        *_find_temporal_firsts(question),
    ]:
        taken[low:high] = [True] * (high - low)
    n = 0
    while n < len(question.words):
        ends = [n + 1]
        if not taken[n]:
            for end, phrase in vocabulary.list_phrases(question, n, 5):
                cue_anchors = [] if any(taken[n:end]) else _make_cue_anchors(question, adjectives, n, end, phrase)
                if cue_anchors:
                    anchors += cue_anchors
                    ends.append(end)
                    break
        n = max(ends)
    return anchors


def _find_ranking_name_spans(question: QuestionWords, adjectives: Adjectives) -> list[tuple[int, int]]:
    """Where relations stand by names that sound like rankings: "best before"."""
    texts = [word.text for word in question.words]
    return [
        (n, n + len(name))
        for name in adjectives.ranking_names
        for n in range(len(texts) - len(name) + 1)
        if texts[n : n + len(name)] == list(name)
    ]


def _find_temporal_firsts(question: QuestionWords) -> list[tuple[int, int]]:
    """Where "first" only says that something began then: "first lit after 1900", and not who first did it."""
    words = question.words
    if not question.quantities or question.kind == "who":
        return []
    return [
        (n, n + 1)
        for n, word in enumerate(words[:-1])
        if word.text == "first" and n and is_past(words[n + 1].text) and words[n - 1].text not in STOP
    ]


def _is_particle(question: QuestionWords, first: int, last: int) -> bool:
    """Whether a word belongs to the verb before it: who looks after somebody comes after nobody."""
    verb = first > 0 and question.words[first - 1].stem in _PARTICLE_VERBS
    return verb and not (last < len(question.words) and question.words[last].text[:1].isdecimal())


def _resolve_duration_phrase(question: QuestionWords, first: int, phrase: str) -> str:
    """The word for how long: who has been here longest began first."""
    since = phrase in ("longer", "longest") and any(word.text == "been" for word in question.words[:first])
    return f"{phrase} standing" if since else phrase


def _make_cue_anchors(
    question: QuestionWords, adjectives: Adjectives, first: int, last: int, phrase: str
) -> list[Anchor]:
    def make_anchor(category: str, extra: object, name: str, strength: float = 1.0) -> Anchor:
        return Anchor(category, first, last, extra=extra, features=((f"cue.{name}", 1.0),), strength=strength)

    anchors: list[Anchor] = []
    if phrase in COMPARISONS and _is_particle(question, first, last):
        return anchors
    compares = phrase.endswith("than") or any(word.text == "than" for word in question.words[last:])
    likened = _parse_likeness(phrase)
    if likened is not None:
        return [make_anchor("C", likened, "comparative")]
    if phrase in COMPARISONS:
        adjective, up = COMPARATIVES.get(phrase.removesuffix(" than"), (None, True))
        plain = adjective is None or not adjective.nouns
        comparison = COMPARISONS[phrase] if plain else None
        anchors.append(make_anchor("C", Comparing(comparison, adjective, up, phrase in TEMPORAL), "comparison"))
        if not compares and phrase in COMPARATIVES:
            anchors.append(make_anchor("U", Ranking(*COMPARATIVES[phrase]), "comparative"))
    elif phrase in SUPERLATIVES:
        adjective, up = SUPERLATIVES[_resolve_duration_phrase(question, first, phrase)]
        heading, last = adjectives.find_heading(question, first, last)
        adjective = Adjective(((heading, True),)) if heading else adjective
        anchors.append(
            make_anchor("U", Ranking(adjective, up, met=phrase in MET, value=phrase in EXTREMES), "superlative")
        )
    elif phrase in COMPARATIVES or (phrase.endswith(" than") and phrase.removesuffix(" than") in COMPARATIVES):
        adjective, up = COMPARATIVES[_resolve_duration_phrase(question, first, phrase.removesuffix(" than"))]
        anchors.append(make_anchor("C", Comparing(None, adjective, up), "comparative"))
        if not compares:
            anchors.append(make_anchor("U", Ranking(adjective, up), "comparative"))
        anchors += _find_difference_anchors(question, first, last, adjective, compares=compares)
    elif phrase in _COUNTS and not _is_compound(question, first, phrase):
        anchors.append(make_anchor("Q", None, "count", 0.4 if phrase == "number" else 1.0))
        if "total" in phrase:
            anchors.append(make_anchor("A", FOLDINGS["total"], "sum"))
    elif phrase in FOLDINGS and (
        phrase != "mean" or last < len(question.words) or question.words[first - 1].text == "the"
    ):
        anchors.append(make_anchor("A", FOLDINGS[phrase], FOLDINGS[phrase].value))  # not of "what does it mean"
    elif phrase in _DIFFERENCES:
        anchors.append(make_anchor("L", None, "difference"))
    elif phrase in NEGATIONS:
        anchors.append(make_anchor("X", None, "negation"))
    elif phrase in _SAME:
        anchors.append(make_anchor("M", None, "same"))
    elif last == first + 1 and phrase in _ORDINALS:
        place = _ORDINALS[phrase]
        anchors.append(make_anchor("O", place, "ordinal"))
        early = SUPERLATIVES["earliest"]
        anchors.append(make_anchor("U", Ranking(early[0], early[1], place), "ordinal"))
    elif phrase in POSITIVES and first and question.words[first - 1].text == "how":
        known = [candidate for candidate in adjectives.find_relations(POSITIVES[phrase]) if candidate[2] > ANY_DATE]
        for relation, _, quality in known[:_MEASURES]:  # how old somebody is, no date of whatever tells
            features = (("r", 1.0), ("r.adjective", quality))
            anchors.append(Anchor("R", first, last, extra=Relating(relation, quality), features=features, strength=0.8))
    elif phrase in EACH and _is_distributive(question, first, phrase, adjectives.schema.by_stem):
        if phrase != "by" and adjectives.is_rate_name(question, last):
            return anchors
        anchors.append(make_anchor("E", None, "each", EACH[phrase]))
    elif phrase == "or":
        anchors.append(Anchor("I", first, last, features=(("cue.or", 1.0),), strength=0.5))
    return anchors


def _find_difference_anchors(
    question: QuestionWords, first: int, last: int, adjective: Adjective, *, compares: bool
) -> list[Anchor]:
    """What two differ by: "how much heavier", "how many more", "how many metres higher is A than B"."""
    asks = [word.text for word in question.words[max(0, first - 3) : first]]
    many = question.words[first].text in ("more", "fewer") and asks[-2:] == ["how", "many"]
    if many or asks[-2:] == ["how", "much"]:
        begins = first - 2
    elif compares and asks[:2] == ["how", "many"] and _is_unit(asks[-1]):
        begins = first - 3
    else:
        return []
    by = adjective if adjective.nouns else None
    return [Anchor("L", begins, last, None, by, (("cue.difference", 1.0),), 1.0)]


def _is_unit(word: str) -> bool:
    value = parse(f"1 {word}")
    return value is not None and bool(value.unit)


def _is_distributive(question: QuestionWords, first: int, phrase: str, relation_stems: Collection[str]) -> bool:
    """Whether something is asked of each: "is every lamp LED" asks about all of them at once."""
    return question.kind != "yes/no" and (phrase != "by" or _is_grouping(question, first, relation_stems))


def _is_grouping(question: QuestionWords, by: int, relation_stems: Collection[str]) -> bool:
    """Whether a sum or number is asked for by what stands behind "by", to the end: "average salary by department".

    "How many", and plurals alone, ask so where a relation is named with the words behind: "how many stations by power
    source", "speakers by village".
    """
    texts = [word.text for word in question.words]
    before, behind = " ".join(texts[:by]), question.words[by + 1 :]
    folded = any(word in FOLDINGS for word in texts[:by]) or re.search(r"\b(?:number|count) of\b", before)
    names_relation = any(word.stem in relation_stems for word in behind)
    alone = by <= _BRIEF and (texts[by - 1].endswith("s") or texts[by - 1] in MONEY_NOUNS)
    many = names_relation and (texts[:2] == ["how", "many"] or alone)
    plain = all(not word.capital and (word.text.isalpha() or (place and word.text.isdecimal()))
                for place, word in enumerate(behind))  # fmt: skip
    ranked = any(word in SUPERLATIVES for word in texts[:by])
    return (
        bool(folded or many)
        and plain
        and not ranked
        and 0 < len(behind) <= _GROUPED
        and not texts[by - 1].endswith(("ed", "en"))
    )


def assign_place_counts(question: QuestionWords, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors with the number of places told to the ranking that it belongs to, where words stand between: "which
    three suppliers have the most products", "the top 5 customers with the most orders".
    """
    rankings = [anchor for anchor in anchors if anchor.category == "U"]
    for number in [anchor for anchor in anchors if anchor.category == "N"]:
        if not _is_count(question, number):
            continue
        counted = int(number.extra.amount.value)
        tops = [anchor for anchor in rankings if anchor.last == number.first and not anchor.extra.adjective.nouns]
        later = [
            anchor
            for anchor in rankings
            if anchor.first >= number.last and anchor.extra.rank == anchor.extra.count == 1
        ]
        if not later or (number.first and not tops and question.words[number.first - 1].text not in _BEFORE_PLACES):
            continue
        start = min(anchor.first for anchor in later)
        nearest = [anchor for anchor in later if anchor.first == start]
        gone = {id(anchor) for anchor in (number, *tops, *nearest)}
        anchors = [anchor for anchor in anchors if id(anchor) not in gone]
        return [
            *anchors,
            *(
                replace(
                    anchor,
                    extra=replace(anchor.extra, count=counted),
                    features=(*anchor.features, ("places", 1.0), ("places.ahead", 1.0)),
                )
                for anchor in nearest
            ),
        ]
    return anchors


def _is_count(question: QuestionWords, number: Anchor) -> bool:
    """Whether a number counts the things right behind it."""
    quantity, value = number.extra, number.extra.amount
    if quantity.upper or quantity.comparison or value.dimension or value.kind is not ValueKind.NUMBER:
        return False
    if not 2 <= value.value <= _MOST_PLACES or value.value % 1 or number.last >= len(question.words):
        return False
    behind = question.words[number.last].text
    return behind in _PLURALS or (behind.endswith("s") and not behind.endswith("ss"))


def _parse_likeness(phrase: str) -> Comparing | None:
    """What "at least as long as" and "no longer than" compare."""
    match = None if phrase in COMPARISONS else LIKENESS.fullmatch(phrase)
    if match is None:
        return None
    if match["adjective"]:
        adjective = POSITIVES.get(match["adjective"])
        large = {base: up for base, _, _, _, up in ADJECTIVES}.get(match["adjective"], True)
        comparison = {"at least": Comparison.AT_LEAST, "at most": Comparison.AT_MOST}.get(
            match["how"], Comparison.EQUAL
        )
        if adjective is None:
            return None
    else:
        if match["comparative"] not in COMPARATIVES:
            return None
        adjective, large = COMPARATIVES[match["comparative"]]
        comparison = Comparison.AT_MOST
    if not adjective.nouns:
        return None
    return Comparing(comparison if large else comparison.mirrored, adjective)


def _is_compound(question: QuestionWords, first: int, phrase: str) -> bool:
    """Whether a word before "number" or "count" makes it a thing of its own: "the phone number", "word count"."""
    before = question.words[first - 1].text if first else "the"
    plain = before in STOP or before in FOLDINGS or before in SUPERLATIVES
    return (phrase.startswith("number") or phrase == "count") and not plain
