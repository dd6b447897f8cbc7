"""Following runs to their end in the event loop, for calls that answer when a run has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from webapp.answers import announce, selectors, services
from webapp.answers.selectors import Rest

LOOK_AGAIN_S = 1.0
"""How long after the last announcement the log is read in case one was lost."""


async def follow_run(run_id: UUID) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a run in wire form, those in its log and those to come; gapless, to its end.

    An announcement only says that the log has grown, so that one that is lost costs time and no event.
    """
    layer: Any = get_channel_layer()
    channel, group = await layer.new_channel(), announce.get_group_name(run_id)
    await layer.group_add(group, channel)  # before the log is read: nothing falls between the two
    load, seq = selectors.load_rest, 0
    # The layer forgets a channel of which a receive was cancelled: one goes on until something comes.
    announced = asyncio.ensure_future(layer.receive(channel))
    try:
        while True:
            rest = (await database_sync_to_async(load)({run_id: seq}))[run_id]
            _raise_if_cancelled()
            for event in rest.events:
                seq = event["seq"]
                yield event
            if rest.ended or not rest.exists:
                return
            await asyncio.wait({announced}, timeout=LOOK_AGAIN_S)
            load = partial(load_after_losses, (run_id,))
            if announced.done():
                announced.result()
                announced, load = asyncio.ensure_future(layer.receive(channel)), selectors.load_rest
    finally:
        announced.cancel()
        with suppress(asyncio.CancelledError):
            await announced
        await layer.group_discard(group, channel)


def _raise_if_cancelled() -> None:
    """Raise a cancellation that was swallowed: ``asyncio.wait_for``, which redis-py calls, swallows one that arrives
    while the awaited operation completes (fixed in Python 3.12).
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def load_after_losses(going: Sequence[UUID], after: Mapping[UUID, int]) -> dict[UUID, Rest]:
    """What is behind some sequence numbers, once runs whose worker died have ended."""
    for run in going:
        services.fail_if_worker_lost(run_id=run)
    return selectors.load_rest(after)
