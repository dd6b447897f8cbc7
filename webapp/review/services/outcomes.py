"""Outcomes of a question that a person flagged, as that person is told."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from webapp.accounts.models import Role
from webapp.review import selectors
from webapp.review.domain import consensus
from webapp.review.models import Item, ItemState, VerdictKind


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What analysts decided about a question.

    Attributes:
        state: of :class:`ItemState`; until it is complete the rest is empty.
        rational: candidates that most of those who judged them call rational.
        rejected: candidates that most call not rational.
        answers: the right answers, where an analyst named them.
        judges: names of those who judged or decided it.
    """

    state: str
    rational: int = 0
    rejected: int = 0
    answers: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()


def find_outcome(item: Item) -> ReviewOutcome:
    """What became of a question; nothing but its state while analysts still judge it blind."""
    if item.state == ItemState.OPEN:
        return ReviewOutcome(item.state)
    decision = selectors.get_decision(item)
    annotations = [selectors.to_annotation(decision)] if decision is not None else consensus.load_item_annotations(item)
    by_candidate: dict[int | None, list[str]] = defaultdict(list)
    for annotation in annotations:
        for candidate, kind in annotation.kinds.items():
            by_candidate[candidate].append(kind)
    majority = Counter(
        kind for kinds in by_candidate.values() for kind, votes in Counter(kinds).items() if 2 * votes > len(kinds)
    )
    answered = item.answered
    by_analyst = answered is not None and answered.analyst is not None and answered.analyst.has_role(Role.ANALYST)
    return ReviewOutcome(
        item.state,
        majority[VerdictKind.RATIONAL],
        majority[VerdictKind.NOT_RATIONAL],
        tuple(item.answers) if by_analyst else (),
        tuple(sorted({judgement.analyst for judgement in annotations})),
    )
