"""Review queues: asked for, prepared by a job, listed, on their version of the graph."""

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.webapp.review.calls import BORDERS, ITEMS, URL, after, draft
from webapp.experiments.models import LabelSet
from webapp.graphs import files, progress
from webapp.jobs.models import Job
from webapp.review.models import Queue


def test_a_queue_is_prepared_by_a_job(api, whole, label_set, redis):
    redis.delete("clew:celery:jobs")
    answer = api("analyst").post(URL, {**whole, "overlap": 2}, format="json")
    assert answer.status_code == 202, answer.content
    queue, job = answer.json()["queue"], answer.json()["job"]
    assert (job["kind"], job["title"]) == ("review", "Prepare the review of Tiny questions")
    assert (queue["name"], queue["state"], queue["ordering"], queue["overlap"]) == (
        "Review of Tiny questions",
        "queued",
        "uncertainty",
        2,
    )
    assert queue["label_sets"] == [{"id": label_set.pk, "name": "One"}]
    assert redis.llen("clew:celery:jobs") == 1
    assert api("analyst").post(f"{URL}/{queue['id']}/next", {}, format="json").status_code == 409
    assert api("viewer").get(URL).json()["count"] == 1
    assert api("viewer").post(URL, whole, format="json").status_code == 403
    assert api("viewer").post(f"{URL}/{queue['id']}/next", {}, format="json").status_code == 403
    deleted = api("analyst").delete(f"{URL}/{queue['id']}?confirm=Review of Tiny questions")
    assert deleted.status_code == 204
    assert Job.objects.get(pk=job["id"]).state == "cancelled"


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"label_sets": []}, 400, "invalid"),
        ({"label_sets": [10**6]}, 400, "bad_training_data"),
        ({"overlap": 0}, 400, "invalid"),
        ({"ordering": "by taste"}, 400, "invalid"),
        ({"question_set": 10**6}, 404, "not_found"),
    ],
)
def test_what_cannot_be_reviewed(api, whole, fields, status, code):
    answer = api("analyst").post(URL, {**whole, **fields}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert Queue.objects.count() == 0


def test_labels_of_another_version_are_refused(api, whole):
    LabelSet.objects.update(snapshot_hash="old")
    error = api("analyst").post(URL, whole, format="json").json()["error"]
    assert error["message"] == "The label set One was made on another version of the graph."


def test_the_drawing_of_an_item(api, make):
    client, queue = api("analyst"), make([draft("q2", "Switzerland", ["Germany", "Berlin"], (BORDERS, 1.0))])
    item = after(client, queue)
    (drawn,) = client.get(f"{ITEMS}/{item['id']}/drawing").json()
    walked = [(h["source"]["label"], h["step"]["name"], h["target"]["label"]) for h in drawn["hops"]]
    assert sorted(walked) == [("Switzerland", "borders", "France"), ("Switzerland", "borders", "Germany")]
    names = {kind: [node["label"] for node in drawn[kind]] for kind in ("hit", "extra", "missed")}
    assert names == {"hit": ["Germany"], "extra": ["France"], "missed": ["Berlin"]}


def test_a_queue_stays_on_its_version_of_the_graph(api, make, tiny_graph):
    queue = make([draft("q2", "Switzerland", ["Germany"], (BORDERS, 1.0))])
    built = build_snapshot(
        TripleTable.from_facts([("A", "r", "B")]),
        files.ensure_local_path(files.build_snapshot_name(tiny_graph.pk, 2)),
    )
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    shown = api("analyst").get(f"{URL}/{queue.pk}").json()
    assert (shown["current"], shown["version"]) == (False, 1)
    item = after(api("analyst"), queue)
    (drawn,) = api("analyst").get(f"{ITEMS}/{item['id']}/drawing").json()
    assert len(drawn["hops"]) == 2


def test_a_queue_without_items_ends_at_once(api, make):
    queue = make([])
    assert after(api("analyst"), queue) is None
    assert api("viewer").get(f"{URL}/{queue.pk}/items").json()["results"] == []
