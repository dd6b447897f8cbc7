"""The sockets: ``/ws/runs/{id}?after=SEQ`` and ``/ws/jobs``. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from retrieval.events import TERMINAL_TYPES
from webapp.accounts.authentication import live_tokens
from webapp.accounts.models import User
from webapp.answers import selectors
from webapp.answers import services as answers
from webapp.graphs import access
from webapp.jobs.selectors import jobs
from webapp.jobs.serializers import as_wire
from webapp.live import groups

logger = logging.getLogger(__name__)

BAD_REQUEST = 4400
NOT_LOGGED_IN = 4401
NOT_FOUND = 4404
COME_AGAIN = 1012
"""Who the user is, or what they may do, changed: another connection is checked anew."""
LOOK_AGAIN_S = 1.0
"""How often a quiet run's log is read in case an announcement was lost."""

CHECK_EVERY_S = 2.0
"""How often a socket looks whether its person may still have it."""

SEEN_FOR_S = 2.0
"""How long a user goes on being told of a graph's jobs after losing sight of it, at most."""

SETTLE_S = 0.05
"""A consumer that ends while the layer still opens its connection to Redis might never be let go."""

SEQ_MAX = 2**31 - 1


class Socket(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """What both sockets share: log-in, ping and sending JSON."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse before the channel layer is touched; else begin.

        A code can be told to a browser only after accepting.
        """
        code = await self.obstacle(scope) if logged_in(scope) else NOT_LOGGED_IN
        if code is None:
            await super().__call__(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": code})

    async def obstacle(self, scope: dict[str, Any]) -> int | None:
        """The code to refuse a logged-in user with, if any."""
        return None

    async def join(self, group: str) -> bool:
        """Accept and join a group, besides that of the person; whether they are still who they were at the log-in."""
        self.joined: list[str] = []
        self.guard: asyncio.Task[None] | None = None
        await self.accept()
        for name in (groups.person(self.scope["user"].pk), group):
            await self.channel_layer.group_add(name, self.channel_name)
            self.joined.append(name)
        same = bool(await database_sync_to_async(self.still_allowed)())
        if same:
            self.guard = asyncio.create_task(self.keep_watch())
        else:
            await self.person_changed({})
        return same

    def still_allowed(self) -> bool:
        """Whether the person is still who logged in, by a session or token that is still good. In a thread."""
        return _unchanged(self.scope["user"]) and _still_open(self.scope)

    async def keep_watch(self) -> None:
        """Have the person come again once they may not have this socket any more, if nobody said so."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            try:
                allowed = await database_sync_to_async(self.still_allowed)()
            except Exception:  # a database that is away says nothing of the person
                logger.warning("could not check a socket", exc_info=True)
                continue
            if not allowed:
                await self.person_changed({})
                return

    async def disconnect(self, code: int) -> None:
        """Leave the groups."""
        guard = getattr(self, "guard", None)
        if guard is not None and guard is not asyncio.current_task():
            guard.cancel()
        for name in getattr(self, "joined", ()):
            await self.channel_layer.group_discard(name, self.channel_name)

    async def person_changed(self, message: dict[str, Any]) -> None:
        """Have the person come again."""
        await asyncio.sleep(SETTLE_S)
        await self.close(COME_AGAIN)

    async def send_json(self, frame: Any) -> None:
        """Send one text frame."""
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer a ping; ignore everything else."""
        with contextlib.suppress(ValueError, RecursionError):
            frame = json.loads(text_data or "")
            if isinstance(frame, dict) and frame.get("type") == "ping":
                await self.send_json({"type": "pong"})


def logged_in(scope: dict[str, Any]) -> bool:
    """Whether the session (or token) belongs to a user."""
    user = scope.get("user")
    return bool(user and user.is_authenticated and user.is_active and not user.must_change_password)


class RunConsumer(Socket):
    """One run's events: those in the log first, then live; gapless, in order, nothing twice.

    The group is joined before the log is read, so that nothing falls between the two. Announcements that were seen
    already are skipped; one that leaves a gap makes the consumer read the log, which always has the events first.
    """

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
        self.sent = 0
        self.ended = False
        self.turn = asyncio.Lock()
        self.watch: asyncio.Task[None] | None = None
        self.sent = _after(self.scope["query_string"]) or 0
        if not await self.join(groups.run(self.run_id)):
            return
        async with self.turn:
            found = await self.catch_up()
        if not found:
            await asyncio.sleep(SETTLE_S)
            await self.close(NOT_FOUND)
        elif not self.ended:
            self.watch = asyncio.create_task(self.look_again())

    async def disconnect(self, code: int) -> None:
        """Leave the groups."""
        self.ended = True
        if self.watch is not None:
            self.watch.cancel()
        await super().disconnect(code)

    async def run_events(self, message: dict[str, Any]) -> None:
        """Events were announced."""
        async with self.turn:
            for event in message["events"]:
                if self.ended or event["seq"] <= self.sent:
                    continue
                if event["seq"] == self.sent + 1:
                    await self.forward(event)
                if event["seq"] > self.sent or event["type"] in TERMINAL_TYPES:
                    await self.catch_up()

    async def catch_up(self) -> bool:
        """Send what the log has beyond what was sent; whether there is such a run. Called with the turn held."""
        found = await database_sync_to_async(selectors.rest)(self.run_id, after=self.sent)
        for event in found.events:
            await self.forward(event)
        # A client that has the last event already is told that there is no more.
        if found.ended and not self.ended:
            await self.end()
        return bool(found.exists)

    async def forward(self, event: dict[str, Any]) -> None:
        """Send the next event. The log says whether a terminal one is the end: a run may have been taken up since."""
        await self.send_json(event)
        self.sent = event["seq"]

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
                    await database_sync_to_async(answers.fail_if_worker_lost)(run_id=self.run_id)
                    await self.catch_up()


class JobsConsumer(Socket):
    """Changes of jobs and of graph states."""

    async def connect(self) -> None:
        """Join, then send each active job."""
        self.seen: dict[int, tuple[float, bool]] = {}
        self.known: set[int] = await database_sync_to_async(_visible)(self.scope["user"])
        if not await self.join(groups.JOBS):
            return
        for job in await database_sync_to_async(_active_jobs)(self.scope["user"]):
            await self.send_json({"type": "job", "job": job})

    async def jobs_frame(self, message: dict[str, Any]) -> None:
        """Something changed. Of graphs that the user may not see nothing is told, but that one is seen no more."""
        frame = message["frame"]
        graph = frame["job"]["graph"] if frame["type"] == "job" else frame["graph"]
        if await self.may_see(graph):
            self.known.add(graph)
            await self.send_json(frame)
        elif frame["type"] == "graph" and graph in self.known:
            self.known.discard(graph)
            await self.send_json(frame)

    async def may_see(self, graph: int) -> bool:
        """Whether the user may see a graph, as looked up a moment ago at most."""
        at, seen = self.seen.get(graph, (float("-inf"), False))
        now = time.monotonic()
        if now - at > SEEN_FOR_S:
            seen = await database_sync_to_async(access.may_see)(self.scope["user"], graph)
            self.seen[graph] = (now, seen)
        return seen


class NotThere(Socket):
    """Any other address, such as a run whose id is no id."""

    async def obstacle(self, scope: dict[str, Any]) -> int | None:
        """Always."""
        return NOT_FOUND


def _after(query: bytes) -> int | None:
    """``?after=`` as a number (0 when absent); None when it is something else."""
    text = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("after", ["0"])[-1]
    if not text.isascii() or not text.isdigit() or int(text[:12]) > SEQ_MAX:
        return None
    return int(text)


def _unchanged(user: User) -> bool:
    now = User.objects.filter(pk=user.pk, is_active=True, role=user.role, password=user.password)
    return now.exists()


def _still_open(scope: Any) -> bool:
    """Whether what a connection was opened with is still there: the token, or the session."""
    if "token" in scope:
        return live_tokens().filter(pk=scope["token"]).exists()
    session = scope.get("session")
    return session is None or bool(session.exists(session.session_key))


def _visible(user: Any) -> set[int]:
    return set(access.visible(user).values_list("pk", flat=True))


def _active_jobs(user: Any) -> list[dict[str, Any]]:
    rows = access.of_visible(jobs(active=True), user)
    return [as_wire(job) for job in rows.order_by("created_at", "id")]


def _may_watch(user: Any, run: str) -> bool:
    return access.of_visible(selectors.runs().filter(pk=run), user).exists()
