"""Facts of a CONSTRUCT query, from a SPARQL endpoint."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from retrieval.errors import EmptySourceError, EndpointError
from retrieval.types import Progress
from webapp.api.errors import InvalidError
from webapp.sources.connections import Connection
from webapp.uploads import remote_sources

SUFFIXES = {
    "application/n-triples": ".nt",
    "text/plain": ".nt",
    "text/turtle": ".ttl",
    "application/x-turtle": ".ttl",
    "application/rdf+xml": ".rdf",
}
"""Endings of files by the content types in which facts come."""

ACCEPTED = "application/n-triples, text/turtle;q=0.8, application/rdf+xml;q=0.5"
PIECE = 1 << 16


def write_facts(
    connection: Connection, directory: Path, *, limit: int, timeout: float, progress: Callable[[Progress], None]
) -> Path:
    """Write the answer of a CONSTRUCT query to a file of its format.

    Args:
        directory: where the file is written.
        limit: bytes that it may have.
        timeout: seconds for which the endpoint may be silent.
        progress: called for every piece; may break off.

    Raises:
        EmptySourceError: it answers with no facts.
        EndpointError: it does not answer, breaks off, or answers with something else.
        InvalidError: it refuses the query.
        NotAllowedError: the operator does not allow the host (any more).
    """
    done = 0
    with _open_answer(connection, timeout) as (answer, suffix):
        target = directory / f"facts{suffix}"
        with target.open("wb") as file:
            while piece := answer.read1(PIECE):
                done += len(piece)
                if done > limit:
                    raise EndpointError(
                        f"{connection.address} answers with more than {limit:,} bytes.", hint="Ask less."
                    )
                file.write(piece)
                progress(Progress("fetching facts", done, done, "bytes"))
    if not done:
        raise EmptySourceError("The query answers with no facts.", hint="Check the query; the graph stays as it is.")
    return target


def sample_facts(connection: Connection, *, most: int, timeout: float) -> bytes:
    """The beginning of the answer of a CONSTRUCT query.

    Raises:
        EndpointError, InvalidError, NotAllowedError: as :func:`write_facts`.
    """
    content, until = bytearray(), time.monotonic() + timeout
    with _open_answer(connection, timeout) as (answer, _):
        while len(content) < most and time.monotonic() < until and (piece := answer.read1(PIECE)):
            content += piece
    return bytes(content[:most])


@contextmanager
def _open_answer(connection: Connection, timeout: float) -> Iterator[tuple[http.client.HTTPResponse, str]]:
    address = connection.address
    remote_sources.require_host(address, "SPARQL endpoints may not be queried at")
    request = urllib.request.Request(
        address,
        urllib.parse.urlencode({"query": connection.query}).encode(),
        {"Accept": ACCEPTED, "User-Agent": "Clew", "Content-Type": "application/x-www-form-urlencoded"},
    )
    try:  # redirects are not followed: they would drop the query
        with remote_sources.make_opener().open(request, timeout=timeout) as answer:
            suffix = SUFFIXES.get(answer.headers.get_content_type())
            if suffix is None:
                raise EndpointError(
                    f"{address} answers with {answer.headers.get_content_type()} instead of facts.",
                    hint="Give the address of the endpoint itself, which often ends in /sparql.",
                )
            yield answer, suffix
    except urllib.error.HTTPError as error:
        reason = error.read(200).decode(errors="replace").strip().splitlines()
        error.close()
        message = f"{address} answers {error.code}: {reason[0] if reason else error.reason}."
        if error.code in (400, 422):
            raise InvalidError(message, hint="Check the query.") from None
        raise EndpointError(message, hint="Check the address, and try again.") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise EndpointError(f"{address} does not answer: {error}.", hint="Try again later.") from None
