"""A question within a question: "Where was [the composer of Thought of You] raised?" asks who composed it, then of him.

English wording: a noun phrase that says of a named thing what is meant, and a rest that asks something of that. What is
named is known here, as its linked mention; ``descriptions`` finds such phrases where nothing is linked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.language.english import AUXILIARIES, PREPOSITIONS, RELATIVES, is_past, is_person
from retrieval.lexicon import get_words

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.](?!s\b)[^\W_]+)*|['’]s\b")
_MARKS = re.compile(r"[\[\]]")
_ARTICLES = get_words("articles")
_JOINING = PREPOSITIONS | RELATIVES
_CALLING = frozenset({"known", "called", "named", "titled", "entitled"})
_SHARING = get_words("sharing_words")
_EMPTY = get_words("nested_question_fillers")
_PLACING = frozenset({"located", "found", "situated", "be"})
_ADJECTIVES = get_words("noun_qualifiers")
#: What asks for nothing but what is described, and words behind that which do ask for more.
_WHO_IS = {(ask, be) for ask in ("who", "what") for be in ("is", "are", "was", "were", "'s", "’s")}
_OF_HIM = frozenset({"about", "worth", "like", "famous"})
#: Words of a relative clause behind the name that it is about.
_CLAUSE = 4


@dataclass(frozen=True, slots=True)
class Nested:
    """A question that describes what it asks about.

    Attributes:
        inner: the description as a question of its own.
        before, after: what stands around the description.
        rest: the words around it that say something, in lower case.
    """

    inner: str
    before: str
    after: str
    rest: tuple[str, ...]

    def build_question(self, name: str) -> str:
        """The question about what the description means."""
        return f"{self.before}{name}{self.after}"


def find_nested(question: str, mention: str) -> Nested | None:
    """The innermost description that names ``mention``, where something else is asked of what it describes.

    Args:
        mention: the text in it that names an entity.
    """
    text = _MARKS.sub("", question)
    mention_match = re.search(r"(?<!\w)" + re.escape(_MARKS.sub("", mention)) + r"(?!\w)", text, re.IGNORECASE)
    if not mention or mention_match is None:
        return None
    tokens = [(match.group().casefold(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
    first = next((index for index, (_, _, end) in enumerate(tokens) if end > mention_match.start()), len(tokens))
    behind = next((index for index, (_, start, _) in enumerate(tokens) if start >= mention_match.end()), len(tokens))
    words = [word for word, _, _ in tokens]
    while behind < len(tokens) and text[mention_match.start()].isupper() and _is_name_continued(text, tokens, behind):
        behind += 1  # "the team that won the 1907 World Series Championship"
    paused = [index for index in range(behind, len(tokens)) if "," in text[tokens[index - 1][2] : tokens[index][1]]]
    span = (
        _find_possessive(words, first, behind)
        or _find_role(words, first, behind)
        or _find_described(words, first, behind, min([len(words), *paused]))
    )
    if span is None:
        return None
    start, end = span
    around = words[:start] + words[end:]
    if _is_told_more_of(words, start, end) or not _is_asking_more(around) or "also" in around:
        return None
    begins, ends = tokens[start][1], tokens[end - 1][2]
    if behind >= end:  # marks around the name belong to it
        ends = max(ends, mention_match.end())
    begins, ends = _close_quotes(text, begins, ends)
    return Nested(f"What is {text[begins:ends]}?", text[:begins], text[ends:], tuple(_keep_telling(around)))


def _is_name_continued(text: str, tokens: list[tuple[str, int, int]], index: int) -> bool:
    """Whether a word goes on with the name before it, as its capital says."""
    return text[tokens[index][1]].isupper() and not text[tokens[index - 1][2] : tokens[index][1]].strip()


def _find_possessive(words: list[str], first: int, behind: int) -> tuple[int, int] | None:
    """Of "X's father": what belongs to the name."""
    if first and words[first - 1] == "and":
        return None  # it belongs to another, too
    if behind >= len(words) or words[behind] not in ("'s", "’s"):
        return None
    end = behind + 1
    while end < len(words) and words[end] in _ADJECTIVES:
        end += 1
    if end >= len(words) or words[end] in _EMPTY:
        return None
    return (first - 1 if first and words[first - 1] in _ARTICLES else first), end + 1


def _find_role(words: list[str], first: int, behind: int) -> tuple[int, int] | None:
    """Of "the X composer": who it is."""
    if not first or words[first - 1] != "the" or behind >= len(words) or not is_person(words[behind]):
        return None
    return first - 1, behind + 1


def _find_described(words: list[str], first: int, behind: int, pause: int) -> tuple[int, int] | None:
    """Of "the composer of X", "the country where X is made", "the artist who headlined X"; ``pause`` is a comma."""
    for start in range(first - 1, -1, -1):
        if words[start] != "the":
            continue
        between = words[start + 1 : first]
        link = next((index for index, word in enumerate(between) if word in _JOINING), None)
        if not link or between[0] in _EMPTY or not _CALLING.isdisjoint(between[: link + 1]):
            continue  # nothing between, no noun before what joins, or another name of the same
        if not _SHARING.isdisjoint(between):
            return None
        relative = next((index for index, word in enumerate(between) if word in RELATIVES), None)
        if "and" in between or (relative is None and not AUXILIARIES.isdisjoint(between)):
            return None  # two things, or two clauses
        if relative is not None and (relative + 1 == len(between) or between[relative + 1] in _ARTICLES):
            return start, _find_clause_end(words[:pause], behind)
        as_such = behind < len(words) and words[behind] == "as"  # the country with X as its anthem
        return start, pause if as_such else behind
    return None


def _find_clause_end(words: list[str], behind: int) -> int:
    """Where a relative clause ends whose subject is the name: behind its verb."""
    last = min(len(words), behind + _CLAUSE)
    verb = next((index for index in range(behind, last) if words[index] in AUXILIARIES), None)
    if verb is None:
        return len(words) if len(words) <= last else min(len(words), behind + 1)
    end = min(len(words), verb + 2)
    if end < len(words) and words[end] in PREPOSITIONS:
        return len(words)
    return end


def _is_told_more_of(words: list[str], start: int, end: int) -> bool:
    """Whether what is described is asked for itself, and more is said of it: "the actor who played X who wrote Y"."""
    if end < len(words) and words[end] in RELATIVES | {"and"}:
        return True
    before = [word for word in words[max(0, start - 3) : start] if word != "also"]
    if "and" in before and before[-1] != "and" and before[-1] in AUXILIARIES:
        return True
    return tuple(words[:start]) in _WHO_IS and end < len(words) and not _is_verb(words[end])


def _is_verb(word: str) -> bool:
    """Whether a word behind "who is the mayor of X" says what is asked of him: "married to", not "in 2009"."""
    return is_past(word) or word in _OF_HIM


def _is_asking_more(rest: list[str]) -> bool:
    """Whether what stands around a description asks for more than what it means."""
    if _keep_telling(rest):
        return True
    return "where" in rest and any(word in _PLACING for word in rest)


def _keep_telling(words: list[str]) -> list[str]:
    return [word for word in words if word not in _EMPTY and word not in _PLACING]


def _close_quotes(text: str, begins: int, ends: int) -> tuple[int, int]:
    """The stretch with the closing mark of quotes that open in it, and without such marks around all of it."""
    opened = sum(text[begins:ends].count(mark) for mark in '"“”')
    if opened % 2 and ends < len(text) and text[ends] in '"”':
        ends += 1
    return begins, ends
