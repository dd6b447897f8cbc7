"""Readings: everything that a question without capitals may mean, each with what speaks for it.

A reading is a stretch of the question together with one entity that it may name: by the whole name, by part of
it, by its initials, a people for its country, a short given name, a plural, or a slip of the pen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, log1p
from typing import Literal

import numpy as np

from retrieval import effort
from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import Match, normalize_name
from retrieval.language.gazetteer import expand_given_name, find_countries
from retrieval.language.mention_words import MentionWord
from retrieval.lexicon import get_words
from retrieval.linking.mentions import STOP_WORDS, Guard, to_context_stem
from retrieval.linking.names import is_slip
from retrieval.linking.well_known import ProminentEntities
from retrieval.linking.word_context import WordContext

How = Literal["whole", "part", "people", "plural", "slip"]
#: Most words of a whole name, and of a part of one.
_WHOLE_WORDS, _PART_WORDS = 8, 4
#: Entities of one name, and of one part of a name, that are considered.
_NAMESAKES, _PARTS = 5, 4
_SLIP_CUTOFF = 80.0
_FIT_LIMIT = 3
_VOWELS = frozenset("aeiouy")
#: Before these a people's name is no adjective, and more likely means the language.
_BREAKS = get_words("words_between_names")
#: What is said of a language and of no people's country.
_LANGUAGES = frozenset({"language", "speakers", "speaking", "spoken"})
_BEFORE_NAMES = frozenset({"at", "by", "for", "from", "in", "of", "to"})
#: Words that a name may have or lack: forms of companies and of persons' names.
_FORMS = get_words("organisation_forms")
#: What persons are called by; alone it says nobody's name.
_TITLES = get_words("titles")


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The words [first, last] of a question, and an entity they may name."""

    first: int
    last: int
    match: Match
    how: How


