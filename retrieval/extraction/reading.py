"""What is asked of a passage, and the reading of the reply."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from retrieval.llm import prompts
from retrieval.llm.asking import build_repair, find_json
from retrieval.llm.constraints import Constraint, make_json_object, make_number_schema, make_object_list
from retrieval.llm.prompts import wrap_fenced, wrap_fenced_lines
from retrieval.llm.replies import Request
from retrieval.results import Citation
from retrieval.types import Passage

PROMPT = "extract"
NAME_LIMIT = 300
"""Characters beyond which a name or a relation is prose, and its triple is left out."""

_SPACE = re.compile(r"\s+")
# A sentence ends at a mark and a space before something that begins one; "J. Smith" and "Dr. Who" are none.
_END = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|\n+")


@dataclass(frozen=True, slots=True)
class Extracted:
    """A fact as a passage states it; ``sentence`` is where."""

    subject: str
    relation: str
    object: str
    sentence: Citation


class UnreadableError(ValueError):
    """A reply that is no list of triples."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, in characters; without the space around them."""
    bounds, begin = [], 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        piece = text[begin:end]
        if piece.strip():
            first = begin + len(piece) - len(piece.lstrip())
            bounds.append((first, begin + len(piece.rstrip())))
        begin = end
    return bounds


def build_request(passage: Passage) -> Request:
    """Ask for the facts of a passage, its sentences numbered from 1."""
    listed = [
        f"{number}. {passage.text[begin:end]}"
        for number, (begin, end) in enumerate(split_sentences(passage.text), start=1)
    ]
    prompt_request = Request.from_prompt(
        prompts.load(PROMPT), title=wrap_fenced(passage.title), sentences=wrap_fenced_lines(listed)
    )
    return prompt_request.apply_constraint(_build_schema(len(listed)))


def _build_schema(count: int) -> Constraint:
    """What a reply about so many sentences may be."""
    triple = {name: {"type": "string", "maxLength": NAME_LIMIT} for name in ("subject", "relation", "object")}
    return make_json_object(triples=make_object_list({**triple, "sentence": make_number_schema(count)}))


def build_retry_request(previous: Request, reply: str, problem: str) -> Request:
    """Ask once more, with the reply that could not be read and what is wrong with it."""
    more = tuple((message["role"], message["content"]) for message in build_repair(reply, f"{problem}."))
    return replace(previous, messages=(*previous.messages, *more))


def read(passage: Passage, reply: str) -> tuple[list[Extracted], int]:
    """The triples of a reply, and how many of its entries were unusable.

    A triple without a sentence of the passage is unusable: nobody could check it. Repeats count once.

    Raises:
        UnreadableError: the reply holds no list of triples.
    """
    try:
        value = find_json(reply)
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    entries = value.get("triples") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise UnreadableError('it has no list "triples"')
    spans = split_sentences(passage.text)
    triples: dict[Extracted, None] = {}
    bad = 0
    for entry in entries:
        triple = _parse_triple(passage, spans, entry)
        if triple is None:
            bad += 1
        else:
            triples[triple] = None
    return list(triples), bad


def _parse_triple(passage: Passage, spans: list[tuple[int, int]], entry: object) -> Extracted | None:
    if not isinstance(entry, dict):
        return None
    names = [clean_name(entry.get(key)) for key in ("subject", "relation", "object")]
    number = entry.get("sentence")
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if not all(names) or isinstance(number, bool) or not isinstance(number, int):
        return None
    if not 1 <= number <= len(spans):
        return None
    subject, relation, target = names
    return Extracted(subject, relation.lower(), target, Citation(passage.id, *spans[number - 1]))


def clean_name(value: object) -> str:
    """A name as written, on one line; empty when it is none."""
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return ""
    name = _SPACE.sub(" ", str(value)).strip()
    return name if len(name) <= NAME_LIMIT else ""
