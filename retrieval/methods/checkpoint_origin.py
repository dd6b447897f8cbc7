"""What is known of a checkpoint beside its files, for its model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Measurement:
    """The figures of a checkpoint on questions."""

    questions: str
    split: str
    metrics: Mapping[str, float]
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """What a checkpoint does not say about itself: the names of its data, and how it was measured since."""

    graph: str = ""
    questions: str = ""
    measurements: tuple[Measurement, ...] = field(default=())