class Readings:
    """Lists what questions may mean in one snapshot, and says what speaks for each. Thread-safe."""

    def __init__(self, snapshot: Snapshot, guard: Guard) -> None:
        self._snapshot = snapshot
        self._labels = snapshot.labels
        self._guard = guard
        self._well_known = ProminentEntities(snapshot)

    def find_readings(self, words: Sequence[MentionWord]) -> list[Interpretation]:
        """Every reading of a question but those within a longer name, and those that say where another one lies."""
        by_span: dict[tuple[int, int, int], Interpretation] = {}
        for i in range(len(words)):
            if effort.is_spent():
                break
            for reading in (
                *self._find_names(i, words),
                *self._find_initials(i, words),
                *self._find_slips(i, words),
            ):
                by_span.setdefault((reading.first, reading.last, reading.match.entity), reading)
        readings = list(by_span.values())
        long = [reading for reading in readings if _is_long(words, reading)]
        readings = [reading for reading in readings if not any(_is_within(reading, name) for name in long)]
        beyond = self._find_places(readings)
        return [reading for reading in readings if reading not in beyond]

    def _find_names(self, i: int, words: Sequence[MentionWord]) -> Iterator[Interpretation]:
        """Readings of stretches that begin with word ``i``."""
        name, common = "", True
        for j in range(i, min(i + _WHOLE_WORDS, len(words))):
            name = f"{name} {words[j].text}" if name else words[j].text
            common = common and self._guard.is_common(words[j].text)
            if not common or j > i:
                for match in self._find_spellings(name)[:_NAMESAKES]:
                    yield Interpretation(i, j, match, "whole")
            after = words[j + 1].text if j + 1 < len(words) else ""
            for match in self._find_meant(name) if after not in _LANGUAGES else ():
                yield Interpretation(i, j, match, "people" if j == i else "whole")
            if j - i < _PART_WORDS:
                for match in self._find_partial(name, words[i : j + 1], common):
                    yield Interpretation(i, j, match, "part")
            if j == i and not common and len(name) >= 4 and name.endswith("s") and not name.endswith("ss"):
                for match in self._labels.find_exact(name[:-1])[:1]:
                    yield Interpretation(i, j, match, "plural")

    def _find_spellings(self, name: str) -> list[Match]:
        """Of this name, as it is or otherwise written: saints, genitives, second names shortened or left out."""
        first, _, rest = name.partition(" ")
        other = {"st": "saint", "saint": "st"}.get(first)
        names = [name, *([f"{other} {rest}"] if other and rest else [])]
        names += [f"{owner} s {thing}" for owner, _, thing in (spelling.rpartition(" ") for spelling in names) if owner]
        return [match for spelling in names + _list_short_forms(name) for match in self._labels.find_exact(spelling)]

    def _find_meant(self, name: str) -> list[Match]:
        """A people's country, or a person whose given name is short."""
        matches = [match for country in find_countries(name) for match in self._labels.find_exact(country)[:1]]
        for full in expand_given_name(name):
            matches += self._labels.find_exact(full)[:2] + self._labels.find_containing(full, _PARTS)
        return matches

    def _find_partial(self, name: str, words: Sequence[MentionWord], common: bool) -> list[Match]:
        """Names that go on after these words, or hold them: few, or better connected ones."""
        if words[0].text in STOP_WORDS or len(name) < 3 or name.isdigit():
            return []
        if common:
            # "united states": words that ask, and how a very well known name begins.
            known = len(words) > 1 and len(words[-1].text) >= 4
            return self._well_known.find_longer_names(name)[:2] if known else []
        if words[-1].text in STOP_WORDS or all(word.text in _TITLES for word in words):
            return []
        return self._labels.find_containing(name, _PARTS)

    def _find_initials(self, i: int, words: Sequence[MentionWord]) -> Iterator[Interpretation]:
        """ "the uk", "in uk", "jfk": but "us" is a word of its own."""
        word, before = words[i].text, words[i - 1].text if i else ""
        is_name = before == "the" or (before in _BEFORE_NAMES and word not in STOP_WORDS)
        if is_name or (len(word) >= 3 and not _VOWELS & set(word)):
            for match in self._well_known.find_by_initials(word):
                yield Interpretation(i, i, match, "whole")

    def _find_slips(self, i: int, words: Sequence[MentionWord]) -> Iterator[Interpretation]:
        """Misspelt names around a word that stands in no name at all."""
        word = words[i].text
        if len(word) < 4 or self._guard.is_common(word) or find_countries(word) or self._labels.count_names(word):
            return
        for first in range(max(0, i - 2), i + 1):
            for last in range(i, min(first + 3, len(words))):
                ends = {words[first].text, words[last].text}
                name = " ".join(word.text for word in words[first : last + 1])
                for match in self._labels.find_fuzzy(name, 3, _SLIP_CUTOFF) if not ends & STOP_WORDS else []:
                    if is_slip(name, match.name):
                        yield Interpretation(first, last, match, "slip")

    def _find_places(self, readings: list[Interpretation]) -> set[Interpretation]:
        """Of "greeley colorado" the second says which Greeley, if a fact joins the two."""
        full_names = [reading for reading in readings if reading.how == "whole" and reading.match.degree]
        beyond = set()
        for place in full_names:
            for further in (further for further in full_names if further.first == place.last + 1):
                if has_joining_fact(self._snapshot, place.match, further.match):
                    beyond.add(further)
        return beyond

    def compute_signs(self, words: Sequence[MentionWord], readings: list[Interpretation]) -> np.ndarray:
        """What speaks for each reading, float [readings, len(SIGNS)]."""
        rare = [
            0.0
            if word.text in STOP_WORDS
            else log((len(self._labels.names) + 1) / (1 + self._labels.count_names(word.text)))
            for word in words
        ]
        context = WordContext(words)
        relations = {reading.match.entity: self._get_relation_stems(reading.match.entity) for reading in readings}
        rows = [
            self._compute_reading_signs(words, rare, context, reading, relations[reading.match.entity])
            for reading in readings
        ]
        return np.array(rows, np.float64).reshape(len(rows), len(SIGNS))

    def _compute_reading_signs(
        self,
        words: Sequence[MentionWord],
        rare: list[float],
        context: WordContext,
        reading: Interpretation,
        relations: set[str],
    ) -> tuple[float, ...]:
        match, how = reading.match, reading.how
        inside = [word.text for word in words[reading.first : reading.last + 1]]
        outside = context.copy_without(inside)
        after = words[reading.last + 1].text if reading.last + 1 < len(words) else None
        fit = sum(map(outside.has_stem, relations))
        others = [word for word in match.name.split(" ") if word not in inside]
        there = [word for word in others if outside.has(word) or outside.has_stem(to_context_stem(word))]
        telling = [rare[k] for k in range(reading.first, reading.last + 1) if not self._guard.is_common(words[k].text)]
        part, several = how == "part", len(inside) > 1
        return (
            how == "whole",
            how == "whole" and several,
            part,
            part and not several and len(there) < len(others),
            part and match.name.startswith(" ".join(inside)),
            part and _is_lacking_form(match.name, inside),
            len(there) / len(others) if part and others else 0.0,
            min(len(there), _FIT_LIMIT) if part else 0,
            how == "people",
            how == "people" and (after is None or after in _BREAKS),
            how == "plural",
            how == "slip",
            how == "slip" and several,
            log1p(match.degree),
            min(fit, _FIT_LIMIT),
            fit == 0,
            len(telling),
            sum(rare[k] > 0 for k in range(reading.first, reading.last + 1)),
            max(telling, default=0.0),
        )

    def _get_relation_stems(self, entity: int) -> set[str]:
        """Stems of the words of an entity's relations."""
        relations = {
            int(relation)
            for groups in (self._snapshot.out_groups, self._snapshot.in_groups)
            for relation in groups.get_entity_groups(entity)[0][:200]
        }
        texts = (normalize_name(self._snapshot.get_relation_label(relation)) for relation in relations)
        return {to_context_stem(word) for text in texts for word in text.split(" ")} - {""}


