"""Figures of a queue: progress, by person, and agreement. Counted by the database, so that no verdict is fetched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Count, Max

from webapp.review import agreement
from webapp.review.models import ItemState, Queue, Standing

_STANDING = """
    SELECT v.candidate_id, v.kind, s.analyst_name
    FROM review_standing t
    JOIN review_submission s ON s.id = t.submission_id
    JOIN review_verdict v ON v.submission_id = s.id AND v.candidate_id IS NOT NULL
    WHERE t.queue_id = %s
"""
_PATTERNS = f"""
    SELECT rational, refused, unsure, count(*) FROM (
        SELECT count(*) FILTER (WHERE kind = 'rational') AS rational,
               count(*) FILTER (WHERE kind = 'not-rational') AS refused,
               count(*) FILTER (WHERE kind = 'unsure') AS unsure
        FROM ({_STANDING}) AS said GROUP BY candidate_id HAVING count(*) > 1
    ) AS counted GROUP BY 1, 2, 3
"""
_PAIRS = f"""
    WITH said AS MATERIALIZED ({_STANDING})
    SELECT a.analyst_name, b.analyst_name, a.kind, b.kind, count(*)
    FROM said a JOIN said b ON b.candidate_id = a.candidate_id AND a.analyst_name < b.analyst_name
    GROUP BY 1, 2, 3, 4
"""


def progress(queue: Queue) -> dict[str, int]:
    """Items by state."""
    counted = dict(queue.rows.order_by().values_list("state").annotate(n=Count("pk")))
    return {state: counted.get(state, 0) for state in ItemState.values}


def people(queue: Queue) -> list[dict[str, Any]]:
    """Who judged how many items, most first, and when last."""
    rows = (
        Standing.objects.filter(queue=queue)
        .values("submission__analyst_name")
        .annotate(judged=Count("pk"), last=Max("submission__at"))
        .order_by("-judged", "submission__analyst_name")
    )
    return [
        {"analyst": row["submission__analyst_name"], "judged": row["judged"], "last": row["last"]}
        for row in rows
    ]


def statistics(queue: Queue) -> dict[str, Any]:
    """Progress, people and agreement of a queue; agreement is None where no two analysts judged the same."""
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    if queue.overlap > 1 or _more_than_one(queue):
        for one, other, a, b, n in _rows(_PAIRS, queue):
            found[one, other][a, b] = n
    all_pairs: dict[tuple[str, str], int] = defaultdict(int)
    for counts in found.values():
        for kinds, n in counts.items():
            all_pairs[kinds] += n
    patterns = {tuple(row[:3]): row[3] for row in _rows(_PATTERNS, queue)} if found else {}
    return {
        "progress": progress(queue),
        "people": people(queue),
        "agreement": {
            "paths": sum(patterns.values()),
            "percent": agreement.percent(all_pairs),
            "alpha": agreement.krippendorff_alpha(patterns),
        },
        "pairs": [
            {
                "analysts": [one, other],
                "paths": sum(counts.values()),
                "percent": agreement.percent(counts),
                "kappa": agreement.cohen_kappa(counts),
            }
            for (one, other), counts in sorted(found.items())
        ],
    }


def _more_than_one(queue: Queue) -> bool:
    """Whether some item has more judgements than the queue asks for."""
    return queue.rows.filter(submitted__gt=1).exists()


def _rows(sql: str, queue: Queue) -> Sequence[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [queue.pk])
        return list(cursor.fetchall())
