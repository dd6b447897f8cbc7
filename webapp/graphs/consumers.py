"""The socket of jobs and graph states, ``/ws/jobs``. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Sequence
from typing import Any

from channels.db import database_sync_to_async

from webapp.api.access import filter_visible
from webapp.graphs.selectors import can_see_graph, list_visible_graphs
from webapp.jobs.announce import JOBS
from webapp.jobs.models import ACTIVE
from webapp.jobs.selectors import list_jobs, list_recent_jobs
from webapp.jobs.serializers import render_job
from webapp.live.consumers import Socket
from webapp.live.lookups import query_cached

logger = logging.getLogger(__name__)

SEEN_FOR_S = 2.0
"""How long a user goes on being told of a graph's jobs after losing sight of it, at most."""
LOOK_AGAIN_S = 2.0
"""How often the jobs are read in case an announcement was lost."""


class JobsConsumer(Socket):
    """Changes of jobs and of graph states.

    Announcements may be lost, and those of two processes may come in any order. So each has the revision of its job, of
    which none is told after a newer one, and the jobs are read now and then: how a job ended is told in any case.
    """

    watch: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Join, then send each job that is active or was until just now: that was before anybody listened."""
        self.seen: dict[int, tuple[float, bool]] = {}
        self.turn = asyncio.Lock()
        self.told: dict[int, int] = {}  # revisions, of jobs that are active or were until just now
        self.going: set[int] = set()
        self.known: set[int] = await database_sync_to_async(_list_visible)(self.scope["user"])
        if not await self.join(JOBS):
            return
        await self.catch_up()
        self.watch = asyncio.create_task(self.watch_jobs())

    async def let_go(self) -> None:
        """The look at the jobs stops too."""
        if self.watch is not None:
            self.watch.cancel()
        await super().let_go()

    async def jobs_frame(self, message: dict[str, Any]) -> None:
        """Something changed. Of graphs that the user may not see nothing is told, but that one is seen no more."""
        frame = message["frame"]
        if frame["type"] == "job":
            if await self.can_see(frame["job"]["graph"]):
                self.known.add(frame["job"]["graph"])
                async with self.turn:
                    await self.send_job(frame["job"])
            return
        graph = frame["graph"]
        self.seen.pop(graph, None)  # who may see it is what may have changed
        if await self.can_see(graph):
            self.known.add(graph)
            await self.send_json(frame)
        elif graph in self.known:
            self.known.discard(graph)
            await self.send_json(frame)

    async def send_job(self, job: dict[str, Any]) -> None:
        """Send a job as it is, unless a newer account was sent. Called with the turn held."""
        if self.told.get(job["id"], -1) >= job["revision"]:
            return
        self.told[job["id"]] = job["revision"]
        (self.going.add if job["state"] in ACTIVE else self.going.discard)(job["id"])
        await self.send_json({"type": "job", "job": job})

    async def catch_up(self, kept_s: float = 0.0) -> None:
        """Send what is to be known of the jobs of late and was not sent, as looked up ``kept_s`` ago at most."""
        async with self.turn:
            user, going = self.scope["user"], frozenset(self.going)
            # Only sockets that have sent the same share a look-up, or one could send something twice.
            key = "jobs", user.pk, user.role, going, frozenset(self.told.items())
            revisions = await query_cached(key, lambda: _get_revisions(user, going), kept_s=kept_s)
            self.told = {job: revision for job, revision in self.told.items() if job in revisions}
            self.going &= revisions.keys()
            new = [job for job, revision in revisions.items() if self.told.get(job, -1) < revision]
            for job in await database_sync_to_async(_render_jobs)(new) if new else ():
                await self.send_job(job)

    async def watch_jobs(self) -> None:
        """Catch up now and then."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            try:
                await self.catch_up(kept_s=LOOK_AGAIN_S / 2)
            except Exception:  # a database that is away is asked again
                logger.warning("could not look at the jobs", exc_info=True)

    async def can_see(self, graph: int) -> bool:
        """Whether the user may see a graph, as looked up a moment ago at most."""
        checked_at, seen = self.seen.get(graph, (float("-inf"), False))
        now = time.monotonic()
        if now - checked_at > SEEN_FOR_S:
            seen = await database_sync_to_async(can_see_graph)(self.scope["user"], graph)
            self.seen[graph] = (now, seen)
        return seen


def _list_visible(user: Any) -> set[int]:
    return set(list_visible_graphs(user).values_list("pk", flat=True))


def _get_revisions(user: Any, besides: Collection[int] = ()) -> dict[int, int]:
    """The revisions of the jobs of late that the user may see, and of those ``besides``."""
    return dict(filter_visible(list_recent_jobs(besides=besides), user).values_list("pk", "revision"))


def _render_jobs(ids: Sequence[int]) -> list[dict[str, Any]]:
    return [render_job(job) for job in list_jobs().filter(pk__in=ids).order_by("created_at", "pk")]
