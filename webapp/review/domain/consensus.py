"""Consensus: the current annotations of an item, whether they agree, and the state of the item that follows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from webapp.api.errors import ConflictError
from webapp.review.domain import counters
from webapp.review.domain.annotation import Annotation, VerdictData
from webapp.review.models import Accord, Item, ItemState

_ANNOTATIONS = """
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


def lock_item(item: Item | int | QuerySet[Item]) -> Item:
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


def load_annotations(items: Iterable[int]) -> dict[int, list[Annotation]]:
    """The current annotations of some items, by item, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_ANNOTATIONS, [list(items)])
        rows = cursor.fetchall()
    by_item: dict[int, dict[int, tuple[str, int | None, int, UUID]]] = defaultdict(dict)
    verdicts: dict[int, list[VerdictData]] = defaultdict(list)
    for item, current, analyst_id, event, name, candidate, kind, reasons, comment in rows:
        by_item[item].setdefault(current, (name, analyst_id, current, event))
        if kind is not None:
            codes = json.loads(reasons) if isinstance(reasons, str) else reasons
            verdicts[current].append(VerdictData(candidate, kind, tuple(codes), comment))
    return {
        item: [Annotation(*head, tuple(verdicts[current])) for current, head in heads.items()]
        for item, heads in by_item.items()
    }


def load_item_annotations(item: Item) -> list[Annotation]:
    """The current annotations of one item, oldest first."""
    return load_annotations([item.pk]).get(item.pk, [])


def compute_accord(current: Sequence[Annotation]) -> str:
    """Whether all say the same of every path that two of them judged, and of the question."""
    if not current:
        return Accord.NONE
    for first, second in combinations(current, 2):
        a, b = first.kinds, second.kinds
        if first.broken != second.broken or any(a[key] != b[key] for key in a.keys() & b.keys()):
            return Accord.SPLIT
    return Accord.UNANIMOUS


def compute_state(current: Sequence[Annotation], overlap: int) -> str:
    """Open until so many have annotated it; broken when most of them say so."""
    if len(current) < overlap:
        return ItemState.OPEN
    return ItemState.BROKEN if 2 * sum(annotation.broken for annotation in current) > len(current) else ItemState.DONE


def update_item(item: Item, before: Sequence[Annotation], after: Sequence[Annotation], *, by: str) -> Item:
    """Store what follows from a change of its annotations. The item's row is locked, and nothing decided it.

    Args:
        item: with its queue.
        before, after: its annotations.
        by: who brought the change.
    """
    old = counters.count_item(item, before)
    apply(item, after)
    item.save(update_fields=["submitted", "state", "accord", "version"])
    counters.add(item.queue_id, by, old, counters.count_item(item, after))
    return item


def apply(item: Item, current: Sequence[Annotation]) -> None:
    """Set what follows from an item's annotations; its row is not stored."""
    item.submitted = len(current)
    item.accord = compute_accord(current)
    item.state = compute_state(current, item.queue.overlap)
    item.version += 1


def save_items(items: Sequence[Item]) -> None:
    """Store what follows from the annotations of some items, in one statement."""
    columns = ("pk", "submitted", "state", "accord", "version", "shown")
    values = [[getattr(item, column) for item in items] for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(_STORE, values)
