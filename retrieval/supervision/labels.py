"""Labels: the relation paths that answer a question from its topics, and where they came from.

A label file is JSONL, one label a line; ``docs/contracts.md`` lists the fields.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Protocol, get_args

from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.supervision.grounding import Grounded, Skipped
from retrieval.types import Progress, Usage

Source = Literal["given", "answer-set", "shortest-path", "llm", "analyst", "written"]
#: What a label says. ``path``: it leads from the topic to the answers. The others are single steps:
#: ``topic-fact`` and ``answer-fact``, evidence around the topic and around every answer (ReG's P_q and P_a);
#: ``first-relation``, a relation a path may begin with (RAPL's R_*, eq. 8).
Role = Literal["path", "topic-fact", "answer-fact", "first-relation"]
Verdict = Literal["accepted", "rejected"]
#: Relation path by names, so that labels outlive a snapshot: (relation, inverse) per step.
NamedPath = tuple[tuple[str, bool], ...]
#: Paths that an analyst rejected: (question id, topic label, path).
Rejections = frozenset[tuple[str, str, NamedPath]]


@dataclass(frozen=True, slots=True)
class Label:
    """A rational relation path of a question. A question may have several from one topic.

    Attributes:
        question: id of the question.
        topic: label of the topic entity the path starts at; empty for an ``answer-fact``.
        path: (relation name, inverse) per step.
        source: who says so.
        score: how well the set it reaches fits the answers, in [0, 1]; 1 for a given or accepted path and
            for a role other than ``path``.
        role: what it says; only a ``path`` is walked from topic to answers.
        verdict: ``rejected`` when an analyst refused it; such a label is kept and never learned from.
        explanation: why, in the words of the source.
    """

    question: str
    topic: str
    path: NamedPath
    source: Source
    score: float = 1.0
    role: Role = "path"
    verdict: Verdict = "accepted"
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Compression:
    """How far merging shrank the candidate pools (ReG Table 1).

    Attributes:
        pools: how many there were, one a question.
        raw, merged: candidates before and after merging, summed over pools.
        raw_max, merged_max: of the largest pool.
    """

    pools: int
    raw: int
    merged: int
    raw_max: int
    merged_max: int

    @property
    def ratio(self) -> float:
        """Merged over raw, on average."""
        return self.merged / self.raw if self.raw else 1.0

    @property
    def ratio_max(self) -> float:
        """Merged over raw, of the largest pools."""
        return self.merged_max / self.raw_max if self.raw_max else 1.0


@dataclass(frozen=True, slots=True)
class Labelling:
    """Labels of a question set.

    Attributes:
        labels: of all roles.
        simple: simple walks fit the answers at least as well as free ones.
        fit: mean score of the labelled questions' best paths.
        unlabelled: questions without a path.
        compression: of the candidate pools, where candidates were merged.
        usage: what was spent on a language model now; replies that were paid for before cost nothing.
        kept_replies: replies that were found on disk.
        notes: what a person should know, one sentence each.
    """

    labels: tuple[Label, ...]
    simple: bool
    fit: float
    unlabelled: int
    compression: Compression | None = None
    usage: Usage = field(default_factory=Usage)
    kept_replies: int = 0
    notes: tuple[str, ...] = ()


class Rationalizer(Protocol):
    """Chooses, of all paths to the answers, the rational ones."""

    def label(
        self,
        snapshot: Snapshot,
        questions: Sequence[Grounded],
        *,
        encoder: TextEncoder,
        rejected: Rejections = frozenset(),
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Labelling:
        """Label each question that can be labelled.

        Args:
            questions: with topics and answers in it.
            encoder: for ties and for what a text says.
            rejected: paths that must not be chosen.
        """
        ...


def to_directed_path(snapshot: Snapshot, path: NamedPath) -> tuple[int, ...] | None:
    """Directed relation ids of a named path, or None when the graph lacks one of its relations."""
    ids = [snapshot.find_relation(name) for name, _ in path]
    if any(i is None for i in ids) or not ids:
        return None
    return tuple(
        i + snapshot.num_relations * inverse for i, (_, inverse) in zip(ids, path, strict=True) if i is not None
    )


def to_named_path(snapshot: Snapshot, path: Sequence[int]) -> NamedPath:
    """Inverse of :func:`to_directed_path`."""
    total = snapshot.num_relations
    return tuple((snapshot.get_relation_name(r % total), r >= total) for r in path)


def select_usable(labels: Iterable[Label], role: Role = "path") -> list[Label]:
    """The labels of a role that may be learned from: rejected ones are left out."""
    return [label for label in labels if label.verdict == "accepted" and label.role == role]


def merge_labels(first: Iterable[Label], second: Iterable[Label], how: Literal["union", "intersection"]) -> list[Label]:
    """What either of two labellings says, or what both say (ReG Table 6); the first one's word where both say it.

    Rejected labels are left out.
    """

    def get_key(label: Label) -> tuple[str, str, NamedPath, Role]:
        return label.question, label.topic, label.path, label.role

    mine = {get_key(label): label for label in first if label.verdict == "accepted"}
    theirs = {get_key(label): label for label in second if label.verdict == "accepted"}
    if how == "intersection":
        return [label for place, label in mine.items() if place in theirs]
    return list({**theirs, **mine}.values())


def filter_labels(snapshot: Snapshot, labels: Sequence[Label]) -> tuple[list[Label], Skipped]:
    """The labels whose relations the graph has, and a count of the others.

    Raises:
        TrainingDataError: there is no label, or none of them fits; the message names a missing relation.
    """
    if not labels:
        raise TrainingDataError("The label file is empty.", hint="Write one with the label command, or train without.")
    fitting: list[Label] = []
    skipped, first = Skipped(), ""
    for label in labels:
        unknown = next((name for name, _ in label.path if snapshot.find_relation(name) is None), None)
        if unknown is None:
            fitting.append(label)
        else:
            first = first or unknown
            skipped.add("labels with a relation that is not in the graph", repr(unknown))
    if not fitting:
        raise TrainingDataError(
            f"The labels belong to another graph: this one has no relation {first!r}.",
            hint="Label the questions on this graph.",
        )
    return fitting, skipped


def write_labels(path: Path, labels: Iterable[Label]) -> int:
    """Write labels as JSONL, beside and renamed into place. Returns how many."""
    building = path.with_name(f".{path.name}.{os.getpid()}")
    count = 0
    with _open(building, path, "w") as file:
        for count, label in enumerate(labels, start=1):  # noqa: B007 - the count is the result
            row = asdict(label)
            # The plain label stays short: what says nothing new is left out.
            row = {k: v for k, v in row.items() if k not in _OPTIONAL or v != _OPTIONAL[k]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    building.replace(path)
    return count


def read_labels(path: Path) -> list[Label]:
    """Read labels, gzipped or not.

    Raises:
        TrainingDataError: the file is missing, or a line is not a label (named by number).
    """
    labels: list[Label] = []
    number = 0
    try:
        with _open(path, path, "r") as file:
            for number, line in enumerate(file, start=1):  # noqa: B007 - the error names it
                if line.strip():
                    labels.append(parse_label(json.loads(line)))
    except OSError as error:
        raise TrainingDataError(f"The label file {path} cannot be read: {error}.") from error
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise TrainingDataError(
            f"{path.name}, line {number}: not a label ({error}).",
            hint="Each line needs question, topic, path as [[relation, inverse], ...], source and score.",
        ) from error
    return labels


#: Fields that a line may leave out, with what they then are.
_OPTIONAL: dict[str, object] = {"role": "path", "verdict": "accepted", "explanation": ""}


def parse_label(row: Mapping[str, object]) -> Label:
    """A label from a line of a label file.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    row = {**_OPTIONAL, **row}
    for name, kind in (("source", Source), ("role", Role), ("verdict", Verdict)):
        if row.get(name) not in get_args(kind):
            raise ValueError(f"{name} {row.get(name)!r} is none of {', '.join(get_args(kind))}")
    raw = row["path"]
    if not isinstance(raw, list) or not raw:
        raise ValueError("path is not a list of steps")
    path = tuple((str(name), bool(inverse)) for name, inverse in raw)
    return Label(
        str(row["question"]),
        str(row["topic"]),
        path,
        row["source"],  # type: ignore[arg-type]  # checked above
        float(row.get("score", 1.0)),  # type: ignore[arg-type]  # float() refuses what is not a number
        row["role"],  # type: ignore[arg-type]
        row["verdict"],  # type: ignore[arg-type]
        str(row["explanation"]),
    )


def _open(path: Path, named_as: Path, mode: Literal["r", "w"]):  # type: ignore[no-untyped-def]  # noqa: ANN202
    # typing.IO[str] is what both branches give; mypy cannot see that of a computed mode.
    if named_as.suffix == ".gz":
        return gzip.open(path, f"{mode}t", encoding="utf-8")
    return path.open(mode, encoding="utf-8")
