"""What stands on an item: who says what of it now, and what the item says of itself because of that."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from webapp.api.errors import ConflictError
from webapp.review import counting
from webapp.review.models import Accord, Item, ItemState
from webapp.review.opinions import Opinion, Said

_OPINIONS = """
    SELECT t.item_id, t.id, t.analyst_id, s.id, s.analyst_name, v.candidate_id, v.kind, v.reasons, v.comment
    FROM review_standing t
    JOIN review_submission s ON s.id = t.submission_id
    LEFT JOIN review_verdict v ON v.submission_id = s.id
    WHERE t.item_id = ANY(%s)
    ORDER BY t.item_id, s.at, t.id, v.id
"""
_STORE = """
    UPDATE review_item i
    SET submitted = v.submitted, state = v.state, accord = v.accord, version = v.version, shown = v.shown
    FROM unnest(%s::bigint[], %s::int[], %s::text[], %s::text[], %s::int[], %s::text[])
        AS v(id, submitted, state, accord, version, shown)
    WHERE i.id = v.id
"""


class DecidedError(ConflictError):
    """The item was adjudicated, or what all agree on was accepted."""

    code = "decided"

    def __init__(self, item: Item) -> None:
        super().__init__(
            "This question was decided meanwhile, and takes no more verdicts.",
            hint="Go on with the next one; an adjudication can be made again, an acceptance taken back.",
        )
        self.item = item


def locked(item: Item | int | QuerySet[Item]) -> Item:
    """The item with its queue, its row locked until the transaction ends.

    Args:
        item: or its id, or rows that hold it and no other.

    Raises:
        Item.DoesNotExist: it is gone.
    """
    if not isinstance(item, QuerySet):
        item = Item.objects.filter(pk=item.pk if isinstance(item, Item) else item)
    return item.select_for_update(of=("self",)).select_related("queue").get()


def require_undecided(item: Item) -> None:
    """Refuse to change what was decided.

    Raises:
        DecidedError: it was.
    """
    if item.settled or item.adjudicated_id is not None:
        raise DecidedError(item)


def opinions(items: Iterable[int]) -> dict[int, list[Opinion]]:
    """What stands on some items, by item, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_OPINIONS, [list(items)])
        rows = cursor.fetchall()
    found: dict[int, dict[int, tuple[str, int | None, int, UUID]]] = defaultdict(dict)
    said: dict[int, list[Said]] = defaultdict(list)
    for item, standing, analyst_id, event, name, candidate, kind, reasons, comment in rows:
        found[item].setdefault(standing, (name, analyst_id, standing, event))
        if kind is not None:
            codes = json.loads(reasons) if isinstance(reasons, str) else reasons
            said[standing].append(Said(candidate, kind, tuple(codes), comment))
    return {
        item: [Opinion(*head, tuple(said[standing])) for standing, head in heads.items()]
        for item, heads in found.items()
    }


def of_item(item: Item) -> list[Opinion]:
    """What stands on one item, oldest first."""
    return opinions([item.pk]).get(item.pk, [])


def accord(held: Sequence[Opinion]) -> str:
    """Whether all say the same of every path that two of them judged, and of the question."""
    if not held:
        return Accord.NONE
    for one, other in combinations(held, 2):
        a, b = one.kinds, other.kinds
        if one.broken != other.broken or any(a[key] != b[key] for key in a.keys() & b.keys()):
            return Accord.SPLIT
    return Accord.UNANIMOUS


def state(held: Sequence[Opinion], overlap: int) -> str:
    """Open until so many stand by theirs; broken when most of them say so."""
    if len(held) < overlap:
        return ItemState.OPEN
    return ItemState.BROKEN if 2 * sum(one.broken for one in held) > len(held) else ItemState.DONE


def settle(item: Item, before: Sequence[Opinion], after: Sequence[Opinion], *, by: str) -> Item:
    """Store what follows from a change of what stands. The item's row is locked, and nothing decided it.

    Args:
        item: with its queue.
        before, after: what stood on it, and what stands now.
        by: who brought the change.
    """
    old = counting.of_item(item, before)
    describe(item, after)
    item.save(update_fields=["submitted", "state", "accord", "version"])
    counting.add(item.queue_id, by, old, counting.of_item(item, after))
    return item


def describe(item: Item, held: Sequence[Opinion]) -> None:
    """Set what an item says of itself from what stands; its row is not stored."""
    item.submitted = len(held)
    item.accord = accord(held)
    item.state = state(held, item.queue.overlap)
    item.version += 1


def store(items: Sequence[Item]) -> None:
    """Store what some items say of themselves, in one statement."""
    columns = ("pk", "submitted", "state", "accord", "version", "shown")
    values = [[getattr(item, column) for item in items] for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(_STORE, values)
