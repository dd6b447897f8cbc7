"""Every event of a queue: who, when, what was shown, what was said; nothing of it can be changed."""

import csv
import io
import json
import uuid

import pytest
from django.db import DatabaseError

from tests.webapp.review.calls import ITEMS, URL, after, send
from webapp.accounts.models import User
from webapp.review.models import Item, Submission


@pytest.fixture
def history(api, ann, make):
    """Two analysts on q1: judged, judged again, a path added, taken back, decided."""
    queue, client = make(overlap=2), api("analyst")
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    send(client, client.get(f"{ITEMS}/{item['id']}").json(), "unsure", "unsure")
    body = {"id": str(uuid.uuid4()), "topic": "Germany", "path": [["official_language", False]]}
    ann.post(f"{ITEMS}/{item['id']}/candidates", body, format="json")
    for what in ("undo", "redo", "undo"):
        ann.post(f"{URL}/{queue.pk}/{what}", {"id": str(uuid.uuid4())}, format="json")
    version = Item.objects.get(pk=item["id"]).version
    decision = {"id": str(uuid.uuid4()), "version": version, "broken": True, "comment": "=1+1"}
    assert ann.post(f"{ITEMS}/{item['id']}/adjudicate", decision, format="json").status_code == 200
    return queue, item


def test_every_event_is_listed_newest_first(api, history):
    queue, item = history
    shown = api("viewer").get(f"{URL}/{queue.pk}/events").json()
    assert [(one["kind"], one["analyst"]) for one in shown["results"]] == [
        ("adjudicated", "ann"),
        ("undone", "ann"),
        ("redone", "ann"),
        ("undone", "ann"),
        ("added-path", "ann"),
        ("replaced", "analyst"),
        ("submitted", "analyst"),
    ]
    first = shown["results"][-1]
    assert (first["item"], first["question_id"], first["shown"]) == (item["id"], "q1", item["shown"])
    assert [(v["candidate"], v["kind"]) for v in first["verdicts"]] == [
        (item["candidates"][0]["id"], "rational"),
        (item["candidates"][1]["id"], "unsure"),
    ]
    assert shown["results"][-2]["replaces"] == first["id"]
    added = shown["results"][-3]
    assert {one["undoes"] for one in shown["results"][1:4]} == {added["id"]}
    assert {one["path"] for one in shown["results"][1:5]} == {added["path"]}


def test_events_of_one_analyst_and_of_one_question(api, history):
    queue, item = history
    client = api("viewer")
    assert client.get(f"{URL}/{queue.pk}/events", {"analyst": "analyst"}).json()["count"] == 2
    assert client.get(f"{URL}/{queue.pk}/events", {"item": item["id"]}).json()["count"] == 7
    assert client.get(f"{URL}/{queue.pk}/events", {"item": item["id"] + 1}).json()["count"] == 0
    assert client.get(f"{URL}/{queue.pk}/events", {"item": "x"}).status_code == 400


def test_events_are_downloaded_whole(api, history):
    queue, _ = history
    answer = api("viewer").get(f"{URL}/{queue.pk}/events", {"format": "jsonl"})
    events = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [one["kind"] for one in events][:3] == ["submitted", "replaced", "added-path"]
    assert answer["Content-Disposition"] == f'attachment; filename="events-{queue.pk}.jsonl"'
    answer = api("viewer").get(f"{URL}/{queue.pk}/events", {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["kind"], row["verdict"]) for row in rows] == [
        ("submitted", "rational"),
        ("submitted", "unsure"),
        ("replaced", "unsure"),
        ("replaced", "unsure"),
        ("added-path", ""),
        ("undone", ""),
        ("redone", ""),
        ("undone", ""),
        ("adjudicated", "broken"),
    ]
    assert rows[-1]["comment"] == "'=1+1"
    assert api("viewer").get(f"{URL}/{queue.pk}/events", {"format": "pdf"}).status_code == 400


def test_the_database_refuses_to_change_an_event(history):
    with pytest.raises(DatabaseError, match="never changed"):
        Submission.objects.filter(kind="submitted").update(analyst_name="somebody else")
    with pytest.raises(DatabaseError, match="never changed"):
        Submission.objects.filter(kind="submitted").update(analyst=User.objects.get(username="ann"))


def test_events_outlive_an_account(api, history):
    queue, _ = history
    User.objects.get(username="ann").delete()
    found = api("viewer").get(f"{URL}/{queue.pk}/events", {"analyst": "ann"}).json()
    assert found["count"] == 5
