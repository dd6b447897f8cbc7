"""Which checkpoint is used: the promoted one, else an adopted one; there and back, and what history says."""

import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from rest_framework.test import APIClient

from tests.webapp.answers.test_runs import ask
from webapp.accounts.models import User
from webapp.answers.models import Run
from webapp.experiments import promotions
from webapp.experiments.models import Promotion
from webapp.graphs.models import GraphVersion
from webapp.graphs.selectors import require_version
from webapp.jobs.models import Job, JobKind
from worker import answerers

pytestmark = pytest.mark.usefixtures("owned_graph")

URL = "/api/v1/checkpoints"
METHOD = "rel-rag-path"


def promote(client, row):
    return client.post(f"{URL}/{row.pk}/promote")


def rollback(client, graph, method=METHOD):
    return client.post(f"/api/v1/graphs/{graph.pk}/rollback", {"method": method}, format="json")


def used(client, graph):
    """The checkpoints of the method that say they are in use, what a run takes, and what the graph names."""
    rows = client.get(URL, {"graph": graph.pk, "method": METHOD}).json()["results"]
    run = ask(client, graph, method=METHOD).json()["checkpoint"]
    named = client.get(f"/api/v1/graphs/{graph.pk}").json()["checkpoint"]
    return [row["id"] for row in rows if row["in_use"]], run, named and named["id"]


def history(client, graph, **query):
    answer = client.get(f"/api/v1/graphs/{graph.pk}/promotions", query)
    assert answer.status_code == 200
    fields = ("kind", "user", "checkpoint", "previous", "rolled_back")
    return [tuple(row[name] for name in fields) for row in answer.json()["results"]]


def test_a_promoted_checkpoint_is_used_until_it_is_rolled_back(api, tiny_graph, checkpoint):
    first, old, middle = checkpoint(adopted=True), checkpoint(), checkpoint()
    client = api("analyst")
    assert used(client, tiny_graph) == ([first.pk], first.pk, first.pk), "the others are candidates"
    shown = promote(client, old).json()
    assert (shown["id"], shown["in_use"]) == (old.pk, True)
    assert shown["promoted_at"] is not None
    assert used(client, tiny_graph) == ([old.pk], old.pk, old.pk)
    later = checkpoint()
    assert used(client, tiny_graph) == ([old.pk], old.pk, old.pk), "what is trained later waits"
    promote(client, middle)
    assert used(client, tiny_graph) == ([middle.pk], middle.pk, middle.pk)
    assert client.get(f"{URL}/{later.pk}").json()["promoted_at"] is None

    assert rollback(client, tiny_graph).json()["id"] == old.pk
    assert used(client, tiny_graph) == ([old.pk], old.pk, old.pk)
    assert rollback(client, tiny_graph).json()["id"] == first.pk
    assert used(client, tiny_graph) == ([first.pk], first.pk, first.pk), "as before the first promotion"
    refused = rollback(client, tiny_graph)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "nothing_to_roll_back")
    who = "analyst"
    assert history(client, tiny_graph) == [
        ("rolled-back", who, first.pk, old.pk, False),
        ("rolled-back", who, old.pk, middle.pk, False),
        ("promoted", who, middle.pk, old.pk, True),
        ("promoted", who, old.pk, first.pk, True),
    ]


def test_a_worse_candidate_answers_nothing_until_it_is_promoted(api, tiny_graph, checkpoint):
    good = checkpoint(adopted=True)
    worse, other = checkpoint(), checkpoint(method="rapl", adopted=True)
    client = api("analyst")
    questions = client.post(
        "/api/v1/question-sets",
        {
            "name": "Test",
            "graph": tiny_graph.pk,
            "format": "jsonl",
            "file": SimpleUploadedFile(
                "q.jsonl",
                b'{"id": "1", "question": "Where is Bern?", "answers": ["Switzerland"], "split": "test"}',
            ),
        },
        format="multipart",
    ).json()["id"]

    def taken():
        """What runs, members of a comparison and evaluations take that name no checkpoint."""
        unnamed = ask(client, tiny_graph).json()
        body = {
            "graph": tiny_graph.pk,
            "question": "Where is Bern?",
            "methods": [{"method": METHOD}, {"method": "rapl"}],
        }
        compared = client.post("/api/v1/comparisons", body, format="json").json()["runs"]
        report = {"graph": tiny_graph.pk, "question_set": questions, "split": "test"}
        reports = [
            client.post("/api/v1/reports", {**report, **named}, format="json").json()["report"]["checkpoint"]
            for named in ({}, {"method": METHOD})
        ]
        return (unnamed["method"], unnamed["checkpoint"]), [run["checkpoint"] for run in compared], reports

    assert taken() == ((METHOD, good.pk), [good.pk, other.pk], [good.pk, good.pk])
    promote(client, worse)
    assert taken() == ((METHOD, worse.pk), [worse.pk, other.pk], [worse.pk, worse.pk])
    promote(client, other)
    assert taken()[0] == ("rapl", other.pk), "the one promoted last is what the graph is asked with"


