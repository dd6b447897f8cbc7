"""The socket of a run, ``/ws/runs/{id}?after=SEQ&together=1``. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async

from retrieval.events import TERMINAL_TYPES
from webapp.answers import announce, selectors, services
from webapp.api.access import visible
from webapp.live.consumers import NOT_FOUND, SETTLE_S, Socket

BAD_REQUEST = 4400
LOOK_AGAIN_S = 1.0
"""How often a quiet run's log is read in case an announcement was lost."""

SEQ_MAX = 2**31 - 1


class RunConsumer(Socket):
    """One run's events: those in the log first, then live; gapless, in order, nothing twice.

    The group is joined before the log is read, so that nothing falls between the two. Announcements that were seen
    already are skipped; one that leaves a gap makes the consumer read the log, which always has the events first.
    """

    watch: asyncio.Task[None] | None = None
    ended = False

    async def obstacle(self, scope: dict[str, Any]) -> int | None:
        """``after`` must be a number, and the run of a graph that the user may see."""
        if _after(scope["query_string"]) is None:
            return BAD_REQUEST
        run = str(scope["url_route"]["kwargs"]["run_id"])
        return None if await database_sync_to_async(_may_watch)(scope["user"], run) else NOT_FOUND

    def still_allowed(self) -> bool:
        """Whether they may also still see the run's graph."""
        return super().still_allowed() and _may_watch(self.scope["user"], self.run_id)

    async def connect(self) -> None:
        """Join, replay."""
        self.run_id: str = str(self.scope["url_route"]["kwargs"]["run_id"])
        self.turn = asyncio.Lock()
        self.sent = _after(self.scope["query_string"]) or 0
        self.together = _said(self.scope["query_string"], "together") == "1"
        if not await self.join(announce.group(self.run_id)):
            return
        async with self.turn:
            found = await self.catch_up()
        if not found:
            await asyncio.sleep(SETTLE_S)
            await self.close(NOT_FOUND)
        elif not self.ended:
            self.watch = asyncio.create_task(self.look_again())

    async def let_go(self) -> None:
        """The look at the log stops too."""
        self.ended = True
        if self.watch is not None:
            self.watch.cancel()
        await super().let_go()

    async def run_events(self, message: dict[str, Any]) -> None:
        """Events were announced."""
        async with self.turn:
            if self.ended:
                return
            new = [event for event in message["events"] if event["seq"] > self.sent]
            # They are announced in order and without gaps, so that the first one says whether any was missed.
            if new and new[0]["seq"] == self.sent + 1:
                await self.forward(new)
            if new and (new[-1]["seq"] > self.sent or new[-1]["type"] in TERMINAL_TYPES):
                await self.catch_up()

    async def catch_up(self) -> bool:
        """Send what the log has beyond what was sent; whether there is such a run. Called with the turn held."""
        found = await database_sync_to_async(selectors.rest)(self.run_id, after=self.sent)
        await self.forward(found.events)
        # A client that has the last event already is told that there is no more.
        if found.ended and not self.ended:
            await self.end()
        return bool(found.exists)

    async def forward(self, events: Sequence[dict[str, Any]]) -> None:
        """Send the next events. The log says whether a terminal one is the end: a run may have been taken up since."""
        if not events:
            return
        for frame in (events,) if self.together else events:
            await self.send_json(frame)
        self.sent = events[-1]["seq"]

    async def end(self) -> None:
        """Close, because the run is over."""
        self.ended = True
        await asyncio.sleep(SETTLE_S)
        await self.close(1000)

    async def look_again(self) -> None:
        """Read the log now and then, in case an announcement was lost or the worker died."""
        while not self.ended:
            await asyncio.sleep(LOOK_AGAIN_S)
            async with self.turn:
                if not self.ended:
                    await database_sync_to_async(services.fail_if_worker_lost)(run_id=self.run_id)
                    await self.catch_up()


def _after(query: bytes) -> int | None:
    """``?after=`` as a number (0 when absent); None when it is something else."""
    text = _said(query, "after", "0")
    if not text.isascii() or not text.isdigit() or int(text[:12]) > SEQ_MAX:
        return None
    return int(text)


def _said(query: bytes, name: str, absent: str = "") -> str:
    return parse_qs(query.decode("latin-1"), keep_blank_values=True).get(name, [absent])[-1]


def _may_watch(user: Any, run: str) -> bool:
    return visible(selectors.runs().filter(pk=run), user).exists()
