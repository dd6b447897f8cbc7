"""Contexts of JSON-LD that are elsewhere: in a file beside the data, or known. None is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from retrieval.errors import SourceError
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.compression import open_bytes

#: Contexts so common that files name them without bringing them: what they do to the terms of their vocabulary.
_KNOWN: Mapping[str, Any] = {
    "schema.org": {"@vocab": "http://schema.org/", "id": "@id", "type": "@type"},
    "www.w3.org/ns/activitystreams": {
        "@vocab": "https://www.w3.org/ns/activitystreams#", "id": "@id", "type": "@type",
    },
    "www.w3.org/ns/csvw": {"@vocab": "http://www.w3.org/ns/csvw#"},
}  # fmt: skip
#: Where schema.org is kept under other addresses.
_SCHEMA = re.compile(r"^(?:www\.)?schema\.org(?:/docs/jsonldcontext\.json(?:ld)?)?$")
_CONTEXT = re.compile(r'(?<!\\)"@context"\s*:\s*')
#: Bytes of a file of a context; contexts that refer to others, and how deep.
_LARGEST, _DEPTH = 4 * 1024 * 1024, 10
_DECODER = json.JSONDecoder()


class MissingContextError(SourceError):
    """A context of JSON-LD is neither known nor beside the file."""

    code = "missing_context"


def find_contexts(files: Sequence[Unpacked]) -> Mapping[int, Any]:
    """The contexts among some files, by their place: objects of JSON that hold nothing but ``@context``."""
    contexts: dict[int, Any] = {}
    for place, file in enumerate(files):
        context = read_context(file.path)
        if context is not None:
            contexts[place] = context
    return contexts


def read_context(path: Path) -> Any | None:
    """The context that a file holds alone; None where it is anything else."""
    try:
        with open_bytes(path) as opened:
            start = opened.read(_LARGEST + 1)
        begins_object = start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
        if len(start) > _LARGEST or b'"@context"' not in start or not begins_object:
            return None
        value = json.loads(start.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError, SourceError):
        return None
    return value["@context"] if isinstance(value, dict) and value.keys() <= {"@context", "@id", "$schema"} else None


def has_remote_context(text: str) -> bool:
    """Whether a text of JSON-LD names a context by its address."""
    return any(_has_addresses(text, match.end()) for match in _CONTEXT.finditer(text))


def _has_addresses(text: str, start: int) -> bool:
    if text[start : start + 1] == "[":
        return '"' in re.sub(r"\{[^{}]*\}", "", text[start : text.find("]", start)])
    return text[start : start + 1] == '"'


def insert_contexts(text: str, contexts: Mapping[str, Any], name: str) -> str:
    """The text of JSON-LD with each context in the place of its address.

    Args:
        contexts: of the files beside it, by the files' names.
        name: of the file, for errors.

    Raises:
        MissingContextError: one is not known.
    """
    parts, last = [], 0
    for match in _CONTEXT.finditer(text):
        if match.end() < last:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.end())
        except ValueError:
            continue  # the parser says where the syntax breaks
        parts += [text[last : match.end()], json.dumps(_resolve(value, contexts, name, _DEPTH))]
        last = end
    return "".join([*parts, text[last:]])


def _resolve(value: Any, contexts: Mapping[str, Any], name: str, depth: int) -> Any:
    if isinstance(value, list):
        return [part for item in value for part in _to_list(_resolve(item, contexts, name, depth))]
    if not isinstance(value, str):
        return value
    context = _find_context(value, contexts)
    if context is None or not depth:
        raise MissingContextError(
            f"{name} refers to a JSON-LD context on the web, {value}, which is not fetched.",
            hint=f"Download {value} and add it to the upload as a file of its own, named {_get_file_name(value)}.",
        )
    return _resolve(context, contexts, name, depth - 1)


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _find_context(address: str, contexts: Mapping[str, Any]) -> Any | None:
    """A context by its address: the file beside it of that name, the only file beside it, or a known one."""
    wanted = _get_file_name(address)
    by_name = {Path(file).name: context for file, context in contexts.items()}
    for file, context in by_name.items():
        if wanted in (file, Path(file).stem):
            return context
    parts = urlsplit(address)
    place = f"{parts.netloc}{parts.path}".rstrip("/")
    if _SCHEMA.match(place):
        return _KNOWN["schema.org"]
    if place in _KNOWN:
        return _KNOWN[place]
    return next(iter(by_name.values())) if len(by_name) == 1 else None


def _get_file_name(address: str) -> str:
    parts = urlsplit(address)
    return unquote(Path(parts.path).name) or parts.netloc
