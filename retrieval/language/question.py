"""A question, analysed once and passed on to whatever reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from retrieval.language.detection import is_english
from retrieval.language.mention_words import MentionWord, has_case, split_words
from retrieval.language.operators import Cue, find_cues, has_choice, is_asking_for_others
from retrieval.language.words import QuestionWords, read


@dataclass(frozen=True)
class Question:
    """A question as it was asked; each analysis of its text is made when it is first asked for, and kept.

    Questions of the same text are equal.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Question], tuple[str]]:
        return type(self), (self.text,)

    def keep_part(self, text: str) -> Question:
        """The question of which only ``text`` is read: itself where that is all of it."""
        return self if text == self.text else Question(text)

    @cached_property
    def words(self) -> QuestionWords:
        """Its words, quantities and quotes, which programs are composed of."""
        return read(self.text)

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        """Its words that ask for an operator, see :func:`retrieval.language.operators.find_cues`."""
        return find_cues(self.text)

    @cached_property
    def has_choice(self) -> bool:
        """Whether one of the things that it names may be the answer."""
        return has_choice(self.text)

    @cached_property
    def asks_for_others(self) -> bool:
        """Whether it asks for others that have something in common with what it names."""
        return is_asking_for_others(self.text)

    @cached_property
    def mention_words(self) -> tuple[MentionWord, ...]:
        """Its words with their places, among which names are looked for."""
        return split_words(self.text)

    @cached_property
    def has_case(self) -> bool:
        """Whether its capitals say anything."""
        return has_case(self.mention_words)

    @cached_property
    def folded(self) -> str:
        """Its text without the difference of small and large letters."""
        return self.text.casefold()

    @cached_property
    def is_english(self) -> bool:
        """Whether it may be English."""
        return is_english(self.text)
