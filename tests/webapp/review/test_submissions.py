"""Judging from item to item; nothing is lost, doubled or overwritten."""

import uuid

import pytest
from django.db import DatabaseError

from tests.webapp.review.calls import ITEMS, URL, after, judgement, send
from webapp.review.models import CurrentAnnotation, Item, Reservation, Submission, Verdict


def test_judging_goes_from_item_to_item(api, make):
    client, queue = api("analyst"), make()
    first = after(client, queue)
    assert (first["key"], [c["path"] for c in first["candidates"]]) == (
        "q1",
        [[["capital", False]], [["borders", False]]],
    )
    assert after(client, queue)["id"] == first["id"], "who loads the page again has the same question"
    second = after(client, queue, first["id"])
    assert second["key"] == "q2"
    answer = send(client, first, "rational", "not-rational", holding=[second["id"]]).json()
    assert (answer["item"]["state"], answer["next"]["key"]) == ("done", "q3")
    answer = send(client, second, "unsure").json()
    assert answer["next"]["key"] == "q3", "it is held already"
    answer = send(client, answer["next"], broken=True, reasons=["unclear"], comment="no path").json()
    assert (answer["item"]["state"], answer["next"]) == ("broken", None)
    progress = api("viewer").get(f"{URL}/{queue.pk}").json()["progress"]
    assert progress == {"open": 0, "done": 2, "broken": 1, "mine": 0}
    assert Reservation.objects.count() == 0
    rows = api("viewer").get(f"{URL}/{queue.pk}/items", {"state": "done"}).json()["results"]
    assert [row["key"] for row in rows] == ["q1", "q2"]


def test_a_repeated_submission_adds_nothing(api, make):
    client = api("analyst")
    item = after(client, make())
    said = judgement(item, "rational", "unsure")
    answers = [client.post(f"{ITEMS}/{item['id']}/submit", said, format="json") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == answers[2].json()
    assert (Submission.objects.count(), Verdict.objects.count(), CurrentAnnotation.objects.count()) == (
        1,
        2,
        1,
    )
    assert Item.objects.get(pk=item["id"]).version == 1


def test_an_id_belongs_to_one_submission(api, ann, make):
    queue = make()
    first = after(api("analyst"), queue)
    id = str(uuid.uuid4())
    send(api("analyst"), first, "rational", "unsure", id=id)
    answer = send(ann, after(ann, queue), id=id)  # the first has the second before them by now
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert Submission.objects.count() == 1


def test_nobody_overwrites_what_came_between(api, ann, make):
    queue = make()
    mine = after(api("analyst"), queue)
    Reservation.objects.all().delete()
    send(ann, after(ann, queue), "rational", "rational")
    answer = send(api("analyst"), mine, "not-rational", "unsure")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert (answer.json()["item"]["submitted"], answer.json()["item"]["mine"]) == (1, None)
    assert [v["kind"] for v in answer.json()["yours"]["verdicts"]] == ["not-rational", "unsure"]
    assert Submission.objects.count() == 1
    now = answer.json()["item"]
    assert send(api("analyst"), now, "not-rational", "unsure").status_code == 200, "as one more opinion"
    assert Item.objects.get(pk=mine["id"]).submitted == 2


def test_overlapping_analysts_do_not_disturb_each_other(api, ann, make):
    queue = make(overlap=2)
    one, other = after(api("analyst"), queue), after(ann, queue)
    assert one["id"] == other["id"]
    assert send(ann, other, "rational", "rational").json()["item"]["state"] == "open"
    assert api("analyst").get(f"{ITEMS}/{one['id']}").json()["mine"] is None, "what others said is not shown"
    assert send(api("analyst"), one, "rational", "unsure").json()["item"]["state"] == "done"


@pytest.mark.parametrize("change", ["missing", "twice", "of another item", "broken and judged"])
def test_verdicts_must_be_those_of_the_paths(api, make, change):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    said = judgement(item, "rational", "unsure")
    if change == "missing":
        said["verdicts"].pop()
    elif change == "twice":
        said["verdicts"][1] = said["verdicts"][0]
    elif change == "of another item":
        said["verdicts"][1]["candidate"] = after(client, queue, item["id"])["candidates"][0]["id"]
    else:
        said["broken"] = True
    answer = client.post(f"{ITEMS}/{item['id']}/submit", said, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert Submission.objects.count() == 0


def test_what_was_not_shown_cannot_be_judged(api, make):
    client = api("analyst")
    answer = send(client, after(client, make()), "rational", "unsure", shown="0" * 64)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert send(client, answer.json()["item"], "rational", "unsure").status_code == 200


def test_the_database_refuses_to_change_a_verdict(api, make):
    client = api("analyst")
    send(client, after(client, make()), "rational", "unsure")
    with pytest.raises(DatabaseError, match="never changed"):
        Verdict.objects.update(kind="unsure")


def test_what_belongs_to_anothers_graph_is_not_there(api, make, tiny_graph):
    client = api("analyst")
    item = after(client, make())
    tiny_graph.visibility = "private"
    tiny_graph.save()
    assert send(client, item, "rational", "unsure").status_code == 404
    for what in ("adjudicate", "candidates", "release"):
        known = {**judgement(item, "rational", "unsure"), "topic": "Germany", "path": []}
        assert client.post(f"{ITEMS}/{item['id']}/{what}", known, format="json").status_code == 404
    for what in ("hops?topic=Germany&path=[]", "topics", "drawing"):
        assert client.get(f"{ITEMS}/{item['id']}/{what}").status_code == 404
    assert Submission.objects.count() == 0
    assert send(api("admin"), item, "rational", "unsure").status_code == 200
