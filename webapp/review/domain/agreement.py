"""How far analysts agree, from counts of what they said.

Nominal categories; ``unsure`` is one of them. Formulas: Cohen (1960) for kappa, Krippendorff, "Computing
Krippendorff's Alpha-Reliability" (2011), section C, for alpha, Fleiss, "Measuring nominal scale agreement among many
raters" (1971) for his kappa.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def compute_percent(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Share of units two raters put into the same category, in [0, 1]; None without a unit.

    Args:
        pairs: how many units got (category of one rater, category of the other).
    """
    total = sum(pairs.values())
    return sum(n for (a, b), n in pairs.items() if a == b) / total if total else None


def compute_cohen_kappa(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of two raters, in [-1, 1]; None when both used one category only, or saw nothing.

    Args:
        pairs: how many units got (category of one rater, category of the other).
    """
    total = sum(pairs.values())
    observed = compute_percent(pairs)
    if observed is None:
        return None
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (a, b), n in pairs.items():
        first[a] += n
        second[b] += n
    chance = sum(first[name] * second[name] for name in first) / total**2
    return (observed - chance) / (1 - chance) if chance < 1 else None


def compute_krippendorff_alpha(patterns: Mapping[tuple[int, ...], int]) -> float | None:
    """Krippendorff's alpha for nominal data, at most 1; None when nothing varies or nobody shared a unit.

    Args:
        patterns: how many units got these counts of raters by category, in one order of categories.
            Units of fewer than two raters say nothing and are left out.
    """
    size = max(map(len, patterns), default=0)
    totals = [0.0] * size
    disagreed = 0.0
    for counts, units in patterns.items():
        raters = sum(counts)
        if raters < 2:
            continue
        for category, n in enumerate(counts):
            totals[category] += units * n
            disagreed += units * n * (raters - n) / (raters - 1)
    paired = sum(totals)
    expected = paired**2 - sum(n * n for n in totals)
    return 1 - (paired - 1) * disagreed / expected if expected else None


def find_usual_raters(patterns: Mapping[tuple[int, ...], int]) -> int | None:
    """How many raters, at least two, most units have; the larger of equals. None when there is no such unit."""
    units: Counter[int] = Counter()
    for counts, n in patterns.items():
        if sum(counts) > 1:
            units[sum(counts)] += n
    return max(units, key=lambda raters: (units[raters], raters), default=None)


def compute_fleiss_kappa(patterns: Mapping[tuple[int, ...], int], raters: int | None) -> float | None:
    """Fleiss' kappa, at most 1, of units with exactly so many raters; None when nothing varies or there is no unit.

    Args:
        patterns: how many units got these counts of raters by category, in one order of categories.
        raters: how many judged each unit that is counted, at least two.
    """
    of_raters = {counts: units for counts, units in patterns.items() if sum(counts) == raters}
    total = sum(of_raters.values())
    if raters is None or not total:
        return None
    alike = sum(units * sum(n * (n - 1) for n in counts) for counts, units in of_raters.items())
    observed = alike / (total * raters * (raters - 1))
    size = max(map(len, of_raters))
    shares = [
        sum(units * counts[category] for counts, units in of_raters.items() if category < len(counts))
        / (total * raters)
        for category in range(size)
    ]
    chance = sum(share * share for share in shares)
    return (observed - chance) / (1 - chance) if chance < 1 else None
