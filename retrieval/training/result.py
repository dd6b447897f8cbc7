"""What training leaves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What training leaves.

    Attributes:
        metrics: on the dev split.
        notes: what a person should know: questions skipped, a dev split that was carved out.
    """

    checkpoint: Path
    metrics: dict[str, float]
    notes: tuple[str, ...] = ()
