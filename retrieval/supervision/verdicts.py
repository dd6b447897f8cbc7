"""Analysts' verdicts: paths that a person accepted or rejected. They win over every other source."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import (
    Label,
    Labelling,
    Rationalizer,
    Rejections,
    filter_labels,
    read_labels,
    select_usable,
)
from retrieval.types import Progress


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What analysts decided, one label a path; the latest decision on a path counts."""

    labels: tuple[Label, ...]

    @property
    def rejections(self) -> Rejections:
        """The rejected paths."""
        return frozenset((x.question, x.topic, x.path) for x in self.labels if x.verdict == "rejected")


def merge(labels: Sequence[Label], verdicts: Sequence[Label], *, broken: Set[str] = frozenset()) -> list[Label]:
    """Labels as verdicts leave them.

    A topic of a question with an accepted path has the accepted ones only; rejected paths stay, rejected.

    Args:
        labels: of any source. Of a path that several have, an analyst's counts, else the one of the highest score.
        broken: ids of questions that have no label any more.
    """
    best: dict[tuple[object, ...], Label] = {}
    for label in labels:
        key = (label.question, label.topic, label.path, label.role)
        best[key] = max(
            best.get(key, label),
            label,
            key=lambda candidate: (candidate.source == "analyst", candidate.score),
        )
    decided = {(x.question, x.topic, x.path) for x in verdicts}
    settled = {(x.question, x.topic) for x in select_usable(verdicts)}
    others = [
        x
        for x in best.values()
        if x.role != "path" or ((x.question, x.topic) not in settled and (x.question, x.topic, x.path) not in decided)
    ]
    return [x for x in (*verdicts, *others) if x.question not in broken]


def read_verdicts(path: Path) -> Verdicts:
    """Verdicts from a label file whose lines are all of source ``analyst``; later lines win.

    Raises:
        TrainingDataError: the file cannot be read, is empty, or holds a label of another source.
    """
    latest: dict[tuple[object, ...], Label] = {}
    for label in read_labels(path):
        if label.source != "analyst":
            raise TrainingDataError(
                f"{path.name} holds a label of source {label.source!r} (question {label.question!r}).",
                hint="A verdict has the source analyst and the verdict accepted or rejected.",
            )
        latest[label.question, label.topic, label.path, label.role] = label
    if not latest:
        raise TrainingDataError(f"{path.name} holds no verdict.", hint="Leave the option out.")
    return Verdicts(tuple(latest.values()))


@dataclass(frozen=True, slots=True)
class VerdictRationalizer:
    """Verdicts first; what they leave open is labelled by another rationalizer.

    A topic of a question with an accepted path has the accepted ones only. A question whose every topic has
    one is not handed on, so nothing is paid for it. Rejected paths are never chosen and are kept, rejected.
    """

    verdicts: Verdicts
    rest: Rationalizer

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
        """See :class:`labels.Rationalizer`.

        Raises:
            TrainingDataError: every verdict names a relation that the graph does not have.
        """
        ids = {question.question.id for question in questions}
        fitting, misfits = filter_labels(snapshot, self.verdicts.labels)
        decided = [label for label in fitting if label.question in ids]
        notes = [f"Verdicts left out: {misfits}."] if misfits.total else []
        if len(decided) < len(fitting):
            notes.append(f"{len(fitting) - len(decided):,} verdicts are on questions that are not labelled here.")
        settled = {(label.question, label.topic) for label in select_usable(decided)}
        open_ones = [q for q in questions if not _list_topics(snapshot, q) <= settled]
        labelling = self.rest.label(
            snapshot, open_ones, encoder=encoder, rejected=rejected | self.verdicts.rejections,
            progress=progress, cancelled=cancelled,
        )  # fmt: skip
        labels = merge(labelling.labels, decided)
        best: dict[str, float] = {}
        for label in select_usable(labels):
            best[label.question] = max(label.score, best.get(label.question, 0.0))
        return replace(
            labelling,
            labels=tuple(labels),
            fit=float(np.mean(list(best.values()))) if best else 0.0,
            unlabelled=len(questions) - len(best),
            notes=(*labelling.notes, *notes),
        )


def _list_topics(snapshot: Snapshot, question: Grounded) -> set[tuple[str, str]]:
    return {(question.question.id, snapshot.get_entity_label(topic)) for topic in question.topics}
