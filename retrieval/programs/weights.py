"""The ranker of programs: a log-linear model over the features of how a program was composed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Weights:
    """Weights of features by name; those that are not named weigh nothing.

    Attributes:
        values: by feature.
        temperature: scores are divided by it before they become probabilities.
        calibration: weights of what makes the best program likely (``retrieval.programs.calibration``).
    """

    values: dict[str, float] = field(default_factory=dict)
    temperature: float = 1.0
    calibration: dict[str, float] = field(default_factory=lambda: {"one": -1.0, "probability": 1.0, "unread": -2.0})

    def score(self, features: Mapping[str, float] | tuple[tuple[str, float], ...]) -> float:
        """The weighted sum of features."""
        items = features.items() if isinstance(features, Mapping) else features
        return sum(self.values.get(name, 0.0) * value for name, value in items)

    def save(self, path: Path) -> None:
        """Write them as JSON, features sorted."""
        content = {
            "calibration": {k: round(v, 4) for k, v in sorted(self.calibration.items())},
            "temperature": round(self.temperature, 4),
            "weights": {k: round(v, 4) for k, v in sorted(self.values.items()) if round(v, 4)},
        }
        path.write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Weights:
        """Read what :meth:`save` wrote."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(dict(content["weights"]), float(content["temperature"]), dict(content["calibration"]))
