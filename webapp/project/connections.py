"""Connections as uvicorn serves them, with the time-outs and limits that it lacks.

A client has ``HEAD_S`` for the head of a request. Of the clients that have yet to send something (a head, a small body,
the next request) only so many are kept per address and in all; beyond that the one that waits longest is dropped, so
that whoever sends promptly is served whatever others hold open. Bodies have time-outs in :mod:`webapp.project.uploads`.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import resource
from collections import defaultdict
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from webapp.api.network import get_network

CLOSE_S = 2.0
"""How long a client of a socket may take to confirm its end."""

RESERVED_FILES = 256
"""Descriptors that are kept for the databases, files and logs."""


class TimeLimit:
    """A time limit that can be set and ended any number of times."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self._seconds = seconds
        self._expire = expire
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        """Whether time runs."""
        return self._timer is not None

    def set(self) -> None:
        """Let time run, from now on."""
        self.clear()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._expire)

    def clear(self) -> None:
        """Let it run no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class HttpProtocol(HttpToolsProtocol):
    """A connection that is answered and closed when its client is too slow or sends too much."""

    network = ""
    _head_bytes = 0
    _header_bytes = 0
    _body_bytes = 0
    _awaits_head = True
    _refusal = HTTPStatus.BAD_REQUEST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.network = get_network(self.client[0]) if self.client else ""
        self._head_limit = TimeLimit(settings.HEAD_S, lambda: self.send_refusal(HTTPStatus.REQUEST_TIMEOUT))
        self._unread_limit = TimeLimit(settings.UNREAD_S, transport.abort)
        self._head_limit.set()
        waiting.add_client(self)
        if len(self.connections) > compute_max_connections() and not waiting.drop_oldest():
            self.send_refusal(HTTPStatus.SERVICE_UNAVAILABLE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request; the head of a further request has its own time limit."""
        if not self._head_limit.is_set and not self._is_answering():
            self._head_limit.set()
        if self._awaits_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._awaits_head and self._head_bytes > settings.HEAD_MAX_BYTES and not self.transport.is_closing():
            self.send_refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Begin to read a request."""
        super().on_message_begin()
        self._header_bytes = self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        """Read a piece of the address.

        Raises:
            ValueError: it is too long; the parser stops, and the refusal is sent as for any request that is no HTTP.
        """
        super().on_url(url)
        if len(self.url) > settings.ADDRESS_MAX_BYTES:
            self._refusal = HTTPStatus.REQUEST_URI_TOO_LONG
            raise ValueError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header.

        Raises:
            ValueError: all of them together are too long.
        """
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > settings.HEAD_MAX_BYTES:
            self._refusal = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            raise ValueError

    def on_headers_complete(self) -> None:
        """End the time limit of the head."""
        self._awaits_head = False
        self._head_bytes = 0
        self._head_limit.clear()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Read a piece of the body; larger ones are allowed to senders who are known."""
        self._body_bytes += len(body)
        if self._body_bytes > settings.BODY_MAX_BYTES:
            waiting.remove_client(self)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End waiting: from now on the client waits for the server."""
        waiting.remove_client(self)
        self._awaits_head = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and not self._is_answering():
            waiting.add_client(self)

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser cannot read."""
        self.send_refusal(self._refusal)

    def send_refusal(self, status: HTTPStatus) -> None:
        """Answer with an error, unless an answer has begun or nothing was asked, and close."""
        self._release()
        has_request = self._head_bytes or self._is_answering() or status != HTTPStatus.REQUEST_TIMEOUT
        if has_request and not (self._is_answering() and self.cycle.response_started):
            self.transport.write(render_plain_answer(status))
        self.transport.close()

    def pause_writing(self) -> None:
        """Limit the time in which the client reads none of the answer."""
        super().pause_writing()
        self._unread_limit.set()

    def resume_writing(self) -> None:
        """End that limit."""
        self._unread_limit.clear()
        super().resume_writing()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _release(self) -> None:
        self._head_limit.clear()
        self._unread_limit.clear()
        waiting.remove_client(self)


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that answers every handshake, and that ends with a client that does not read."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with the handshake."""
        super().connection_made(transport)
        self._unread_limit = TimeLimit(settings.UNREAD_S, self.transport.abort)
        self.close_timeout = CLOSE_S

    def data_received(self, data: bytes) -> None:
        """Read a piece; a handshake that the parser gives up is refused."""
        super().data_received(data)
        if self.conn.handshake_exc and not self.handshake_initiated and not self.transport.is_closing():
            self.transport.write(b"".join(self.conn.data_to_send()) or render_plain_answer(HTTPStatus.BAD_REQUEST))
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._unread_limit.clear()
        super().connection_lost(exc)

    def keepalive_timeout(self) -> None:
        """Drop a client that answers no ping, and whatever it has not read."""
        super().keepalive_timeout()
        self.transport.abort()

    def pause_writing(self) -> None:
        """Limit the time in which the client reads nothing."""
        super().pause_writing()
        self._unread_limit.set()

    def resume_writing(self) -> None:
        """End that limit."""
        self._unread_limit.clear()
        super().resume_writing()


class WaitingClients:
    """Connections whose clients have yet to send something, those that wait longest first."""

    def __init__(self) -> None:
        self._all: dict[HttpProtocol, None] = {}
        self._by_network: defaultdict[str, dict[HttpProtocol, None]] = defaultdict(dict)

    def add_client(self, connection: HttpProtocol) -> None:
        """Add a connection; where that makes too many, drop the oldest."""
        self.remove_client(connection)
        self._all[connection] = None
        neighbours = self._by_network[connection.network]
        neighbours[connection] = None
        if len(neighbours) > settings.WAITING_PER_ADDRESS and not _is_proxy(connection.network):
            next(iter(neighbours)).send_refusal(HTTPStatus.REQUEST_TIMEOUT)
        elif len(self._all) > compute_max_connections() // 2:
            self.drop_oldest()

    def remove_client(self, connection: HttpProtocol) -> None:
        """Remove a connection, if it is there."""
        self._all.pop(connection, None)
        neighbours = self._by_network[connection.network]
        neighbours.pop(connection, None)
        if not neighbours:
            del self._by_network[connection.network]

    def drop_oldest(self) -> bool:
        """Drop the connection that waits longest; whether there is any."""
        oldest = next(iter(self._all), None)
        if oldest is not None:
            oldest.send_refusal(HTTPStatus.REQUEST_TIMEOUT)
        return oldest is not None


waiting = WaitingClients()


def raise_descriptor_limit() -> None:
    """Let this process and its children open as many files as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.OPEN_FILES if hard == resource.RLIM_INFINITY else min(settings.OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@functools.cache
def compute_max_connections() -> int:
    """Return how many connections the descriptors of this process suffice for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = settings.OPEN_FILES if soft == resource.RLIM_INFINITY else min(settings.OPEN_FILES, soft)
    return max(64, files - RESERVED_FILES)


def render_plain_answer(status: HTTPStatus) -> bytes:
    """Render an answer that is only a status, and ends the connection."""
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
    return f"{head}content-length: {len(status.phrase)}\r\nconnection: close\r\n\r\n{status.phrase}".encode()


@functools.lru_cache(1024)
def _is_proxy(network: str) -> bool:
    """Whether an address is that of a trusted proxy, behind which there are many clients."""
    try:
        address = ipaddress.ip_network(network)
    except ValueError:
        return False
    trusted = [cast(Any, ipaddress.ip_network(name)) for name in settings.CLEW.trusted_proxies]
    return any(address.version == proxy.version and address.subnet_of(proxy) for proxy in trusted)
