"""Figures of a queue: progress, by person, agreement, reasons. Read from the counters: no verdict is counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count
from django.utils import timezone

from webapp.review.domain import agreement, counters
from webapp.review.domain.counters import Key
from webapp.review.models import Accord, ItemState, Queue, Reason, Reservation


def count_items_by_state(queue: Queue) -> dict[str, int]:
    """Items by state."""
    return _count_states(queue, counters.read(queue.pk, what="state"))


def _count_states(queue: Queue, counts: Counter[Key]) -> dict[str, int]:
    complete = {state: counts["state", state.value] for state in (ItemState.DONE, ItemState.BROKEN)}
    return {"open": queue.items - sum(complete.values()), **{str(k): n for k, n in complete.items()}}


def compute_statistics(queue: Queue) -> dict[str, Any]:
    """Progress, people and agreement of a queue; agreement is None where no two analysts judged the same."""
    counts = counters.read(queue.pk)
    pairs = _collect_pairs(counts)
    everyone: Counter[tuple[str, str]] = Counter()
    for pair in pairs.values():
        everyone.update(pair)
    patterns = {tuple(map(int, key[1:])): n for key, n in _select_counts(counts, "path").items()}
    raters = agreement.find_usual_raters(patterns)
    return {
        "progress": _count_states(queue, counts),
        "people": _list_people(queue, counts),
        "agreement": {
            "paths": sum(patterns.values()),
            "percent": agreement.compute_percent(everyone),
            "alpha": agreement.compute_krippendorff_alpha(patterns),
            "fleiss": agreement.compute_fleiss_kappa(patterns, raters),
            "raters": raters,
        },
        "pairs": [
            {
                "analysts": list(names),
                "paths": sum(pair.values()),
                "percent": agreement.compute_percent(pair),
                "kappa": agreement.compute_cohen_kappa(pair),
            }
            for names, pair in sorted(pairs.items())
        ],
        "reasons": {code: counts["reason", code] for code in Reason.values},
        "unanimous": counts["accord", Accord.UNANIMOUS.value],
        "disagreements": counts["accord", Accord.SPLIT.value],
        "settled": counts["settled",],
        "adjudicated": counts["adjudicated",],
    }


def _select_counts(counts: Counter[Key], what: str) -> dict[Key, int]:
    return {key: n for key, n in counts.items() if key[0] == what}


def _collect_pairs(counts: Counter[Key]) -> dict[tuple[str, str], dict[tuple[str, str], int]]:
    pairs: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    for (_, first, second, kind, also), n in _select_counts(counts, "pair").items():
        pairs[str(first), str(second)][str(kind), str(also)] = n
    return pairs


def _list_people(queue: Queue, counts: Counter[Key]) -> list[dict[str, Any]]:
    """Who judged how many items, most first, when they last did something, and how many they have before them."""
    live = Reservation.objects.filter(queue=queue, until__gt=timezone.now())
    held = dict(live.values_list("analyst__username").annotate(n=Count("pk")))
    last = counters.get_last_changes(queue.pk)
    names = {str(key[1]) for key in _select_counts(counts, "judged")} | held.keys()
    people = [
        {
            "analyst": name,
            "judged": counts["judged", name],
            "last": last.get(name),
            "reserved": held.get(name, 0),
        }
        for name in names
    ]
    return sorted(people, key=lambda person: (-int(person["judged"]), person["analyst"]))
