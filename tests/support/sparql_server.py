"""A real HTTP server that speaks the SPARQL 1.1 protocol for a graph held by pyoxigraph, for tests."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pyoxigraph as ox

JSON = "application/sparql-results+json"


class SparqlServer:
    """Answers SELECT queries about ``turtle``, each ``delay`` seconds late.

    ``queries`` keeps what was asked. ``broken`` is an HTTP status, with a body and a Location, that it answers instead.
    """

    def __init__(self, turtle: str, *, delay: float = 0.0) -> None:
        self.store = ox.Store()
        self.store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
        self.delay = delay
        self.queries: list[str] = []
        self.broken: tuple[str, bytes] | None = None
        self._server = make_server("127.0.0.1", 0, self._application, handler_class=_Silent)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/sparql"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _application(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        query = parse_qs(body).get("query", [""])[0]
        self.queries.append(query)
        time.sleep(self.delay)
        if self.broken is not None:
            status, said = self.broken
            start_response(
                status, [("Content-Type", "text/html"), ("Location", "http://elsewhere.test/sparql")]
            )
            return [said]
        if environ["REQUEST_METHOD"] != "POST" or environ["PATH_INFO"] != "/sparql":
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"not here"]
        try:
            answer = self.store.query(query).serialize(format=ox.QueryResultsFormat.JSON)
        except SyntaxError as error:
            start_response("400 Bad Request", [("Content-Type", "text/plain")])
            return [str(error).encode()]
        start_response("200 OK", [("Content-Type", JSON)])
        return [answer]


class _Silent(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass
