"""Who has which item before them: the next one, kept for a while, or given back.

The next item is asked for with every submission, so its statements are written out: building them anew each time
takes longer than the database does.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.review.models import Item, Queue, Reservation

HELD_FOR = timedelta(minutes=15)
"""How long an item is kept for who has it before them; each look at it begins anew."""

_WAITING = """
    i.queue_id = %(queue)s AND i.state = 'open' AND i.id <> ALL(%(passed)s)
    AND NOT EXISTS (SELECT FROM review_standing t WHERE t.item_id = i.id AND t.analyst_id = %(user)s)
"""
_FREE = """
    (SELECT count(*) FROM review_reservation r
     WHERE r.item_id = i.id AND r.until > %(now)s AND r.analyst_id <> %(user)s) < %(overlap)s - i.submitted
"""
_HELD = f"""
    SELECT i.* FROM review_reservation mine JOIN review_item i ON i.id = mine.item_id
    WHERE mine.queue_id = %(queue)s AND mine.analyst_id = %(user)s AND mine.until > %(now)s AND {_WAITING}
    ORDER BY i.position LIMIT 1
"""
# Who judges or takes an item locks its row, so one that is locked is not free.
_NEXT = f"""
    SELECT i.* FROM review_item i WHERE {_WAITING} AND {_FREE}
    ORDER BY i.position LIMIT 1 FOR UPDATE OF i SKIP LOCKED
"""
# The row was chosen by what stood there before it was locked, so this looks again.
_TAKE = f"""
    INSERT INTO review_reservation (queue_id, item_id, analyst_id, until)
    SELECT i.queue_id, i.id, %(user)s, %(until)s FROM review_item i
    WHERE i.id = %(item)s AND i.state = 'open' AND {_FREE}
    ON CONFLICT (item_id, analyst_id) DO UPDATE SET until = EXCLUDED.until
"""


def next_item(*, queue: Queue, user: User, holding: Sequence[int] = ()) -> Item | None:
    """Reserve the next item for an analyst: one that they hold already, else the first that needs a judgement.

    Args:
        queue: which is filled.
        user: the analyst, who has judged nothing of what is returned.
        holding: items that the analyst has before them; another one is wanted.

    Raises:
        ConflictError: the queue is not filled yet.
    """
    queue.require_done()
    now = timezone.now()
    known: dict[str, Any] = {
        "queue": queue.pk,
        "user": user.pk,
        "overlap": queue.overlap,
        "passed": list(holding),
    }
    known |= {"now": now, "until": now + HELD_FOR}
    held = _first(_HELD, known)
    if held is not None:
        reserve(item=held, user=user)
        return held
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            # A reservation lost in a crash of the database costs no verdict: its commit does not wait for the disk.
            cursor.execute("SET LOCAL synchronous_commit = off")
            item = _first(_NEXT, known)
            if item is None:
                return None
            cursor.execute(_TAKE, {**known, "item": item.pk})
            if cursor.rowcount:
                return item
        known["passed"].append(item.pk)


def _first(sql: str, known: dict[str, Any]) -> Item | None:
    return next(iter(Item.objects.raw(sql, known)), None)


def reserve(*, item: Item, user: User) -> None:
    """Keep an item for an analyst, from now on."""
    row = Reservation(queue_id=item.queue_id, item_id=item.pk, analyst=user, until=timezone.now() + HELD_FOR)
    Reservation.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["item", "analyst"], update_fields=["until"]
    )


def release(*, item: Item, user: User) -> None:
    """Give an item back, so that others get it at once."""
    Reservation.objects.filter(item=item, analyst=user).delete()
