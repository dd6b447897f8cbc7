"""Figures of a queue: progress, people, agreement, reasons."""

import pytest

from tests.webapp.review.calls import URL, after, send
from webapp.accounts.models import User
from webapp.review.api.queue_serializers import StatisticsSerializer


def test_figures_of_a_queue(api, ann, make):
    queue = make(overlap=2)
    for client, kinds in (
        (api("analyst"), (("rational", "unsure"), ("rational",))),
        (ann, (("rational", "not-rational"), ("rational",))),
    ):
        for said in kinds:
            assert send(client, after(client, queue), *said).status_code == 200
    shown = api("viewer").get(f"{URL}/{queue.pk}/statistics").json()
    assert StatisticsSerializer(shown).data.keys() == shown.keys(), "the schema says what is answered"
    assert shown["progress"] == {"open": 1, "done": 2, "broken": 0}
    assert [(one["analyst"], one["judged"]) for one in shown["people"]] == [("analyst", 2), ("ann", 2)]
    assert (shown["agreement"]["paths"], shown["agreement"]["percent"]) == (3, pytest.approx(2 / 3))
    # Six values, four of them rational: 1 - 5 * 2 / (36 - 16 - 1 - 1).
    assert shown["agreement"]["alpha"] == pytest.approx(4 / 9)
    # Two analysts on each of three paths: 2/3 agree, and by chance 16 + 1 + 1 of 36.
    assert (shown["agreement"]["raters"], shown["agreement"]["fleiss"]) == (2, pytest.approx(1 / 3))
    assert (shown["unanimous"], shown["disagreements"]) == (1, 1)
    # By chance 2/3 * 2/3 agree.
    assert shown["pairs"] == [
        {
            "analysts": ["analyst", "ann"],
            "paths": 3,
            "percent": pytest.approx(2 / 3),
            "kappa": pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9)),
        }
    ]


def test_figures_before_anybody_judged(api, make):
    shown = api("viewer").get(f"{URL}/{make().pk}/statistics").json()
    assert (shown["people"], shown["pairs"]) == ([], [])
    assert shown["agreement"] == {
        "paths": 0,
        "percent": None,
        "alpha": None,
        "fleiss": None,
        "raters": None,
    }


def test_an_analyst_who_leaves_takes_no_verdict_along(api, ann, make):
    queue = make()
    send(ann, after(ann, queue), "rational", "unsure")
    held = after(ann, queue)
    User.objects.get(username="ann").delete()
    shown = api("viewer").get(f"{URL}/{queue.pk}/statistics").json()
    assert [(one["analyst"], one["judged"]) for one in shown["people"]] == [("ann", 1)]
    assert after(api("analyst"), queue)["id"] == held["id"]
