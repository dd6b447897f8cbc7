"""Tell the channel groups, from threads: a loop of its own keeps the connection to Redis open.

Announcing is best effort by design: what counts is the log in PostgreSQL, and watchers that miss an announcement
fetch what they lack from there. So a Redis that is down neither stops nor breaks the work being announced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any
from uuid import UUID

from channels.layers import channel_layers
from django.db import transaction

from webapp.live import groups

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_state: dict[str, Any] = {"loop": None, "pid": 0}


def run_events(run_id: UUID | str, events: list[dict[str, Any]]) -> None:
    """Announce events of a run, in wire form, that are already in the log."""
    _send(groups.run(run_id), {"type": "run.events", "events": events})


def job_changed(job: dict[str, Any]) -> None:
    """Announce a job as the API shows it."""
    _send(groups.JOBS, {"type": "jobs.frame", "frame": {"type": "job", "job": job}})


def person_changed_on_commit(user_id: int) -> None:
    """End the sockets of a person, once it is committed that they may do something else than before."""
    transaction.on_commit(lambda: _send(groups.person(user_id), {"type": "person.changed"}))


def graph_changed(graph_id: int) -> None:
    """Announce that a graph's state changed."""
    _send(groups.JOBS, {"type": "jobs.frame", "frame": {"type": "graph", "graph": graph_id}})


def graph_changed_on_commit(graph_id: int) -> None:
    """Announce a graph once the transaction that changes it is committed."""
    transaction.on_commit(lambda: graph_changed(graph_id))


def _send(group: str, message: dict[str, Any]) -> None:
    asyncio.run_coroutine_threadsafe(_deliver(group, message), _loop())


async def _deliver(group: str, message: dict[str, Any]) -> None:
    try:
        await channel_layers["default"].group_send(group, message)
    except Exception:  # whatever breaks here, the log has the events
        logger.warning("could not announce to %s", group, exc_info=True)


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        if _state["loop"] is None or _state["pid"] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="announce", daemon=True).start()
            _state.update(loop=loop, pid=os.getpid())
        running: asyncio.AbstractEventLoop = _state["loop"]
        return running
