"""Who has which item before them: the next one, kept for a while, or given back.

This is asked for after every submission, while many wait: plain SQL that walks the index of open items and stops at the
first that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from webapp.accounts.models import Role, User
from webapp.review.models import Item, Queue, Reservation

HELD_FOR = timedelta(minutes=15)
"""How long an item is kept for who has it before them; each look at it begins anew."""
FRONT = 500
"""Open items at the head of a queue that are always looked at first."""

_FREE = """
    (SELECT count(*) FROM review_reservation r
     WHERE r.item_id = i.id AND r.until > %(now)s AND r.analyst_id <> %(user)s) < %(overlap)s - i.submitted
"""
_NOT_MINE = "NOT EXISTS (SELECT FROM review_standing t WHERE t.item_id = i.id AND t.analyst_id = %(user)s)"
_HELD = f"""
    SELECT i.* FROM review_item i JOIN review_reservation h ON h.item_id = i.id
    WHERE h.queue_id = %(queue)s AND h.analyst_id = %(user)s AND h.until > %(now)s AND i.state = 'open'
        AND i.id <> ALL(%(passed)s) AND {_NOT_MINE}
    ORDER BY i.position LIMIT 1
"""
_FIRST = f"""
    SELECT i.* FROM review_item i
    WHERE i.queue_id = %(queue)s AND i.state = 'open' AND {{where}}
        AND i.id <> ALL(%(passed)s) AND {_NOT_MINE} AND {_FREE}
    ORDER BY i.position LIMIT 1
"""
_PICK = f"{_FIRST} FOR UPDATE OF i SKIP LOCKED"
# Who is far ahead of the others in a queue with overlap has judged most of what is open: behind the head of the queue
# they go on from where they were, and only then look at what they passed.
_WHERE = (
    """i.id IN (SELECT d.item_id FROM review_draft d
        WHERE d.queue_id = %(queue)s AND d.analyst_id = %(user)s AND d.purpose = 'judgement')""",
    f"""i.position <= (SELECT max(position) FROM (
        SELECT position FROM review_item WHERE queue_id = %(queue)s AND state = 'open'
        ORDER BY position LIMIT {FRONT}) AS head)""",
    """i.position > (SELECT b.position FROM review_submission s JOIN review_item b ON b.id = s.item_id
        WHERE s.queue_id = %(queue)s AND s.analyst_name = %(name)s ORDER BY s.at DESC LIMIT 1)""",
    "true",
)
# The row was chosen by what stood there before it was locked; this looks again.
_RESERVE = f"""
    INSERT INTO review_reservation (queue_id, item_id, analyst_id, until)
    SELECT i.queue_id, i.id, %(user)s, %(until)s FROM review_item i
    WHERE i.id = %(item)s AND i.state = 'open' AND {_NOT_MINE} AND {_FREE}
    ON CONFLICT (item_id, analyst_id) DO UPDATE SET until = EXCLUDED.until
"""


def acquire_next_item(*, queue: Queue, user: User, holding: Sequence[int] = ()) -> Item | None:
    """Reserve the next item for an analyst: one that they hold, else one that they began, else the first open one.

    Args:
        queue: which is filled.
        holding: items that the analyst has before them; another one is wanted.

    Raises:
        ConflictError: the queue is not filled yet.
    """
    queue.require_done()
    now = timezone.now()
    values: dict[str, Any] = {
        "queue": queue.pk,
        "overlap": queue.overlap,
        "user": user.pk,
        "name": user.username,
        "passed": list(holding),
        "now": now,
        "until": now + HELD_FOR,
    }
    held = _query_first(_HELD, values)
    if held is not None:
        claim_item(item=held, user=user)
        return held
    for where in _WHERE:
        while True:
            with transaction.atomic():
                _allow_loss()
                item = _query_first(_PICK.format(where=where), values)
                if item is None:
                    break
                if _insert_reservation(item, values):
                    return item
            values["passed"].append(item.pk)
    return _wait_for_item(values)


def _wait_for_item(values: dict[str, Any]) -> Item | None:
    """Reserve the first free item, although somebody changes it just now.

    Who judges or takes an item locks its row for a moment. In a queue with overlap that takes one of its places, so an
    item that was passed over for it may have another. Only who finds nothing else waits for it.
    """
    while (found := _query_first(_FIRST.format(where="true"), values)) is not None:
        with transaction.atomic():
            _allow_loss()
            item = Item.objects.select_for_update(of=("self",)).filter(pk=found.pk).first()
            if item is not None and _insert_reservation(item, values):
                return item
        values["passed"].append(found.pk)
    return None


def _query_first(sql: str, values: dict[str, Any]) -> Item | None:
    return next(iter(Item.objects.raw(sql, values)), None)


def _insert_reservation(item: Item, values: dict[str, Any]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_RESERVE, {**values, "item": item.pk})
        return bool(cursor.rowcount)


def _allow_loss() -> None:
    """A reservation lost in a crash of the database costs no verdict: its commit does not wait for the disk."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def claim_item(*, item: Item, user: User) -> None:
    """Keep an item for an analyst, from now on."""
    row = Reservation(queue_id=item.queue_id, item_id=item.pk, analyst=user, until=timezone.now() + HELD_FOR)
    Reservation.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["item", "analyst"], update_fields=["until"]
    )


def release(*, item: Item, user: User) -> None:
    """Give an item back, so that others get it at once."""
    Reservation.objects.filter(item=item, analyst=user).delete()


def release_unless_analyst(*, user: User) -> None:
    """Give back all that somebody has before them who may not judge, or not any more."""
    if not user.has_role(Role.ANALYST):
        Reservation.objects.filter(analyst=user).delete()
