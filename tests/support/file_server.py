"""An HTTP server of a few files, which can be there or not."""

from __future__ import annotations

import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class FileServer:
    """``files`` are served by their paths, everything else is 404; ``requests`` are kept. Use as a context manager."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[str] = []
        served, requests = self.files, self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                content = served.get(self.path)
                requests.append(f"{self.command} {self.path}")
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Length", str(len(content or b"")))
                self.send_header("ETag", f'"{zlib.crc32(content or b"")}"')
                self.end_headers()

            def do_GET(self) -> None:
                self.do_HEAD()
                self.wfile.write(served.get(self.path, b""))

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
