"""How far analysts agree, from counts of what they said.

Nominal categories; ``unsure`` is one of them. Formulas: Cohen (1960) for kappa, Krippendorff, "Computing
Krippendorff's Alpha-Reliability" (2011), section C, for alpha.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def percent(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Share of units two raters put into the same category, in [0, 1]; None without a unit.

    Args:
        pairs: how many units got (category of one rater, category of the other).
    """
    total = sum(pairs.values())
    return sum(n for (a, b), n in pairs.items() if a == b) / total if total else None


def cohen_kappa(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of two raters, in [-1, 1]; None when both used one category only, or saw nothing.

    Args:
        pairs: how many units got (category of one rater, category of the other).
    """
    total = sum(pairs.values())
    observed = percent(pairs)
    if observed is None:
        return None
    one: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for (a, b), n in pairs.items():
        one[a] += n
        other[b] += n
    chance = sum(one[name] * other[name] for name in one) / total**2
    return (observed - chance) / (1 - chance) if chance < 1 else None


def krippendorff_alpha(patterns: Mapping[tuple[int, ...], int]) -> float | None:
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
