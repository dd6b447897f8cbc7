"""The socket of a run, ``/ws/runs/{id}``, and that of several, ``/ws/runs``. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from channels.db import database_sync_to_async
from django.http import parse_cookie

from retrieval.events import TERMINAL_TYPES
from retrieval.kg.snapshot.names import NameWriter
from webapp.answers import announce, following, selectors
from webapp.answers.models import Run
from webapp.answers.selectors import Rest
from webapp.api.access import filter_visible
from webapp.graphs.names import list_preferred, open_writer
from webapp.graphs.selectors import find_version
from webapp.live.consumers import NOT_FOUND, Socket

BAD_REQUEST = 4400
LOOK_AGAIN_S, LOOK_AGAIN_MAX_S = 1.0, 4.0
"""How long after the last event a run's log is read in case an announcement was lost: twice as long each time."""

SEQ_MAX = 2**31 - 1
RUNS_MAX = 20
"""Runs that one socket follows."""


class RunsConsumer(Socket):
    """The events of a run, or of several: of each those in the log first, then live; gapless, in order, nothing twice.

    The groups are joined before the logs are read, so that nothing falls between the two. Announcements that were seen
    already are skipped; one that leaves a gap makes the consumer read the log, which always has the events first.
    """

    watch: asyncio.Task[None] | None = None
    ended = False

    async def find_obstacle(self, scope: dict[str, Any]) -> int | None:
        """``after`` must make sense, and the runs be of graphs that the user may see."""
        after = _parse_runs(scope)
        if after is None:
            return BAD_REQUEST
        self.names: dict[UUID, NameWriter] | None = await database_sync_to_async(_find_name_writers)(scope, after)
        return NOT_FOUND if self.names is None else None

    def is_still_allowed(self) -> bool:
        """Whether they may also still see the graphs of the runs."""
        return super().is_still_allowed() and _can_watch(self.scope["user"], self.sent)

    def make_check_key(self) -> Hashable:
        """The runs too."""
        return super().make_check_key(), *self.sent

    async def connect(self) -> None:
        """Join, replay."""
        self.turn = asyncio.Lock()
        self.sent: dict[UUID, int] = _parse_runs(self.scope) or {}
        self.going = set(self.sent)
        self.together = _get_parameter(self.scope["query_string"], "together") == "1"
        if not await self.join(*map(announce.get_group_name, self.sent)):
            return
        async with self.turn:
            exists = await self.catch_up(self.sent)
        if not exists:
            await self.close(NOT_FOUND)
        elif not self.ended:
            self.watch = asyncio.create_task(self.watch_logs())

    async def let_go(self) -> None:
        """The look at the log stops too."""
        self.ended = True
        if self.watch is not None:
            self.watch.cancel()
        await super().let_go()

    async def run_events(self, message: dict[str, Any]) -> None:
        """Events of one run were announced."""
        async with self.turn:
            if self.ended:
                return
            run = UUID(message["events"][0]["run"])
            new = [event for event in message["events"] if event["seq"] > self.sent[run]]
            # They are announced in order and without gaps, so that the first one says whether any was missed.
            if new and new[0]["seq"] == self.sent[run] + 1:
                await self.forward(new)
            if new and new[-1]["seq"] > self.sent[run]:
                await self.catch_up((run,))
            elif new and new[-1]["type"] in TERMINAL_TYPES:
                self.going.discard(run)
                if not self.going:
                    await self.catch_up(self.sent)
            elif new:
                self.going.add(run)

    async def catch_up(
        self, runs: Iterable[UUID], load: Callable[[Mapping[UUID, int]], dict[UUID, Rest]] = selectors.load_rest
    ) -> bool:
        """Send what the logs have beyond what was sent; whether there are such runs. Called with the turn held."""
        after = {run: self.sent[run] for run in runs}
        rests = await database_sync_to_async(load)(after)
        await self.forward([event for rest in rests.values() for event in rest.events])
        for run, rest in rests.items():
            (self.going.discard if rest.ended else self.going.add)(run)
        # A client that has the last events already is told that there are no more.
        if not self.going and not self.ended:
            await self.close_ended()
        return all(rest.exists for rest in rests.values())

    async def forward(self, events: Sequence[dict[str, Any]]) -> None:
        """Send the next events. The log says whether a terminal one is the end: a run may have been taken up since."""
        if not events:
            return
        for event in events:
            if self.names and (writer := self.names.get(UUID(event["run"]))) is not None:
                writer.write(event)
        for frame in (events,) if self.together else events:
            await self.send_json(frame)
        self.sent |= {UUID(event["run"]): event["seq"] for event in events}

    async def close_ended(self) -> None:
        """Close, because the runs are over."""
        self.ended = True
        await self.close(1000)

    async def watch_logs(self) -> None:
        """Read the logs now and then, in case an announcement was lost or the worker died."""
        pause = LOOK_AGAIN_S
        while not self.ended:
            before = dict(self.sent)
            await asyncio.sleep(pause)
            async with self.turn:
                if not self.ended:
                    await self.catch_up(self.sent, partial(following.load_after_losses, tuple(self.going)))
            pause = LOOK_AGAIN_S if self.sent != before else min(2 * pause, LOOK_AGAIN_MAX_S)


def _parse_runs(scope: dict[str, Any]) -> dict[UUID, int] | None:
    """The runs to follow, each with the last number that the client has; None where ``after`` makes no sense."""
    run_id = scope["url_route"]["kwargs"].get("run_id")
    if run_id is not None:
        seq = _parse_seq(_get_parameter(scope["query_string"], "after", "0"))
        return None if seq is None else {run_id: seq}
    after: dict[UUID, int] = {}
    for part in _get_parameter(scope["query_string"], "after").split(","):
        run, _, behind = part.partition(":")
        seq = _parse_seq(behind)
        if seq is None or len(after) == RUNS_MAX:
            return None
        try:
            after[UUID(run)] = seq
        except ValueError:
            return None
    return after


def _parse_seq(text: str) -> int | None:
    """A sequence number; None when it is something else."""
    if not text.isascii() or not text.isdigit() or int(text[:12]) > SEQ_MAX:
        return None
    return int(text)


def _get_parameter(query: bytes, name: str, absent: str = "") -> str:
    return parse_qs(query.decode("latin-1"), keep_blank_values=True).get(name, [absent])[-1]


def _find_name_writers(scope: dict[str, Any], runs: Collection[UUID]) -> dict[UUID, NameWriter] | None:
    """What writes names in the reader's languages into the events of each run whose graph has names in languages.

    None where the reader may not see one of the runs.
    """
    if not _can_watch(scope["user"], runs):
        return None
    headers = dict(scope["headers"])
    header = headers.get(b"accept-language", b"").decode("latin-1")
    preferred = list_preferred(parse_cookie(headers.get(b"cookie", b"").decode("latin-1")), header)
    rows = Run.objects.filter(pk__in=runs).select_related("graph__snapshot")
    writers = {run.pk: open_writer(find_version(run.graph, run.snapshot_hash), preferred) for run in rows}
    return {run: writer for run, writer in writers.items() if writer is not None}


def _can_watch(user: Any, runs: Collection[UUID]) -> bool:
    return filter_visible(selectors.list_runs().filter(pk__in=runs), user).count() == len(runs)
