"""The stages that a job goes through, and how far it has come in all: the work itself only tells of its own part."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval.types import Progress
from webapp.jobs.models import JobKind

Shown = list[dict[str, str]]
"""The stages of a job as its row keeps them: ``{name, label, state}``, in order."""


class StageState(StrEnum):
    """Where a stage is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a kind of job.

    Attributes:
        name: short and stable.
        label: for people.
        share: of the whole, in hundredths, as such jobs usually go.
        work: how the names begin by which the work tells of its parts.
    """

    name: str
    label: str
    share: int
    work: tuple[str, ...]


_PATHS = ("finding", "asking for")
_BUILD = ("sorting facts", "writing labels", "checking", "snapshot ready")

STAGES: dict[str, tuple[Stage, ...]] = {
    JobKind.IMPORT: (
        Stage("fetch", "Fetch the files", 10, ("fetching",)),
        Stage("read", "Read the files", 60, ("reading", "cutting passages")),
        Stage("build", "Build the graph", 30, _BUILD),
    ),
    JobKind.INDEX: (
        Stage("count", "Count", 5, ("counting",)),
        Stage("names", "Index names", 45, ("indexing names",)),
        Stage("passages", "Index passages", 35, ("indexing passages",)),
        Stage("relations", "Index relations", 15, ("indexing relations",)),
    ),
    JobKind.TRAIN: (
        Stage(
            "prepare",
            "Prepare labels and states",
            30,
            ("encoding", "computing", "reading questions", *_PATHS),
        ),
        Stage("train", "Train", 70, ("training", "rewarding", "imitating", "reinforcing")),
    ),
    JobKind.LABEL: (
        Stage("prepare", "Read questions and graph", 15, ("encoding", "computing")),
        Stage("find", "Find rational paths", 85, _PATHS),
    ),
    JobKind.EVALUATE: (
        Stage("open", "Open the method", 5, ("opening",)),
        Stage("ask", "Ask the questions", 85, ("taking up", "asking")),
        Stage("compare", "Compare with what was trained on", 8, ("encoding", "computing", *_PATHS)),
        Stage("write", "Write the report", 2, ("writing the report", "judging")),
    ),
    JobKind.EXTRACT: (
        Stage("read", "Read the passages", 80, ("reading", "asking again")),
        Stage("merge", "Merge names", 10, ("merging names",)),
        Stage("build", "Build the graph", 10, _BUILD),
    ),
    JobKind.SYNTHESISE: (
        Stage("label", "Find rational paths", 30, ("encoding", "computing", *_PATHS)),
        Stage("make", "Make trajectories", 70, ("making trajectories", "exploring")),
    ),
    JobKind.SELF_TRAIN: (
        Stage("write", "Write questions", 5, ("writing questions",)),
        Stage("prepare", "Read them", 35, ("encoding", "computing", *_PATHS)),
        Stage("train", "Train", 55, ("training",)),
        Stage("compare", "Compare with what answers now", 5, ("comparing",)),
    ),
    JobKind.STUDY: (
        Stage("cells", "Train and test", 98, ("cells", "labelling", "training", "testing")),
        Stage("write", "Write the capsule", 2, ("writing the capsule",)),
    ),
    JobKind.TEST: (
        Stage("open", "Open the graph", 10, ("opening",)),
        Stage("ask", "Ask the tests", 90, ("asking",)),
    ),
    JobKind.CHECKPOINT: (
        Stage("look", "Look through the file", 30, ("looking through",)),
        Stage("open", "Open the weights", 70, ("opening",)),
    ),
    JobKind.CALIBRATE: (
        Stage("write", "Write questions", 5, ("opening", "writing questions")),
        Stage("ask", "Ask them", 95, ("asking",)),
    ),
    JobKind.REVIEW: (
        Stage("measure", "Measure paths", 70, ("measuring paths",)),
        Stage("store", "Store the questions", 30, ("storing",)),
    ),
}


def make_waiting(kind: str) -> Shown:
    """The stages of a job that has not begun."""
    return [{"name": stage.name, "label": stage.label, "state": StageState.WAITING.value} for stage in STAGES[kind]]


def advance(kind: str, shown: Shown, overall: float, progress: Progress) -> tuple[Shown, float]:
    """The stages and the whole share that is done, once the work has told how far it is.

    Neither goes back: what a later stage does again of an earlier one belongs to the later one.
    """
    stages = STAGES[kind]
    index = next((i for i, stage in enumerate(stages) if progress.stage.startswith(stage.work)), None)
    states = [row["state"] for row in shown]
    if index is None or len(states) != len(stages):
        return shown, overall
    if StageState.WAITING in states[: index + 1] or states[index] == StageState.RUNNING:
        before = [_get_passed_state(StageState(state)) for state in states[:index]]
        states = [*before, StageState.RUNNING, *[StageState.WAITING] * (len(stages) - index - 1)]
        begun = sum(stage.share for stage in stages[:index])
        part = progress.done / progress.total if progress.total > 0 else 0.0
        overall = max(overall, (begun + stages[index].share * min(max(part, 0.0), 1.0)) / 100)
    return _set_states(shown, states), overall


def close_stages(shown: Shown, state: StageState) -> Shown:
    """The stages of a job that ended: done, failed or stopped where it was."""
    rest = StageState.SKIPPED if state == StageState.DONE else StageState.WAITING
    next_states = {StageState.RUNNING: state, StageState.WAITING: rest}
    return _set_states(shown, [next_states.get(StageState(row["state"]), StageState(row["state"])) for row in shown])


def _get_passed_state(state: StageState) -> StageState:
    return {StageState.RUNNING: StageState.DONE, StageState.WAITING: StageState.SKIPPED}.get(state, state)


def _set_states(shown: Shown, states: list[StageState] | list[str]) -> Shown:
    return [{**row, "state": str(state)} for row, state in zip(shown, states, strict=True)]
