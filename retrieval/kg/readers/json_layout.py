"""What JSON objects are: rows of a table, or something that another reader knows."""

from __future__ import annotations

import json

from retrieval.kg.readers.property_layout import BAGS, RELATIONS, SOURCES, TARGETS

#: What passages, documents and questions have.
_QUESTIONS = frozenset({"question", "questions"})
_TEXTS = frozenset({"text", "contents", "paragraph_text", "paragraphs", "context"})
_NAMES = frozenset({"name", "title"})
#: The most words of a value that is no passage, and the most keys of an object that is one: of a short text, of a long.
_SHORT, _PASSAGE_KEYS, _DOCUMENT_KEYS = 3, 5, 10
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
    if not isinstance(value, dict) or not is_thing(value):
        return False
    keys = {key.casefold() for key in value}
    return not ("id" in keys and "type" in keys and keys & _NAMES)


def is_thing(value: object) -> bool:
    """Whether an object is a row of a table, or a node with id, type and name, which is one where there is no edge."""
    if not isinstance(value, dict) or not value or any(key.startswith("@") for key in value):
        return False
    keys = {key.casefold(): key for key in value}
    edge = keys.keys() & set(SOURCES) and keys.keys() & set(TARGETS) and keys.keys() & set(RELATIONS)
    is_edge = bool(edge) and not keys.keys() & _NAMES
    texts = [value[keys[text]] for text in keys.keys() & _TEXTS]
    is_passage = bool(texts) and len(keys) <= (_DOCUMENT_KEYS if any(map(_is_long, texts)) else _PASSAGE_KEYS)
    return not (is_edge or is_passage or keys.keys() & {"labels", *BAGS} or keys.keys() & _QUESTIONS)


def _is_long(value: object) -> bool:
    """Whether something under a key for texts is one, and no word or sign."""
    return not isinstance(value, str) or len(value.split()) > _SHORT


def is_plain_row(value: object) -> bool:
    """Whether an object is a row that holds no objects; lists of words and numbers are several values."""
    return isinstance(value, dict) and is_row(value) and not any(map(_is_nested, value.values()))


def _is_nested(value: object) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
