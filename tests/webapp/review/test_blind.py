"""Blind review: nothing tells an analyst what a colleague says of an item before enough of them judged it."""

import json

import pytest

from tests.webapp.review.calls import ITEMS, URL, after, draft, judgement, send
from webapp.review.models import Item

SECRET = "the colleague's own remark"
ONE = [draft("q1", "Germany", ["Berlin"], ((("capital", False),), 1.0))]
READS = [
    *("", "/items", "/events", "/statistics", "/disagreements", "/disagreements?all=true", "/trainings"),
    *("/events?format=jsonl", "/events?format=csv", "/events?analyst=ann"),
    *("/export", "/export?format=csv", "/export?format=questions"),
]
OF_ITEM = ["", "/drawing", '/hops?topic=Germany&path=[["capital",false]]', "/topics"]


def body_of(answer):
    assert answer.status_code == 200, answer.content
    raw = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return raw.decode()


def read_all(client, queue, item):
    """What every address of the review says, by address."""
    found = {f"queue{way}": body_of(client.get(f"{URL}/{queue.pk}{way}")) for way in READS}
    found |= {f"item{way}": body_of(client.get(f"{ITEMS}/{item['id']}{way}")) for way in OF_ITEM}
    found["queues"] = body_of(client.get(URL))
    found["next"] = body_of(client.post(f"{URL}/{queue.pk}/next", {"holding": []}, format="json"))
    return found


def say(kind):
    """What ann says of the one path."""
    return [{"kind": kind, "reasons": ["too-wide"] if kind == "not-rational" else [], "comment": SECRET}]


def judge(client, item, kind):
    said = judgement(item, kind, comment=SECRET)
    said["verdicts"] = [{**one, **more} for one, more in zip(said["verdicts"], say(kind), strict=True)]
    answer = client.post(f"{ITEMS}/{item['id']}/submit", said, format="json")
    assert answer.status_code == 200, answer.content


@pytest.mark.parametrize("role", ["analyst", "viewer"])
def test_no_address_tells_what_a_colleague_said(api, ann, make, role):
    """Two queues that differ in the colleague's verdict alone read the same."""
    told = []
    for kind in ("rational", "not-rational"):
        queue = make(drafts=ONE, overlap=2)
        judge(ann, after(ann, queue), kind)
        item = {"id": Item.objects.get(queue=queue).pk}
        client = api(role)
        if role == "viewer":
            found = {way: body_of(client.get(f"{URL}/{queue.pk}{way}")) for way in READS}
        else:
            found = read_all(client, queue, item)
        assert not [way for way, text in found.items() if SECRET in text]
        told.append(found)
    for way, text in told[0].items():
        for word in ('"rational"', '"not-rational"', "too-wide"):
            assert text.count(word) == told[1][way].count(word), way


def test_a_second_tab_tells_nothing(api, ann, make):
    queue = make(drafts=ONE, overlap=2)
    mine = after(api("analyst"), queue)
    judge(ann, after(ann, queue), "not-rational")
    for fields in ({"shown": "0" * 64}, {"version": 7, "shown": "0" * 64}):
        answer = send(api("analyst"), mine, "rational", **fields)
        assert answer.status_code == 409
        assert SECRET not in answer.content.decode()
        assert answer.json()["item"]["mine"] is None
    answer = api("analyst").post(
        f"{ITEMS}/{mine['id']}/adjudicate", judgement(mine, "rational", version=99), format="json"
    )
    assert (answer.status_code, SECRET in answer.content.decode()) == (409, False)
    assert send(api("analyst"), mine, "rational").status_code == 200
    again = send(api("analyst"), mine, "unsure")
    assert (again.status_code, SECRET in again.content.decode()) == (409, False)
    assert [one["kind"] for one in again.json()["item"]["mine"]["verdicts"]] == ["rational"]


def test_a_complete_item_is_open_to_all(api, ann, make):
    queue = make(drafts=ONE, overlap=2)
    judge(ann, after(ann, queue), "not-rational")
    judge(api("analyst"), after(api("analyst"), queue), "rational")
    events = api("analyst").get(f"{URL}/{queue.pk}/events").json()["results"]
    assert [(one["analyst"], one["withheld"], one["verdicts"][0]["kind"]) for one in events] == [
        ("analyst", False, "rational"),
        ("ann", False, "not-rational"),
    ]
    assert body_of(api("analyst").get(f"{URL}/{queue.pk}/export?format=csv")).count(SECRET) == 4
    figures = api("analyst").get(f"{URL}/{queue.pk}/statistics").json()
    assert (figures["disagreements"], figures["reasons"]["too-wide"]) == (1, 1)


def test_an_administrator_sees_everything(api, ann, make):
    queue = make(drafts=ONE, overlap=2)
    judge(ann, after(ann, queue), "rational")
    events = api("admin").get(f"{URL}/{queue.pk}/events").json()["results"]
    assert [(one["withheld"], one["comment"]) for one in events] == [(False, SECRET)]


def test_who_began_an_item_does_not_see_what_completed_it(api, ann, make):
    queue = make(drafts=ONE)
    mine = after(api("analyst"), queue)
    Item.objects.get(pk=mine["id"])
    client = api("analyst")
    judge(ann, client.get(f"{ITEMS}/{mine['id']}").json(), "rational")
    for way in ("/events", "/export?format=csv"):
        assert SECRET not in body_of(client.get(f"{URL}/{queue.pk}{way}"))
    assert send(client, client.get(f"{ITEMS}/{mine['id']}").json(), "rational").status_code == 200
    assert SECRET in body_of(client.get(f"{URL}/{queue.pk}/events"))


def test_progress_counts_what_the_person_judged(api, ann, make):
    queue = make(overlap=2)
    send(ann, after(ann, queue), "rational", "unsure")
    progress = [client.get(f"{URL}/{queue.pk}").json()["progress"] for client in (ann, api("analyst"))]
    assert progress == [
        {"open": 3, "done": 0, "broken": 0, "mine": 1},
        {"open": 3, "done": 0, "broken": 0, "mine": 0},
    ]
    assert json.loads(body_of(ann.get(URL)))["results"][0]["progress"]["mine"] == 1
