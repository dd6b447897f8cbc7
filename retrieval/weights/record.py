"""The record of how weights were made, and what they were measured to be worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from retrieval.weights.builder import FigureRow, HeldOutFigures

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """How weights were made.

    Attributes:
        name: the builder's.
        command: what was run.
        seed: of all draws.
        date: ISO, UTC.
        version: of the code.
        encoder: the text encoder whose vectors were learned from.
        data: name of each source, with its address, version and licence.
        figures: measured on held-out graphs.
    """

    name: str
    command: str
    seed: int
    date: str
    version: str
    encoder: str
    data: Mapping[str, str]
    figures: HeldOutFigures

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> BuildRecord:
        """Read what :meth:`save` wrote."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        figures = content.pop("figures")
        rows = tuple(FigureRow(row["group"], row["values"]) for row in figures["rows"])
        return cls(**content, figures=HeldOutFigures(figures["about"], rows))
