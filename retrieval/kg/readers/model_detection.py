"""Which files are data models, by their names and contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from retrieval.errors import SourceError
from retrieval.kg.model.forms import find_model
from retrieval.kg.readers.compression import open_bytes

#: The longest file that is looked into, in bytes, and what its name ends in.
_LONGEST = 4 << 20
_ENDINGS = (".json", ".jsonld", ".ttl", ".rml", ".rml.ttl")


def find_model_in_file(path: Path, name: str) -> dict[str, Any] | None:
    """The model as JSON that a file holds; None where it holds something else.

    Raises:
        ConfigError: it is a broken model.
    """
    if not name.lower().removesuffix(".gz").endswith(_ENDINGS):
        return None
    try:
        with open_bytes(path, name) as file:
            content = file.read(_LONGEST + 1)
    except (OSError, SourceError):
        return None  # whoever reads it says what is wrong with it
    return find_model(content.decode("utf-8-sig", errors="replace")) if len(content) <= _LONGEST else None