def _list_short_forms(name: str) -> list[str]:
    """A name of three words or more with those between the first and the last as initials, and with one left out."""
    first, *others = name.split(" ")
    second, last = others[:-1], "".join(others[-1:])
    if not second or {first, *others} & STOP_WORDS:
        return []
    short = [" ".join((first, *(word[0] for word in second), last))]
    if len(second) > 1:
        short += [" ".join((first, *second[:index], *second[index + 1 :], last)) for index in range(len(second))]
    return [*short, *([f"{first} {last}"] if len(second) == 1 else [])]


def has_joining_fact(snapshot: Snapshot, left: Match, right: Match) -> bool:
    """Whether a fact joins two entities."""
    small, large = sorted((left, right), key=lambda match: match.degree)
    return large.entity in find_arcs(snapshot, np.array([small.entity]))[2]


def _is_long(words: Sequence[MentionWord], reading: Interpretation) -> bool:
    """Whether a stretch is one name for sure, whatever stands in it: "university of copenhagen"."""
    inside = [word.text for word in words[reading.first : reading.last + 1]]
    if reading.how != "whole" and not (reading.how == "part" and _is_lacking_form(reading.match.name, inside)):
        return False
    is_name = inside[0] not in STOP_WORDS and len(inside) > 1  # "columbia river"
    return is_name or len(inside) >= 3 or sum(word not in STOP_WORDS for word in inside) >= 2


def _is_lacking_form(name: str, inside: list[str]) -> bool:
    """Whether a name goes beyond some of its words by an initial or a form alone: "nike inc", "l frank baum"."""
    others = [word for word in name.split(" ") if word not in inside]
    return bool(others) and all(len(word) == 1 or word in _FORMS for word in others)


def _is_within(reading: Interpretation, name: Interpretation) -> bool:
    """Whether a reading's words are some of a name's, and not all."""
    inside = name.first <= reading.first and reading.last <= name.last
    return inside and (reading.first, reading.last) != (name.first, name.last)


#: The columns of :meth:`Readings.compute_signs`, each with its weight: a conditional logit (L2 0.001) over the readings
#: of 340 lower-case WebQSP questions, with 200 or fewer dev questions each of MetaQA, PQ-2H, PQL-3H and, lowered, of
#: the demo at half weight. Five-fold, it ranks the topic of 310 of the 340 first; to the weights all 340 were known.
SIGNS: dict[str, float] = {
    "whole name": 1.60,
    "whole name of several words": 0.91,
    "part of a name": -0.18,
    "one word of a name, the rest not there": -1.42,
    "how a name begins": 0.40,
    "only a form is missing": 1.40,
    "share of the rest that is in the question": 0.44,
    "words of the rest that are": 0.07,
    "people": -0.57,
    "people that nothing follows": -0.90,
    "plural": -0.41,
    "slip": -0.43,
    "slip in a name of several words": 2.0,  # by hand: of "michael biivns" no Michael is surer for being well known
    "log facts": 1.31,
    "words shared with its relations": 0.59,
    "no such word": -0.38,
    "telling words": 0.51,
    "words that are no function words": 0.80,
    "rarity of the rarest word": 0.53,
}
