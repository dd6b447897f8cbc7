"""What JSON objects are: rows of a table, or something that another reader knows."""

from __future__ import annotations

import json

from retrieval.kg.readers.property_layout import BAGS, RELATIONS, SOURCES, TARGETS

#: What passages, documents and questions have.
_TEXTS = frozenset({"text", "contents", "paragraph_text", "paragraphs", "context", "question", "questions"})

#: Objects that are looked at.
_FIRST = 50


def parse_first_objects(head: str) -> list[object]:
    """The first objects of an array or of lines, as far as the text goes; none where it is no JSON."""
    decoder, text = json.JSONDecoder(), head.lstrip().removeprefix("[")
    objects: list[object] = []
    while len(objects) < _FIRST and (text := text.lstrip(" \t\r\n,")):
        try:
            value, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            break
        objects.append(value)
        text = text[end:]
    return objects


def is_row(value: object) -> bool:
    """Whether an object is a row of a table: neither a node of a graph nor an edge, a passage, a question or RDF."""
    if not isinstance(value, dict) or not value or any(key.startswith("@") for key in value):
        return False
    keys = {key.casefold() for key in value}
    name_keys = keys & {"name", "title"}
    edge = keys & set(SOURCES) and keys & set(TARGETS) and keys & set(RELATIONS) and not name_keys
    node = keys & {"labels", *BAGS} or ("id" in keys and "type" in keys and name_keys)
    return not (edge or node or keys & _TEXTS)


def is_plain_row(value: object) -> bool:
    """Whether an object is a row that holds no objects; lists of words and numbers are several values."""
    return isinstance(value, dict) and is_row(value) and not any(map(_is_nested, value.values()))


def _is_nested(value: object) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
