"""Queues that are deleted, restored, and removed for good in pieces."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.webapp.review.calls import DRAFTS, ITEMS, URL, after, draft, judgement, send
from webapp.graphs import trash
from webapp.graphs.models import Graph
from webapp.review.models import (
    CandidatePath,
    CurrentAnnotation,
    Item,
    Queue,
    QueueCounter,
    Reservation,
    Submission,
    Verdict,
)
from webapp.review.services import deletion, flagged
from worker import review_queues


def delete(client, queue, confirm=None):
    return client.delete(f"{URL}/{queue.pk}?confirm={queue.name if confirm is None else confirm}")


def counts(queue):
    return [
        Verdict.objects.filter(submission__queue=queue).count(),
        *(
            model.objects.filter(queue=queue).count()
            for model in (CurrentAnnotation, Reservation, QueueCounter, Submission)
        ),
        CandidatePath.objects.filter(item__queue=queue).count(),
        Item.objects.filter(queue=queue).count(),
        Queue.objects.filter(pk=queue.pk).count(),
    ]


@pytest.fixture
def judged(api, ann, make, users):
    """A queue with everything in it: verdicts that replace others, an undo, a decision, a reservation, a path added."""
    queue, client = make(overlap=2, name="R"), api("analyst")
    queue.created_by = users["analyst"]
    queue.save(update_fields=["created_by"])
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    send(ann, item, "rational", "not-rational")
    client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json")
    send(client, client.get(f"{ITEMS}/{item['id']}").json(), "rational", "rational")
    path = {"id": str(uuid.uuid4()), "topic": "Switzerland", "path": [["borders", False], ["capital", False]]}
    second = Item.objects.get(queue=queue, key="q2").pk
    assert client.post(f"{ITEMS}/{second}/candidates", path, format="json").status_code == 200
    decision = judgement(client.get(f"{ITEMS}/{item['id']}").json(), "rational", "rational")
    assert api("admin").post(f"{ITEMS}/{item['id']}/adjudicate", decision, format="json").status_code == 200
    after(client, queue)
    assert all(counts(queue))
    return queue


def test_a_deleted_queue_is_found_by_nobody_and_restored_whole(api, judged):
    client, before, item = api("analyst"), counts(judged), Item.objects.get(queue=judged, key="q2")
    refused = delete(client, judged, confirm="r")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "confirm_needed")
    assert delete(api("viewer"), judged).status_code == 403
    assert delete(client, judged).status_code == 204
    assert delete(client, judged).status_code == 404
    assert client.get(URL).json()["count"] == 0
    assert client.get(f"{ITEMS}/{item.pk}").status_code == 404
    said = {"id": str(uuid.uuid4()), "version": 0, "shown": item.shown}
    assert client.post(f"{ITEMS}/{item.pk}/submit", said, format="json").status_code == 404
    (one,) = api("viewer").get(f"{URL}/deleted").json()["results"]
    assert (one["name"], one["items"], one["deleted_by"]) == ("R", 3, "analyst")
    assert api("viewer").post(f"{URL}/{judged.pk}/restore").status_code == 403
    assert client.post(f"{URL}/{judged.pk}/restore").json()["name"] == "R"
    assert (counts(judged), client.get(f"{URL}/deleted").json()["count"]) == (before, 0)
    assert client.post(f"{URL}/{judged.pk}/restore").status_code == 404


def test_after_some_days_it_is_removed_in_pieces_and_nothing_else_with_it(api, judged, make, redis, monkeypatch):
    other = make([*DRAFTS, draft("q4", "France", ["Paris"])], name="Other")
    send(api("analyst"), after(api("analyst"), other), "rational", "rational")
    kept, whole = counts(other), counts(judged)
    delete(api("analyst"), judged)
    redis.delete("clew:celery:jobs")
    deletion.enqueue_expired()
    review_queues.purge(judged.pk)
    assert (counts(judged), redis.llen("clew:celery:jobs")) == (whole, 0), "not yet"
    Queue.objects.filter(pk=judged.pk).update(deleted_at=timezone.now() - timedelta(days=8))
    assert api("analyst").post(f"{URL}/{judged.pk}/restore").status_code == 404
    assert api("analyst").get(f"{URL}/deleted").json()["results"] == []
    deletion.enqueue_expired()
    assert redis.llen("clew:celery:jobs") == 1
    monkeypatch.setattr(deletion, "PIECE", 2)
    stops = iter((False, True))
    deletion.delete_queue(queue_id=judged.pk, stopping=lambda: next(stops))
    assert Item.objects.filter(queue=judged).count() == 1, "a worker that ends leaves the rest"
    review_queues.purge(judged.pk)
    assert counts(judged) == [0] * 8
    assert counts(other) == kept
    review_queues.purge(judged.pk)


def test_a_deleted_graph_goes_when_its_queues_are_removed(api, judged, tiny_graph, redis):
    redis.delete("clew:celery:jobs")
    Graph.objects.filter(pk=tiny_graph.pk).update(deleted_at=timezone.now() - timedelta(days=8))
    trash.remove_expired()
    deletion.enqueue_expired()
    assert (Graph.objects.count(), redis.llen("clew:celery:jobs")) == (1, 1)
    review_queues.purge(judged.pk)
    assert counts(judged) == [0] * 8
    trash.remove_expired()
    assert Graph.objects.count() == 0


def test_flagged_answers_are_restored_while_no_others_were_flagged(api, tiny_graph, users):
    def flag(question):
        doubt = flagged.FlaggedQuestion(question, question, ["Germany"], ["Berlin"], [], [], "inses", "It is wrong.")
        return flagged.put_question(
            graph=tiny_graph, snapshot=tiny_graph.snapshot, flagged=doubt, user=users["viewer"]
        ).queue

    old, client = flag("one?"), api("admin")
    delete(client, old)
    new = flag("two?")
    assert (new.pk == old.pk, new.items) == (False, 1)
    refused = client.post(f"{URL}/{old.pk}/restore")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    delete(client, new)
    assert client.post(f"{URL}/{old.pk}/restore").status_code == 200
