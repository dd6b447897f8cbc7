"""Corrections of an agent's steps: which of them are labels, and the trajectories they teach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from retrieval.events import from_plain
from retrieval.types import AgentAction
from webapp.answers import agent_steps
from webapp.answers.agent_steps import AgentSteps
from webapp.answers.models import AgentCorrection, Run, RunState

KEPT, OPEN, UNDONE = "kept", "open", "undone"


def list_corrections(*, graph_id: int | None = None) -> QuerySet[AgentCorrection]:
    """Corrections, newest first."""
    rows = AgentCorrection.objects.select_related("run", "run__graph", "user")
    return rows if graph_id is None else rows.filter(run__graph_id=graph_id)


class CorrectionStates:
    """What became of corrections; the log of each run is read once."""

    def __init__(self) -> None:
        self._walks: dict[Any, AgentSteps] = {}

    def get_state(self, correction: AgentCorrection) -> str:
        """``kept`` where the run went on from it to an answer, ``undone`` where it was taken back; else ``open``."""
        run = correction.run
        if run.pk not in self._walks:
            self._walks[run.pk] = agent_steps.load_steps(run.pk)
        walk = self._walks[run.pk]
        if not _is_standing(correction, walk):
            return UNDONE
        return KEPT if _is_finished(run, walk) else OPEN


def export_trajectories(*, graph_id: int) -> Iterator[str]:
    """What agents did with a person's help and answered: a JSON line for each run with a correction that stands.

    The form is that of the engine's trajectory files (``retrieval/agents/trajectories.py``).
    """
    runs = Run.objects.filter(graph_id=graph_id, state=RunState.DONE, pk__in=AgentCorrection.objects.values("run"))
    for run in runs.select_related("user").prefetch_related("corrections").order_by("created_at").iterator(100):
        walk = agent_steps.load_steps(run.pk)
        if _is_finished(run, walk) and any(_is_standing(correction, walk) for correction in run.corrections.all()):
            yield json.dumps(_render_trajectory(run, walk), ensure_ascii=False) + "\n"


def _is_standing(correction: AgentCorrection, walk: AgentSteps) -> bool:
    steps = walk.steps[: correction.step]
    if len(steps) < correction.step:
        return False
    done = [step.chosen for step in steps]
    wanted = [from_plain(AgentAction, action) for action in (*correction.before, correction.chosen)]
    return steps[-1].valid and all(
        a is not None and agent_steps.is_same_action(a, b) for a, b in zip(done, wanted, strict=False)
    )


def _is_finished(run: Run, walk: AgentSteps) -> bool:
    last = _list_actions(walk)[-1:]
    return run.state == RunState.DONE and bool(walk.answers) and bool(last) and last[0].kind == "finish"


def _list_actions(walk: AgentSteps) -> list[AgentAction]:
    return [step.chosen for step in walk.steps if step.valid and step.chosen is not None]


def _render_trajectory(run: Run, walk: AgentSteps) -> dict[str, Any]:
    return {
        "id": str(run.pk),
        "question": run.question,
        "question_id": "",
        "topics": [linked.entity.label for linked in walk.linked],
        "answers": [answer.label for answer in walk.answers],
        "actions": [_render_action(action) for action in _list_actions(walk)],
        "source": "person",
        "behaviour": run.user.username if run.user else "",
        "refined_from": None,
        "score": 1.0,
    }


def _render_action(action: AgentAction) -> dict[str, Any]:
    """An action by labels, without the ids of a snapshot."""
    if action.kind == "explore":
        if action.front is not None:
            return {"kind": "explore", "front": action.front}
        return {"kind": "explore", "entities": [node.label for node in action.entities]}
    if action.kind == "choose" and action.triples:
        hops = [[hop.source.label, hop.step.name, hop.step.inverse, hop.target.label] for hop in action.triples]
        return {"kind": "choose", "triples": hops}
    if action.kind == "choose":
        return {"kind": "choose", "relations": [[step.name, step.inverse] for step in action.relations]}
    return {"kind": "finish"}
