"""One run and the answer that was expected of it: what all parts of a diagnosis share."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.diagnosis.facts import TRIED, build_with_fact
from retrieval.diagnosis.findings import Check, LostAt, Remedy, Trial, WhyNot
from retrieval.diagnosis.record import build_record
from retrieval.errors import Cancelled, ClewError, check
from retrieval.events import AnswerFinal

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.answering.run import AskRequest
    from retrieval.diagnosis.record import RunRecord
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import Hop

SHOWN = 5
"""Answers of a trial that are named."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a diagnosis needs besides the answerer.

    Attributes:
        encode: texts to unit vectors, float32 [n, d].
        reopen: the same answerer over another graph; None tries no fact.
    """

    encode: Callable[[list[str]], np.ndarray]
    reopen: Callable[[Snapshot], Answerer] | None = None
    cancelled: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Case:
    """A run under diagnosis.

    Attributes:
        answerer: that answered it, or the part of it that did.
        expected: as it was named.
        node: id of the expected entity, -1 where the graph has none.
    """

    answerer: Answerer
    request: AskRequest
    record: RunRecord
    expected: str
    node: int
    tools: Tools
    checks: list[Check] = field(default_factory=list)

    @property
    def snapshot(self) -> Snapshot:
        """The graph."""
        return self.answerer.snapshot

    @property
    def name(self) -> str:
        """The expected entity as the graph spells it."""
        return self.snapshot.get_entity_label(self.node) if self.node >= 0 else self.expected

    def add_check(self, stage: LostAt, text: str) -> None:
        """Note what holds."""
        self.checks.append(Check(stage, True, text))

    def build_diagnosis(self, stage: LostAt, summary: str, remedies: list[Remedy], **more: Any) -> WhyNot:
        """The end of the diagnosis; what was tried and works comes first."""
        node = self.snapshot.get_node(self.node) if self.node >= 0 else None
        checks = (*self.checks, Check(stage, stage is LostAt.ANSWERED, summary))
        distinct = {remedy.text: remedy for remedy in reversed(remedies)}
        kept = [remedy for remedy in remedies if distinct[remedy.text] is remedy]
        ordered = sorted(kept, key=lambda remedy: 1 if remedy.trial is None else 2 * (not remedy.trial.works))
        return WhyNot(self.expected, node, stage, summary, checks, tuple(ordered), **more)

    def run_trial(self, answerer: Answerer | None = None, node: int | None = None, **changes: Any) -> Trial | None:
        """What the same question gives with some changes; None where that run breaks.

        Language models are not asked: the answers are extracted.
        """
        check(self.tools.cancelled)
        plain = (answerer or self.answerer).copy_without_model()
        request = replace(self.request, steering=None, **changes)
        try:
            again = build_record(request.question.text, plain.run(request, cancelled=self.tools.cancelled))
        except Cancelled:
            raise
        except ClewError:
            check(self.tools.cancelled)
            return None
        return build_trial(again.final, self.node if node is None else node, self.name)

    def run_trial_with(self, fact: Hop) -> Trial | None:
        """What the same question gives where the graph has one fact more; None where that is not tried."""
        if self.tools.reopen is None or self.snapshot.num_triples > TRIED:
            return None
        with TemporaryDirectory(prefix="clew-why-not-") as folder:
            try:
                richer = build_with_fact(self.snapshot, fact, Path(folder) / "graph")
                answerer = self.tools.reopen(richer)
            except ClewError:
                return None
            topics = self._resolve_topics(richer)
            if topics is None:
                return None
            node = richer.find_entity(self.name)
            return self.run_trial(answerer, node=-1 if node is None else node, given=topics, follows=None, denoted=())

    def _resolve_topics(self, other: Snapshot) -> tuple[int, ...] | None:
        """The given topics in another version of the graph; None where it lacks one."""
        entities = [other.find_entity(self.snapshot.get_entity_label(entity)) for entity in self.request.given]
        return None if None in entities else tuple(entity for entity in entities if entity is not None)

    def copy_with_settings(self, **changes: Any) -> Answerer:
        """The same answerer with other settings of how evidence is gathered."""
        other = copy(self.answerer)
        other.settings = replace(other.settings, **changes)
        return other


def build_trial(final: AnswerFinal, node: int, name: str) -> Trial:
    """The end of a run, as a trial tells it."""
    place = next(
        (
            place
            for place, answer in enumerate(final.answers, start=1)
            if (answer.entity is not None and answer.entity.id == node)
            or (answer.entity is None and answer.label == name)
        ),
        None,
    )
    shown = tuple(answer.label for answer in final.answers[:SHOWN])
    score = None if place is None else final.answers[place - 1].score
    return Trial(place is not None, place, len(final.answers), shown, score)
