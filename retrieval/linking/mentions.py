"""Where a question may mention entities: words with their places, marks, quotes, capitalised runs, guards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.mention_words import MentionWord
from retrieval.language.question import Question

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
#: Signs that are put for each other.
_SAME_SIGNS = str.maketrans({"-": " ", "‐": " ", "–": " ", "’": "'", "`": "'", "´": "'"})
_MARK = re.compile(r"\[(\[[^\[\]]*\]|[^\[\]]+)\]")
_QUOTE = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)'([^']{2,})'(?!\w)|‘([^’]{2,})’(?!\w)")

_STOP_TEXT = """
    composer composers creator creators founder founders painter painters primary scriptwriter scriptwriters
    a about above across after again against all along also am among an and another any anybody anyone
    anything are around as at away be became because become been before began being below between both but
    by came can cannot come could did do does doing done down during each either else ever every everybody
    everyone everything few find first for found from full gave get gets give given go goes gone got had has
    have having he her here hers him his how i if in into is it its itself just kind kinds know known last
    least less let like list made main make makes many may me mentioned might more most mostly much must my
    name named names neither next no nor not now of off often on once one ones only or other others our out
    over own part please same say seen several shall she should since so some somebody someone something
    sort sorts still such take tell than that the their them then there these they thing things this those
    through to together too toward two type types under until up upon us use used using very want was way we
    well went were what whatever when where whether which while who whom whose why will with within without
    would yet you your actor actors actress actresses author authors answer answers appear appears appeared
    award awards birthplace book books border borders bordered bordering born capital capitals character
    characters child children cities city companies company continent continents countries country couple
    currencies currency date dates daughter daughters describe described describes die died direct directed
    directing direction director directors entity father fall fact film films genre genres group groups
    husband language languages live lived located location locations member members mother movie movies
    music nation nationality novel novels number official parent parents partner people person persons place
    places play played plays population produced producer producers profession question rated rating ratings
    relation release released releases religion river rivers role roles screenwriter screenwriters script
    scripts series share shared shares sibling siblings sister song songs son sons speak speaks spoken
    spouse star starred starring stars state states subject tag tags team teams title titles topic topics
    town towns university vote votes wife words work worked works write writer writers written wrote year
    years d ll m re s t ve
"""
#: English function words, question words, and nouns and verbs that ask rather than name.
STOP_WORDS = frozenset(_STOP_TEXT.split())
#: Words that may stand between the capitalised words of one name.
_PARTICLE_TEXT = "of the de la le da di do du van von der den and in for to on at el al y a an & bin ibn s"
_PARTICLES = frozenset(_PARTICLE_TEXT.split())
#: Those of them that stand between two names rather than in one.
_JOINED = re.compile(r"\s+(?:and|in|for|to|on|at)\s+(?:the\s+)?")


_LITTLE_TEXT = "with from that this which what whose were have does into name main list"
_LITTLE = frozenset(_LITTLE_TEXT.split())
_IRREGULAR = {
    **dict.fromkeys(("wrote", "written", "screenwriter", "screenwriters"), "writer"),
    **dict.fromkeys(("spoken", "spoke", "language", "languages"), "speak"),
    **dict.fromkeys(("birth", "birthplace"), "born"),
    **dict.fromkeys(("death", "dead"), "died"),
    **dict.fromkeys(("act", "acted", "acts", "actress", "actresses", "star", "starred", "starring", "stars"), "actor"),
    **dict.fromkeys(("wife", "husband", "married", "marry"), "spouse"),
    **dict.fromkeys(("movie", "movies"), "film"),
    **dict.fromkeys(("novel", "novels"), "book"),
}


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
        self._stems = {_to_stem(word) for word in words} | {_to_stem(word) for word in STOP_WORDS}
        self._asked = {to_context_stem(word) for word in words} - {""}
        self._known: dict[str, bool] = {}

    def is_common(self, word: str) -> bool:
        """Whether a normalised word alone names nothing."""
        known = self._known.get(word)
        if known is None:
            known = word in STOP_WORDS or _to_stem(word) in self._stems or to_context_stem(word) in self._asked
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


@lru_cache(maxsize=1 << 16)
def _to_stem(word: str) -> str:
    """Crude: ``countries`` -> ``countr``, ``spoken`` -> ``spoken``, ``borders`` -> ``border``."""
    for ending in ("ies", "ing", "ed", "es", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
