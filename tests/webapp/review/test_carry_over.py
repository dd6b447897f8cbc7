"""A new version of the graph: verdicts carry over, and items whose paths changed come back."""

import uuid

import pytest

from tests.webapp.review.calls import ITEMS, URL, after, send
from webapp.review.models import CurrentAnnotation, Draft, Submission
from webapp.review.services import carry_over


def carry(queue, version):
    queue.refresh_from_db()
    return carry_over.move_to_version(
        queue=queue,
        version=version,
        user=None,
        measure=carry_over.make_path_measure(queue, version),
        progress=lambda done, total: None,
    )


def judge_all(client, queue):
    item = after(client, queue)
    send(client, item, "rational", "not-rational")
    item = after(client, queue)
    send(client, item, "rational", comment="neighbours")


def test_an_unrelated_fact_keeps_every_verdict(api, make, make_version):
    client, queue = api("analyst"), make()
    judge_all(client, queue)
    assert carry(queue, make_version(("Peru", "capital", "Lima"))) == 0
    shown = client.get(f"{URL}/{queue.pk}").json()
    assert (shown["version"], shown["current"], shown["progress"]["done"]) == (2, True, 2)
    assert CurrentAnnotation.objects.count() == 2


@pytest.mark.parametrize(
    ("added", "without"),
    [([("Switzerland", "borders", "Austria")], ()), ([], [("Switzerland", "borders", "France")])],
)
def test_an_item_whose_path_changed_comes_back_with_what_was_said(api, make, make_version, added, without):
    client, queue = api("analyst"), make()
    judge_all(client, queue)
    assert carry(queue, make_version(*added, without=without)) == 1
    states = dict(queue.rows.values_list("key", "state"))
    assert states == {"q1": "done", "q2": "open", "q3": "open"}
    item = client.get(f"{ITEMS}/{queue.rows.get(key='q2').pk}").json()
    assert (item["mine"], item["candidates"][0]["reached"]) == (None, 3 if added else 1)
    draft = item["draft"]["content"]
    assert ([one["kind"] for one in draft["verdicts"]], draft["comment"]) == (["rational"], "neighbours")
    event = Submission.objects.get(kind="reopened")
    assert event.comment == "Version 2 of the graph changed facts of candidate 1."
    assert send(client, item, "rational").status_code == 200
    assert client.get(f"{URL}/{queue.pk}/statistics").json()["progress"]["done"] == 2


def test_a_decision_comes_back_as_a_draft(api, ann, make, make_version):
    queue = make(overlap=2)
    for client, kind in ((api("analyst"), "rational"), (ann, "unsure")):
        item = after(client, queue)
        send(client, item, "rational", "rational")
        send(client, after(client, queue), kind)
    item = queue.rows.get(key="q2")
    candidate = item.candidates.get().pk
    body = {"id": str(uuid.uuid4()), "version": item.version}
    body["verdicts"] = [{"candidate": candidate, "kind": "rational"}]
    assert api("admin").post(f"{ITEMS}/{item.pk}/adjudicate", body, format="json").status_code == 200
    assert carry(queue, make_version(("Switzerland", "borders", "Austria"))) == 1
    assert sorted(Draft.objects.values_list("analyst__username", "purpose")) == [
        ("admin", "decision"),
        ("analyst", "judgement"),
        ("ann", "judgement"),
    ]
    item.refresh_from_db()
    assert (item.state, item.adjudicated_id, item.submitted) == ("open", None, 0)


def test_it_is_started_by_whoever_may_judge(api, make, make_version):
    client, queue = api("analyst"), make()
    assert client.post(f"{URL}/{queue.pk}/carry-over").status_code == 409
    make_version(("Peru", "capital", "Lima"))
    assert api("viewer").post(f"{URL}/{queue.pk}/carry-over").status_code == 403
    answer = client.post(f"{URL}/{queue.pk}/carry-over")
    assert (answer.status_code, answer.json()["kind"]) == (202, "review")
