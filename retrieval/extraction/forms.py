"""Whose form a passage is asked for its facts in: Clew's own, GraphRAG's or KGGen's (INSES, Table 1 and Figure 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.extraction import reading
from retrieval.extraction.reading import Extracted, UnreadableError, clean_name, split_sentences
from retrieval.llm import prompts
from retrieval.llm.asking import find_json
from retrieval.llm.constraints import make_json_object, make_object_list
from retrieval.llm.prompts import wrap_fenced, wrap_fenced_lines
from retrieval.llm.replies import Request
from retrieval.results import Citation
from retrieval.types import Passage

GRAPHRAG, KGGEN_ENTITIES, KGGEN = "extract-graphrag", "extract-kggen-entities", "extract-kggen"
ENTITIES = 200
"""Entities of a passage that KGGen's second question lists, at most."""

_NAME: Mapping[str, Any] = {"type": "string", "maxLength": reading.NAME_LIMIT}
_NAMED = make_json_object(entities={"type": "array", "items": _NAME, "maxItems": ENTITIES})
_RELATED = make_json_object(relations=make_object_list({"subject": _NAME, "predicate": _NAME, "object": _NAME}))

_RECORD = re.compile(r"\(\s*\"?relationship\"?\s*<\|>(.*?)\)\s*(?=##|<\|COMPLETE\|>|\n|\Z)", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"\"?entity\"?\s*<\|>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExtractionForm:
    """How facts are asked for.

    Attributes:
        prompts: names of the prompts, in their order.
        request: the first question about a passage.
        read: the facts of the last reply, and how many of its entries were unusable.
        then: the second question, from the passage and the first reply; None where there is one question.
    """

    prompts: tuple[str, ...]
    request: Callable[[Passage], Request]
    read: Callable[[Passage, str], tuple[list[Extracted], int]]
    then: Callable[[Passage, str], Request] | None = None


def _list_sentences(passage: Passage) -> list[str]:
    return [passage.text[begin:end] for begin, end in split_sentences(passage.text)]


def _ask_graphrag(passage: Passage) -> Request:
    prompt = prompts.load(GRAPHRAG)
    return Request.from_prompt(
        prompt, title=wrap_fenced(passage.title), sentences=wrap_fenced_lines(_list_sentences(passage))
    )


def read_graphrag(passage: Passage, reply: str) -> tuple[list[Extracted], int]:
    """Facts of GraphRAG's records; a relationship's description is the relation.

    Raises:
        UnreadableError: the reply holds neither entities nor relationships.
    """
    records = _RECORD.findall(reply)
    if not records and not _ENTITY.search(reply):
        raise UnreadableError('it has no records ("entity"<|>...) or ("relationship"<|>...)')
    rows = []
    for record in records:
        parts = [part.strip().strip('"') for part in record.split("<|>")]
        rows.append((parts[0], parts[2], parts[1]) if len(parts) >= 3 else None)
    return _build_facts(passage, rows)


def _ask_entities(passage: Passage) -> Request:
    prompt = prompts.load(KGGEN_ENTITIES)
    request = Request.from_prompt(
        prompt, title=wrap_fenced(passage.title), sentences=wrap_fenced_lines(_list_sentences(passage))
    )
    return request.apply_constraint(_NAMED)


def ask_relations(passage: Passage, reply: str) -> Request:
    """KGGen's second question: the relations among the entities that the first reply names.

    Raises:
        UnreadableError: the reply holds no list of entities.
    """
    listed = _parse_list(reply, "entities")
    names = list(dict.fromkeys(name for entry in listed if (name := clean_name(entry))))[:ENTITIES]
    return Request.from_prompt(
        prompts.load(KGGEN),
        title=wrap_fenced(passage.title),
        sentences=wrap_fenced_lines(_list_sentences(passage)),
        entities=wrap_fenced_lines(names),
    ).apply_constraint(_RELATED)


def read_kggen(passage: Passage, reply: str) -> tuple[list[Extracted], int]:
    """Facts of KGGen's second reply.

    Raises:
        UnreadableError: the reply holds no list of relations.
    """
    rows = [
        tuple(entry.get(key) for key in ("subject", "predicate", "object")) if isinstance(entry, dict) else None
        for entry in _parse_list(reply, "relations")
    ]
    return _build_facts(passage, rows)


def _parse_list(reply: str, key: str) -> list[Any]:
    try:
        value = find_json(reply)
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    entries = value.get(key) if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise UnreadableError(f'it has no list "{key}"')
    return entries


def _build_facts(passage: Passage, rows: Sequence[tuple[object, ...] | None]) -> tuple[list[Extracted], int]:
    """Triples with the sentence that names most of them; one of which no sentence names anything is unusable."""
    spans = split_sentences(passage.text)
    facts: dict[Extracted, None] = {}
    bad = 0
    for row in rows:
        names = [clean_name(part) for part in row] if row else []
        bounds = _find_sentence(passage.text, spans, names[0], names[2]) if names and all(names) else None
        if bounds is None:
            bad += 1
        else:
            facts[Extracted(names[0], names[1].lower(), names[2], Citation(passage.id, *bounds))] = None
    return list(facts), bad


def _find_sentence(text: str, spans: list[tuple[int, int]], subject: str, target: str) -> tuple[int, int] | None:
    """The first sentence that names both, else one of them."""
    lowered = text.casefold()
    names = (subject.casefold(), target.casefold())
    best = max(spans, key=lambda s: sum(name in lowered[s[0] : s[1]] for name in names), default=None)
    if best is None or not any(name in lowered[best[0] : best[1]] for name in names):
        return None
    return best


#: By name, as the command line and the API take them.
FORMS: dict[str, ExtractionForm] = {
    "own": ExtractionForm((reading.PROMPT,), reading.build_request, reading.read),
    "graphrag": ExtractionForm((GRAPHRAG,), _ask_graphrag, read_graphrag),
    "kggen": ExtractionForm((KGGEN_ENTITIES, KGGEN), _ask_entities, read_kggen, ask_relations),
}
