"""Which of a study's best figures are more than chance: each is tested against the runner-up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from retrieval.metrics.bootstrap import MEANS
from retrieval.metrics.significance import ALPHA, compute_p_value

Row = Mapping[str, Any]
#: Metrics by question id and name; null where one does not apply.
Values = Mapping[str, Mapping[str, float | None]]

#: Means over the questions, of which more is better, and where a question of a report has them.
TESTED = {name: "f1" if name == "macro_f1" else name for name in MEANS if name != "avg_triples"}
#: What tells the rows of one test set apart.
PLACE = ("train", "variant", "fraction")


def find_winners(rows: Sequence[Row], values_of: Callable[[Row], Sequence[Values]]) -> list[dict[str, Any]]:
    """Test the best mean of each test set and metric against the next one, question by question.

    Args:
        rows: of :func:`retrieval.studies.summary.build_summary`.
        values_of: the questions of a row, of each of its seeds; none where they are not kept.

    Returns:
        ``[{test, metric, train, variant, fraction, runner_up: {train, variant, fraction}, questions, difference, p,
        significant}]``. A question's score is its mean over the seeds. Rows that did not ask the same questions are
        not compared.
    """
    kept: dict[tuple[Any, ...], Sequence[Values]] = {}

    def compute_scores(row: Row, metric: str) -> dict[str, float]:
        key = tuple(row[name] for name in (*PLACE, "test"))
        if key not in kept:
            kept[key] = values_of(row)
        return compute_means(kept[key], metric)

    winners = []
    for test in dict.fromkeys(row["test"] for row in rows):
        for metric in TESTED:
            mine = [row for row in rows if row["test"] == test and metric in row["metrics"]]
            ranked = sorted(mine, key=lambda row: -row["metrics"][metric]["mean"])[:2]
            for best, other in combinations(ranked, 2):
                outcome = compare(compute_scores(other, metric), compute_scores(best, metric))
                if outcome is not None:
                    winners.append(
                        {
                            "test": test,
                            "metric": metric,
                            **{name: best[name] for name in PLACE},
                            "runner_up": {name: other[name] for name in PLACE},
                            **outcome,
                        }
                    )
    return winners


def compute_means(seeds: Sequence[Values], metric: str) -> dict[str, float]:
    """Average a metric of each question over the seeds; of questions that have it with every seed."""
    means = {}
    for question in seeds[0] if seeds else ():
        values = [seed.get(question, {}).get(metric) for seed in seeds]
        known = [value for value in values if value is not None]
        if len(known) == len(seeds):
            means[question] = fmean(known)
    return means


def compare(runner_up: Mapping[str, float], best: Mapping[str, float]) -> dict[str, Any] | None:
    """Compare two systems' scores by question; None where they are of other questions, or of none."""
    if not best or set(best) != set(runner_up):
        return None
    first, second = [runner_up[question] for question in best], list(best.values())
    p = compute_p_value(first, second)
    difference = fmean(second) - fmean(first)
    return {
        "questions": len(best),
        "difference": difference,
        "p": p,
        "significant": p < ALPHA and difference > 0,
    }
