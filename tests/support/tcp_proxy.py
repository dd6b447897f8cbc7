"""A TCP relay that can drop every connection and refuse new ones, as a network does when it goes away."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any, Self

CHUNK = 65_536


class TcpProxy:
    """Relays 127.0.0.1:``port`` to 127.0.0.1:``target``. Use as a context manager."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._down = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._listener.close()
        self.drop()

    def drop(self) -> None:
        """Cut every connection; new ones are cut at once until :meth:`restore`."""
        self._down.set()
        with self._lock:
            connections, self._open = self._open, set()
        for connection in connections:
            _cut(connection)

    def restore(self) -> None:
        """Let connections through again."""
        self._down.clear()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._down.is_set():
                _cut(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            except OSError:
                _cut(client)
                continue
            server.settimeout(None)
            with self._lock:
                self._open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                sink.sendall(data)
        for connection in (source, sink):
            with self._lock:
                self._open.discard(connection)
            _cut(connection)


def _cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
