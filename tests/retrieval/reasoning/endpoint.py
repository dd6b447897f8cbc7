"""A real HTTP endpoint that misbehaves as told: one script entry for each request it gets."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Behaviour = Callable[["Connection"], None]


class Connection:
    """One request being answered."""

    def __init__(self, handler: BaseHTTPRequestHandler, endpoint: Endpoint) -> None:
        self.handler = handler
        self.endpoint = endpoint

    def error(self, status: int, message: str = "out of order", **more: str) -> None:
        """A JSON error as OpenAI's API gives it."""
        body = json.dumps({"error": {"message": message, "type": "test", **more}}).encode()
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", "application/json")
        self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def begin(self) -> None:
        """The head of a streamed reply."""
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", "text/event-stream")
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()
        self.handler.close_connection = True

    def raw(self, data: bytes) -> None:
        """Any bytes."""
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def piece(self, text: str) -> None:
        """One piece of the reply."""
        self._chunk({"index": 0, "delta": {"content": text}, "finish_reason": None})

    def end(
        self,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        reason: str = "stop",
        reasoning_tokens: int | None = None,
    ) -> None:
        """The regular end of a reply, with its usage."""
        self._chunk({"index": 0, "delta": {}, "finish_reason": reason})
        usage: dict[str, Any] = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        }
        if reasoning_tokens is not None:
            usage["completion_tokens_details"] = {"reasoning_tokens": reasoning_tokens}
        self._data({"choices": [], "usage": usage})
        self.raw(b"data: [DONE]\n\n")

    def _chunk(self, choice: dict[str, Any]) -> None:
        self._data({"choices": [choice]})

    def _data(self, body: dict[str, Any]) -> None:
        base = {"id": "t", "object": "chat.completion.chunk", "created": 0, "model": "tiny"}
        self.raw(f"data: {json.dumps({**base, **body})}\n\n".encode())


class Endpoint:
    """Answers request i by ``script[i]``; the last entry repeats. ``bodies`` are the requests it got."""

    def __init__(self, *script: Behaviour) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.hung_up = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                behave = script[min(len(outer.bodies), len(script)) - 1]
                try:
                    behave(Connection(self, outer))
                except (BrokenPipeError, ConnectionResetError):
                    outer.hung_up.set()
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def says(*pieces: str) -> Behaviour:
    """A good reply in the given pieces, 11 prompt tokens and 7 completion tokens."""

    def behave(connection: Connection) -> None:
        connection.begin()
        for piece in pieces:
            connection.piece(piece)
        connection.end(11, 7)

    return behave


def runs_out(*pieces: str) -> Behaviour:
    """As :func:`says`, but the reply had reached its longest length."""

    def behave(connection: Connection) -> None:
        connection.begin()
        for piece in pieces:
            connection.piece(piece)
        connection.end(11, 7, reason="length")

    return behave


def fails(status: int, message: str = "out of order") -> Behaviour:
    """An HTTP error."""
    return lambda connection: connection.error(status, message)


def refuses(*fields: str, then: Behaviour, names_parameter: bool = True) -> Behaviour:
    """An error 400 as OpenAI's reasoning models give it while the request has one of these fields, else ``then``."""

    def behave(connection: Connection) -> None:
        field = next((name for name in fields if name in connection.endpoint.bodies[-1]), None)
        if field is None:
            then(connection)
            return
        more = {"param": field, "code": "unsupported_parameter"} if names_parameter else {}
        connection.error(400, f"Unsupported parameter: '{field}' is not supported with this model.", **more)

    return behave


def silent(connection: Connection) -> None:
    """Accepts and says nothing until the other side hangs up."""
    connection.begin()
    connection.piece("Let me think")
    drip(connection, b"")


def drip(connection: Connection, data: bytes = b": still here\n\n") -> None:
    """Comments for ever, or nothing at all when ``data`` is empty; notes when the other side hangs up."""
    sock = connection.handler.connection
    sock.settimeout(0.05)
    for _ in range(200):
        if data:
            connection.raw(data)
        with contextlib.suppress(TimeoutError):
            if sock.recv(1) == b"":
                connection.endpoint.hung_up.set()
                return
        time.sleep(0.02)


def talks_without_end(connection: Connection) -> None:
    """A piece every few milliseconds, for ever."""
    connection.begin()
    while True:
        connection.piece("word ")
        time.sleep(0.005)


def cut(connection: Connection) -> None:
    """Ends in mid-reply, without a finish reason."""
    connection.begin()
    connection.piece("ans: Ger")


def garbage(connection: Connection) -> None:
    """Not the protocol."""
    connection.begin()
    connection.raw(b"data: {not json\n\n")


def empty_choices(connection: Connection) -> None:
    """A stream that ends properly and says nothing."""
    connection.begin()
    connection.end()
