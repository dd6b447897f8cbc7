"""Turns of requests: a bounded number is worked on at once, of each client and in all, and a bounded number waits."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from django.conf import settings
from django.http import HttpRequest

from webapp.api.errors import ServerBusyError
from webapp.api.network import network_of


class RequestTurns:
    """Turns in the order of arrival for each client; clients wait for each other only where there is no room."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(settings.REQUESTS_AT_ONCE)
        self._of_client: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def take(self, client: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back afterwards.

        Raises:
            ServerBusyError: too many wait already.
        """
        if self._waiting[client] >= settings.REQUESTS_WAITING_OF_CLIENT or (
            self._waiting.total() >= settings.REQUESTS_WAITING
        ):
            raise ServerBusyError(
                "The server has too many requests to answer just now.", hint="Try again soon."
            )
        turn = self._of_client.setdefault(client, asyncio.Semaphore(settings.REQUESTS_OF_CLIENT))
        self._waiting[client] += 1
        waits = True
        try:
            async with turn, self._room:
                self._leave(client)
                waits = False
                yield
        finally:
            if waits:
                self._leave(client)

    def _leave(self, client: str) -> None:
        self._waiting[client] -= 1
        if not self._waiting[client]:
            del self._waiting[client]


def client_of(request: HttpRequest) -> str:
    """Return what tells clients apart: the token or session of a request, or else its address.

    None of it is checked: a false one shares its turns with nobody, but all share the room.
    """
    credential = request.headers.get("Authorization") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return credential or network_of(request.META.get("REMOTE_ADDR", ""))
