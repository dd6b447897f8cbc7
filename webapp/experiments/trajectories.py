"""Trajectory sets: starting to make one, reading it, deleting it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone

from retrieval.errors import ConfigError, TrainingDataError
from webapp.accounts.models import User
from webapp.experiments.models import TrajectorySet
from webapp.experiments.services import require_set_of_graph
from webapp.graphs import files, snapshots
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.language_models import selectors as language_models
from webapp.questions.models import QuestionSet

OFFLINE, LLM = "offline", "llm"
POLICIES = {
    OFFLINE: "a guide that knows rational paths, and sometimes goes astray",
    LLM: "a language model explores",
}
RAW, REFINED, PAIRS = "raw", "refined", "pairs"


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """How trajectories are made.

    Attributes:
        policy: who acts, one of ``POLICIES``.
        samples: tries for each question, of the guide.
        astray: probability of a step at random, of the guide.
        match: least F1 of the answers of what is kept.
    """

    policy: str = OFFLINE
    samples: int = 2
    astray: float = 0.15
    match: float = 1.0
    seed: int = 0


def start_synthesis(
    *, graph: Graph, question_set: QuestionSet, how: SynthesisRequest, name: str, user: User | None
) -> TrajectorySet:
    """Make a trajectory set and queue the job that fills it.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        ConfigError: there is no such policy.
        NotConfiguredError: it needs a language model and none is set up.
        TrainingDataError: the question set is of another graph, or holds test questions only.
    """
    snapshot = snapshots.open_current(graph)
    if how.policy not in POLICIES:
        raise ConfigError(f"No behaviour policy is called {how.policy}.", hint=f"Choose one of: {', '.join(POLICIES)}.")
    if how.policy == LLM:
        language_models.resolve_model(None, "choose the offline policy")
    require_set_of_graph(question_set, graph)
    if not question_set.splits.get("train") and not question_set.splits.get("dev"):
        raise TrainingDataError(
            f"The question set {question_set.name} has no question to learn from: all are for testing.",
            hint="Upload it with splits, or without any.",
        )
    with transaction.atomic():
        job = jobs.create(
            kind=JobKind.SYNTHESISE,
            title=f"Make trajectories for {question_set.name}",
            graph=graph,
            user=user,
            params={"question_set": question_set.pk, "policy": how.policy},
        )
        return TrajectorySet.objects.create(
            name=(name or f"{how.policy}, {question_set.name}")[:200],
            graph=graph,
            snapshot_hash=snapshot.hash,
            question_set=question_set,
            question_set_name=question_set.name,
            policy=how.policy,
            settings={name: value for name, value in asdict(how).items() if name != "policy"},
            job=job,
            created_by=user,
        )


def save_trajectories(*, made: TrajectorySet, **columns: Any) -> bool:
    """Record what was made; whether the set is still there."""
    return bool(TrajectorySet.objects.filter(pk=made.pk).update(**columns, finished_at=timezone.now()))


def delete_trajectory_set(*, trajectory_set: TrajectorySet) -> None:
    """Delete a trajectory set and its files; a job that still makes it is stopped."""
    graph_id, key = trajectory_set.graph_id, trajectory_set.pk
    jobs.stop(trajectory_set.job)
    with transaction.atomic():
        trajectory_set.delete()
        transaction.on_commit(lambda: remove_files(graph_id, key))


def remove_files(graph_id: int, key: int) -> None:
    """Delete the files of a trajectory set."""
    for form in (RAW, REFINED, PAIRS):
        files.remove(files.build_trajectories_name(graph_id, key, form))


class TrajectoryRows(Sequence[dict[str, Any]]):
    """Trajectories of a set that is done, in the order of its file, read when they are looked at.

    A row is a trajectory with ``kept``: the positions in its ``actions`` that refinement left.

    Args:
        text: a part of the question.
        shortened: only those that refinement made shorter.
    """

    def __init__(self, made: TrajectorySet, *, text: str = "", shortened: bool = False) -> None:
        self._path = files.ensure_local_path(files.build_trajectories_name(made.graph_id, made.pk, PAIRS))
        self._text = text.lower()
        self._shortened = shortened
        self._count = None if text or shortened else made.trajectories

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with self._path.open(encoding="utf-8") as lines:
            for line in lines:
                row: dict[str, Any] = json.loads(line)
                if self._shortened and len(row["kept"]) == len(row["actions"]):
                    continue
                if self._text in row["question"].lower():
                    yield row

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self)
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(islice(self, index.start, index.stop))
        return next(islice(self, index, None))
