"""Diagnosis of methods that explore: by what they touched, and by what a larger budget brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.limits import MAX_BUDGET

if TYPE_CHECKING:
    from retrieval.diagnosis.case import Case

LARGER = (4, 16)
"""Times the budget that is tried."""


def explain_loss(case: Case, hops: int | None) -> WhyNot:
    """Where a search that steps from entity to entity loses the expected answer.

    Args:
        hops: from the nearest topic; None where nothing leads there.
    """
    topics = " and ".join(linked.entity.label for linked in case.record.linked)
    if hops is None:
        return case.build_diagnosis(LostAt.FACT, f"Nothing leads from {topics} to {case.name}: a fact is missing.", [])
    case.add_check(LostAt.HOPS, f"{case.name} is {hops} {'hop' if hops == 1 else 'hops'} from {topics}.")
    larger = _propose_budget(case)
    if larger is not None and larger.trial is not None and larger.trial.works:
        summary = f"The budget of {case.request.budget} facts was used up before {case.name} was reached."
        return case.build_diagnosis(LostAt.BUDGET, summary, [larger])
    if case.node in case.record.touched:
        case.add_check(LostAt.WINDOW, f"{case.name} was found on the way.")
        return case.build_diagnosis(
            LostAt.RANK, f"{case.name} was found, and something else was thought more likely.", []
        )
    summary = f"The search never looked at {case.name}: other facts seemed nearer to the question."
    return case.build_diagnosis(LostAt.WINDOW, summary, [] if larger is None else [larger])


def _propose_budget(case: Case) -> Remedy | None:
    """The smallest of some larger budgets that brings the expected answer; the largest where none does."""
    last = None
    for times in LARGER:
        budget = min(MAX_BUDGET, case.request.budget * times)
        if budget <= case.request.budget:
            break
        trial = case.run_trial(budget=budget)
        last = Remedy("budget", f"Allow {budget:,} facts instead of {case.request.budget:,}.", trial, budget=budget)
        if trial is not None and trial.works:
            return last
    return last
