"""Answers under a limit: at most so many of 100 may be wrong."""

from __future__ import annotations

from dataclasses import replace

from retrieval.events import AnswerFinal
from retrieval.metrics.guarantee import Guarantee
from retrieval.results import AnswerLimit

NOT_SURE_ENOUGH = "Not sure enough for your limit of at most {n} wrong of 100 answers: this is the best guess."


def apply_limit(final: AnswerFinal, at_most_wrong: int, guarantee: Guarantee | None) -> AnswerFinal:
    """The end of a run under a limit: answers below its threshold are marked as guesses.

    Args:
        at_most_wrong: of 100 answers.
        guarantee: what calibration found for what answered; None: it was not calibrated, so nothing is sure enough.
    """
    confidence = final.confidence
    if confidence is None:
        return final
    threshold = None if guarantee is None else guarantee.threshold
    withheld = threshold is None or confidence < threshold
    questions = 0 if guarantee is None else guarantee.questions
    limit = AnswerLimit(at_most_wrong, confidence, threshold, questions, withheld)
    if not withheld:
        return replace(final, limit=limit)
    return replace(
        final, answers=tuple(replace(answer, guess=True) for answer in final.answers), sentence=None, limit=limit
    )
