"""The socket of jobs and graph states, ``/ws/jobs``. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import time
from typing import Any

from channels.db import database_sync_to_async

from webapp.api.access import visible
from webapp.graphs.selectors import may_see, visible_graphs
from webapp.jobs.announce import JOBS
from webapp.jobs.selectors import jobs
from webapp.jobs.serializers import as_wire
from webapp.live.consumers import Socket

SEEN_FOR_S = 2.0
"""How long a user goes on being told of a graph's jobs after losing sight of it, at most."""


class JobsConsumer(Socket):
    """Changes of jobs and of graph states."""

    async def connect(self) -> None:
        """Join, then send each active job."""
        self.seen: dict[int, tuple[float, bool]] = {}
        self.known: set[int] = await database_sync_to_async(_visible)(self.scope["user"])
        if not await self.join(JOBS):
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
            seen = await database_sync_to_async(may_see)(self.scope["user"], graph)
            self.seen[graph] = (now, seen)
        return seen


def _visible(user: Any) -> set[int]:
    return set(visible_graphs(user).values_list("pk", flat=True))


def _active_jobs(user: Any) -> list[dict[str, Any]]:
    return [as_wire(job) for job in visible(jobs(active=True), user).order_by("created_at", "id")]
