"""The name of each entity in the reader's language, beside its label.

A label says which entity is meant, in every language alike; a ``name`` beside it is what the reader calls it. The
reader's languages are those of the cookie ``names_language``, which the pages set, else of ``Accept-Language``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.request import Request

from retrieval.errors import ClewError
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.names import NODE_FIELDS, NameWriter, parse_languages
from webapp.graphs import snapshots
from webapp.graphs.models import GraphVersion

COOKIE = "names_language"


def list_preferred(cookies: Mapping[str, str], header: str) -> tuple[str, ...]:
    """The languages of a reader, best first."""
    return parse_languages(cookies.get(COOKIE, "")) or parse_languages(header)


def add_names(request: Request, snapshot: Snapshot, data: Any) -> Any:
    """What is shown of a version with names in the languages of whoever sent a request."""
    if snapshot.names is None:
        return data
    preferred = list_preferred(request.COOKIES, request.headers.get("Accept-Language", ""))
    return NameWriter(snapshot.names, preferred).write(data)


def open_writer(version: GraphVersion | None, preferred: Sequence[str]) -> NameWriter | None:
    """What writes names into what is shown of a version; None where it has none, or cannot be opened any more."""
    if version is None or not version.languages:
        return None
    try:
        names = snapshots.open_snapshot(version.path).names
    except ClewError:
        return None
    return None if names is None else NameWriter(names, preferred)


def remove_names(data: Any) -> Any:
    """What a page sends back of what it was shown, without the names."""
    if isinstance(data, list):
        return [remove_names(item) for item in data]
    if isinstance(data, dict):
        is_named = data.keys() >= {*NODE_FIELDS, "name"}
        return {key: remove_names(value) for key, value in data.items() if not (is_named and key == "name")}
    return data
