"""Following a run to its end in the event loop."""

import asyncio
from contextlib import aclosing, suppress

import pytest
from channels.layers import channel_layers, get_channel_layer

from webapp.answers import following
from webapp.answers.models import Run


@pytest.mark.django_db(transaction=True)
def test_a_cancellation_that_a_library_passes_over_ends_it(api, tiny_graph, monkeypatch):
    answer = api("viewer").post("/api/v1/runs", {"graph": tiny_graph.pk, "question": "Who?"}, format="json")
    run = Run.objects.get(pk=answer.json()["id"])
    channel_layers.backends.clear()

    async def follow_cancelled():
        layer, joined = get_channel_layer(), asyncio.Event()
        join = layer.group_add

        async def join_and_pass_over(group, channel):
            await join(group, channel)
            joined.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

        monkeypatch.setattr(layer, "group_add", join_and_pass_over)

        async def follow():
            async with aclosing(following.follow_run(run.pk)) as events:
                async for _ in events:
                    pass

        task = asyncio.ensure_future(follow())
        await joined.wait()
        task.cancel()
        await asyncio.wait({task}, timeout=30)
        return task.cancelled()

    assert asyncio.run(follow_cancelled())
