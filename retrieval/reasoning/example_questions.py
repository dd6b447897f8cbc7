"""Questions made from sentences of passages, each with the span that it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.lexicon import get_words
from retrieval.reasoning.spans import SpanKind, find_spans, is_person_name
from retrieval.types import Passage

_LONGEST = 110
"""Characters of a question, at most."""

_OPENINGS = get_words("sentence_openings")
_FUNCTION_WORDS = get_words("passage_stop_words")
_SUBJECT = r"(?P<subject>(?:[^\W\d_][^\s,;:.()]*\.? ?){1,6}?)"
_PREDICATE = r"(?P<predicate>(?!(?:the|an?|one|its|his|her|their|about|not)\b)[a-z-]+(?: [^\s,;:.()]+){0,5}?)"
_COPULA = re.compile(rf"^{_SUBJECT} (?P<verb>is|was|are|were) ")
_PASSIVE = re.compile(rf"^{_SUBJECT} (?P<verb>was|were) {_PREDICATE} (?P<word>in|on|at|by) $")
_ACTIVE = re.compile(
    r"^ (?P<rest>[a-z]+ed(?: [^\s,;:.()]+){1,7}?)(?=[,;.]| (?:in|on|and|which|who|that|after|before)\b)"
)
_IDENTITY = re.compile(r"^(?P<rest>the [^,;:.()]{3,60}?)(?=[,;.]|$)")


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question and the span that answers it."""

    text: str
    answer: str


def generate_example_questions(passages: Iterable[Passage]) -> Iterator[ExampleQuestion]:
    """Make questions from passages, each passage in turn so that neighbouring ones differ."""
    groups = zip_longest(*(_make_questions(passage) for passage in passages))
    seen = set[str]()
    for example in (each for group in groups for each in group if each):
        if example.text not in seen and len(example.text) <= _LONGEST:
            seen.add(example.text)
            yield example


def _make_questions(passage: Passage) -> Iterator[ExampleQuestion]:
    for start, end in split_sentences(passage.text):
        sentence = passage.text[start:end]
        if not sentence.endswith("."):
            continue
        text = " ".join(sentence.split())
        yield from _ask_for_circumstances(text)
        yield from _ask_for_subject(text)


def _ask_for_circumstances(sentence: str) -> Iterator[ExampleQuestion]:
    """Ask when, where or by whom something was done: "It was opened on 4 May 1920"."""
    dates = [(*span, "When", ("in", "on")) for span in find_spans(SpanKind.DATE, sentence)]
    names = find_spans(SpanKind.PLACE, sentence)
    places = [(*span, "Where", ("in", "at")) for span in names]
    agents = [(*span, "Who", ("by",)) for span in names if is_person_name(span[1])]
    for start, label, asking, words in [*dates, *agents, *places]:
        match = _PASSIVE.match(sentence[:start])
        if match is None or match["word"] not in words or not _is_clear(match["subject"]):
            continue
        preposition = " by" if asking == "Who" else ""
        subject = _format_article(match["subject"])
        yield ExampleQuestion(f"{asking} {match['verb']} {subject} {match['predicate']}{preposition}?", label)


def _ask_for_subject(sentence: str) -> Iterator[ExampleQuestion]:
    """Ask who did something, and who or what is the only thing of a description."""
    names = find_spans(SpanKind.NAME, sentence)
    start, name = names[0] if names else (-1, "")
    if start not in (0, len("The ")) or sentence[:start] not in ("", "The "):
        return
    asking, rest = "Who" if is_person_name(name) else "What", sentence[start + len(name) :]
    if is_person_name(name) and (match := _ACTIVE.match(rest)) and match["rest"].split()[-1] not in _FUNCTION_WORDS:
        yield ExampleQuestion(f"Who {match['rest']}?", name)
    copula = _COPULA.match(sentence)
    if copula and copula["subject"] == sentence[: start + len(name)]:
        match = _IDENTITY.match(sentence[copula.end() :])
        if match:
            yield ExampleQuestion(f"{asking} {copula['verb']} {match['rest']}?", name)


def _is_clear(subject: str) -> bool:
    """Whether a subject says what it is: it has a name, and begins with no other function word than an article."""
    first, *others = subject.split()
    if first.casefold() in _OPENINGS and first != "The":
        return False
    return any(word[0].isupper() for word in (others if first == "The" else subject.split()))


def _format_article(subject: str) -> str:
    return f"the {subject.removeprefix('The ')}" if subject.startswith("The ") else subject
