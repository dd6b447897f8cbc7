"""How unsure a question's candidates are, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

BORDER = 0.5


def compute_uncertainty(
    candidates: Sequence[tuple[str, Mapping[int, float]]], voters: Mapping[int, str]
) -> tuple[float, str]:
    """How much an item needs a person, in [0, 1], and the reason in words.

    The largest over its candidates of two: how near its mean score lies to the border of 0.5
    (``1 - 2 |score - 0.5|``), and how evenly the label sets split over it (``1 - |2 p - 1|``, where ``p`` is
    the share of those that know a path for the question which hold this one).

    Args:
        candidates: per candidate, its name and its score by label set (of those that hold it).
        voters: name of each label set that holds a path of this question.
    """
    if not candidates:
        return 0.0, "No label set has a path for it."
    best, reason = -1.0, ""
    for name, scores in candidates:
        mean = sum(scores.values()) / len(scores)
        near = 1 - 2 * abs(mean - BORDER)
        split = 1 - abs(2 * len(scores) / len(voters) - 1)
        if max(near, split) <= best:
            continue
        best = max(near, split)
        if split >= near and split > 0:
            yes = ", ".join(voters[key] for key in voters if key in scores)
            no = ", ".join(voters[key] for key in voters if key not in scores)
            reason = f"The sources disagree on “{name}”: for it {yes}; without it {no}."
        elif near > 0:
            reason = f"“{name}” scores {mean:.2f}, {abs(mean - BORDER):.2f} from the border of {BORDER}."
        else:
            reason = "Nothing is in doubt: the sources agree, and no score is near the border."
    return best, reason
