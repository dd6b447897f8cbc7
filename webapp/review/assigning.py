"""Who has which item before them: the next one, kept for a while, or given back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from webapp.accounts.models import User
from webapp.review.models import Item, ItemState, Queue, Reservation, Standing

HELD_FOR = timedelta(minutes=15)
"""How long an item is kept for who has it before them; each look at it begins anew."""


def next_item(*, queue: Queue, user: User, holding: Sequence[int] = ()) -> Item | None:
    """Reserve the next item for an analyst: one that they hold already, else the first that needs a judgement.

    Args:
        queue: which is filled.
        user: the analyst.
        holding: items that the analyst has before them; another one is wanted.

    Raises:
        ConflictError: the queue is not filled yet.
    """
    queue.require_done()
    passed = list(holding)
    waiting = _waiting(queue, user)
    mine = waiting.filter(reservations__analyst=user, reservations__until__gt=timezone.now())
    held = mine.exclude(pk__in=passed).order_by("position").first()
    if held is not None:
        reserve(item=held, user=user)
        return held
    while True:
        with transaction.atomic():
            _need_not_last()
            # Who judges or takes an item locks its row, so one that is locked is not free.
            item = (
                waiting.exclude(pk__in=passed)
                .annotate(held=_held_by_others(user))
                .filter(held__lt=queue.overlap - F("submitted"))
                .select_for_update(skip_locked=True)
                .order_by("position")
                .first()
            )
            if item is None:
                return None
            if _is_free(item, user, queue.overlap):
                reserve(item=item, user=user)
                return item
        passed.append(item.pk)


def _need_not_last() -> None:
    """A reservation lost in a crash of the database costs no verdict: its commit does not wait for the disk."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def _is_free(item: Item, user: User, overlap: int) -> bool:
    """Look again: the row was chosen by what stood there before it was locked."""
    now = Item.objects.filter(pk=item.pk, state=ItemState.OPEN).annotate(held=_held_by_others(user))
    return now.filter(held__lt=overlap - F("submitted")).exists()


def _waiting(queue: Queue, user: User) -> QuerySet[Item]:
    """Open items that the analyst has not judged."""
    judged = Standing.objects.filter(item=OuterRef("pk"), analyst=user)
    return Item.objects.filter(~Exists(judged), queue=queue, state=ItemState.OPEN)


def _held_by_others(user: User) -> Coalesce:
    live = Reservation.objects.filter(item=OuterRef("pk"), until__gt=timezone.now()).exclude(analyst=user)
    return Coalesce(Subquery(live.values("item").annotate(n=Count("pk")).values("n")), 0)


def reserve(*, item: Item, user: User) -> None:
    """Keep an item for an analyst, from now on."""
    row = Reservation(queue_id=item.queue_id, item_id=item.pk, analyst=user, until=timezone.now() + HELD_FOR)
    Reservation.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["item", "analyst"], update_fields=["until"]
    )


def release(*, item: Item, user: User) -> None:
    """Give an item back, so that others get it at once."""
    Reservation.objects.filter(item=item, analyst=user).delete()
