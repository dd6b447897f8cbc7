"""Queries over HTTP by the SPARQL 1.1 protocol: SELECT alone, with a limit on time and size, and errors that help.

Redirects are not followed, so that whoever checked the address has checked what is asked.
"""

from __future__ import annotations

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

from retrieval.errors import ConfigError, EndpointError

_RESULTS = "application/sparql-results+json"
#: The longest answer that is read, in bytes.
ANSWER_LIMIT = 64 * 1024 * 1024


class Endpoint:
    """A SPARQL endpoint.

    Args:
        address: http or https.
        timeout: seconds for one query.
        graph: the named graph that is asked, None for the endpoint's default.

    Attributes:
        queries: how many were sent.

    Raises:
        ConfigError: the address makes no sense.
    """

    def __init__(self, address: str, *, timeout: float = 20.0, graph: str | None = None) -> None:
        import pyoxigraph  # noqa: PLC0415 - loaded on use

        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{address!r} is no address of an endpoint.", hint="Give one of http or https.")
        self.address, self._timeout, self._graph = address, timeout, graph
        self.queries = 0
        self._ox = pyoxigraph
        self._opener = urllib.request.build_opener(_NoRedirects)

    def select(self, query: str) -> Iterator[Any]:
        """The rows of a SELECT query.

        Raises:
            EndpointError: it cannot be reached, refuses, takes too long, or answers something else.
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
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                body = answer.read(ANSWER_LIMIT + 1)
        except urllib.error.HTTPError as error:
            raise self._refused(error) from error
        except TimeoutError as error:
            raise self._late() from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            if isinstance(reason, TimeoutError):
                raise self._late() from error
            raise EndpointError(
                f"{self.address} cannot be reached: {reason}.", hint="Check the address, and that it is up."
            ) from error
        if len(body) > ANSWER_LIMIT:
            raise EndpointError(
                f"{self.address} answered with more than {ANSWER_LIMIT >> 20} MB.",
                hint="Allow fewer facts.",
            )
        try:
            rows = self._ox.parse_query_results(body, format=self._ox.QueryResultsFormat.JSON)
            if not isinstance(rows, self._ox.QuerySolutions):
                raise ValueError("no rows")
            yield from rows
        except (SyntaxError, ValueError) as error:
            start = body[:80].decode(errors="replace")
            raise EndpointError(
                f"{self.address} did not answer with SPARQL results ({start!r}).",
                hint="Give the address of the endpoint itself, which often ends in /sparql.",
            ) from error

    def _refused(self, error: urllib.error.HTTPError) -> EndpointError:
        with error:
            said = " ".join(error.read(300).decode(errors="replace").split())
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
        return EndpointError(f"{self.address} answered {error.code} ({said[:200]}).", hint=hint)

    def _late(self) -> EndpointError:
        return EndpointError(
            f"{self.address} did not answer within {self._timeout:g} seconds.",
            hint="Allow it more time, or ask for less (hops, facts).",
        )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Lets redirects come back as errors."""

    def redirect_request(self, *_: Any) -> None:
        """None: it is not followed."""
        return
