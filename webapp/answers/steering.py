"""Steering an agent: pausing it, taking steps back, choosing another action, going on.

While a worker has a run, it is the only writer of the run's log; while the run is paused or over, it is whoever holds
the row's lock here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from retrieval.errors import MethodError
from retrieval.events import AgentRewound, RunPaused, to_plain
from retrieval.methods import registry
from retrieval.types import AgentAction
from webapp.accounts.models import User
from webapp.answers import agent_steps, announce, log
from webapp.answers.agent_steps import AgentSteps
from webapp.answers.models import ACTIVE, AgentCorrection, Run, RunState
from webapp.api.errors import ConflictError, InvalidError
from webapp.api.failures import NO_ERROR
from webapp.experiments import methods
from webapp.graphs.selectors import require_version
from webapp.jobs import cancel, queue

PAUSE = "pause"
"""The kind of the flag that asks a worker to pause a run."""


@dataclass(frozen=True, slots=True)
class Steer:
    """What a person wants of an agent.

    Attributes:
        keep: how many of the steps that stand are kept; the others are taken back.
        action: what is to be done next; the policy goes on when None.
        pause_after: pause once so many more steps are done; None goes on to the end, 0 only takes back.
    """

    keep: int
    action: AgentAction | None = None
    pause_after: int | None = None

    @property
    def only_back(self) -> bool:
        """Nothing is to be done but taking back."""
        return self.action is None and self.pause_after == 0


def pause_run(*, run: Run) -> Run:
    """Ask the worker to pause a run after the step it is at. A run that ends first has ended.

    Raises:
        MethodError: its method has no steps to pause at.
        ConflictError: it does not run.
    """
    _require_steerable(run)
    if run.state not in ACTIVE:
        raise ConflictError(f"This run does not go on: {run.state}.", hint="Only a run that goes on can pause.")
    cancel.ask_to_stop(PAUSE, run.pk)
    run.refresh_from_db()
    return run


def apply_steering(*, run: Run, steer: Steer, user: User) -> Run:
    """Take steps back, and go on by a person's action or the policy's.

    A run that has ended may be taken up: its end stays in the log, and ``agent.rewound`` follows.

    Raises:
        MethodError: its method has no steps.
        ConflictError: it goes on, or the version of the graph that it asks was deleted.
        InvalidError: there are not so many steps to keep, or nothing to do.
    """
    _require_steerable(run)
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).select_related("graph__snapshot").get(pk=run.pk)
        walk = agent_steps.load_steps(run.pk)
        _require_possible(run, walk, steer)
        events: list[AgentRewound | RunPaused] = []
        if steer.keep < len(walk.steps) or run.state != RunState.PAUSED:
            events.append(AgentRewound(steer.keep))
        if steer.only_back:
            events.append(_build_pause(steer.keep, walk))
        _keep_correction(run, walk, steer, user)
        wire = log.append(run.pk, after=log.get_last_seq(run.pk), events=events)
        _reset_run(run, steer)
        transaction.on_commit(lambda: announce.send_events(run.pk, wire))
        # Flags of what was asked of the run before; set again from now on, they mean what comes.
        cancel.clear(run.pk, PAUSE, "run")
        if not steer.only_back:
            queue.enqueue(queue.ANSWER, run.pk)
    run.refresh_from_db()
    return run


def _require_steerable(run: Run) -> None:
    if not registry.get_method(run.method).steerable:
        raise MethodError(
            f"{run.method} does not go step by step, so it cannot be steered.",
            hint=f"Ask with {', '.join(methods.list_steerable())}.",
        )


def _require_possible(run: Run, walk: AgentSteps, steer: Steer) -> None:
    if run.state in ACTIVE:
        raise ConflictError("This run goes on already.", hint="Pause it first.")
    require_version(run.graph, run.snapshot_hash)
    if steer.keep > len(walk.steps):
        raise InvalidError(
            f"The run has {len(walk.steps)} steps; {steer.keep} cannot be kept.",
            hint=f"Keep 0 to {len(walk.steps)}.",
        )
    all_kept = steer.keep == len(walk.steps)
    if all_kept and (steer.only_back or (run.state == RunState.DONE and steer.action is None)):
        raise InvalidError("There is nothing to take back.", hint="Keep fewer steps, or choose an action.")


def _build_pause(keep: int, walk: AgentSteps) -> RunPaused:
    message = f"Taken back to step {keep}." if keep else "Taken back to the beginning."
    return RunPaused(keep, message, walk.ahead.get(keep, ()))


def _keep_correction(run: Run, walk: AgentSteps, steer: Steer, user: User) -> None:
    """Keep the person's action as a label, unless the policy would have done the same."""
    proposed = walk.proposed.get(steer.keep)
    if steer.action is None or (proposed is not None and agent_steps.is_same_action(steer.action, proposed)):
        return
    AgentCorrection.objects.get_or_create(
        run=run,
        step=steer.keep + 1,
        before=to_plain(walk.actions[: steer.keep]),
        chosen=to_plain(steer.action),
        defaults={"proposed": None if proposed is None else to_plain(proposed), "user": user},
    )


def _reset_run(run: Run, steer: Steer) -> None:
    """Take the end away that no longer holds, and hand the run on: to the workers, or to the person."""
    now = timezone.now()
    since: datetime | None = run.paused_at or run.finished_at
    mode = {} if steer.only_back else {"pause_after": steer.pause_after}
    Run.objects.filter(pk=run.pk).update(
        state=RunState.PAUSED if steer.only_back else RunState.QUEUED,
        next_action=None if steer.action is None else to_plain(steer.action),
        paused_at=now if steer.only_back else None,
        rested_s=run.rested_s + ((now - since).total_seconds() if since else 0.0),
        finished_at=None,
        incomplete=False,
        answers=[],
        answers_count=0,
        no_answer=None,
        **NO_ERROR,
        worker="",
        **mode,
    )


# --- the worker's side --------------------------------------------------------------------------------


def save_pause(
    *,
    run_id: UUID,
    after: int,
    event: RunPaused,
    usage: dict[str, Any] | None = None,
    unwritten: Sequence[log.Timed] = (),
) -> None:
    """Append the event that pauses a run, with the run's own row in the same transaction, and announce it.

    ``unwritten`` are events before it that are not in the log yet.
    """
    with transaction.atomic():
        paused = Run.objects.filter(pk=run_id, state=RunState.RUNNING).update(
            state=RunState.PAUSED, worker="", next_action=None, paused_at=timezone.now(), usage=usage
        )
        if not paused:
            return
        wire = log.append_end(run_id, after=after, unwritten=unwritten, event=event)
        transaction.on_commit(lambda: announce.send_events(run_id, wire))