def test_let_clew_choose_asks_facts_with_the_checkpoint_in_use(api, tiny_graph, checkpoint):
    client = api("analyst")
    assert ask(client, tiny_graph, method="router").json()["checkpoint"] is None
    good, candidate = checkpoint(adopted=True), checkpoint()
    decider = checkpoint(method="router", adopted=True)

    def routed(**named):
        run = Run.objects.get(pk=ask(client, tiny_graph, method="router", **named).json()["id"])
        version = require_version(run.graph, run.snapshot_hash)
        beside = answerers._find_base_checkpoint(version, run.checkpoint)
        return run.checkpoint_id, beside and beside.pk

    assert routed() == (good.pk, None)
    assert routed(checkpoint=candidate.pk) == (candidate.pk, None)
    assert routed(checkpoint=decider.pk) == (decider.pk, good.pk), "it has nothing to decide; the paths answer"
    promote(client, candidate)
    assert routed() == (candidate.pk, None)
    GraphVersion.objects.filter(pk=tiny_graph.snapshot_id).update(passages=3)
    assert routed() == (decider.pk, None), "beside passages it decides, and the steps need no training"


def test_promoting_twice_is_one_event_and_methods_do_not_mix(api, tiny_graph, checkpoint):
    row, other = checkpoint(), checkpoint(method="rapl")
    client = api("analyst")
    first = promote(client, row).json()["promoted_at"]
    assert promote(client, row).json()["promoted_at"] == first
    assert history(client, tiny_graph) == [("promoted", "analyst", row.pk, None, False)]
    assert history(client, tiny_graph, method="rapl") == []
    answer = rollback(client, tiny_graph, "rapl")
    assert answer.json()["error"]["message"] == "No checkpoint of rapl was promoted on Tiny."
    assert client.get(f"{URL}/{other.pk}").json()["in_use"] is False, "the first of a method is a candidate too"
    assert rollback(client, tiny_graph).status_code == 204, "what is untrained answers again"
    assert used(client, tiny_graph) == ([], None, None)
    assert rollback(client, tiny_graph).status_code == 409
    assert history(client, tiny_graph)[0] == ("rolled-back", "analyst", None, row.pk, False)


def test_a_checkpoint_that_cannot_be_used_is_not_promoted(api, tiny_graph, checkpoint):
    old = GraphVersion.objects.create(
        graph=tiny_graph, version=9, hash="old", path="p", entities=1, relations=1, triples=1
    )
    stale, foreign = checkpoint(snapshot=old), checkpoint(encoder="another")
    for row in (stale, foreign):
        refused = promote(api("analyst"), row)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_checkpoint")
    assert promote(api("viewer"), foreign).status_code == 403
    assert rollback(api("viewer"), tiny_graph).status_code == 403
    assert rollback(api("analyst"), tiny_graph, "nonsense").json()["error"]["code"] == "unknown_method"
    assert Promotion.objects.count() == 0


def test_a_new_version_of_the_graph_begins_anew(api, tiny_graph, checkpoint):
    row = checkpoint()
    checkpoint()
    promote(api("analyst"), row)
    tiny_graph.snapshot = GraphVersion.objects.create(
        graph=tiny_graph, version=2, hash="new", path="p", entities=1, relations=1, triples=1
    )
    tiny_graph.save()
    fresh = checkpoint(adopted=True)
    rows = api("viewer").get(URL, {"graph": tiny_graph.pk}).json()["results"]
    assert [one["id"] for one in rows if one["in_use"]] == [fresh.pk]


