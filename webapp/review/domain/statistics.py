"""Figures of a queue: progress, by person, agreement, reasons. Read from the counters: no verdict is counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count
from django.utils import timezone

from webapp.review.domain import agreement, counters
from webapp.review.domain.counters import Key
from webapp.review.models import Accord, ItemState, Queue, Reason, Reservation


def progress(queue: Queue) -> dict[str, int]:
    """Items by state."""
    return _progress(queue, counters.read(queue.pk, what="state"))


def _progress(queue: Queue, counts: Counter[Key]) -> dict[str, int]:
    complete = {state: counts["state", state.value] for state in (ItemState.DONE, ItemState.BROKEN)}
    return {"open": queue.items - sum(complete.values()), **{str(k): n for k, n in complete.items()}}


def statistics(queue: Queue) -> dict[str, Any]:
    """Progress, people and agreement of a queue; agreement is None where no two analysts judged the same."""
    counts = counters.read(queue.pk)
    pairs = _pairs(counts)
    everyone: Counter[tuple[str, str]] = Counter()
    for pair in pairs.values():
        everyone.update(pair)
    patterns = {tuple(map(int, key[1:])): n for key, n in _of(counts, "path").items()}
    raters = agreement.usual_raters(patterns)
    return {
        "progress": _progress(queue, counts),
        "people": _people(queue, counts),
        "agreement": {
            "paths": sum(patterns.values()),
            "percent": agreement.percent(everyone),
            "alpha": agreement.krippendorff_alpha(patterns),
            "fleiss": agreement.fleiss_kappa(patterns, raters),
            "raters": raters,
        },
        "pairs": [
            {
                "analysts": list(names),
                "paths": sum(pair.values()),
                "percent": agreement.percent(pair),
                "kappa": agreement.cohen_kappa(pair),
            }
            for names, pair in sorted(pairs.items())
        ],
        "reasons": {code: counts["reason", code] for code in Reason.values},
        "unanimous": counts["accord", Accord.UNANIMOUS.value],
        "disagreements": counts["accord", Accord.SPLIT.value],
        "settled": counts["settled",],
        "adjudicated": counts["adjudicated",],
    }


def _of(counts: Counter[Key], what: str) -> dict[Key, int]:
    return {key: n for key, n in counts.items() if key[0] == what}


def _pairs(counts: Counter[Key]) -> dict[tuple[str, str], dict[tuple[str, str], int]]:
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    for (_, one, other, kind, also), n in _of(counts, "pair").items():
        found[str(one), str(other)][str(kind), str(also)] = n
    return found


def _people(queue: Queue, counts: Counter[Key]) -> list[dict[str, Any]]:
    """Who judged how many items, most first, when they last did something, and how many they have before them."""
    live = Reservation.objects.filter(queue=queue, until__gt=timezone.now())
    held = dict(live.values_list("analyst__username").annotate(n=Count("pk")))
    last = counters.last_changed(queue.pk)
    names = {str(key[1]) for key in _of(counts, "judged")} | held.keys()
    people = [
        {
            "analyst": name,
            "judged": counts["judged", name],
            "last": last.get(name),
            "reserved": held.get(name, 0),
        }
        for name in names
    ]
    return sorted(people, key=lambda one: (-int(one["judged"]), one["analyst"]))
