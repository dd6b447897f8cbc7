"""Disagreements and who decides them; what all agree on, accepted at once."""

import uuid

import pytest

from tests.webapp.review.calls import ITEMS, URL, after, judgement, send
from webapp.accounts.models import User
from webapp.review.domain import counters
from webapp.review.models import Item, Submission


@pytest.fixture
def bob(api, users):
    """A client of a third analyst."""
    users["bob"] = User.objects.create_user("bob", role="analyst")
    return api("bob")


@pytest.fixture
def split(api, ann, make):
    """A queue of overlap 2: of q1 one path is disputed, q2 is judged alike, q3 waits."""
    queue, client = make(overlap=2), api("analyst")
    item = after(client, queue)
    following = send(client, item, "rational", "unsure").json()["next"]
    send(client, following, "rational")
    said = judgement(item, "rational", "not-rational")
    said["verdicts"][1] |= {"reasons": ["detour"], "comment": "a way round"}
    assert ann.post(f"{ITEMS}/{item['id']}/submit", said, format="json").status_code == 200
    send(ann, following, "rational")
    return queue


def disagreements(client, queue, **query):
    return client.get(f"{URL}/{queue.pk}/disagreements", query).json()["results"]


def decide(client, item, *kinds, **fields):
    body = judgement(item, *kinds, **fields)
    return client.post(f"{ITEMS}/{item['id']}/adjudicate", body, format="json")


def whole(client, key):
    return client.get(f"{ITEMS}/{Item.objects.get(key=key).pk}").json()


def test_disagreements_show_every_side(api, split):
    (one,) = disagreements(api("viewer"), split)
    assert (one["item"]["key"], one["item"]["accord"], one["broken"]) == ("q1", "split", [])
    said = [[(s["analyst"], s["kind"], s["reasons"], s["comment"]) for s in side["said"]] for side in one["candidates"]]
    assert said == [
        [("analyst", "rational", [], ""), ("ann", "rational", [], "")],
        [("analyst", "unsure", [], ""), ("ann", "not-rational", ["detour"], "a way round")],
    ]


def test_an_open_item_is_judged_blind(api, ann, make):
    queue = make(overlap=3)
    item = after(api("analyst"), queue)
    send(api("analyst"), item, "rational", "unsure")
    send(ann, item, "rational", "rational")
    assert Item.objects.get(pk=item["id"]).accord == "split"
    assert disagreements(api("viewer"), queue) == []


def test_a_decision_overrules_the_others(api, bob, split):
    item = whole(bob, "q1")
    answer = decide(bob, item, "not-rational", "rational", comment="by the atlas")
    assert answer.status_code == 200, answer.content
    assert disagreements(api("viewer"), split) == []
    assert [one["item"]["key"] for one in disagreements(api("viewer"), split, all=1)] == ["q1"]
    decided = whole(api("viewer"), "q1")["adjudicated"]
    assert (decided["analyst"], decided["comment"]) == ("bob", "by the atlas")
    assert [verdict["kind"] for verdict in decided["verdicts"]] == ["not-rational", "rational"]
    shown = api("viewer").get(f"{URL}/{split.pk}/statistics").json()
    assert (shown["adjudicated"], shown["disagreements"], shown["unanimous"]) == (1, 1, 1)


def test_a_decision_is_recorded_once_and_replaced_by_another(api, bob, split):
    item, id = whole(bob, "q1"), str(uuid.uuid4())
    for _ in range(2):
        assert decide(bob, item, "rational", "rational", id=id).status_code == 200
    stale = decide(api("admin"), item, "unsure", "unsure")
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert stale.json()["item"]["adjudicated"]["analyst"] == "bob"
    assert decide(api("admin"), whole(bob, "q1"), broken=True).json()["item"]["state"] == "broken"
    assert Submission.objects.filter(kind="adjudicated").count() == 2
    assert counters.read(split.pk)["adjudicated",] == 1


