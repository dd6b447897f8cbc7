"""A server that webhooks are sent to: it checks signatures as receivers do, and answers what it is told to."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from standardwebhooks import Webhook


class WebhookReceiver:
    """``events`` are those that came with a valid signature of ``secret``. Use as a context manager.

    ``answers`` are the statuses of the next responses, 204 when there is none left; ``body`` is what they hold,
    ``location`` where they redirect to, ``pause`` how long each of their bytes takes, in seconds.
    """

    def __init__(self) -> None:
        self.secret = ""
        self.events: list[dict[str, Any]] = []
        self.answers: list[int] = []
        self.body, self.location, self.pause = b"", "", 0.0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                event = Webhook(receiver.secret).verify(content, dict(self.headers))
                receiver.events.append({**event, "header": self.headers["webhook-id"]})
                self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
                if receiver.location:
                    self.send_header("Location", receiver.location)
                self.send_header("Content-Length", str(len(receiver.body)))
                self.end_headers()
                self.wfile.flush()
                self._write_slowly() if receiver.pause else self.wfile.write(receiver.body)

            def _write_slowly(self) -> None:
                for byte in receiver.body:
                    time.sleep(receiver.pause)
                    self.wfile.write(bytes([byte]))

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # who hangs up is the test's subject

        self._server = Server(("127.0.0.1", 0), Handler)

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """An address of it."""
        return f"http://{self.host}/clew?room=7"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