def test_a_deleted_checkpoint_leaves_the_use_to_the_one_promoted_before(api, tiny_graph, checkpoint):
    oldest, first, second = checkpoint(adopted=True), checkpoint(), checkpoint()
    client = api("analyst")
    promote(client, first)
    promote(client, second)
    second.delete()
    assert used(client, tiny_graph)[0] == [first.pk]
    first.delete()
    assert used(client, tiny_graph)[0] == [oldest.pk]
    assert [row[2] for row in history(client, tiny_graph)] == [None, None]


@pytest.mark.parametrize("count", [4])
def test_promotions_at_once_leave_one_line_of_history(tiny_graph, checkpoint, count):
    rows = [checkpoint() for _ in range(count)]

    def one(row):
        promotions.promote(checkpoint=row, user=None)
        connection.close()

    threads = [threading.Thread(target=one, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = list(Promotion.objects.order_by("pk").values_list("checkpoint", "previous"))
    assert {now for now, _ in made} == {row.pk for row in rows}
    assert [before for _, before in made[1:]] == [now for now, _ in made[:-1]]


def test_lists_ask_the_database_as_often_for_many_as_for_few(api, tiny_graph, checkpoint, django_assert_num_queries):
    client = api("analyst")
    checkpoint()
    client.get(URL)  # the first request of a person notes that they were seen
    with django_assert_num_queries(5):
        client.get(URL)
    for _ in range(5):
        checkpoint()
    with django_assert_num_queries(5):
        client.get(URL)


def trained_by(user, checkpoint, graph, **values):
    job = Job.objects.create(kind=JobKind.TRAIN, title="Train", graph=graph, user=user)
    return checkpoint(job=job, **values)


def test_seeing_a_graph_does_not_decide_what_answers(api, users, tiny_graph, checkpoint):
    """The owner's checkpoint answers, whatever another analyst who sees the graph trains, brings or takes back."""
    stranger = APIClient()
    stranger.force_login(User.objects.create_user("stranger", role="analyst"))
    owner = api("analyst")
    first, chosen = checkpoint(), checkpoint()
    promote(owner, chosen)
    brought = trained_by(User.objects.get(username="stranger"), checkpoint, tiny_graph)
    upload = {"graph": tiny_graph.pk, "file": SimpleUploadedFile("checkpoint.zip", b"PK")}
    refused = [
        promote(stranger, brought),
        promote(stranger, first),
        rollback(stranger, tiny_graph),
        stranger.post(URL, upload, format="multipart"),
        stranger.delete(f"{URL}/{chosen.pk}"),
    ]
    assert [answer.status_code for answer in refused] == [403] * 5
    said = {"message": "This graph is somebody else's.", "hint": "Ask its owner or an administrator."}
    for answer in (refused[0], *refused[2:4]):
        assert answer.json()["error"] == {"code": "forbidden", **said}
    assert used(owner, tiny_graph) == ([chosen.pk], chosen.pk, chosen.pk)
    assert stranger.delete(f"{URL}/{brought.pk}").status_code == 204, "what one trained is one's own"


def test_a_promoted_checkpoint_is_no_more_its_trainers(api, tiny_graph, checkpoint):
    """Who trained it neither deletes it nor brings it back, which would change what everybody is answered."""
    trainer = APIClient()
    trainer.force_login(User.objects.create_user("trainer", role="analyst"))
    row = trained_by(User.objects.get(username="trainer"), checkpoint, tiny_graph)
    owner = api("analyst")
    promote(owner, row)
    assert trainer.delete(f"{URL}/{row.pk}").status_code == 403
    assert owner.delete(f"{URL}/{row.pk}").status_code == 204
    assert trainer.post(f"/api/v1/trash/checkpoints/{row.pk}/restore").status_code == 404
    assert used(owner, tiny_graph) == ([], None, None)
    assert owner.post(f"/api/v1/trash/checkpoints/{row.pk}/restore").status_code == 204


def test_a_checkpoint_of_a_method_that_was_uninstalled_is_listed_and_answers_nothing(api, tiny_graph, checkpoint):
    gone, fitting = checkpoint(method="uninstalled", adopted=True), checkpoint(adopted=True)
    client = api("analyst")
    run = ask(client, tiny_graph).json()
    assert (run["method"], run["checkpoint"]) == (METHOD, fitting.pk)
    rows = client.get(URL, {"graph": tiny_graph.pk}).json()["results"]
    assert {row["id"]: row["in_use"] for row in rows} == {gone.pk: False, fitting.pk: True}
    refused = ask(client, tiny_graph, checkpoint=gone.pk)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "unknown_method")
