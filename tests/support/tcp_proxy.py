"""A TCP relay that can cut every connection, or swallow what is sent, as a network does when it goes away."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any, Self

CHUNK = 65_536


class TcpProxy:
    """Relays 127.0.0.1:``port`` to 127.0.0.1:``target``, or to a Unix socket. Use as a context manager."""

    def __init__(self, target: int | str) -> None:
        self.target = target
        self._down = threading.Event()
        self._swallowing = threading.Event()
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

    def swallow(self) -> None:
        """Keep connections open, accept new ones, and pass nothing on until :meth:`restore`."""
        self._swallowing.set()

    def restore(self) -> None:
        """Let new connections through again; what was swallowed is lost, and its connections stay silent."""
        self._down.clear()
        self._swallowing.clear()

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
                server = self._connect()
            except OSError:
                _cut(client)
                continue
            with self._lock:
                self._open |= {client, server}
            if self._down.is_set():  # since it was asked
                _cut(client)
                _cut(server)
                continue
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _connect(self) -> socket.socket:
        if isinstance(self.target, int):
            server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            server.settimeout(None)
            return server
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.target)
        return server

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        silent = False
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                silent = silent or self._swallowing.is_set()
                if not silent:
                    sink.sendall(data)
        for connection in (source, sink):
            with self._lock:
                self._open.discard(connection)
            _cut(connection)


def _cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
