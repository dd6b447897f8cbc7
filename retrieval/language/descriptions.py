"""Phrases of a question that describe something without naming it: "the director of Jump for Glory".

Found by how English is written, without a model: a noun with a relative clause ("the country where the Bubye River
is found", "the city Signmark is from"), with "of" and a name, with a participle ("the company founded by ..."), after
a possessive ("Decade's performer") or after a name ("the It'll Be Me singer"). Verbs are known by their form and by a
list of common ones that are irregular or look like nouns; no list belongs to a domain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.language.clauses import ClauseReader
from retrieval.language.english import (
    APPOSED,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    NO_ENTITY,
    PARTICIPLES,
    PASTS,
    PREPOSITIONS,
    RELATIVES,
    STOPS,
    is_adverb,
    is_past,
    is_person,
)
from retrieval.lexicon import get_words

_CONNECTORS = get_words("name_connectors")
_AFTER_OF = get_words("nouns_after_place_of")
_ASKING = re.compile(
    r"^(?:(?:in|of|at|on|from|to|by|for|with) )?(?:who|what|which(?: \w+)?)(?:['’]s| (?:is|was|are|were))"
    r"(?: the names? of)?$|^(?:please )?(?:name|tell me|give|list|find|identify)(?: me)?(?: the names? of)?$",
    re.IGNORECASE,
)
_BIRTH = r"(?:birth ?place|hometown|(?:place|city|town|country|state|county) of birth)"
_BORN = re.compile(
    rf"^(?:the )?{_BIRTH} of (.+)$|^(?:the )?(.+)['’]s {_BIRTH}$|^(?:the )?(.+s)['’] {_BIRTH}$|^the (.+) {_BIRTH}$",
    re.IGNORECASE,
)
_PRONOUNS = get_words("subject_pronouns")
_MODIFIERS = 4
"""Words that may stand between the article and what introduces the description."""


@dataclass(frozen=True, slots=True)
class Description:
    """A phrase that describes something.

    Attributes:
        start, end: where it stands in the question, in characters.
        noun: what it describes: "country".
        person: whether that is a person.
    """

    start: int
    end: int
    text: str
    noun: str
    person: bool

    @property
    def question(self) -> str:
        """The question that asks for it, as people ask it: of a birthplace, where somebody was born."""
        born = _BORN.match(self.text)
        if born:
            return f"Where was {next(filter(None, born.groups()))} born?"
        return f"{'Who' if self.person else 'What'} is {self.text}?"


def find_innermost(question: str) -> Description | None:
    """The first description of a question that holds no other one; None where it describes nothing.

    What the question asks for itself is none: "Who is the director of Jump for Glory?" has no description.
    """
    matches = find_descriptions(question)
    return matches[0] if matches else None


def find_descriptions(question: str) -> list[Description]:
    """The descriptions of a question that hold no other one, in order."""
    return _Finder(question).find_all()


class _Finder(ClauseReader):
    """Descriptions of one question."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self._names = self._find_name_runs()

    def find_all(self) -> list[Description]:
        """See :func:`find_descriptions`."""
        spans: dict[tuple[int, int], tuple[int, int]] = {}
        for index in range(len(self._words)):
            for made in (
                self._match_relative(index),
                self._match_bare_clause(index),
                self._match_participle(index),
                self._match_of_name(index),
                self._match_after_name(index),
            ):
                if made is not None:
                    first, last, noun = made
                    spans.setdefault((first, last), (noun, index))
        kept = [
            (first, last, noun)
            for (first, last), (noun, _) in sorted(spans.items())
            if not any(first < other < last or (first == other and end < last) for other, end in spans)
        ]
        described = [self._make_description(first, last, noun) for first, last, noun in kept]
        return [each for each in described if not self._is_whole_question(each)]

    def _find_name_runs(self) -> dict[int, int]:
        """Where names begin, and the word after each: capitalised words, small ones between them."""
        runs: dict[int, int] = {}
        i, words = 0, self._words
        while i < len(words):
            if not words[i].capital or (words[i].low in STOPS and (i == 0 or words[i].low not in ("the", "a", "an"))):
                i += 1
                continue
            end = i + 1
            while end < len(words):
                ahead = end
                while (
                    ahead < len(words)
                    and ahead - end < 2
                    and words[ahead].low in _CONNECTORS
                    and (not words[ahead].capital)
                ):
                    ahead += 1
                ends = words[end - 1].possessive and not (ahead == end and ahead < len(words) and words[ahead].capital)
                if ends or ahead >= len(words) or not words[ahead].capital:
                    break
                end = ahead + 1
            runs[i] = end
            i = end
        return runs

    def _find_name_end(self, index: int) -> int | None:
        """The word after the name that begins there, an article before it left out; None where none begins."""
        if index in self._names:
            return self._names[index]
        inside = index < len(self._words) and self._words[index].low in DETERMINERS
        return self._names.get(index + 1) if inside else None

    def _find_phrase_start(self, noun: int) -> int | None:
        """Where the phrase begins whose noun stands there; None where no article begins it."""
        words = self._words
        if noun < 1 or not self._is_plain_noun(noun):
            return None
        of = 0
        for back in range(noun - 1, max(-1, noun - _MODIFIERS - 2), -1):
            low = words[back].low
            if low in DETERMINERS:
                return back
            if low == "of" and not of:
                of = 1
                continue
            if not words[back].is_word or low in STOPS or (words[back].possessive):
                return None
        return None

    def _is_plain_noun(self, index: int) -> bool:
        """Whether a word may be a noun that is described."""
        word = self._words[index]
        return word.text.isalpha() and not word.capital and word.low not in STOPS and not is_past(word.low)

    def _match_relative(self, index: int) -> tuple[int, int, int] | None:
        """A clause that a relative word begins: "the country where ...", "the year in which ..."."""
        words = self._words
        if words[index].low not in RELATIVES or words[index].capital:
            return None
        noun = index - 1
        if noun >= 0 and words[noun].low in PREPOSITIONS and words[index].low in ("which", "whom", "whose"):
            noun -= 1
        if noun >= 0 and words[noun].text == ",":
            noun -= 1
        first = self._find_phrase_start(noun) if noun >= 0 else None
        if first is None:
            return None
        if index + 1 >= len(words) or words[index + 1].low in _PRONOUNS:
            return None  # it leans on what the question says elsewhere
        last = self._find_clause_end(index + 1, 0)
        return (first, last, noun) if last > index + 1 else None

    def _match_bare_clause(self, index: int) -> tuple[int, int, int] | None:
        """A clause without a relative word: "the city Signmark is from"."""
        words = self._words
        first = self._find_phrase_start(index)
        if first is None or index + 1 >= len(words) or (first and words[first - 1].low in RELATIVES):
            return None
        after = self._find_name_end(index + 1)
        if after is None and words[index + 1].low == "the":
            after = next((i for i in range(index + 2, min(index + 6, len(words))) if self._is_verb(i)), None)
        if after is None or after >= len(words) or words[after - 1].possessive:
            return None
        verb = words[after].low
        if verb not in AUXILIARIES and not (is_past(verb) and self._find_pending_verb(first) != "be"):
            return None
        last = self._find_clause_end(after, 0)
        return (first, last, index) if last > after else None

    def _match_participle(self, index: int) -> tuple[int, int, int] | None:
        """A participle after the noun: "the company founded by ...", "the group ruling ..."."""
        words = self._words
        if index + 2 >= len(words):
            return None
        first = self._find_phrase_start(index)
        low, following = words[index + 1].low, words[index + 2]
        active = low.endswith("ing") and len(low) > 5 and low not in STOPS
        if first is None or not (active or low in PARTICIPLES or (is_past(low) and low not in PASTS)):
            return None
        led = following.low in PREPOSITIONS or following.low in DETERMINERS or following.capital
        if not (led or following.low in ("as", "one")) or words[index + 1].capital:
            return None
        if not active and self._find_pending_verb(first) == "be" and not _is_question_word(words[0].low):
            return None
        last = self._find_clause_end(index + 2, 1)
        return first, last, index

    def _match_of_name(self, index: int) -> tuple[int, int, int] | None:
        """A noun with "of" and a name: "the performer of Decade"."""
        words = self._words
        if index + 2 >= len(words) or words[index + 1].low != "of":
            return None
        first, after = self._find_phrase_start(index), self._find_name_end(index + 2)
        low = words[index].low
        if first is None or words[first].low != "the" or after is None or low in NO_ENTITY or low in APPOSED:
            return None
        if after < len(words) and words[after - 1].possessive:
            return None
        return first, after, index

    def _match_after_name(self, index: int) -> tuple[int, int, int] | None:
        """A noun after a name: "Decade's performer", "the It'll Be Me singer"."""
        words, end = self._words, self._names.get(index)
        if end is None or end >= len(words):
            return None
        article = index - 1 if index and words[index - 1].low in DETERMINERS else None
        first = index if article is None else article
        if words[end - 1].possessive:
            last = end
            waits = self._find_pending_verb(first) == "do"
            while (
                last < len(words) and last - end < _MODIFIERS and self._is_plain_noun(last) and not self._is_verb(last)
            ):
                if waits and last > end and words[last].low in BASES:
                    break
                last += 1
            noun = last - 1
            if last == end or words[noun].low in NO_ENTITY or is_adverb(words[noun].low):
                return None
            if last + 1 < len(words) and words[last].low == "of" and words[last + 1].low in _AFTER_OF:
                last += 2
            return first, last, noun
        low = words[end].low
        role = (is_person(low) or low in ("birthplace", "hometown")) and not words[end].capital
        return (first, end + 1, end) if role and article is not None else None

    def _make_description(self, first: int, last: int, noun: int) -> Description:
        words = self._words
        while last > first + 1 and not words[last - 1].is_word:
            last -= 1
        start, end = words[first].start, words[last - 1].end
        text = self._text[start:end]
        low = words[noun].low
        return Description(start, end, text, low, is_person(low))

    def _is_whole_question(self, made: Description) -> bool:
        """Whether the phrase is all that the question asks for."""
        before, after = self._text[: made.start].strip(), self._text[made.end :].strip(" ?.!")
        if not _ASKING.search(before):
            return False
        rest = [word for word in self._words if word.start >= made.end and word.is_word]
        return not after or not any(w.low in AUXILIARIES or is_past(w.low) for w in rest)


def _is_question_word(word: str) -> bool:
    return word in ("who", "what", "which", "whose")
