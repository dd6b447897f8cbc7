"""How else a name may be written: "Obama, Barack", "FC" and "F.C.", "&" and "and", a plural, "the" left out, initials.

Each gives normalised names that are looked up as they are, so that trying them costs next to nothing; misspelt names
are another matter (:mod:`.names`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from retrieval.kg.snapshot.labels import LabelIndex, Match
from retrieval.language.mention_words import MentionWord
from retrieval.language.question import Question
from retrieval.lexicon import get_words

#: Words of a name before and behind the comma that turns it round.
_TURNED = 3
#: Letters of an abbreviation, with dots in one place and without in another.
_LETTERS = range(2, 5)
#: Names that end alike, among which that of an initial is looked for.
_ENDING_ALIKE = 150
#: How much better connected than the next the entity of an initial must be.
_BETTER = 3
_NUMERALS = {"ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_FIGURES = {figure: numeral for numeral, figure in _NUMERALS.items()}
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))
TITLES = get_words("forms_of_address")
"""What persons are addressed by, which their names lack."""


def generate_variants(question: Question, words: Sequence[MentionWord]) -> Iterator[str]:
    """Other ways to write a stretch of words, normalised; none is the stretch as it stands.

    Args:
        words: of the stretch, in order.
    """
    texts = [word.text for word in words]
    yield from _generate_turned(question, words)
    yield from _generate_joined(question, words)
    yield from _generate_abbreviated(question, words)
    last = texts[-1]
    if last in _NUMERALS or last in _FIGURES:
        yield " ".join([*texts[:-1], _NUMERALS.get(last) or _FIGURES[last]])
    yield from (" ".join([*texts[:-1], short]) for short in _generate_singulars(last))
    if texts[0] != "the":
        yield " ".join(["the", *texts])
    plain = " ".join(texts)
    for two, short in _UMLAUTS:
        plain = plain.replace(two, short)
    if plain != " ".join(texts):
        yield plain


def match_initial(words: Sequence[MentionWord], labels: LabelIndex) -> list[Match]:
    """Whom "J. Maguire" means: names that end so and begin with that letter, where one of them is meant for sure.

    Args:
        words: of a stretch; the first is a letter, and the others are written with capitals.
    """
    first, *rest = words
    if len(first.text) != 1 or not first.text.isalpha() or not rest or not all(w.capital for w in rest):
        return []
    ending = " ".join(word.text for word in rest)
    if len(ending) < 3:
        return []
    alike = [
        match
        for match in labels.find_containing(ending, _ENDING_ALIKE)
        if match.name.startswith(first.text) and match.name.endswith(f" {ending}")
    ]
    by_entity = {match.entity: match for match in alike if len(match.name.split(" ")[0]) > 1}
    ranked = sorted(by_entity.values(), key=lambda match: -match.degree)
    sure = len(ranked) == 1 or (len(ranked) > 1 and ranked[0].degree >= _BETTER * ranked[1].degree)
    return ranked if sure else []


def _get_gap(question: Question, words: Sequence[MentionWord], index: int) -> str:
    return question.text[words[index].end : words[index + 1].start]


def _generate_turned(question: Question, words: Sequence[MentionWord]) -> Iterator[str]:
    """ "Obama, Barack"."""
    commas = [index for index in range(len(words) - 1) if _get_gap(question, words, index) == ", "]
    if len(commas) == 1:
        last, first = words[: commas[0] + 1], words[commas[0] + 1 :]
        if max(len(last), len(first)) <= _TURNED:
            yield " ".join(word.text for word in (*first, *last))


def _generate_joined(question: Question, words: Sequence[MentionWord]) -> Iterator[str]:
    """ "Fanny & Alexander" with "and", and "and" left out, for that is what becomes of the sign in names."""
    signs = {index for index in range(len(words) - 1) if "&" in _get_gap(question, words, index)}
    if signs:
        parts = ["and" if index in signs else "" for index in range(len(words))]
        texts = [text for word, sign in zip(words, parts, strict=True) for text in (word.text, sign) if text]
        yield " ".join(texts)
    if any(word.text == "and" for word in words[1:-1]):
        yield " ".join(word.text for i, word in enumerate(words) if word.text != "and" or i == 0)


def _generate_abbreviated(question: Question, words: Sequence[MentionWord]) -> Iterator[str]:
    """ "FC" as "F.C.", whose letters are words of their own, and the other way round."""
    single = [len(word.text) == 1 and word.text.isalpha() for word in words]
    if any(here and then for here, then in pairwise(single)):
        texts = list[str]()
        for i, word in enumerate(words):
            if i and single[i] and single[i - 1]:
                texts[-1] += word.text
            else:
                texts.append(word.text)
        yield " ".join(texts)
    for i, word in enumerate(words):
        if len(word.text) in _LETTERS and question.text[word.start : word.end].isupper():
            yield " ".join([*(w.text for w in words[:i]), *word.text, *(w.text for w in words[i + 1 :])])


def _generate_singulars(word: str) -> Iterator[str]:
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return
    yield word[:-1]
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    elif word.endswith("es"):
        yield word[:-2]
