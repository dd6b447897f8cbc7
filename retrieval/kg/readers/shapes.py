"""SHACL shapes beside data: files of them are no facts, but what RDF data is checked by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from retrieval.errors import ClewError
from retrieval.kg.readers.archive_kinds import Unpacked, detect_archive_kind
from retrieval.kg.readers.compression import open_bytes
from retrieval.kg.readers.detection import format_of
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.rdf_parsing import parse_statements
from retrieval.kg.snapshot.relation_names import RDF_TYPE
from retrieval.types import Problem

SHACL = "http://www.w3.org/ns/shacl#"
_SHAPES = frozenset({f"{SHACL}NodeShape", f"{SHACL}PropertyShape"})
_ONTOLOGY = "http://www.w3.org/2002/07/owl#Ontology"
#: Bytes of a file of shapes, and how far its namespace is from the beginning.
_LARGEST, _HEAD = 8 * 1024 * 1024, 64 * 1024


def find_shapes(files: Sequence[Unpacked]) -> list[int]:
    """The places of files of shapes: of RDF in which most things with a name are shapes."""
    return [place for place, file in enumerate(files) if is_file_of_shapes(file)]


def can_hold_shapes(path: Path) -> bool:
    """Whether a file names the namespace of shapes at its beginning, or is an archive, which may hold such a file."""
    try:
        with open_bytes(path) as opened:
            start = opened.read(_HEAD)
    except (ClewError, OSError):
        return False
    return SHACL.encode() in start or detect_archive_kind(path) is not None


def is_file_of_shapes(file: Unpacked) -> bool:
    """Whether a file holds shapes, and no data."""
    try:
        if not can_hold_shapes(file.path) or file.path.stat().st_size > _LARGEST:
            return False
        types: dict[str, bool] = {}
        for quad in iter_statements(file, {}):
            if isinstance(quad.subject, ox.NamedNode):
                is_type = quad.predicate.value == RDF_TYPE
                kind = quad.object.value if is_type and isinstance(quad.object, ox.NamedNode) else ""
                if kind == _ONTOLOGY:
                    continue
                types[quad.subject.value] = types.get(quad.subject.value, False) or kind in _SHAPES
    except (ClewError, OSError):
        return False
    return sum(types.values()) * 2 > len(types)


def is_rdf(file: Unpacked) -> bool:
    """Whether a file is of a format of RDF."""
    try:
        return format_of(InputFile(file.path, file.name)).family == "rdf"
    except ClewError:
        return False


def iter_statements(file: Unpacked, contexts: Mapping[str, Any]) -> Iterator[ox.Quad]:
    """The good statements of a file of RDF; ``contexts`` are those of JSON-LD in files beside it.

    Raises:
        SourceError: the file cannot be read.
    """
    source = InputFile(file.path, file.name)
    log = ProblemLog(file.name, list[Problem]().append)
    return (quad for quad, _ in parse_statements(source.source, log, format_of(source).name, contexts))
