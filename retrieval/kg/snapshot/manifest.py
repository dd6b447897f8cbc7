"""What a snapshot says about itself, and the format of its files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from retrieval.errors import DamagedError, SnapshotError

FORMAT_VERSION = 4
MANIFEST = "manifest.json"
REBUILD = "Build the graph again from its source files."


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot says about itself.

    Attributes:
        content_hash: sha256 over labels, sorted facts, passages and attributes; equal content has an equal hash.
        duplicates: facts that were given more than once and are kept once.
        problems: rows of the sources that could not be used.
        created: ISO 8601, UTC.
        entity_attributes, fact_attributes: how many values the attributes of its nodes and facts have.
        names, other_names: how many names with a language its entities have: shown in it, and further ones.
    """

    entities: int
    relations: int
    triples: int
    content_hash: str
    format_version: int
    sources: tuple[str, ...]
    created: str
    duplicates: int = 0
    problems: int = 0
    passages: int = 0
    entity_attributes: int = 0
    fact_attributes: int = 0
    names: int = 0
    other_names: int = 0


def read_manifest(path: Path) -> Manifest:
    """The manifest of a snapshot directory.

    Raises:
        DamagedError: there is none, or it is damaged.
        SnapshotError: it is of another format version.
    """
    try:
        raw: Any = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedError(f"{path.name} is not a snapshot: its {MANIFEST} is missing or damaged.") from error
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise SnapshotError(
            f"{path.name} has snapshot format {version}; this version of Clew reads {FORMAT_VERSION}.", hint=REBUILD
        )
    try:
        return Manifest(**{**raw, "sources": tuple(raw["sources"])})
    except (KeyError, TypeError) as error:
        raise DamagedError(f"The manifest of {path.name} lacks fields ({error}).") from error


def to_manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The manifest as JSON types."""
    return asdict(manifest)
