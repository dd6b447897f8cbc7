"""Anchors that no graph is needed for: quantities, words that ask for an operator, texts that are looked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from retrieval.kg.values import parse
from retrieval.programs import lexicon
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import Comparison, ValueKind
from retrieval.programs.anchors.anchor import Anchor, Comparing, Ranking, Relating
from retrieval.programs.anchors.similarity import ANY_DATE, Adjectives
from retrieval.programs.lexicon import Adjective
from retrieval.programs.sorts import is_past
from retrieval.programs.words import Question

#: Relations that "how long" may ask for.
_MEASURES = 6
#: What stands before the number of places of a ranking; none has more places.
_BEFORE_PLACES = frozenset(
    {"which", "what", "the", "list", "name", "show", "give", "find", "me", "are", "these"}
)
_MOST_PLACES = 1000
#: Words that say what a number is asked for each of.
_GROUPED = 3
#: Words that stand before "by" at most where nothing says that they are counted.
_BRIEF = 2
_PLURALS = frozenset({"people", "men", "women", "children"})


def quantities(question: Question) -> list[Anchor]:
    """Numbers, dates and ranges."""
    return [
        Anchor("N", q.first, q.last, extra=q, features=(("n", 1.0),), strength=1.0)
        for q in question.quantities
    ]


def cues(question: Question, adjectives: Adjectives) -> list[Anchor]:
    """Words that ask for an operator; of those that overlap the first, longest."""
    found: list[Anchor] = []
    taken = [False] * len(question.words)
    for quantity in question.quantities:
        if quantity.last - quantity.first > 1 or not question.words[quantity.first].text.isalpha():
            taken[quantity.first : quantity.last] = [True] * (quantity.last - quantity.first)
    for low, high in [*question.quoted, *_names_with_cues(question, adjectives), *_first_done(question)]:
        taken[low:high] = [True] * (high - low)
    n = 0
    while n < len(question.words):
        ends = [n + 1]
        if not taken[n]:
            for end, phrase in vocabulary.phrases(question, n, 5):
                cues = [] if any(taken[n:end]) else _cue(question, adjectives, n, end, phrase)
                if cues:
                    found += cues
                    ends.append(end)
                    break
        n = max(ends)
    return found


def _names_with_cues(question: Question, adjectives: Adjectives) -> list[tuple[int, int]]:
    """Where relations stand by names that sound like rankings: "best before"."""
    texts = [word.text for word in question.words]
    return [
        (n, n + len(name))
        for name in adjectives.ranking_names
        for n in range(len(texts) - len(name) + 1)
        if texts[n : n + len(name)] == list(name)
    ]


def _first_done(question: Question) -> list[tuple[int, int]]:
    """Where "first" only says that something began then: "first lit after 1900", and not who first did it."""
    words = question.words
    if not question.quantities or vocabulary.asked(question) == "who":
        return []
    return [
        (n, n + 1)
        for n, word in enumerate(words[:-1])
        if word.text == "first" and n and is_past(words[n + 1].text) and words[n - 1].text not in lexicon.STOP
    ]


def _is_particle(question: Question, first: int, last: int) -> bool:
    """Whether a word belongs to the verb before it: who looks after somebody comes after nobody."""
    verb = first > 0 and question.words[first - 1].stem in lexicon.PARTICLE_VERBS
    return verb and not (last < len(question.words) and question.words[last].text[:1].isdecimal())


def _standing(question: Question, first: int, phrase: str) -> str:
    """The word for how long: who has been here longest began first."""
    since = phrase in ("longer", "longest") and any(word.text == "been" for word in question.words[:first])
    return f"{phrase} standing" if since else phrase


def _cue(question: Question, adjectives: Adjectives, first: int, last: int, phrase: str) -> list[Anchor]:
    def anchor(category: str, extra: object, name: str, strength: float = 1.0) -> Anchor:
        return Anchor(category, first, last, extra=extra, features=((f"cue.{name}", 1.0),), strength=strength)

    found: list[Anchor] = []
    if phrase in lexicon.COMPARISONS and _is_particle(question, first, last):
        return found
    compares = phrase.endswith("than") or any(word.text == "than" for word in question.words[last:])
    likened = _likened(phrase)
    if likened is not None:
        return [anchor("C", likened, "comparative")]
    if phrase in lexicon.COMPARISONS:
        adjective, up = lexicon.COMPARATIVES.get(phrase.removesuffix(" than"), (None, True))
        plain = adjective is None or not adjective.nouns
        comparison = lexicon.COMPARISONS[phrase] if plain else None
        found.append(
            anchor("C", Comparing(comparison, adjective, up, phrase in lexicon.TEMPORAL), "comparison")
        )
        if not compares and phrase in lexicon.COMPARATIVES:
            found.append(anchor("U", Ranking(*lexicon.COMPARATIVES[phrase]), "comparative"))
    elif phrase in lexicon.SUPERLATIVES:
        own = lexicon.SUPERLATIVES[_standing(question, first, phrase)]
        ranking = Ranking(*own, met=phrase in lexicon.MET, value=phrase in lexicon.EXTREMES)
        found.append(anchor("U", ranking, "superlative"))
    elif phrase in lexicon.COMPARATIVES or (
        phrase.endswith(" than") and phrase.removesuffix(" than") in lexicon.COMPARATIVES
    ):
        adjective, up = lexicon.COMPARATIVES[_standing(question, first, phrase.removesuffix(" than"))]
        found.append(anchor("C", Comparing(None, adjective, up), "comparative"))
        if not compares:
            found.append(anchor("U", Ranking(adjective, up), "comparative"))
        found += _differing(question, first, last, adjective, compares=compares)
    elif phrase in lexicon.COUNTS and not _compound(question, first, phrase):
        found.append(anchor("Q", None, "count", 0.4 if phrase == "number" else 1.0))
        if "total" in phrase:
            found.append(anchor("A", lexicon.FOLDINGS["total"], "sum"))
    elif phrase in lexicon.FOLDINGS:
        found.append(anchor("A", lexicon.FOLDINGS[phrase], lexicon.FOLDINGS[phrase].value))
    elif phrase in lexicon.DIFFERENCES:
        found.append(anchor("L", None, "difference"))
    elif phrase in lexicon.NEGATIONS:
        found.append(anchor("X", None, "negation"))
    elif phrase in lexicon.SAME:
        found.append(anchor("M", None, "same"))
    elif last == first + 1 and phrase in lexicon.ORDINALS:
        place = lexicon.ORDINALS[phrase]
        found.append(anchor("O", place, "ordinal"))
        early = lexicon.SUPERLATIVES["earliest"]
        found.append(anchor("U", Ranking(early[0], early[1], place), "ordinal"))
    elif phrase in lexicon.POSITIVES and first and question.words[first - 1].text == "how":
        known = [own for own in adjectives.relations(lexicon.POSITIVES[phrase]) if own[2] > ANY_DATE]
        for relation, _, quality in known[:_MEASURES]:  # how old somebody is, no date of whatever tells
            features = (("r", 1.0), ("r.adjective", quality))
            found.append(
                Anchor("R", first, last, extra=Relating(relation, quality), features=features, strength=0.8)
            )
    elif phrase in lexicon.EACH and (phrase != "by" or _groups(question, first, adjectives.schema.by_stem)):
        if phrase != "by" and adjectives.names_rate(question, last):
            return found
        found.append(anchor("E", None, "each", lexicon.EACH[phrase]))
    elif phrase == "or":
        found.append(Anchor("I", first, last, features=(("cue.or", 1.0),), strength=0.5))
    return found


def _differing(
    question: Question, first: int, last: int, adjective: Adjective, *, compares: bool
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


def _groups(question: Question, by: int, named: Collection[str]) -> bool:
    """Whether a sum or number is asked for by what stands behind "by", to the end: "average salary by department".

    "How many", and plurals alone, ask so where a relation is named with the words behind: "how many stations by power
    source", "speakers by village".
    """
    texts = [word.text for word in question.words]
    before, behind = " ".join(texts[:by]), question.words[by + 1 :]
    folded = any(word in lexicon.FOLDINGS for word in texts[:by]) or re.search(
        r"\b(?:number|count) of\b", before
    )
    said = any(word.stem in named for word in behind)
    alone = by <= _BRIEF and (texts[by - 1].endswith("s") or texts[by - 1] in lexicon.MONEY_NOUNS)
    many = said and (texts[:2] == ["how", "many"] or alone)
    plain = all(not word.capital and word.text.isalpha() for word in behind)
    ranked = any(word in lexicon.SUPERLATIVES for word in texts[:by])
    return (
        bool(folded or many)
        and plain
        and not ranked
        and 0 < len(behind) <= _GROUPED
        and not texts[by - 1].endswith(("ed", "en"))
    )


def places(question: Question, found: list[Anchor]) -> list[Anchor]:
    """The anchors with the number of places told to the ranking that it belongs to, where words stand between: "which
    three suppliers have the most products", "the top 5 customers with the most orders".
    """
    rankings = [own for own in found if own.category == "U"]
    for number in [own for own in found if own.category == "N"]:
        if not _heads(question, number):
            continue
        counted = int(number.extra.constant.value)
        tops = [own for own in rankings if own.last == number.first and not own.extra.adjective.nouns]
        later = [
            own for own in rankings if own.first >= number.last and own.extra.rank == own.extra.count == 1
        ]
        if not later or (
            number.first and not tops and question.words[number.first - 1].text not in _BEFORE_PLACES
        ):
            continue
        one = min(own.first for own in later)
        told = [own for own in later if own.first == one]
        gone = {id(own) for own in (number, *tops, *told)}
        found = [own for own in found if id(own) not in gone]
        return [
            *found,
            *(
                replace(
                    own,
                    extra=replace(own.extra, count=counted),
                    features=(*own.features, ("places", 1.0), ("places.ahead", 1.0)),
                )
                for own in told
            ),
        ]
    return found


def _heads(question: Question, number: Anchor) -> bool:
    """Whether a number counts the things right behind it."""
    quantity, value = number.extra, number.extra.constant
    if quantity.upper or quantity.comparison or value.dimension or value.kind is not ValueKind.NUMBER:
        return False
    if not 2 <= value.value <= _MOST_PLACES or value.value % 1 or number.last >= len(question.words):
        return False
    behind = question.words[number.last].text
    return behind in _PLURALS or (behind.endswith("s") and not behind.endswith("ss"))


def _likened(phrase: str) -> Comparing | None:
    """What "at least as long as" and "no longer than" compare."""
    match = None if phrase in lexicon.COMPARISONS else lexicon.LIKENESS.fullmatch(phrase)
    if match is None:
        return None
    if match["adjective"]:
        adjective = lexicon.POSITIVES.get(match["adjective"])
        large = {base: up for base, _, _, _, up in lexicon.ADJECTIVES}.get(match["adjective"], True)
        comparison = {"at least": Comparison.AT_LEAST, "at most": Comparison.AT_MOST}.get(
            match["how"], Comparison.EQUAL
        )
        if adjective is None:
            return None
    else:
        if match["comparative"] not in lexicon.COMPARATIVES:
            return None
        adjective, large = lexicon.COMPARATIVES[match["comparative"]]
        comparison = Comparison.AT_MOST
    if not adjective.nouns:
        return None
    return Comparing(comparison if large else comparison.mirrored, adjective)


def _compound(question: Question, first: int, phrase: str) -> bool:
    """Whether a word before "number" or "count" makes it a thing of its own: "the phone number", "word count"."""
    before = question.words[first - 1].text if first else "the"
    plain = before in lexicon.STOP or before in lexicon.FOLDINGS or before in lexicon.SUPERLATIVES
    return (phrase.startswith("number") or phrase == "count") and not plain


def texts(question: Question) -> list[Anchor]:
    """Texts that names or values are to hold: "containing 'limits'", "starting with C"."""
    found: list[Anchor] = []
    for pattern, how in lexicon.TEXT_MATCHES:
        whole = (
            rf"\b{pattern}\s+(?:(?:the|a)\s+)?"
            r"(?:(?:\w+\s+)?(?:words?|letters?|phrase|substring|string|text|characters?)\s+)?"
            rf"(?:['\"‘“](?P<a>[^'\"’”]+)['\"’”]|(?P<b>[A-Z]|(?<=letter )[a-z])\b)"
        )
        for match in re.finditer(
            whole, question.text, re.IGNORECASE if "'" in question.text or '"' in question.text else 0
        ):
            inside = [
                n
                for n, word in enumerate(question.words)
                if word.start >= match.start() and word.end <= match.end()
            ]
            if inside:
                text = match["a"] or match["b"]
                found.append(
                    Anchor(
                        "G",
                        inside[0],
                        inside[-1] + 1,
                        extra=(how, text),
                        features=(("text", 1.0),),
                        strength=1.0,
                    )
                )
    return found
