"""How likely each outcome is what was asked: a logistic model over its signs, fitted on many graphs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from retrieval.pretrained import CHOICE

#: Odds beyond this are no surer.
_SURE = 30.0


@dataclass(frozen=True, slots=True)
class OutcomeChoice:
    """The model.

    Attributes:
        weights: by sign; those that are not named weigh nothing.
    """

    weights: Mapping[str, float]

    def compute_probability(self, signs: Mapping[str, float]) -> float:
        """The probability that an outcome of these signs is what was asked, in (0, 1)."""
        odds = sum(self.weights.get(name, 0.0) * value for name, value in signs.items())
        return 1.0 / (1.0 + math.exp(-max(-_SURE, min(_SURE, odds))))

    def save(self, path: Path) -> None:
        """Write it as JSON, the signs sorted."""
        content = {name: round(value, 4) for name, value in sorted(self.weights.items()) if round(value, 4)}
        path.write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    @lru_cache(maxsize=2)
    def load(cls, path: Path = CHOICE) -> OutcomeChoice:
        """Read what :meth:`save` wrote."""
        return cls(json.loads(path.read_text(encoding="utf-8")))
