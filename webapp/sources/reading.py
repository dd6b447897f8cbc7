"""Reading a source: its files, how they are to be imported, and whether anything changed."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from retrieval.errors import SourceError
from retrieval.kg.model.storage import load_model
from retrieval.kg.readers.options import ReadOptions
from retrieval.types import Progress
from webapp.graphs import files as storage
from webapp.graphs.models import Graph, GraphVersion, Mode
from webapp.sources import buckets, databases, endpoints, sqlite_queries
from webapp.sources.connections import Connection
from webapp.sources.models import TABULAR, SourceKind
from webapp.uploads import remote_sources

SAMPLE_BYTES = 4096
SAMPLE_ROWS = 5
SAMPLE_OBJECTS = 5
SAMPLE_S = 10.0
QUERY_S = 1800.0
"""Seconds that a query of a refresh may take."""

ROWS_FILE = "rows.csv"
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file of a source: what it is called, and where it was written."""

    name: str
    path: Path


def list_names(connection: Connection) -> list[str]:
    """What the files of a source are called where they are imported; of facts, the ending depends on the answer.

    Raises:
        SourceError: a storage cannot list its objects.
    """
    if connection.kind == SourceKind.S3:
        return buckets.list_file_names(connection, buckets.list_objects(connection))
    if connection.kind in TABULAR:
        return [connection.file_name or ROWS_FILE]
    if connection.kind == SourceKind.SPARQL:
        return []
    if len(connection.addresses) == 1 and connection.file_name:
        return [connection.file_name]
    return [remote_sources.extract_name(address) for address in connection.addresses]


def fetch_files(connection: Connection, directory: Path, progress: Callable[[Progress], None]) -> list[FetchedFile]:
    """Copy a source into a directory.

    Raises:
        SourceError: it cannot be read, or is empty.
        InvalidError: its query is refused.
        NotAllowedError: the operator does not allow an address (any more).
    """
    limit: int = settings.RESUMABLE_MAX_BYTES
    if connection.kind == SourceKind.S3:
        return _fetch_objects(connection, directory, limit, progress)
    names = list_names(connection)
    if connection.kind in TABULAR:
        path = directory / "0"
        databases.write_rows(connection, path, limit=limit, timeout=QUERY_S, progress=progress)
        return [FetchedFile(names[0], path)]
    if connection.kind == SourceKind.SPARQL:
        path = endpoints.write_facts(connection, directory, limit=limit, timeout=QUERY_S, progress=progress)
        return [FetchedFile(path.name, path)]
    fetched = []
    for position, (name, address) in enumerate(zip(names, connection.addresses, strict=True)):
        path = directory / str(position)
        remote_sources.fetch(address, path, limit=limit, progress=progress)
        fetched.append(FetchedFile(name, path))
    return fetched


def _fetch_objects(
    connection: Connection, directory: Path, limit: int, progress: Callable[[Progress], None]
) -> list[FetchedFile]:
    stored = buckets.list_objects(connection)
    fetched = []
    for position, (name, item) in enumerate(zip(buckets.list_file_names(connection, stored), stored, strict=True)):
        path = directory / str(position)
        buckets.fetch_object(connection, item, path, limit=limit, progress=progress)
        fetched.append(FetchedFile(name, path))
    return fetched


def sample(connection: Connection) -> str:
    """The first lines of a source, to be shown.

    Raises:
        SourceError, InvalidError, NotAllowedError: as :func:`fetch_files`.
    """
    if connection.kind == SourceKind.S3:
        stored = buckets.list_objects(connection)
        return "\n".join(
            _show_lines(buckets.sample_object(connection, item, most=SAMPLE_BYTES)) for item in stored[:SAMPLE_OBJECTS]
        )
    if connection.kind in TABULAR:
        rows = databases.sample_rows(connection, most=SAMPLE_ROWS, timeout=SAMPLE_S)
        return "\n".join(" · ".join(row) for row in rows)
    if connection.kind == SourceKind.SPARQL:
        return _show_lines(endpoints.sample_facts(connection, most=SAMPLE_BYTES, timeout=SAMPLE_S))
    shown = []
    for address in connection.addresses:
        content = remote_sources.sample(address, most=SAMPLE_BYTES, within=SAMPLE_S)
        if not content:
            raise SourceError(f"{address} is empty.", hint="Check the address.")
        shown.append(_show_lines(content))
    return "\n".join(shown)


def _show_lines(content: bytes) -> str:
    if b"\0" in content:
        return "(not text)"
    return "\n".join(content.decode(errors="replace").splitlines()[: SAMPLE_ROWS + 1])


def compute_fingerprint(connection: Connection) -> str:
    """What stays the same while a source does, without reading it; empty where that cannot be known.

    Raises:
        SourceError, NotAllowedError: as :func:`fetch_files`.
    """
    if connection.kind == SourceKind.S3:
        return "\n".join(f"{item.key} {item.size} {item.tag}" for item in buckets.list_objects(connection))
    if connection.kind not in (SourceKind.FILES, SourceKind.SQLITE):
        return ""
    module = sqlite_queries if connection.kind == SourceKind.SQLITE else remote_sources
    prints = [module.compute_fingerprint(address) for address in connection.addresses]
    return "\n".join(prints) if all(prints) else ""


def compute_hash(files: Sequence[FetchedFile]) -> str:
    """A hash of the names and contents of files."""
    digest = hashlib.blake2b(digest_size=32)
    for file in files:
        digest.update(f"{file.name}\0{file.path.stat().st_size}\0".encode())
        with file.path.open("rb") as content:
            while piece := content.read(PIECE):
                digest.update(piece)
    return digest.hexdigest()


def find_replacing_version(graph: Graph) -> GraphVersion | None:
    """The latest version whose content came from files of its own; others were made of its files by another model."""
    rows = GraphVersion.objects.filter(graph=graph, mode=Mode.REPLACE, deleted_at=None, files__isnull=False)
    return rows.order_by("-version").first()


def choose_options(graph: Graph, names: Sequence[str]) -> ReadOptions:
    """How files are read: like those of the latest version, if they have the same names; else by content."""
    version = find_replacing_version(graph)
    if version is None or sorted(names) != sorted(version.files.values_list("name", flat=True)):
        return ReadOptions()
    options = ReadOptions.from_values(version.job.params) if version.job is not None else ReadOptions()
    model = None if graph.snapshot is None else load_model(storage.ensure_local_path(graph.snapshot.path))
    return options if model is None else dataclasses.replace(options, model=model.to_json())
