"""The likeliest of all outcomes of a question, with how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval import thresholds
from retrieval.answering.fusion.features import QuestionContext, Signs, compute_signs

if TYPE_CHECKING:
    from retrieval.answering.fusion.model import OutcomeChoice
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.programs.understanding import Understanding


@dataclass(frozen=True, slots=True)
class Chosen:
    """What answers a question.

    Attributes:
        outcome: what it gives, and by which programs and relation paths.
        sure: how likely it is what was asked, in [0, 1], calibrated.
    """

    outcome: CandidateOutcome
    sure: float

    def is_program(self, read: Understanding) -> bool:
        """Whether a program shows it: no relation path says the same, or not all of it."""
        programs = self.outcome.programs
        return bool(programs) and not (self.outcome.by_paths and read.select_meaning(programs[0], self.sure).is_path)

    def read_as(self, read: Understanding) -> Understanding:
        """What was read, with the program that gives this as what was asked."""
        return read.select_meaning(self.outcome.programs[0], self.sure)


def select_outcome(
    context: QuestionContext,
    outcomes: Sequence[CandidateOutcome],
    choice: OutcomeChoice,
    log_odds: Mapping[int, float],
    least: float = thresholds.OUTCOME,
) -> Chosen | None:
    """What answers, where it is at least so likely; see :func:`compute_signs`."""
    outcome_signs = compute_signs(context, outcomes, log_odds)
    if not outcome_signs:
        return None
    best, sure = find_likeliest(
        outcome_signs, [choice.compute_probability(candidate_signs) for candidate_signs in outcome_signs]
    )
    return Chosen(outcomes[best], round(sure, 6)) if sure >= least else None


def find_likeliest(outcome_signs: Sequence[Signs], likely: Sequence[float]) -> tuple[int, float]:
    """The position of the likeliest outcome, of equally likely ones the first, and how likely it is.

    Relation paths of several steps that are surely read go before what is likelier: weights that were fitted without
    any set of such questions did not know how much surer they are than programs that leave words out.

    Args:
        outcome_signs: the signs of each outcome; at least one.
        likely: how likely each is what was asked.
    """
    most = max(likely)
    least = thresholds.PATH_SHARE * most
    surely = next(
        (
            position
            for position, candidate_signs in enumerate(outcome_signs)
            if likely[position] >= least and _is_surely_walked(candidate_signs)
        ),
        None,
    )
    return (likely.index(most) if surely is None else surely), most


def _is_surely_walked(outcome_signs: Signs) -> bool:
    sure = (
        outcome_signs["support"] > thresholds.PATH_WORDS_READ
        and outcome_signs.get("path.by all.score", 0.0) > thresholds.PATH_PROBABILITY
    )
    return sure and outcome_signs.get("path.steps", 0.0) > 1.0
