"""Taking back and doing again, across items."""

import uuid

from tests.webapp.review.calls import ITEMS, URL, after, send
from webapp.review.domain import consensus, counters
from webapp.review.models import CurrentAnnotation, Item, Submission, Verdict


def test_a_changed_mind_replaces_and_undo_brings_back(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    item = client.get(f"{ITEMS}/{item['id']}").json()
    assert [v["kind"] for v in item["mine"]["verdicts"]] == ["rational", "unsure"]
    assert send(client, item, "not-rational", "unsure").status_code == 200
    stale = send(client, item, "rational", "rational")
    assert stale.json()["error"]["code"] == "judged_meanwhile"
    id = str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        undone = client.post(f"{URL}/{queue.pk}/undo", {"id": id}, format="json").json()["item"]
        assert [v["kind"] for v in undone["mine"]["verdicts"]] == ["rational", "unsure"]
    undone = client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json").json()["item"]
    assert (undone["mine"], undone["state"], undone["submitted"]) == (None, "open", 0)
    answer = client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json")
    assert answer.status_code == 409
    assert (Submission.objects.count(), Verdict.objects.count()) == (4, 4), "history stays"
    assert after(client, queue)["id"] == item["id"]


def test_only_ones_own_is_taken_back(api, ann, make):
    queue = make()
    send(ann, after(ann, queue), "rational", "unsure")
    answer = api("analyst").post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json")
    assert (answer.status_code, CurrentAnnotation.objects.count()) == (409, 1)


def change(client, queue, what, **fields):
    return client.post(f"{URL}/{queue.pk}/{what}", {"id": str(uuid.uuid4()), **fields}, format="json")


def kinds(client, item):
    said = client.get(f"{ITEMS}/{item['id']}").json()["mine"]
    return said and [verdict["kind"] for verdict in said["verdicts"]]


def test_what_was_taken_back_counts_again_across_items(api, make):
    client, queue = api("analyst"), make()
    first = after(client, queue)
    second = send(client, first, "rational", "unsure").json()["next"]
    send(client, second, "unsure")
    assert [change(client, queue, "undo").json()["item"]["key"] for _ in range(2)] == ["q2", "q1"]
    assert (kinds(client, first), kinds(client, second)) == (None, None)
    id = str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        assert change(client, queue, "redo", id=id).json()["item"]["key"] == "q1"
    assert (kinds(client, first), kinds(client, second)) == (["rational", "unsure"], None)
    assert change(client, queue, "redo").json()["item"]["state"] == "done"
    assert kinds(client, second) == ["unsure"]
    answer = change(client, queue, "redo")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "nothing_to_redo")
    assert change(client, queue, "undo").json()["item"]["key"] == "q2", "what was done again can be taken back"
    assert Submission.objects.filter(kind="redone").count() == 2
    assert counters.read(queue.pk)["judged", "analyst"] == 1


def test_a_replaced_submission_is_brought_again(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    send(client, client.get(f"{ITEMS}/{item['id']}").json(), "not-rational", "unsure")
    change(client, queue, "undo")
    assert kinds(client, item) == ["rational", "unsure"]
    change(client, queue, "redo")
    assert kinds(client, item) == ["not-rational", "unsure"]


def test_nothing_is_done_again_after_something_new(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    assert change(client, queue, "redo").json()["error"]["code"] == "nothing_to_redo"
    send(client, item, "rational", "unsure")
    change(client, queue, "undo")
    send(client, client.get(f"{ITEMS}/{item['id']}").json(), "unsure", "unsure")
    assert change(client, queue, "redo").json()["error"]["code"] == "nothing_to_redo"
    assert kinds(client, item) == ["unsure", "unsure"]


def test_an_added_path_is_taken_back_and_had_again(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    body = {"id": str(uuid.uuid4()), "topic": "Germany", "path": [["official_language", False]]}
    added = client.post(f"{ITEMS}/{item['id']}/candidates", body, format="json").json()["item"]
    undone = change(client, queue, "undo").json()["item"]
    assert [len(one["candidates"]) for one in (item, added, undone)] == [2, 3, 2]
    assert send(client, undone, "rational", "unsure").status_code == 200
    change(client, queue, "undo")
    answer = change(client, queue, "redo").json()["item"]
    assert (answer["state"], len(answer["candidates"])) == ("done", 2)


def test_a_path_that_another_judged_stays(api, ann, make):
    client, queue = api("analyst"), make(overlap=2)
    item = after(client, queue)
    body = {"id": str(uuid.uuid4()), "topic": "Germany", "path": [["official_language", False]]}
    added = client.post(f"{ITEMS}/{item['id']}/candidates", body, format="json").json()["item"]
    assert send(ann, added, "rational", "unsure", "unsure").status_code == 200
    assert change(client, queue, "undo").status_code == 409
    assert len(client.get(f"{ITEMS}/{item['id']}").json()["candidates"]) == 3


def test_the_tallies_follow_every_change(api, ann, make):
    """Counted while it changed, and counted anew from what stands: the same."""
    client, queue = api("analyst"), make(overlap=2)
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    send(ann, item, "rational", "not-rational")
    for what in ("undo", "redo", "undo"):
        change(ann, queue, what)
    send(ann, client.get(f"{ITEMS}/{item['id']}").json(), broken=True, reasons=["unclear"])
    row = Item.objects.get(pk=item["id"])
    counted = dict(counters.read(queue.pk))
    assert counted == dict(counters.count_item(row, consensus.load_item_annotations(row)))
    assert counted == {
        ("judged", "analyst"): 1,
        ("judged", "ann"): 1,
        ("reason", "unclear"): 1,
        ("state", "done"): 1,
        ("accord", "split"): 1,
    }
