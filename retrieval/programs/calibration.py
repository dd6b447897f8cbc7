"""How likely the best program is what was asked: a logistic model over what the ranker and the chart say of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from retrieval.programs.lexicon import STOP

if TYPE_CHECKING:
    from retrieval.programs.parser import Candidate, Reading
    from retrieval.programs.weights import Weights

#: A cosine that says nothing of what a word means.
_UNLIKE = 0.35


def evidence(reading: Reading) -> dict[str, float]:
    """What speaks for and against the best program of a reading."""
    best = reading.candidates[0]
    second = reading.candidates[1].probability if len(reading.candidates) > 1 else 0.0
    features = best.features
    read = _read(reading, best)
    unread = [1.0 - own for own in read]
    return {
        "one": 1.0,
        "probability": _logit(best.probability),
        "margin": math.log(max(best.probability, 1e-4) / max(second, 1e-4)),
        "skipped": features.get("skip", 0.0),
        "unread": sum(unread) / len(unread) if unread else 0.0,
        "unread any": float(0.0 in read),
        "least read": max(unread, default=0.0),
        "guessed": float(sum(0.0 < own < 1.0 for own in read)),
        "bridges": features.get("bridge", 0.0),
        "empty": features.get("root.empty", 0.0),
        "echo": features.get("root.echo", 0.0),
        "target": features.get("target.bad", 0.0),
        "score": max(-10.0, min(10.0, best.score)) / max(1, len(reading.question.words)),
        "fuzzy": float(any(name in features for name in ("e.fuzzy", "e.part", "e.end"))),
    }


def confidence(weights: Weights, reading: Reading) -> float:
    """The calibrated probability that the best program is what was asked, in [0, 1]."""
    said = evidence(reading)
    return 1.0 / (
        1.0 + math.exp(-sum(weights.calibration.get(name, 0.0) * value for name, value in said.items()))
    )


def _read(reading: Reading, best: Candidate) -> list[float]:
    """How well the program accounts for each word that carries meaning: 0 not at all, 1 by its form."""
    quality: dict[int, float] = {}
    stack = [best.part]
    while stack:
        part = stack.pop()
        if not part.parts and part.anchored:
            alike = next((value for name, value in part.features if name.endswith(".similar")), 1.0)
            for word in range(*part.anchored):
                quality[word] = min(1.0, max(0.05, (alike - _UNLIKE) / (1.0 - _UNLIKE)))
        stack.extend(part.parts)
    content = [n for n, word in enumerate(reading.question.words) if word.text not in STOP]
    return [quality.get(n, 0.0) for n in content]


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
