"""Clients that speak to a running server byte by byte."""

from __future__ import annotations

import socket
import time


def read_to_end(client: socket.socket, timeout: float = 30.0) -> bytes:
    """Read until the server closes; a reset counts as closing.

    Raises:
        TimeoutError: it is still open then.
    """
    deadline, found = time.monotonic() + timeout, b""
    while True:
        client.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            piece = client.recv(65536)
        except ConnectionError:
            return found
        if not piece:
            return found
        found += piece


def read_status(client: socket.socket) -> int:
    """Read the status line of an answer; 0 where the server closed without one."""
    with client.makefile("rb") as answer:
        line = answer.readline()
    return int(line.split()[1]) if line else 0


def count_open(clients: list[socket.socket]) -> int:
    """Count the connections that the server has not closed."""
    count = 0
    for client in clients:
        client.setblocking(False)
        try:
            while client.recv(65536):
                pass
        except BlockingIOError:
            count += 1
        except ConnectionError:
            pass
    return count
