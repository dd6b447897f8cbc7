"""At most N of 100 answers wrong: the confidence from which answers keep such a limit, with a finite-sample bound.

Split fixed-sequence testing (Angelopoulos et al., Learn then Test, arXiv 2110.01052, of selective risk as in Geifman
and El-Yaniv 2017): one half of the calibration questions proposes thresholds and their order, the other half tests one
after the other until the first fails. A test is an exact binomial one, so a threshold that passes has an upper
Clopper-Pearson bound of at most the limit. With a probability of ``CERTAINTY`` the answers from the threshold on are
wrong no more often than the limit, on questions drawn as the calibration questions were. Conformal Path Reasoning
(arXiv 2605.08077) bounds the share of questions whose set of answers lacks a right one instead, and never declines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from retrieval.errors import ConfigError

CERTAINTY = 0.9
LEAST, MOST = 1, 50
"""Limits that can be asked for: answers that may be wrong, of 100."""
LEVEL = 0.95
"""Of the interval around a share that was measured."""
_THRESHOLDS = 20
KEPT, BROKEN, UNCLEAR, NOTHING = HELD = ("kept", "broken", "unclear", "nothing answered")


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """How a calibration question was answered.

    Attributes:
        confidence: in [0, 1]; None where nothing was answered.
        right: the whole answer set and nothing else.
        reviewed: a person said what is right; else the question was written from the graph's schema.
    """

    confidence: float | None
    right: bool
    reviewed: bool = False


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What a calibration found for a limit.

    Attributes:
        at_most_wrong: of 100 answers.
        threshold: confidence from which answers are given; None where no tested one keeps the limit.
        questions: that were asked for it.
        reviewed: of these, those whose answers a person knows.
        tested: questions of the half that tested.
        answered: of these, those answered from the threshold on.
        wrong: of these, those answered wrongly.
        needed: answers of the testing half that suffice if all are right.
    """

    at_most_wrong: int
    threshold: float | None
    questions: int
    reviewed: int
    tested: int
    answered: int
    wrong: int
    needed: int

    @property
    def too_few(self) -> bool:
        """Whether there are too few questions to show the limit kept, even if all were answered rightly."""
        return self.tested < self.needed


def check_limit(at_most_wrong: int) -> None:
    """Refuse a limit that makes no sense.

    Raises:
        ConfigError: it is not a number from ``LEAST`` to ``MOST``.
    """
    if not LEAST <= at_most_wrong <= MOST:
        raise ConfigError(
            f"At most {at_most_wrong} wrong of 100 answers cannot be guaranteed.",
            hint=f"Choose a number from {LEAST} to {MOST}; none at all is never certain.",
        )


def find_guarantee(answers: Sequence[CalibrationAnswer], at_most_wrong: int) -> Guarantee:
    """The lowest confidence from which answers keep the limit, as far as calibration shows.

    Args:
        answers: in random order; every second one tests.
        at_most_wrong: of 100 answers.

    Raises:
        ConfigError: the limit is out of range.
    """
    check_limit(at_most_wrong)
    limit, level = at_most_wrong / 100, 1 - CERTAINTY
    proposing, testing = answers[::2], answers[1::2]
    values = sorted({answer.confidence for answer in proposing if answer.confidence is not None})
    places = np.unique(np.linspace(0, len(values) - 1, min(_THRESHOLDS, len(values))).round().astype(int))
    likeliest = sorted((_compute_p(proposing, values[i], limit), -values[i]) for i in places.tolist())
    threshold: float | None = None
    for _, negated in likeliest:
        if _compute_p(testing, -negated, limit) > level:
            break
        threshold = -negated if threshold is None else min(threshold, -negated)
    answered, wrong = (0, 0) if threshold is None else count_answers(testing, threshold)
    return Guarantee(
        at_most_wrong=at_most_wrong,
        threshold=threshold,
        questions=len(answers),
        reviewed=sum(answer.reviewed for answer in answers),
        tested=len(testing),
        answered=answered,
        wrong=wrong,
        needed=math.ceil(math.log(level) / math.log(1 - limit)),
    )


def count_answers(answers: Sequence[CalibrationAnswer], threshold: float) -> tuple[int, int]:
    """How many are given from a threshold on, and how many of these are wrong."""
    kept = [answer.right for answer in answers if answer.confidence is not None and answer.confidence >= threshold]
    return len(kept), kept.count(False)


def compute_bounds(wrong: int, answered: int) -> tuple[float, float]:
    """The 95% Clopper-Pearson interval of a share; 0 to 1 where nothing was counted."""
    from scipy.special import betaincinv  # noqa: PLC0415 - takes a while to load

    tail = (1 - LEVEL) / 2
    low = float(betaincinv(wrong, answered - wrong + 1, tail)) if wrong else 0.0
    high = float(betaincinv(wrong + 1, answered - wrong, 1 - tail)) if wrong < answered else 1.0
    return low, high


def verify_guarantee(guarantee: Guarantee, answers: Sequence[CalibrationAnswer]) -> dict[str, Any]:
    """Whether answers to other questions keep a limit, as plain JSON.

    Returns:
        The guarantee's fields, and ``{measured: {n, answered, wrong, share, low, high, held}}``: of the
        questions those answered from the threshold on, and the 95% interval of the share that is wrong. ``held`` is
        ``kept``; ``broken`` where all of the interval is above the limit, ``unclear`` where only the share is, which
        may be chance; ``nothing answered`` without an answer.
    """
    answered, wrong = (0, 0) if guarantee.threshold is None else count_answers(answers, guarantee.threshold)
    low, high = compute_bounds(wrong, answered)
    limit = guarantee.at_most_wrong / 100
    held = NOTHING if not answered else KEPT if wrong <= limit * answered else BROKEN if low > limit else UNCLEAR
    measured = {
        "n": len(answers),
        "answered": answered,
        "wrong": wrong,
        "share": wrong / answered if answered else None,
        "low": low,
        "high": high,
        "held": held,
    }
    return {**asdict(guarantee), "too_few": guarantee.too_few, "measured": measured}


def _compute_p(answers: Sequence[CalibrationAnswer], threshold: float, limit: float) -> float:
    """How probable so few wrong answers from a threshold on are, if as many as the limit were wrong; 1 without any."""
    from scipy.special import bdtr  # noqa: PLC0415 - as above

    answered, wrong = count_answers(answers, threshold)
    return float(bdtr(wrong, answered, limit)) if answered else 1.0
