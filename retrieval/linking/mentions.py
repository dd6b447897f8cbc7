"""Where a question may mention entities: words with their places, marks, quotes, capitalised runs, guards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.mention_words import MentionWord
from retrieval.language.question import Question
from retrieval.language.stemming import stem_word
from retrieval.lexicon import get_pairs, get_words

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
#: Signs that are put for each other.
_SAME_SIGNS = str.maketrans({"-": " ", "‐": " ", "–": " ", "’": "'", "`": "'", "´": "'"})
_MARK = re.compile(r"\[(\[[^\[\]]*\]|[^\[\]]+)\]")
_QUOTE = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)'([^']{2,})'(?!\w)|‘([^’]{2,})’(?!\w)")

#: English function words, question words, and nouns and verbs that ask rather than name.
STOP_WORDS = get_words("asking_words")
#: Words that may stand between the capitalised words of one name.
_PARTICLES = get_words("name_particles")
#: Those of them that stand between two names rather than in one.
_JOINED = re.compile(r"\s+(?:and|in|for|to|on|at)\s+(?:the\s+)?")


_LITTLE = get_words("longer_function_words")
_IRREGULAR = get_pairs("context_forms")


@dataclass(frozen=True, slots=True)
class MentionSpan:
    """A stretch of the question: characters [start, end) and what stands there."""

    start: int
    end: int
    text: str

    def is_overlapping(self, other: MentionSpan) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


def find_marked(question: Question) -> list[MentionSpan]:
    """What the asker marked ``[like this]``, without the brackets."""
    return [MentionSpan(m.start(1), m.end(1), m[1]) for m in _MARK.finditer(question.text) if m[1].strip()]


def find_quoted(question: Question) -> list[MentionSpan]:
    """What stands in quotation marks."""
    spans = []
    for match in _QUOTE.finditer(question.text):
        group = next(i for i, text in enumerate(match.groups(), 1) if text is not None)
        if match[group].strip():
            spans.append(MentionSpan(match.start(group), match.end(group), match[group]))
    return spans


def has_whole_words(question: Question, start: int, end: int) -> bool:
    """Whether a stretch does not begin or end inside a name_joined_by_underscores."""
    return (start == 0 or question.text[start - 1] != "_") and (end == len(question.text) or question.text[end] != "_")


def find_capitalised_runs(question: Question, words: Sequence[MentionWord], guard: Guard) -> list[MentionSpan]:
    """Runs of capitalised words that look like names, particles inside allowed, guarded words alone not."""
    spans: list[MentionSpan] = []
    i = 0
    while i < len(words):
        if not words[i].capital or (i == 0 and guard.is_common(words[i].text)):
            i += 1
            continue
        last = i
        for j in range(i + 1, len(words)):
            gap = question.text[words[j - 1].end : words[j].start]
            if re.search(r"[,;:?!()\"]|\.\s", gap) and not re.fullmatch(r"\.\s?", gap):
                break
            if words[j].capital:
                last = j
            elif words[j].text not in _PARTICLES or j - last > 2:
                break
        run = words[i : last + 1]
        if not all(guard.is_common(word.text) or word.text[0].isdigit() for word in run):
            spans.append(MentionSpan(run[0].start, run[-1].end, question.text[run[0].start : run[-1].end]))
        i = last + 1
    return spans


def split_run(run: MentionSpan, names: Iterable[MentionSpan]) -> list[MentionSpan]:
    """Return a run that no name overlaps, else those of its pieces between words that join names, not parts of one."""
    names = [name for name in names if name.is_overlapping(run)]
    if not names:
        return [run]
    ends = [(match.start(), match.end()) for match in _JOINED.finditer(run.text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(run.text)]
    pieces = [
        MentionSpan(run.start + start, run.start + stop, run.text[start:stop])
        for start, stop in zip(starts, stops, strict=True)
    ]
    return [piece for piece in pieces if not any(name.is_overlapping(piece) for name in names)]


def is_written(label: str, mention: str) -> bool:
    """Whether a mention is a label as the graph writes it, but for the punctuation at its ends and a
    parenthesis that tells namesakes apart.
    """
    label, mention = (text.translate(_SAME_SIGNS) for text in (label, mention))
    return clean_punctuation(label) == clean_punctuation(mention) or clean_punctuation(
        _PARENTHESIS.sub("", label)
    ) == clean_punctuation(mention)


def clean_punctuation(text: str) -> str:
    """A name without the punctuation at its ends, as it stands between the words around it."""
    return text.strip("".join(c for c in set(text) if not c.isalnum()))


class Guard:
    """Tells words that ask (function words, relation words of this graph) from words that name."""

    def __init__(self, relation_labels: Iterable[str]) -> None:
        words = {word for label in relation_labels for word in normalize_name(label).split(" ")}
        self._stems = {stem_word(word) for word in words} | {stem_word(word) for word in STOP_WORDS}
        self._asked = {to_context_stem(word) for word in words} - {""}
        self._known: dict[str, bool] = {}

    def is_common(self, word: str) -> bool:
        """Whether a normalised word alone names nothing."""
        known = self._known.get(word)
        if known is None:
            known = word in STOP_WORDS or stem_word(word) in self._stems or to_context_stem(word) in self._asked
            known = known or (len(word) == 1 and word.isalpha())
            if len(self._known) < 100_000:
                self._known[word] = known
        return known


@lru_cache(maxsize=1 << 16)
def to_context_stem(word: str) -> str:
    """Cruder still, to compare the words of a question with those of relations; empty for little words."""
    if len(word) < 4 or word in _LITTLE:
        return ""
    word = _IRREGULAR.get(word, word)
    for ending in ("ers", "ors", "ing", "ies", "er", "or", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
