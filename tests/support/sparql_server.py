"""A real HTTP server that speaks the SPARQL 1.1 protocol for a graph held by pyoxigraph, for tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pyoxigraph as ox

JSON = "application/sparql-results+json"


class SparqlServer:
    """Answers SELECT and CONSTRUCT queries about ``turtle``, each ``delay`` seconds late.

    ``graphs`` are named graphs, by their IRI. A ``forgetful`` one names blank nodes anew in each answer, as many do.
    ``queries`` keeps what was asked. ``broken`` is an HTTP status, with a body and a Location, that it answers instead.
    Queries that hold ``breaks_at`` are answered with an error, and all of them with ``same`` where it is set.
    """

    def __init__(self, turtle: str, *, delay: float = 0.0, graphs: Mapping[str, str] | None = None) -> None:
        self.store = ox.Store()
        self.store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
        for name, facts in (graphs or {}).items():
            self.store.load(facts.encode(), format=ox.RdfFormat.TURTLE, to_graph=ox.NamedNode(name))
        self.delay = delay
        self.queries: list[str] = []
        self.forgetful = False
        self.breaks_at: str | None = None
        self.same: bytes | None = None
        self.broken: tuple[str, bytes] | None = None
        self._closing = threading.Event()
        self._server = make_server("127.0.0.1", 0, self._application, handler_class=_Silent)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/sparql"

    def add(self, turtle: str) -> None:
        """More facts, in the default graph."""
        self.store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()  # nobody waits for an answer any more
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _application(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        form = parse_qs(body)
        query, named = form.get("query", [""])[0], form.get("default-graph-uri")
        self.queries.append(query)
        self._closing.wait(self.delay)
        if self.broken is not None:
            status, said = self.broken
            start_response(status, [("Content-Type", "text/html"), ("Location", "http://elsewhere.test/sparql")])
            return [said]
        if self.same is not None:
            start_response("200 OK", [("Content-Type", JSON)])
            return [self.same]
        if self.breaks_at is not None and self.breaks_at in query:
            start_response("500 Internal Server Error", [("Content-Type", "text/plain")])
            return [b"out of memory"]
        if environ["REQUEST_METHOD"] != "POST" or environ["PATH_INFO"] != "/sparql":
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"not here"]
        try:
            graphs = [ox.NamedNode(name) for name in named] if named else None
            found = self.store.query(query, default_graph=graphs)
            if isinstance(found, ox.QueryTriples):
                start_response("200 OK", [("Content-Type", "application/n-triples")])
                return [ox.serialize(found, format=ox.RdfFormat.N_TRIPLES)]
            answer = found.serialize(format=ox.QueryResultsFormat.JSON)
        except SyntaxError as error:
            start_response("400 Bad Request", [("Content-Type", "text/plain")])
            return [str(error).encode()]
        if self.forgetful:
            answer = _blank_nodes_anew(answer)
        start_response("200 OK", [("Content-Type", JSON)])
        return [answer]


def _blank_nodes_anew(answer: bytes) -> bytes:
    found = json.loads(answer)
    names: dict[str, str] = {}
    for row in found["results"]["bindings"]:
        for term in row.values():
            if term["type"] == "bnode":
                term["value"] = names.setdefault(term["value"], f"b{len(names)}")
    return json.dumps(found).encode()


class _Silent(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass
