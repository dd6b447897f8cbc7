"""Words of a question with their places, and where the clauses among them end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.language.english import (
    AUXILIARIES,
    BASES,
    BE,
    DETERMINERS,
    PARTICIPLES,
    PASTS,
    PREPOSITIONS,
    STOPS,
    is_adverb,
    is_past,
)
from retrieval.lexicon import get_words

_TOKEN = re.compile(r"\w+(?:[.&'’-]\w+)*(?:(?<=\b[A-Z])\.)?(?:(?<=s)['’](?!\w))?|[^\w\s]")
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_DO = get_words("auxiliaries_before_subjects")


class ClauseReader:
    """Finds the verbs and clauses of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = [Word(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]

    def _is_verb(self, index: int) -> bool:
        low = self._words[index].low
        return low in AUXILIARIES or (not self._words[index].capital and is_past(low))

    def _find_pending_verb(self, first: int) -> str:
        """What verb form the question's own clause still waits for before a phrase: "do", "be" or ""."""
        kind = ""
        for index in range(first):
            word = self._words[index]
            if word.low in _DO:
                kind = "do"
            elif word.low in BE:
                kind = "be"
            elif kind and not word.capital and self._is_main(index, kind):
                kind = ""
        return kind

    def _is_main(self, index: int, kind: str) -> bool:
        low, before = self._words[index].low, self._words[index - 1].low if index else ""
        if kind == "do":
            return low in BASES and before not in DETERMINERS and before not in PREPOSITIONS
        return low in PARTICIPLES or is_past(low) or low.endswith("ing")

    def _find_clause_end(self, begin: int, groups: int) -> int:
        """The word after a clause: where the question goes on with a second verb, at a comma, or at its end.

        Args:
            begin: its first word.
            groups: verbs that it has already.
        """
        words, open_to = self._words, ""
        kind, blocked = self._find_pending_verb(begin), 0
        for index in range(begin, len(words)):
            word, low = words[index], words[index].low
            before = words[index - 1]
            if not word.is_word:
                between = 0 < index < len(words) - 1 and before.capital and words[index + 1].capital
                if word.text in "?;:!" or (word.text == "," and not between):
                    return blocked or index
                continue
            if word.capital and word.low not in STOPS:
                continue
            after_verb = before.low in AUXILIARIES or is_adverb(before.low)
            if low in AUXILIARIES:
                if not (open_to and after_verb) and before.low != "to":
                    groups += 1
                open_to = "do" if low in _DO else "be"
            elif low in PARTICIPLES or is_past(low):
                if open_to == "be" and after_verb and (low in PARTICIPLES or low not in PASTS):
                    open_to = ""
                else:
                    groups += 1
            elif not groups and low.endswith("s") and (low[:-1] in BASES or low[:-2] in BASES):
                groups += 1
            elif kind == "do" and low in BASES and before.low not in DETERMINERS | {"to", "and"}:
                if before.low in PREPOSITIONS:
                    blocked = index if groups == 1 else blocked
                    continue
                if open_to == "do" and after_verb:
                    open_to = ""
                else:
                    groups += 1
            else:
                continue
            if groups >= 2 and before.low not in ("and", "or", "but", "to", "when", "who", "which", "that", "where"):
                return index
        return blocked or len(words)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or sign of a text, characters [start, end)."""

    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital or a digit."""
        return self.text[0].isupper() or self.text[0].isdigit()

    @property
    def possessive(self) -> bool:
        """Whether it is a genitive."""
        return _POSSESSIVE.search(self.text) is not None

    @property
    def is_word(self) -> bool:
        """Whether it is no sign."""
        return self.text[0].isalnum()
