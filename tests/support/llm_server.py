"""A real HTTP server that speaks the OpenAI chat-completions protocol, streaming, for tests."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class LLMServer:
    """Answers every chat completion with ``reply(request)``, a word at a time, ``delay`` seconds apart.

    ``requests`` keeps the decoded bodies, so that a test can read the prompt that was sent.
    """

    def __init__(self, reply: Callable[[dict[str, Any]], str], *, delay: float = 0.0) -> None:
        self.reply = reply
        self.delay = delay
        self.requests: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    outer._stream(self.wfile.write, self.wfile.flush, body)
                self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _stream(self, write: Callable[[bytes], Any], flush: Callable[[], Any], body: dict[str, Any]) -> None:
        base = {"id": "test", "object": "chat.completion.chunk", "created": 0, "model": body.get("model", "")}
        words = self.reply(body).split(" ")
        for number, word in enumerate(words):
            text = word if number == 0 else f" {word}"
            chunk = {**base, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
            write(f"data: {json.dumps(chunk)}\n\n".encode())
            flush()
            time.sleep(self.delay)
        end = {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        usage = {
            **base,
            "choices": [],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": len(words),
                "total_tokens": 100 + len(words),
            },
        }
        write(f"data: {json.dumps(end)}\n\ndata: {json.dumps(usage)}\n\ndata: [DONE]\n\n".encode())
        flush()
