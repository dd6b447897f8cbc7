"""SPARQL 1.1 queries over the RDF of a snapshot, which :mod:`~retrieval.programs.rendering.rdf` describes.

The RDF of a snapshot is kept on disk in its cache, where pyoxigraph queries it without loading it. Queries may be
written to keep an engine busy for hours: call both functions in a process of its own, with limits.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import QueryError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.programs.rendering.rdf import export

_NAME = "rdf-1"
"""Of the store in the cache; the number changes with what is exported."""

_GAP = r"(?:\s|\#[^\r\n]*[\r\n])*"
_SERVICE = re.compile(
    rf"SERVICE{_GAP}(?:SILENT{_GAP})?(?:<[^>]*>|[?$][^\s{{<\#]+|(?:\\.|[^\s{{}}<>\#\\:])*:(?:\\.|[^\s{{}}<>\#\\])*){_GAP}\{{",
    re.IGNORECASE,
)
"""A call of another server, also where it stands in a text or a comment: that is refused too."""

_UPDATE = re.compile(
    rf"{_GAP}(?:(?:BASE|PREFIX){_GAP}[^<]*<[^>]*>{_GAP})*"
    r"(?:INSERT|DELETE|LOAD|CLEAR|CREATE|DROP|COPY|MOVE|ADD|WITH)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gives, as a file of a media type."""

    media_type: str
    content: bytes


def has_store(snapshot: Path) -> bool:
    """Whether the store of a snapshot was built."""
    return (get_cache_folder(snapshot) / _NAME).exists()


def build_store(snapshot: Path) -> None:
    """Build the store of a snapshot in a temporary folder, then rename it into place."""
    import pyoxigraph as ox  # noqa: PLC0415 - where a store is used only

    folder = get_cache_folder(snapshot)
    folder.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{_NAME}-", dir=folder))
    try:
        lines = building / "graph.nt"
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(export(kg.open(snapshot)))
        store = ox.Store(building / "store")
        store.bulk_load(path=lines, format=ox.RdfFormat.N_TRIPLES, lenient=True)
        store.optimize()
        del store  # closes it
        with suppress(OSError):  # another process was quicker
            (building / "store").rename(folder / _NAME)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def query_store(snapshot: Path, query: str, accepted: Sequence[str], *, most: int) -> QueryResult:
    """Run a query over the store of a snapshot.

    Args:
        accepted: media types, the preferred one first; where the result has none of them, it is JSON or N-Triples.
        most: bytes of the result.

    Raises:
        QueryError: the query is malformed, changes the graph, calls another server, or has a larger result.
    """
    import pyoxigraph as ox  # noqa: PLC0415 - where a store is used only

    require_local_read(query)
    store = ox.Store.read_only(str(get_cache_folder(snapshot) / _NAME))
    output = _BoundedOutput(most)
    media_type: str
    try:
        results = store.query(query)
        if isinstance(results, ox.QueryTriples):
            rdf = next(filter(None, map(ox.RdfFormat.from_media_type, accepted)), ox.RdfFormat.N_TRIPLES)
            results.serialize(output, format=rdf)
            media_type = rdf.media_type
        else:
            table = next(filter(None, map(ox.QueryResultsFormat.from_media_type, accepted)), ox.QueryResultsFormat.JSON)
            results.serialize(output, format=table)
            media_type = table.media_type
    except SyntaxError as error:
        raise QueryError(f"The query is no SPARQL: {error}.", hint="Correct it at this line and column.") from None
    except (ValueError, OSError, RuntimeError) as error:
        raise QueryError(f"The query cannot be evaluated: {error}.", hint="Write it in another way.") from None
    return QueryResult(media_type, output.getvalue())


def require_local_read(query: str) -> None:
    """Refuse what is not a query of the graph alone.

    Raises:
        QueryError: it is an update, or calls another server.
    """
    if _UPDATE.match(query):
        raise QueryError(
            "A graph cannot be changed by SPARQL updates.", hint="Edit the graph, or import a new version of it."
        )
    if _SERVICE.search(query):
        raise QueryError(
            "Queries that call another server (SERVICE) are not run.", hint="Ask that server itself, and join here."
        )


class _BoundedOutput(io.BytesIO):
    """Bytes in memory that refuse to become too many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def write(self, data: object) -> int:
        written = super().write(data)  # type: ignore[arg-type]  # whatever BytesIO takes
        if self.tell() > self._most:
            raise QueryError(
                f"The result has more than {self._most / 1e6:g} MB.", hint="Add LIMIT, or select fewer columns."
            )
        return written
