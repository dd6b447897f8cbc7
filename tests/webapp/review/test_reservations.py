"""Who gets which item: reservations, overlap, several analysts at the same moment."""

import threading
import time
import uuid
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.webapp.review.calls import CAPITAL, ITEMS, after, at_once, draft
from webapp.accounts.models import User
from webapp.review.models import Item, Reservation, Submission, Verdict
from webapp.review.services import reservations, submissions


def say(item):
    """All paths of an item are rational."""
    return submissions.NewAnnotation(
        id=uuid.uuid4(),
        version=0,
        shown=item.shown,
        verdicts=tuple(submissions.VerdictData(c.pk, "rational") for c in item.candidates.all()),
    )


def test_repeats_at_the_same_moment_add_nothing(make, users):
    queue = make()
    item = reservations.acquire_next_item(queue=queue, user=users["analyst"])
    said = say(item)
    at_once(8, lambda _: submissions.save_annotation(item=item, user=users["analyst"], annotation=said))
    assert (Submission.objects.count(), Verdict.objects.count()) == (1, 2)
    assert (Item.objects.get(pk=item.pk).version, Item.objects.get(pk=item.pk).submitted) == (1, 1)


@pytest.mark.parametrize("overlap", [1, 2])
def test_analysts_at_once_never_get_more_than_the_overlap(make, overlap):
    people = [User.objects.create_user(f"p{i}", role="analyst") for i in range(6)]
    queue = make([draft(f"q{i}", "Germany", ["Berlin"], (CAPITAL, 1.0)) for i in range(6)], overlap=overlap)
    got = at_once(6, lambda i: reservations.acquire_next_item(queue=queue, user=people[i]))
    taken = sorted(item.position for item in got)
    assert max(taken.count(position) for position in taken) <= overlap
    assert Reservation.objects.count() == 6


@pytest.mark.parametrize(("overlap", "expected"), [(1, [None]), (2, ["q1"])])
def test_an_item_that_is_being_judged_is_waited_for_and_has_the_other_places(make, ann, users, overlap, expected):
    queue = make([draft("q1", "Germany", ["Berlin"], (CAPITAL, 1.0))], overlap=overlap)
    item = reservations.acquire_next_item(queue=queue, user=users["analyst"])
    got = []

    def acquire():
        try:
            found = reservations.acquire_next_item(queue=queue, user=users["ann"])
            got.append(found and found.key)
        finally:
            connection.close()

    thread = threading.Thread(target=acquire)
    with transaction.atomic():
        submissions.save_annotation(item=item, user=users["analyst"], annotation=say(item))
        thread.start()
        while thread.is_alive() and not is_waited_for():
            time.sleep(0.01)
    thread.join()
    assert got == expected


def is_waited_for():
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return cursor.fetchone()[0]


def test_two_analysts_share_a_queue_and_a_reservation_ends(api, ann, make):
    queue = make()
    first, other = after(api("analyst"), queue), after(ann, queue)
    assert (first["key"], other["key"]) == ("q1", "q2")
    assert after(ann, queue, other["id"])["key"] == "q3"
    assert after(ann, queue, *Item.objects.values_list("pk", flat=True)[1:]) is None
    Reservation.objects.filter(item=first["id"]).update(until=timezone.now() - timedelta(seconds=1))
    assert after(ann, queue, *Item.objects.values_list("pk", flat=True)[1:])["key"] == "q1"


def test_a_released_item_is_free_at_once(api, ann, make):
    queue = make()
    first = after(api("analyst"), queue)
    assert api("analyst").post(f"{ITEMS}/{first['id']}/release").status_code == 204
    assert after(ann, queue)["key"] == "q1"
