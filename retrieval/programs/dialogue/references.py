"""Words that point back: "its population", "which of them", "the largest of those", "which are in Asia"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrieval.language.adjectives import COMPARATIVES, SUPERLATIVES
from retrieval.language.question import Question
from retrieval.programs.dialogue.referents import Referents, get_shared_noun, is_called, is_person
from retrieval.programs.dialogue.rewriting import Rewriting
from retrieval.types import Denoted

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

#: Things that words may point to which are tried.
TRIED = 4
#: Where the words for several things go in a pattern's replacement.
_N = "\0"
_OPENING = re.compile(r"^\W*(?:(?:and|but|so|ok|okay|now|then|well|also|what about|how about)\b\W*)+", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:(?:in|from|on|at|to|of|by|with|for)\s+)?(?:who|whom|whose|what|which|where|when|how|why|is|are|was|were|do|does|did|has|have|had|can|could|list|show|"
    r"give|name|find|tell|count)\b",
    re.IGNORECASE,
)


def _join_alternatives(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_BEST = rf"(?:(?:second|third|fourth|fifth)\s+)?(?:{_join_alternatives(SUPERLATIVES)})"
_PLACED = "in|from|on|at|by|near|over|above|below|under|not|also|within|outside|with|without"
_LIKE = rf"(?:{_PLACED}|{_join_alternatives(COMPARATIVES)})"
_WHICH = r"^(?P<a>which|what|who|how many)\s+"
#: Words that point to several things, and what they become; ``THEM`` stands for "them", "those countries".
_SEVERAL: tuple[tuple[str, str], ...] = (
    (r"^(?:of|among)\s+THEM,?\s+(?P<a>which|what|who|how many)(?:\s+ones?)?\b", r"\g<a> " + _N),
    (r"\b(?P<a>which|what|who|how many|any|some|one|none|no)\s+(?:of|among)\s+(?:the\s+)?THEM", r"\g<a> " + _N),
    (rf"^(?:which\s+(?:one\s+)?is\s+)?(?:the\s+)?(?P<a>{_BEST})(?:\s+ones?)?(?:\s+(?:of|among)\s+THEM)?\W*$",
     f"which {_N} is the \\g<a>"),
    (rf"\b(?P<a>{_BEST})\s+(?:ones?\s+)?(?:of|among)\s+THEM", r"\g<a> " + _N),
    (r"^(?:(?:only|just|list|show|give me)\s+)*(?:the\s+|those\s+|these\s+)?(?:ones|those)\b(?!\s+of)", f"which {_N}"),
    (r"^(?P<a>which|what|who)\s+ones?\b", r"\g<a> " + _N),
    (rf"{_WHICH}(?P<b>(?:are|were|is|was|have|has|had)\s+(?:the\s+)?{_BEST}(?:\s+one)?)\W*$", rf"\g<a> {_N} \g<b>"),
    (rf"{_WHICH}(?P<b>are|were|lie|have|had|is|has|was)(?=\s+{_LIKE}\b)", rf"\g<a> {_N} \g<b>"),
    (rf"{_WHICH}(?P<b>have|has|had)(?=\s+(?:the\s+)?{_BEST}\b)", rf"\g<a> {_N} \g<b>"),
    (r"^how many(?:\s+are\s+there|\s+of\s+THEM(?:\s+are\s+there)?)?\W*$", f"how many {_N} are there"),
    (r"\btheir\s+(?:own\s+)?(?P<a>[\w -]+?)(?=\W*$)", rf"the \g<a> of {_N}"),
    (r"\b(?:their|theirs|each one's)\b(?:\s+own)?", f"{_N}'s"),
    (r"\bTHEM", _N),
)  # fmt: skip
#: "the capitals of them" are, "the population of them" is.
_MANY = re.compile(r"^the\s+[\w\s-]*?[^sui\W]s\s+of\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:he|him|his|she|her)\b", re.IGNORECASE)
_THING = re.compile(r"\bits?\b", re.IGNORECASE)
_THAT = re.compile(r"\b(?:that|this|the|said)\s+(?:same\s+)?([a-z]+(?:\s[a-z]+)?)\b", re.IGNORECASE)
_ANY = frozenset({"one", "place", "person", "thing"})
#: Words that point to one thing, and what they become.
_SINGLE: tuple[tuple[str, str], ...] = (
    (r"\b(?:its|his|her|their)\b(?=\s+\w)", f"{_N}'s"),
    (r"\b(?:it|he|him|she|her|they|them)\b", _N),
    (r"\b(?<!is\s)(?<!are\s)(?<!was\s)(?<!were\s)there\b", f"in {_N}"),
)


def remove_opening(question: Question) -> str:
    """A question without the words that only join it to the one before."""
    return _OPENING.sub("", question.text).strip()


def resolve_references(question: Question, referents: Referents, schema: Schema) -> Iterator[Rewriting]:
    """The question with what its words point back to in their place, likeliest first; none where none do."""
    text = remove_opening(question)
    several: list[Rewriting] = []
    for ids in referents.sets[:TRIED]:
        if len(ids) > 1 and not _PERSON.search(text) and not _THING.search(text):
            several += _replace_plural(text, ids, referents.nouns.get(ids) or get_shared_noun(schema, ids))
    yield from several
    for node in () if several else _select_referents(text, referents.single, schema)[:TRIED]:
        yield from _replace_singular(text, node, schema)


def _select_referents(text: str, nodes: tuple[int, ...], schema: Schema) -> tuple[int, ...]:
    """People where the words point to a person, others where they point to a thing, if there are any."""
    person, thing = _PERSON.search(text), _THING.search(text)
    if not person and not thing:
        return nodes
    return tuple(node for node in nodes if is_person(schema, node) == bool(person)) or nodes


def _replace_plural(text: str, ids: tuple[int, ...], name: str) -> Iterator[Rewriting]:
    them = rf"(?:all\s+(?:of\s+)?)?(?:them|these|those|they)(?:\s+(?:ones|{re.escape(name)}))?\b"
    for pattern, put in _SEVERAL:
        changed = re.sub(pattern.replace("THEM", them), put, text, count=1, flags=re.IGNORECASE)
        if changed != text:
            yield _insert_name(changed, name, tuple(sorted(ids)))
            return


def _replace_singular(text: str, node: int, schema: Schema) -> Iterator[Rewriting]:
    label = schema.snapshot.get_entity_label(node)
    changed = text
    for match in _THAT.finditer(text):
        for words in (match[1], match[1].partition(" ")[0]):
            if words.casefold() in _ANY or is_called(schema, node, words):
                changed = text[: match.start()] + _N + text[match.start(1) + len(words) :]
                break
    for pattern, put in _SINGLE:
        if changed == text:
            changed = re.sub(pattern, put, text, count=1, flags=re.IGNORECASE)
    if changed != text:
        yield _insert_name(changed, label, (node,))


def _insert_name(text: str, name: str, ids: tuple[int, ...]) -> Rewriting:
    """The question with a name where the words that point back stood."""
    if not _ASKS.match(text):
        which = text.startswith(_N) and not text.startswith(f"{_N}'s")
        text = ("which " if which else "what are " if _MANY.match(text) else "what is ") + text
    start = text.index(_N)
    return Rewriting(Question(text.replace(_N, name, 1)), (Denoted(start, start + len(name), ids),)).format_sentence()
