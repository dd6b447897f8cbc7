"""Labels: the relation path that answers a question from one of its topics, and where that came from."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol, get_args

from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers.features import TextEncoder
from retrieval.supervision.grounding import Grounded
from retrieval.types import Progress

Source = Literal["given", "answer-set", "shortest-path", "llm", "analyst"]
#: Relation path by names, so that labels outlive a snapshot: (relation, inverse) per step.
NamedPath = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Label:
    """A rational relation path of a question.

    Attributes:
        question: id of the question.
        topic: label of the topic entity the path starts at.
        path: (relation name, inverse) per step.
        source: who says so.
        score: how well the set it reaches fits the answers, in [0, 1]; 1 for a given or accepted path.
    """

    question: str
    topic: str
    path: NamedPath
    source: Source
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Labelling:
    """Labels of a question set.

    Attributes:
        labels: at most one a question and topic.
        simple: walks that never come back to their topic fit the answers better than free ones.
        fit: mean score of the labelled questions under the better of the two.
        unlabelled: questions for which no path reached an answer.
    """

    labels: tuple[Label, ...]
    simple: bool
    fit: float
    unlabelled: int


class Rationalizer(Protocol):
    """Chooses, of all paths to the answers, the rational one."""

    def label(
        self,
        snapshot: Snapshot,
        questions: Sequence[Grounded],
        *,
        encoder: TextEncoder,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Labelling:
        """Label each question that can be labelled.

        Raises:
            Cancelled: ``cancelled()`` said so.
        """
        ...


def directed(snapshot: Snapshot, path: NamedPath) -> tuple[int, ...] | None:
    """Directed relation ids of a named path, or None when the graph lacks one of its relations."""
    ids = [snapshot.find_relation(name) for name, _ in path]
    if any(i is None for i in ids) or not ids:
        return None
    return tuple(
        i + snapshot.num_relations * inverse
        for i, (_, inverse) in zip(ids, path, strict=True)
        if i is not None
    )


def named(snapshot: Snapshot, path: Sequence[int]) -> NamedPath:
    """Inverse of :func:`directed`."""
    total = snapshot.num_relations
    return tuple((snapshot.relation_name(r % total), r >= total) for r in path)


def write_labels(path: Path, labels: Iterable[Label]) -> int:
    """Write labels as JSONL, beside and renamed into place. Returns how many."""
    building = path.with_name(f".{path.name}.{os.getpid()}")
    count = 0
    with _open(building, path, "w") as file:
        for count, label in enumerate(labels, start=1):  # noqa: B007 - the count is the result
            file.write(json.dumps(asdict(label), ensure_ascii=False) + "\n")
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
                    labels.append(_parse(json.loads(line)))
    except OSError as error:
        raise TrainingDataError(f"The label file {path} cannot be read: {error}.") from error
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise TrainingDataError(
            f"{path.name}, line {number}: not a label ({error}).",
            hint="Each line needs question, topic, path as [[relation, inverse], ...], source and score.",
        ) from error
    return labels


def _parse(row: dict[str, object]) -> Label:
    if row.get("source") not in get_args(Source):
        raise ValueError(f"source {row.get('source')!r} is none of {', '.join(get_args(Source))}")
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
    )


def _open(path: Path, named_as: Path, mode: Literal["r", "w"]):  # type: ignore[no-untyped-def]  # noqa: ANN202
    # typing.IO[str] is what both branches give; mypy cannot see that of a computed mode.
    if named_as.suffix == ".gz":
        return gzip.open(path, f"{mode}t", encoding="utf-8")
    return path.open(mode, encoding="utf-8")
