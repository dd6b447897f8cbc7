"""What a snapshot says about itself, and the format of its files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from retrieval.errors import DamagedError, SnapshotError

FORMAT_VERSION = 4
#: Version 2 had neither passages nor attributes; names have their signs (C++) since version 4. Otherwise all are alike.
READABLE_VERSIONS = (2, 3, 4)
SIGNED_NAMES = 4
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
        passages: how many passages it holds.
        entity_attributes, fact_attributes: how many values the attributes of its nodes and facts have.
        values_version: by which rules its typed values were read, see :mod:`retrieval.kg.typed_values`; 0 has none.
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
    values_version: int = 0


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
    if version not in READABLE_VERSIONS:
        raise SnapshotError(
            f"{path.name} has snapshot format {version}; this version of Clew reads "
            f"{', '.join(map(str, READABLE_VERSIONS))}.",
            hint=REBUILD,
        )
    names = {f.name for f in fields(Manifest)}
    try:
        return Manifest(**{**{k: v for k, v in raw.items() if k in names}, "sources": tuple(raw["sources"])})
    except (KeyError, TypeError) as error:
        raise DamagedError(f"The manifest of {path.name} lacks fields ({error}).") from error


def to_manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The manifest as JSON types."""
    return asdict(manifest)
