"""Trajectories: what was done for a question, by whom, and how well it ended. JSONL, one a line (docs/graph-s3.md)."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, get_args

from retrieval.errors import TrainingDataError
from retrieval.types import AgentAction, Hop, Node, RelationStep

TrajectorySource = Literal["offline", "llm", "person"]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A sequence of actions for a question, by labels, so that it outlives a snapshot.

    Attributes:
        id: distinct within a file.
        question_id: of its question set; empty for a question that was asked by a person.
        topics: labels of the topic entities, in the order of the question.
        answers: labels of the right answers.
        actions: what was done; the last one finishes.
        source: who decided.
        behaviour: what kind of policy that was, or who.
        refined_from: id of the trajectory that this is the shortest form of, None for a raw one.
        score: F1 of what it ends with against the answers, in [0, 1].
        prompt: version and hash of the prompt, of a language model.
        thoughts: what it thought before each action; else empty.
        strayed: positions of the actions that chance chose, ascending.
    """

    id: str
    question: str
    question_id: str
    topics: tuple[str, ...]
    answers: tuple[str, ...]
    actions: tuple[AgentAction, ...]
    source: TrajectorySource
    behaviour: str
    refined_from: str | None = None
    score: float = 1.0
    prompt: str | None = None
    thoughts: tuple[str, ...] = ()
    strayed: tuple[int, ...] = ()


def to_trajectory_row(trajectory: Trajectory) -> dict[str, Any]:
    """A trajectory as plain JSON; what says nothing is left out."""
    row: dict[str, Any] = {
        "id": trajectory.id,
        "question": trajectory.question,
        "question_id": trajectory.question_id,
        "topics": list(trajectory.topics),
        "answers": list(trajectory.answers),
        "actions": [to_row(action) for action in trajectory.actions],
        "source": trajectory.source,
        "behaviour": trajectory.behaviour,
        "refined_from": trajectory.refined_from,
        "score": trajectory.score,
    }
    if trajectory.prompt is not None:
        row["prompt"] = trajectory.prompt
    if trajectory.thoughts:
        row["thoughts"] = list(trajectory.thoughts)
    if trajectory.strayed:
        row["strayed"] = list(trajectory.strayed)
    return row


def write_trajectories(path: Path, trajectories: Iterable[Trajectory]) -> int:
    """Write trajectories, beside and renamed into place; gzipped when the name ends in ``.gz``. Returns how many."""
    building = path.with_name(f".{path.name}.{os.getpid()}")
    count = 0
    with _open(building, "w", zipped=path.suffix == ".gz") as file:
        for count, trajectory in enumerate(trajectories, start=1):  # noqa: B007 - the count is the result
            file.write(json.dumps(to_trajectory_row(trajectory), ensure_ascii=False) + "\n")
    building.replace(path)
    return count


def read_trajectories(path: Path) -> list[Trajectory]:
    """Read trajectories, gzipped or not.

    Raises:
        TrainingDataError: the file cannot be read, or a line is no trajectory (named by number).
    """
    trajectories: list[Trajectory] = []
    number = 0
    try:
        with _open(path, "r", zipped=path.suffix == ".gz") as file:
            for number, line in enumerate(file, start=1):  # noqa: B007 - the error names it
                if line.strip():
                    trajectories.append(_parse(json.loads(line)))
    except OSError as error:
        raise TrainingDataError(f"The trajectory file {path} cannot be read: {error}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(
            f"{path.name}, line {number}: not a trajectory ({error}).",
            hint="Each line needs id, question, topics, answers, actions and source, as synthesise writes them.",
        ) from error
    return trajectories


def _parse(row: dict[str, Any]) -> Trajectory:
    if row["source"] not in get_args(TrajectorySource):
        raise ValueError(f"source {row['source']!r} is none of {', '.join(get_args(TrajectorySource))}")
    thoughts = tuple(map(str, row.get("thoughts", ())))
    if thoughts and len(thoughts) != len(row["actions"]):
        raise ValueError(f"{len(thoughts)} thoughts of {len(row['actions'])} actions")
    return Trajectory(
        id=str(row["id"]),
        question=str(row["question"]),
        question_id=str(row.get("question_id", "")),
        topics=tuple(map(str, row["topics"])),
        answers=tuple(map(str, row["answers"])),
        actions=tuple(from_row(action) for action in row["actions"]),
        source=row["source"],
        behaviour=str(row.get("behaviour", "")),
        refined_from=row.get("refined_from"),
        score=float(row.get("score", 1.0)),
        prompt=row.get("prompt"),
        thoughts=thoughts,
        strayed=tuple(map(int, row.get("strayed", ()))),
    )


def _open(path: Path, mode: Literal["r", "w"], *, zipped: bool) -> IO[str]:
    if zipped:
        return gzip.open(path, "wt" if mode == "w" else "rt", encoding="utf-8")
    return path.open(mode, encoding="utf-8")


def to_row(action: AgentAction) -> dict[str, Any]:
    """An action as plain JSON by labels, as trajectory files hold it; independent of the snapshot's ids."""
    if action.kind == "explore":
        if action.front is not None:
            return {"kind": "explore", "front": action.front}
        return {"kind": "explore", "entities": [node.label for node in action.entities]}
    if action.kind == "choose":
        if action.triples:
            return {"kind": "choose", "triples": [_to_hop_row(hop) for hop in action.triples]}
        return {"kind": "choose", "relations": [[step.name, step.inverse] for step in action.relations]}
    return {"kind": "finish"}


def from_row(row: Mapping[str, Any]) -> AgentAction:
    """Inverse of :func:`to_row`; ids are not known.

    Raises:
        ValueError, KeyError, TypeError: the row is no action.
    """
    kind = row["kind"]
    if kind == "explore":
        if row.get("front") is not None:
            return AgentAction("explore", front=int(row["front"]))
        nodes = tuple(Node(-1, str(label)) for label in row["entities"])
        return AgentAction("explore", nodes, count=len(nodes))
    if kind == "choose":
        if "triples" in row:
            return AgentAction("choose", triples=tuple(_parse_hop(hop) for hop in row["triples"]))
        return AgentAction("choose", relations=tuple(_make_step(name, inverse) for name, inverse in row["relations"]))
    if kind == "finish":
        return AgentAction("finish")
    raise ValueError(f"kind {kind!r} is none of explore, choose, finish")


def _to_hop_row(hop: Hop) -> list[Any]:
    return [hop.source.label, hop.step.name, hop.step.inverse, hop.target.label]


def _parse_hop(row: list[Any]) -> Hop:
    source, name, inverse, target = row
    return Hop(Node(-1, str(source)), _make_step(name, inverse), Node(-1, str(target)), verified=False)


def _make_step(name: object, inverse: object) -> RelationStep:
    return RelationStep(str(name), str(name), bool(inverse))
