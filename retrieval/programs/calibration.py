"""How likely the best program is what was asked: a logistic model over what the ranker and the chart say of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from retrieval.programs.lexicon import STOP

if TYPE_CHECKING:
    from retrieval.programs.parser import Candidate, Reading
    from retrieval.programs.weights import Weights


def evidence(reading: Reading) -> dict[str, float]:
    """What speaks for and against the best program of a reading."""
    best = reading.candidates[0]
    second = reading.candidates[1].probability if len(reading.candidates) > 1 else 0.0
    features = best.features
    unread = _unread(reading, best)
    return {
        "one": 1.0,
        "probability": _logit(best.probability),
        "margin": math.log(max(best.probability, 1e-4) / max(second, 1e-4)),
        "skipped": features.get("skip", 0.0),
        "unread": unread,
        "unread any": float(unread > 0),
        "bridges": features.get("bridge", 0.0),
        "empty": features.get("root.empty", 0.0),
        "similar": sum(value < 0.6 for name, value in features.items() if name in ("r.similar", "k.similar"))
        * 1.0,
        "score": max(-10.0, min(10.0, best.score)) / max(1, len(reading.question.words)),
        "fuzzy": float("e.fuzzy" in features or "e.part" in features),
    }


def confidence(weights: Weights, reading: Reading) -> float:
    """The calibrated probability that the best program is what was asked, in [0, 1]."""
    said = evidence(reading)
    return 1.0 / (
        1.0 + math.exp(-sum(weights.calibration.get(name, 0.0) * value for name, value in said.items()))
    )


def _unread(reading: Reading, best: Candidate) -> float:
    """Words that carry meaning and that the program has no part for, as a share of all such words."""
    used: set[int] = set()
    stack = [best.part]
    while stack:
        part = stack.pop()
        if not part.parts and part.anchored:
            used.update(range(*part.anchored))
        stack.extend(part.parts)
    content = [n for n, word in enumerate(reading.question.words) if word.text not in STOP]
    return sum(n not in used for n in content) / len(content) if content else 0.0


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
