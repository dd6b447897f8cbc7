"""Tell the channel groups, from threads: a loop of its own keeps the connection to Redis open.

Announcing is best effort by design: what counts is the log in PostgreSQL, and watchers that miss an announcement
fetch what they lack from there. So a Redis that is down neither stops nor breaks the work being announced.

Messages of one process arrive in the order in which they were sent: the channel layer publishes them one at a time
over one connection. Messages of different processes have no order.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any

from channels.layers import channel_layers
from django.db import transaction

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_state: dict[str, Any] = {"loop": None, "pid": 0}


def get_person_group(user_id: int) -> str:
    """The channel group of all sockets of one person."""
    return f"person.{user_id}"


def notify_person_on_commit(user_id: int) -> None:
    """End the sockets of a person, once it is committed that they may do something else than before."""
    transaction.on_commit(lambda: send(get_person_group(user_id), {"type": "person.changed"}))


def send(group: str, message: dict[str, Any]) -> None:
    """Send a message to all sockets of a group, soon. What breaks is logged."""
    asyncio.run_coroutine_threadsafe(_send_to_group(group, message), _get_loop())


async def _send_to_group(group: str, message: dict[str, Any]) -> None:
    try:
        await channel_layers["default"].group_send(group, message)
    except Exception:  # whatever breaks here, the log has the events
        logger.warning("could not announce to %s", group, exc_info=True)


def _get_loop() -> asyncio.AbstractEventLoop:
    with _lock:
        if _state["loop"] is None or _state["pid"] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="announce", daemon=True).start()
            _state.update(loop=loop, pid=os.getpid())
        running: asyncio.AbstractEventLoop = _state["loop"]
        return running
