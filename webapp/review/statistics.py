"""Figures of a queue: progress, by person, agreement, reasons. Read from the tallies, so that no verdict is counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count
from django.utils import timezone

from webapp.review import agreement, counting
from webapp.review.counting import Key
from webapp.review.models import Accord, ItemState, Queue, Reason, Reservation


def progress(queue: Queue) -> dict[str, int]:
    """Items by state."""
    return _progress(queue, counting.read(queue.pk, what="state"))


def _progress(queue: Queue, tallies: Counter[Key]) -> dict[str, int]:
    complete = {state: tallies["state", state.value] for state in (ItemState.DONE, ItemState.BROKEN)}
    return {"open": queue.items - sum(complete.values()), **{str(k): n for k, n in complete.items()}}


def statistics(queue: Queue) -> dict[str, Any]:
    """Progress, people and agreement of a queue; agreement is None where no two analysts judged the same."""
    tallies = counting.read(queue.pk)
    pairs = _pairs(tallies)
    everyone: Counter[tuple[str, str]] = Counter()
    for counts in pairs.values():
        everyone.update(counts)
    patterns = {tuple(map(int, key[1:])): n for key, n in _of(tallies, "path").items()}
    raters = agreement.usual_raters(patterns)
    return {
        "progress": _progress(queue, tallies),
        "people": _people(queue, tallies),
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
                "paths": sum(counts.values()),
                "percent": agreement.percent(counts),
                "kappa": agreement.cohen_kappa(counts),
            }
            for names, counts in sorted(pairs.items())
        ],
        "reasons": {code: tallies["reason", code] for code in Reason.values},
        "unanimous": tallies["accord", Accord.UNANIMOUS.value],
        "disagreements": tallies["accord", Accord.SPLIT.value],
        "settled": tallies["settled",],
        "adjudicated": tallies["adjudicated",],
    }


def _of(tallies: Counter[Key], what: str) -> dict[Key, int]:
    return {key: n for key, n in tallies.items() if key[0] == what}


def _pairs(tallies: Counter[Key]) -> dict[tuple[str, str], dict[tuple[str, str], int]]:
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    for (_, one, other, kind, also), n in _of(tallies, "pair").items():
        found[str(one), str(other)][str(kind), str(also)] = n
    return found


def _people(queue: Queue, tallies: Counter[Key]) -> list[dict[str, Any]]:
    """Who judged how many items, most first, when they last did something, and how many they have before them."""
    live = Reservation.objects.filter(queue=queue, until__gt=timezone.now())
    held = dict(live.values_list("analyst__username").annotate(n=Count("pk")))
    last = counting.last_changed(queue.pk)
    names = {str(key[1]) for key in _of(tallies, "judged")} | held.keys()
    people = [
        {
            "analyst": name,
            "judged": tallies["judged", name],
            "last": last.get(name),
            "reserved": held.get(name, 0),
        }
        for name in names
    ]
    return sorted(people, key=lambda one: (-int(one["judged"]), one["analyst"]))
