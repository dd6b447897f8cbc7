"""Queries over HTTP by the SPARQL 1.1 protocol: SELECT alone, with a limit on time and size, and errors that help.

Redirects are not followed, so that whoever checked the address has checked what is asked.
"""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from http.client import HTTPException
from typing import Any

from retrieval.errors import Cancelled, ConfigError, EndpointError


class ResultColumn(StrEnum):
    """The values of a column of an answer; ``MAYBE`` ones need not be bound."""

    IRI = "an IRI"
    MAYBE_IRI = "an IRI or nothing"
    LITERAL = "a literal"
    TERM = "a value"
    MAYBE_NUMBER = "a number or nothing"


_MAYBE = (ResultColumn.MAYBE_IRI, ResultColumn.MAYBE_NUMBER)
_RESULTS = "application/sparql-results+json"
#: The longest answer that is read, in bytes.
ANSWER_LIMIT = 64 * 1024 * 1024
_PIECE = 1 << 16
_LOOK_S = 0.1


class Endpoint:
    """A SPARQL endpoint.

    Args:
        address: http or https.
        timeout: seconds for one query, from sending it to the last byte of its answer.
        graph: the named graph that is asked, None for the endpoint's default.
        cancelled: asked ten times a second while an answer is waited for.

    Raises:
        ConfigError: the address makes no sense.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = 20.0,
        graph: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        import pyoxigraph  # noqa: PLC0415 - loaded on use

        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{address!r} is no address of an endpoint.", hint="Give one of http or https.")
        self.address, self._timeout, self._graph = address, timeout, graph
        self._cancelled = cancelled
        self.queries = 0
        self._ox = pyoxigraph
        self._opener = urllib.request.build_opener(_NoRedirects)

    def select(self, query: str, **columns: ResultColumn) -> Iterator[Any]:
        """The rows of a SELECT query.

        Args:
            columns: that each row must have, by the query's variables.

        Raises:
            EndpointError: it cannot be reached, refuses, takes too long, or answers something else.
            Cancelled: ``cancelled`` said so; the answer is not waited for.
        """
        self.queries += 1
        form = {"query": query}
        if self._graph:
            form["default-graph-uri"] = self._graph
        request = urllib.request.Request(
            self.address,
            urllib.parse.urlencode(form).encode(),
            {"Accept": _RESULTS, "User-Agent": "Clew", "Content-Type": "application/x-www-form-urlencoded"},
        )
        body = self._fetch_body(request)
        if len(body) > ANSWER_LIMIT:
            raise EndpointError(
                f"{self.address} answered with more than {ANSWER_LIMIT >> 20} MB.",
                hint="Allow fewer facts.",
            )
        names, rows = self._parse(body)
        for row in rows:
            for name, column in columns.items():
                self._require(row[name] if name in names else None, name, column)
            yield row

    def _parse(self, body: bytes) -> tuple[set[str], list[Any]]:
        """The variables and rows of an answer. What parses them must not outlive this: other threads may not free it.

        Raises:
            EndpointError: the answer is no table.
        """
        try:
            rows = self._ox.parse_query_results(body, format=self._ox.QueryResultsFormat.JSON)
            if not isinstance(rows, self._ox.QuerySolutions):
                raise ValueError("no rows")
            return {variable.value for variable in rows.variables}, list(rows)
        except (SyntaxError, ValueError) as error:
            reason = str(error)
        start = body[:80].decode(errors="replace")
        raise EndpointError(
            f"{self.address} did not answer with SPARQL results ({start!r}): {reason}.",
            hint="Give the address of the endpoint itself, which often ends in /sparql.",
        )

    def _require(self, term: Any, name: str, column: ResultColumn) -> None:
        """Raises:
        EndpointError: a value of an answer is none of its column.
        """
        if not (column in _MAYBE if term is None else self._is_fitting(term, column)):
            shown = "nothing" if term is None else str(term)[:80]
            raise self.make_dishonest_error(f"with {shown} for ?{name}, which must be {column.value}")

    def _is_fitting(self, term: Any, column: ResultColumn) -> bool:
        if column in (ResultColumn.IRI, ResultColumn.MAYBE_IRI):
            return isinstance(term, self._ox.NamedNode)
        if column is ResultColumn.TERM:
            return True
        is_literal = isinstance(term, self._ox.Literal)
        if column is ResultColumn.LITERAL or not is_literal:
            return is_literal
        try:
            float(term.value)
        except ValueError:
            return False
        return True

    def require_among(self, values: Iterable[str], requested: Collection[str]) -> None:
        """Check that a row is about something that the query named.

        Raises:
            EndpointError: none of its values was named.
        """
        values = list(values)
        if not any(value in requested for value in values):
            raise self.make_dishonest_error(f"about {values[0][:80]}, which it was not asked about")

    def make_dishonest_error(self, how: str) -> EndpointError:
        """The error of an endpoint that does not answer what it is asked."""
        return EndpointError(
            f"{self.address} does not answer its queries: it answered {how}.",
            hint="Check that the address is a SPARQL endpoint that runs every query, and no cached page.",
        )

    def _fetch_body(self, request: urllib.request.Request) -> bytes:
        """The answer's body. It is read beside, so that neither silence nor a trickle holds whoever waits for it."""
        answer = _Answer()
        thread = threading.Thread(target=self._read, args=(request, answer), name="sparql", daemon=True)
        thread.start()
        until = time.monotonic() + self._timeout
        while not answer.came.wait(_LOOK_S):
            if self._cancelled():
                answer.unwanted = True
                raise Cancelled("Stopped.")
            if time.monotonic() > until:
                answer.unwanted = True
                raise self._make_timeout_error()
        if answer.error is not None:
            raise answer.error
        return answer.body

    def _read(self, request: urllib.request.Request, answer: _Answer) -> None:
        pieces, size = [], 0
        try:
            with self._opener.open(request, timeout=self._timeout) as file:
                while size <= ANSWER_LIMIT and not answer.unwanted and (piece := file.read1(_PIECE)):
                    pieces.append(piece)
                    size += len(piece)
            answer.body = b"".join(pieces)
        except urllib.error.HTTPError as error:
            answer.error = self._make_refused_error(error)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            answer.error = (
                self._make_timeout_error()
                if isinstance(reason, TimeoutError)
                else EndpointError(
                    f"{self.address} cannot be reached: {reason}.",
                    hint="Check the address, and that it is up.",
                )
            )
        except Exception as error:  # whoever waits must hear of it
            answer.error = error
        finally:
            answer.came.set()

    def _make_refused_error(self, error: urllib.error.HTTPError) -> EndpointError:
        with error:
            message = " ".join(error.read(300).decode(errors="replace").split())
        if 300 <= error.code < 400:
            place = error.headers.get("Location", "another address")
            return EndpointError(
                f"{self.address} points to {place}.", hint="Redirects are not followed; give that address."
            )
        hint = {
            401: "It wants credentials, which are not supported.",
            403: "It does not let us in.",
            404: "Give the address of the endpoint itself, which often ends in /sparql.",
            429: "It is asked too much; try again later.",
        }.get(error.code, "Try again later, or ask for less (hops, facts).")
        return EndpointError(f"{self.address} answered {error.code} ({message[:200]}).", hint=hint)

    def _make_timeout_error(self) -> EndpointError:
        return EndpointError(
            f"{self.address} did not answer within {self._timeout:g} seconds.",
            hint="Allow it more time, or ask for less (hops, facts).",
        )


class _Answer:
    """What comes of a query: a body or an error, once ``came`` is set. ``unwanted``: nobody waits any more."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.body = b""
        self.error: Exception | None = None
        self.unwanted = False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Lets redirects come back as errors."""

    def redirect_request(self, *_: Any) -> None:
        """None: it is not followed."""
        return
