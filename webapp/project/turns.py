"""Turns of requests: of each client, of each address and in all, so many are worked on at once and so many wait."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from django.conf import settings
from django.http import HttpRequest

from webapp.api.errors import ServerBusyError
from webapp.api.network import get_network

PROBES = ("/healthz", "/readyz")


@dataclass(frozen=True, slots=True)
class Bound:
    """How many requests of a lane are worked on at once, and how many may wait."""

    at_once: int
    waiting: int


class RequestTurns:
    """Turns in the order of arrival within each lane."""

    def __init__(self) -> None:
        self._lanes: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def take(self, lanes: Mapping[str, Bound]) -> AsyncIterator[None]:
        """Wait for a turn in each lane, one after the other, and give all of them back afterwards.

        Raises:
            ServerBusyError: too many wait in one of them.
        """
        if any(self._waiting[name] >= bound.waiting for name, bound in lanes.items()):
            raise ServerBusyError("The server has too many requests to answer just now.", hint="Try again soon.")
        turns = [self._lanes.setdefault(name, asyncio.Semaphore(of.at_once)) for name, of in lanes.items()]
        self._waiting.update(list(lanes))
        async with AsyncExitStack() as stack:
            try:
                for turn in turns:
                    await stack.enter_async_context(turn)
            finally:
                self._waiting.subtract(list(lanes))
                self._waiting += Counter()  # forgets those in which nobody waits
            yield


def get_lanes(request: HttpRequest) -> dict[str, Bound]:
    """Return the lanes of a request: of its token or session, of its address, and of all requests.

    Credentials are not checked here: whoever makes some up is held by the lane of the address. Probes have a lane of
    their own: a monitor takes a busy server for what it is.
    """
    if request.path in PROBES:
        return {"probes": Bound(*settings.REQUESTS_OF_CLIENT)}
    address = get_network(request.META.get("REMOTE_ADDR", ""))
    credential = request.headers.get("Authorization") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return {
        f"client {credential or address}": Bound(*settings.REQUESTS_OF_CLIENT),
        f"address {address}": Bound(*settings.REQUESTS_OF_ADDRESS),
        "all": Bound(*settings.REQUESTS),
    }
