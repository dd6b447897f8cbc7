"""Drafts: what a person entered and did not submit is kept with their account, and never overwritten unnoticed."""

import uuid

import pytest

from tests.webapp.review.calls import ITEMS, URL, after, judgement, send
from webapp.review.models import Draft, Submission


def content(item, *kinds, comment="", broken=False):
    verdicts = [
        {"candidate": c["id"], "kind": kind, "reasons": [], "comment": ""}
        for c, kind in zip(item["candidates"], kinds, strict=False)
    ]
    return {"verdicts": verdicts, "broken": broken, "reasons": [], "comment": comment}


def keep(client, item, *kinds, base=None, revision=None, purpose="judgement", **fields):
    sent = {
        "purpose": purpose,
        "revision": revision or str(uuid.uuid4()),
        "base": base,
        "content": content(item, *kinds, **fields),
    }
    return client.put(f"{ITEMS}/{item['id']}/draft", sent, format="json"), sent


def load(client, item):
    return client.get(f"{ITEMS}/{item['id']}").json()


def test_a_draft_comes_with_the_item_until_it_is_submitted(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    answer, sent = keep(client, item, "rational", comment="half")
    assert answer.status_code == 204
    draft = after(client, queue)["draft"]
    assert (draft["revision"], draft["content"]) == (sent["revision"], sent["content"])
    assert send(client, item, "rational", "unsure").status_code == 200
    assert (load(client, item)["draft"], Draft.objects.count()) == (None, 0)


def test_a_draft_is_seen_by_its_author_alone(api, ann, make):
    item = after(api("analyst"), make(overlap=2))
    keep(api("analyst"), item, "rational")
    for client in (ann, api("viewer"), api("admin")):
        assert load(client, item)["draft"] is None


def test_two_tabs_do_not_overwrite_each_other(api, make):
    client = api("analyst")
    item = after(client, make())
    _, first = keep(client, item, "rational")
    answer, _ = keep(client, item, "unsure")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "draft_changed")
    assert answer.json()["draft"]["content"] == first["content"]
    assert load(client, item)["draft"]["content"] == first["content"]
    answer, second = keep(client, item, "unsure", base=first["revision"])
    assert (answer.status_code, load(client, item)["draft"]["content"]) == (204, second["content"])


def test_a_repeated_save_changes_nothing(api, make):
    client = api("analyst")
    item = after(client, make())
    revision = str(uuid.uuid4())
    codes = [keep(client, item, "rational", revision=revision)[0].status_code for _ in range(3)]
    assert (codes, Draft.objects.count()) == ([204, 204, 204], 1)


def test_a_draft_without_content_is_removed(api, make):
    client = api("analyst")
    item = after(client, make())
    _, first = keep(client, item, "rational")
    assert keep(client, item, base=first["revision"])[0].status_code == 204
    assert Draft.objects.count() == 0


def test_what_was_begun_comes_before_other_items(api, ann, make):
    client, queue = api("analyst"), make()
    first = after(client, queue)
    second = after(client, queue, first["id"])
    keep(client, second, "unsure")
    for item in (first, second):
        client.post(f"{ITEMS}/{item['id']}/release")
    assert after(client, queue)["id"] == second["id"]


def test_an_undone_judgement_is_a_draft(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    send(client, item, "rational", "unsure", comment="plain")
    back = client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json").json()["item"]
    assert back["mine"] is None
    assert back["draft"]["content"] == content(item, "rational", "unsure", comment="plain")
    again = client.post(f"{URL}/{queue.pk}/redo", {"id": str(uuid.uuid4())}, format="json").json()["item"]
    assert (again["draft"], [v["kind"] for v in again["mine"]["verdicts"]]) == (None, ["rational", "unsure"])


@pytest.mark.parametrize("deleted", ["graph", "queue"])
def test_a_deletion_that_is_undone_keeps_what_was_entered_and_recorded(api, make, tiny_graph, deleted):
    client, admin, queue = api("analyst"), api("admin"), make(name="R")
    first = after(client, queue)
    second = after(client, queue, first["id"])
    answered_late = judgement(first, "rational", "unsure")
    address = f"{ITEMS}/{first['id']}/submit"
    assert client.post(address, answered_late, format="json").status_code == 200
    _, draft = keep(client, second, "rational")
    delete, restore = (
        (f"/api/v1/graphs/{tiny_graph.pk}?confirm=Tiny", f"/api/v1/trash/{tiny_graph.pk}/restore")
        if deleted == "graph"
        else (f"{URL}/{queue.pk}?confirm=R", f"{URL}/{queue.pk}/restore")
    )
    assert admin.delete(delete).status_code == 204
    assert client.post(address, answered_late, format="json").status_code == 404
    assert keep(client, second, "unsure", base=draft["revision"])[0].status_code == 404
    assert send(client, second, "rational").status_code == 404
    assert admin.post(restore).status_code == 200
    assert client.post(address, answered_late, format="json").status_code == 200
    assert load(client, second)["draft"]["content"] == draft["content"]
    assert send(client, second, "rational").status_code == 200
    assert Submission.objects.count() == 2


def test_a_decision_has_a_draft_of_its_own(api, ann, make):
    queue = make(overlap=2)
    item = after(api("analyst"), queue)
    send(api("analyst"), item, "rational", "rational")
    send(ann, after(ann, queue), "unsure", "rational")
    admin = api("admin")
    _, sent = keep(admin, item, "rational", purpose="decision", comment="so far")
    now = load(admin, item)
    assert (now["draft"], now["decision_draft"]["content"]) == (None, sent["content"])
    body = {**content(item, "rational", "rational"), "id": str(uuid.uuid4()), "version": now["version"]}
    assert admin.post(f"{ITEMS}/{item['id']}/adjudicate", body, format="json").status_code == 200
    assert load(admin, item)["decision_draft"] is None


@pytest.mark.parametrize("sent", [{}, {"content": "x"}, {"content": {"verdicts": [{"kind": "maybe"}]}}])
def test_a_bad_draft_is_refused(api, make, sent):
    client = api("analyst")
    item = after(client, make())
    whole = {"purpose": "judgement", "revision": str(uuid.uuid4()), **sent}
    assert client.put(f"{ITEMS}/{item['id']}/draft", whole, format="json").status_code == 400
