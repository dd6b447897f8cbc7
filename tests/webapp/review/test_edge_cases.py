"""Reviews in hardship: another version of the graph, thousands of paths, none, edits at once, people leaving."""

import json
import shutil
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.webapp.review.calls import BORDERS, CAPITAL, ITEMS, URL, after, at_once, draft, send
from webapp.accounts.models import User
from webapp.graphs import files, progress, snapshots
from webapp.review.domain import consensus, counters
from webapp.review.domain.annotation import VerdictData
from webapp.review.models import CandidatePath, CurrentAnnotation, Item, Reservation, Submission
from webapp.review.services import added_paths, adjudication, submissions

LANGUAGE = (("official_language", False),)
SPOKEN = (*BORDERS, *LANGUAGE)


def replace(graph):
    """Import another version of the graph, without what the queue's paths go by."""
    name = files.build_snapshot_name(graph.pk, 2)
    built = build_snapshot(TripleTable.from_facts([("A", "r", "B")]), files.ensure_local_path(name))
    progress.register_version(graph=graph, version=2, manifest=built.manifest)


def add(client, item, path=LANGUAGE, topic="Germany"):
    body = {"id": str(uuid.uuid4()), "topic": topic, "path": [list(step) for step in path]}
    return client.post(f"{ITEMS}/{item['id']}/candidates", body, format="json")


def test_an_open_queue_goes_on_on_its_version(api, make, tiny_graph):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    replace(tiny_graph)
    shown = client.get(f"{URL}/{queue.pk}").json()
    assert (shown["current"], shown["version"]) == (False, 1)
    found = client.get(f"{ITEMS}/{item['id']}/hops", {"topic": "Germany", "path": json.dumps(CAPITAL)}).json()
    assert (found["valid"], found["reached"], found["hits"]) == (True, 1, 1)
    assert [one["label"] for one in client.get(f"{ITEMS}/{item['id']}/topics", {"q": "Berlin"}).json()] == ["Berlin"]
    item = add(client, item, LANGUAGE).json()["item"]
    assert send(client, item, "rational", "unsure", "not-rational").status_code == 200
    line = {"question": "q2", "topic": "Switzerland", "path": BORDERS, "source": "analyst", "score": 1.0}
    upload = {"file": SimpleUploadedFile("labels.jsonl", json.dumps(line).encode())}
    taken = client.post(f"{URL}/{queue.pk}/import", upload, format="multipart").json()
    assert (taken["verdicts"], taken["problems"]) == (1, [])


def test_a_question_without_any_path(api, make):
    client, queue = api("analyst"), make([draft("q3", "Germany", ["Berlin"])])
    item = after(client, queue)
    assert (item["candidates"], client.get(f"{ITEMS}/{item['id']}/drawing").json()) == ([], [])
    found = client.get(f"{ITEMS}/{item['id']}/hops", {"topic": "Germany", "path": "[]"}).json()
    assert (found["next"][0]["relation"], found["next"][0]["hits"]) == ("capital", 1)
    assert send(client, item).json()["item"]["state"] == "done", "that it has no path may be right"
    item = add(client, client.get(f"{ITEMS}/{item['id']}").json(), CAPITAL).json()["item"]
    answer = send(client, item, "rational").json()
    assert (answer["item"]["state"], answer["item"]["submitted"]) == ("done", 1)
    lines = b"".join(client.get(f"{URL}/{queue.pk}/export").streaming_content).splitlines()
    assert [json.loads(line)["path"] for line in lines] == [[["capital", False]]]


def test_a_question_with_thousands_of_paths(api, make):
    many = [((("r" + str(i), False),), 0.5) for i in range(3000)]
    client, queue = api("analyst"), make([draft("q1", "Germany", ["Berlin"], *many)])
    item = after(client, queue)
    assert len(item["candidates"]) == 3000
    last = item["candidates"][-1]["id"]
    drawn = client.get(f"{ITEMS}/{item['id']}/drawing", {"candidates": f"{last},x,{10**30}"}).json()
    assert [one["candidate"] for one in drawn] == [last]
    answer = send(client, item, *["not-rational"] * 3000)
    assert (answer.status_code, answer.json()["item"]["state"]) == (200, "done")
    assert counters.read(queue.pk) == {
        ("judged", "analyst"): 1,
        ("state", "done"): 1,
        ("accord", "unanimous"): 1,
    }


def test_no_question_has_more_paths_than_can_be_shown(api, make, monkeypatch):
    monkeypatch.setattr(added_paths, "CANDIDATES_MAX", 2)
    client, queue = api("analyst"), make()
    answer = add(client, after(client, queue))
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, "A question has at most 2 paths.")