def take_back(client, item, **fields):
    body = {"id": str(uuid.uuid4()), "version": item["version"], **fields}
    return client.post(f"{ITEMS}/{item['id']}/adjudicate/undo", body, format="json")


def test_a_decision_is_taken_back_by_an_event_and_the_disagreement_is_open_again(api, ann, bob, split):
    before = counters.read(split.pk)
    decide(bob, whole(bob, "q1"), broken=True)
    decision = Submission.objects.get(kind="adjudicated")
    item, id = whole(bob, "q1"), str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        answer = take_back(bob, item, id=id)
        assert answer.status_code == 200, answer.content
    assert (answer.json()["item"]["state"], answer.json()["item"]["accord"]) == ("done", "split")
    assert [one["item"]["key"] for one in disagreements(api("viewer"), split)] == ["q1"]
    assert counters.read(split.pk) == before
    event = Submission.objects.get(kind="undecided")
    assert (event.analyst_name, event.undoes_id, event.verdicts.count()) == ("bob", decision.pk, 0)
    assert decision.verdicts.count() == 1, "what was decided stays written"
    assert send(ann, whole(ann, "q1"), "rational", "unsure").status_code == 200
    assert disagreements(api("viewer"), split) == []


def test_who_takes_a_decision_back(api, ann, bob, split):
    never = take_back(bob, whole(bob, "q1"))
    assert (never.status_code, never.json()["error"]["code"]) == (409, "conflict")
    old = whole(bob, "q1")
    decide(bob, old, "rational", "rational")
    item = whole(bob, "q1")
    stranger = take_back(ann, item)
    assert (stranger.status_code, stranger.json()["error"]["message"]) == (403, "bob decided this question.")
    stale = take_back(bob, old)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert take_back(api("viewer"), item).status_code == 403
    assert take_back(api("admin"), item).status_code == 200


def test_nobody_decides_what_they_judged_but_an_administrator(api, ann, split):
    answer = decide(ann, whole(ann, "q1"), "rational", "rational")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert "another analyst decides" in answer.json()["error"]["message"]
    assert decide(api("viewer"), whole(ann, "q1"), "rational", "rational").status_code == 403
    assert decide(api("admin"), whole(ann, "q1"), "rational", "rational").status_code == 200


def test_a_decision_is_about_every_path(api, bob, split):
    item = whole(bob, "q1")
    answer = decide(bob, {**item, "candidates": item["candidates"][:1]}, "rational")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_what_is_decided_takes_no_more_verdicts(api, ann, bob, split):
    decide(bob, whole(bob, "q1"), "rational", "rational")
    answer = send(ann, whole(ann, "q1"), "rational", "rational")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "decided")
    assert Submission.objects.filter(kind="replaced").count() == 0


def accept(client, queue, id, back=False):
    url = f"{URL}/{queue.pk}/accept-unanimous{'/undo' if back else ''}"
    return client.post(url, {"id": id}, format="json")


def test_what_all_agree_on_is_accepted_and_opened_again(api, ann, split):
    client, id = api("analyst"), str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        assert accept(client, split, id).json() == {"accepted": 1, "left": 2}
    row = Item.objects.get(key="q2")
    assert (row.settled, row.state) == (True, "done")
    assert send(ann, whole(ann, "q2"), "unsure").json()["error"]["code"] == "decided"
    assert client.get(f"{URL}/{split.pk}/statistics").json()["settled"] == 1
    assert [accept(client, split, id, back=True).json() for _ in range(2)] == [{"undone": 1}, {"undone": 0}]
    assert send(ann, whole(ann, "q2"), "unsure").status_code == 200
    assert client.get(f"{URL}/{split.pk}/statistics").json()["settled"] == 0
    assert list(Submission.objects.filter(item=row).values_list("kind", flat=True)) == [
        *("submitted", "submitted", "settled", "unsettled", "replaced")
    ]


def test_an_acceptance_that_never_was_is_not_taken_back(api, split):
    answer = accept(api("analyst"), split, str(uuid.uuid4()), back=True)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert accept(api("viewer"), split, str(uuid.uuid4())).status_code == 403