def test_paths_added_at_the_same_moment_are_all_there_once(make, users):
    queue = make()
    item = Item.objects.select_related("queue__snapshot").get(queue=queue, key="q3")
    people = [User.objects.create_user(f"p{i}", role="analyst") for i in range(6)]
    paths = [BORDERS, LANGUAGE, SPOKEN]

    def act(i):
        path = paths[i % 3]
        return added_paths.add_path(item=item, user=people[i], id=uuid.uuid4(), topic="Switzerland", path=path)

    results = at_once(6, act)
    assert None not in results
    rows = Item.objects.get(pk=item.pk).candidates.all()
    assert sorted(row.as_path for row in rows) == sorted(paths)
    assert [row.position for row in rows] == [0, 1, 2]
    queue.refresh_from_db()
    assert (queue.candidates, Submission.objects.filter(kind="added-path").count()) == (6, 3)


def test_an_addition_and_a_submission_at_the_same_moment(make, users):
    """Either the path came first and the analyst looks again, or the submission did and stays; never half of each."""
    people = [users["analyst"], User.objects.create_user("ann", role="analyst")]
    queue = make([draft(f"q{i}", "Germany", ["Berlin"], (CAPITAL, 1.0)) for i in range(8)])
    for item in Item.objects.select_related("queue__snapshot").filter(queue=queue):
        said = (VerdictData(item.candidates.get().pk, "rational"),)
        annotation = submissions.NewAnnotation(uuid.uuid4(), 0, item.shown, said)

        def act(i, item=item, annotation=annotation):
            try:
                if i:
                    added = {"topic": "Germany", "path": LANGUAGE}
                    added_paths.add_path(item=item, user=people[1], id=uuid.uuid4(), **added)
                else:
                    submissions.save_annotation(item=item, user=people[0], annotation=annotation)
            except submissions.AnnotationConflictError as error:
                return error.code
            return "done"

        submitted, added = at_once(2, act)
        row = Item.objects.get(pk=item.pk)
        assert (added, row.candidates.count()) == ("done", 2)
        assert (submitted, row.state, row.submitted) in {
            ("done", "done", 1),
            ("judged_meanwhile", "open", 0),
        }
        assert len(consensus.load_item_annotations(row)) == row.submitted


def test_two_decisions_at_the_same_moment_are_one(api, make, users):
    queue = make()
    item = Item.objects.get(queue=queue, key="q2")
    people = [users["admin"], users["analyst"]]

    def act(i):
        said = (VerdictData(item.candidates.get().pk, "rational"),)
        try:
            adjudication.save_decision(
                item=item, user=people[i], annotation=submissions.NewAnnotation(uuid.uuid4(), 0, "", said)
            )
        except submissions.AnnotationConflictError as error:
            return error.code
        return "done"

    assert sorted(at_once(2, act)) == ["done", "judged_meanwhile"]
    assert counters.read(queue.pk)["adjudicated",] == 1


def test_who_is_removed_in_the_middle_leaves_what_they_said(api, ann, make, users):
    queue = make(overlap=2)
    first = after(ann, queue)
    following = send(ann, first, "rational", "unsure").json()["next"]
    add(ann, following)
    assert Reservation.objects.count() == 1
    User.objects.get(username="ann").delete()
    late = send(ann, following, "rational")
    assert late.status_code in {401, 403}
    assert (Reservation.objects.count(), CurrentAnnotation.objects.count()) == (0, 1)
    again = User.objects.create_user("ann", role="analyst")
    users["ann"] = again
    fresh = api("ann")
    assert fresh.get(f"{ITEMS}/{first['id']}").json()["mine"] is None, "the name is the same, the person is not"
    assert fresh.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json").status_code == 409
    assert send(api("analyst"), first, "rational", "not-rational").json()["item"]["state"] == "done"
    shown = api("viewer").get(f"{URL}/{queue.pk}/statistics").json()
    assert [(one["analysts"], one["paths"]) for one in shown["pairs"]] == [(["analyst", "ann"], 2)]
    assert CandidatePath.objects.get(author="ann").path == [["official_language", False]]


@pytest.mark.parametrize("what", ["hops", "topics"])
def test_a_graph_whose_files_are_gone_is_said(api, make, tiny_graph, what):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    shutil.rmtree(files.ensure_local_path(tiny_graph.snapshot.path))
    snapshots._open.clear()
    answer = client.get(f"{ITEMS}/{item['id']}/{what}", {"topic": "Germany", "path": "[]", "q": "x"})
    assert answer.json()["error"]["code"] == "damaged"
    assert send(client, item, "rational", "unsure").status_code == 200, "judging needs no files"
