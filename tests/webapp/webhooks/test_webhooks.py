"""Webhooks: who is told what, signed and in order, by a real server that receives it; and servers that misbehave."""

import socket
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

import worker.app
from retrieval.errors import ClewError
from retrieval.events import AnswerFinal
from retrieval.results import Answer
from retrieval.types import Usage
from tests.support.webhook_receiver import WebhookReceiver
from tests.webapp.review.calls import DRAFTS
from webapp.accounts.models import Scope
from webapp.accounts.services import create_token
from webapp.answers import services as answers
from webapp.answers.models import Run
from webapp.api.signals import Event
from webapp.graph_tests import models as rounds
from webapp.graph_tests.services import close_round
from webapp.graphs import versions
from webapp.graphs.models import GraphVersion
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.review.models import Item, Queue
from webapp.review.services import queues
from webapp.review.services.adjudication import accept_unanimous, save_decision
from webapp.review.services.submissions import NewAnnotation
from webapp.webhooks import sending, services
from webapp.webhooks.models import Delivery, Webhook
from worker.webhooks import send_waiting

URL = "/api/v1/webhooks"


@pytest.fixture
def receiver(settings):
    """A server that the operator allows."""
    settings.WEBHOOK_TIMEOUT_S = 5.0
    with WebhookReceiver() as running:
        settings.CLEW = replace(settings.CLEW, import_hosts=(running.host,))
        yield running


@pytest.fixture
def subscribe(api, receiver):
    """``subscribe("viewer", "job.ended")`` makes a webhook of a person; its row."""

    def make(role, *events):
        answer = api(role).post(URL, {"url": receiver.url, "events": events or Event.values}, format="json")
        assert answer.status_code == 201, answer.content
        receiver.secret = answer.json()["secret"]
        return Webhook.objects.get(pk=answer.json()["id"])

    return make


def end_job(graph, user=None, kind=JobKind.TRAIN):
    job = jobs.create(kind=kind, title="Train", graph=graph, user=user)
    jobs.fail(job_id=job.pk, error=ClewError("It broke."))
    return job


def make_due(webhook):
    """Let the time of the next attempt come."""
    Webhook.objects.filter(pk=webhook.pk).update(next_at=timezone.now())


def get_log(client, webhook):
    """The deliveries, the oldest first: state, and status and error of each attempt."""
    rows = client.get(f"{URL}/{webhook.pk}/deliveries").json()["results"]
    return [(row["state"], [(a["status"], a["error"]) for a in row["attempts"]]) for row in reversed(rows)]


def answer_run(graph, user, **values):
    run = answers.create_run(graph=graph, ask=answers.Ask("What borders France?"), user=user)
    Run.objects.filter(pk=run.pk).update(state="running", **values)
    final = AnswerFinal((Answer("Spain", 0.9),), None, "", (), Usage(), 1.0)
    answers.close_run(run_id=run.pk, after=0, event=final)
    return run


def test_each_event_is_sent_signed_and_in_order(subscribe, receiver, users, text_graph):
    webhook = subscribe("viewer")
    viewer, pk = users["viewer"], text_graph.pk
    job = end_job(text_graph)
    run = answer_run(text_graph, viewer)
    first = GraphVersion.objects.get(graph=pk, version=1)
    for indexing in text_graph.jobs.filter(state="queued"):
        indexing.delete()
    versions.activate(graph=text_graph, snapshot=first, user=None)
    watch, test = (
        rounds.GraphTest.objects.create(graph=text_graph, question=name, budget=5, watcher=watcher)
        for name, watcher in (("a?", viewer), ("b?", None))
    )
    others = rounds.GraphTest.objects.create(graph=text_graph, question="c?", budget=5, watcher=users["analyst"])
    latest = GraphVersion.objects.get(graph=pk, version=2)
    tried = rounds.TestRound.objects.create(
        graph=text_graph, version=latest, snapshot_hash="h", number=2, cause="version"
    )
    for row in (watch, test, others):
        rounds.TestResult.objects.create(round=tried, test=row, key="k", number=2, outcome="passed", changed=True)
    close_round(round=tried)

    send_waiting(webhook.pk)
    described = [(event["type"], event["data"]) for event in receiver.events]
    assert described == [
        (
            "job.ended",
            {"url": f"/api/v1/jobs/{job.pk}", "job": job.pk, "graph": pk, "kind": "train", "state": "failed"},
        ),
        ("run.ended", {"url": f"/api/v1/runs/{run.pk}", "run": str(run.pk), "graph": pk, "state": "done"}),
        ("version.activated", {"url": f"/api/v1/graphs/{pk}/versions/1", "graph": pk, "version": 1}),
        ("version.activated", {"url": f"/api/v1/graphs/{pk}/versions/2", "graph": pk, "version": 2}),
        *(
            (
                "answer.changed",
                {"url": f"/api/v1/tests/{row.pk}/history", "test": row.pk, "graph": pk, "watched": row == watch},
            )
            for row in (watch, test)
        ),
    ]
    assert all(event["id"] == event["header"] for event in receiver.events)
    assert len({event["id"] for event in receiver.events}) == len(receiver.events)


def test_decisions_of_a_review_are_told(subscribe, receiver, users, tiny_graph):
    webhook = subscribe("analyst", Event.REVIEW_DECIDED)
    queue = Queue.objects.create(name="R", graph=tiny_graph, snapshot=tiny_graph.snapshot, question_set_name="Q")
    Queue.objects.update(finished_at=timezone.now())
    queue.refresh_from_db()
    queues.save_items(queue=queue, drafts=DRAFTS)
    first, second, _ = queue.rows.order_by("position")
    broken = NewAnnotation(uuid4(), first.version, "", broken=True, reasons=("unclear",))
    save_decision(item=first, user=users["admin"], annotation=broken)
    Item.objects.filter(pk=second.pk).update(state="done", accord="unanimous")
    batch = uuid4()
    for _ in range(2):  # the repeat accepts nothing
        accept_unanimous(queue=queue, user=users["admin"], id=batch)
    send_waiting(webhook.pk)
    item = {"url": f"/api/v1/review/items/{first.pk}", "item": first.pk, "queue": queue.pk, "graph": tiny_graph.pk}
    everything = {"url": f"/api/v1/review/queues/{queue.pk}", "queue": queue.pk, "graph": tiny_graph.pk}
    assert [event["data"] for event in receiver.events] == [item, everything]


def test_nobody_is_told_what_they_may_not_see(subscribe, receiver, users, api, tiny_graph):
    webhook = subscribe("viewer")
    answer_run(tiny_graph, users["admin"])  # its address is a secret
    answer_run(tiny_graph, users["viewer"], trial=True)
    answer_run(tiny_graph, users["viewer"], retrieval=True)
    end_job(tiny_graph)
    tiny_graph.visibility = "private"
    tiny_graph.save()
    end_job(tiny_graph)
    assert Delivery.objects.count() == 1
    send_waiting(webhook.pk)
    assert receiver.events == []
    assert get_log(api("viewer"), webhook) == [("dropped", [])]
    users["viewer"].is_active = False
    users["viewer"].save()
    tiny_graph.visibility = "public"
    tiny_graph.save()
    end_job(tiny_graph)
    assert Delivery.objects.count() == 1


def test_a_failed_attempt_is_repeated_later_and_the_rest_waits_in_order(subscribe, receiver, api, tiny_graph):
    webhook, client = subscribe("viewer", Event.JOB_ENDED), api("viewer")
    made = [end_job(tiny_graph).pk for _ in range(3)]
    receiver.answers, receiver.body = [500, 503], b"busy\0" * 1000
    for failures, delay in ((1, 5), (2, 20)):
        before = timezone.now()
        send_waiting(webhook.pk)
        send_waiting(webhook.pk)  # not due
        webhook.refresh_from_db()
        assert (webhook.failures, len(receiver.events)) == (failures, failures)
        assert timedelta(0) <= webhook.next_at - before - timedelta(seconds=delay) < timedelta(seconds=delay)
        make_due(webhook)
    shown = client.get(f"{URL}/{webhook.pk}").json()
    assert (shown["waiting"], shown["failures"], shown["enabled"], "secret" in shown) == (3, 2, True, False)
    send_waiting(webhook.pk)
    assert [event["data"]["job"] for event in receiver.events] == [made[0], made[0], *made]
    assert len({event["id"] for event in receiver.events}) == 3  # a repeat has the id of the first attempt
    failed = [(500, "The server answered 500."), (503, "The server answered 503.")]
    assert get_log(client, webhook) == [("delivered", [*failed, (204, "")]), *[("delivered", [(204, "")])] * 2]
    last = client.get(f"{URL}/{webhook.pk}/deliveries").json()["results"][2]
    assert last["attempts"][0]["response"] == ("busy\ufffd" * 1000)[: sending.RESPONSE_BYTES]
    assert client.get(f"{URL}/{webhook.pk}").json()["failures"] == 0


def test_a_webhook_that_keeps_failing_is_turned_off_and_can_be_turned_on(subscribe, receiver, api, tiny_graph):
    webhook, client = subscribe("viewer", Event.JOB_ENDED), api("viewer")
    first, second = end_job(tiny_graph).pk, end_job(tiny_graph).pk
    times = len(sending.DELAYS_S) + 1
    receiver.answers = [500] * times
    for _ in range(times):
        send_waiting(webhook.pk)
        make_due(webhook)
    end_job(tiny_graph)  # nobody is told of it
    address = f"{URL}/{webhook.pk}"
    shown = client.get(address).json()
    reason = f"Sending failed {times} times in a row: The server answered 500."
    assert (shown["enabled"], shown["reason"], shown["waiting"]) == (False, reason, 1)
    assert [state for state, _ in get_log(client, webhook)] == ["failed", "waiting"]
    failed = Delivery.objects.earliest("pk")
    for refused in (f"{address}/test", f"{address}/deliveries/{failed.pk}/resend"):
        answer = client.post(refused)
        assert (answer.status_code, answer.json()["error"]["hint"]) == (409, "Turn it on first.")
    send_waiting(webhook.pk)
    assert len(receiver.events) == times

    shown = client.patch(address, {"enabled": True}, format="json").json()
    assert (shown["enabled"], shown["reason"], shown["failures"]) == (True, "", 0)
    send_waiting(webhook.pk)
    assert client.post(f"{address}/deliveries/{failed.pk}/resend").json()["state"] == "waiting"
    assert client.post(f"{address}/test").status_code == 201
    send_waiting(webhook.pk)
    said = [(event["type"], event["data"].get("job")) for event in receiver.events[times:]]
    assert said == [("job.ended", second), ("job.ended", first), ("webhook.test", None)]
    receiver.answers = [410]
    end_job(tiny_graph)
    send_waiting(webhook.pk)
    gone = "Sending failed once: The server answered 410."
    assert client.get(address).json()["reason"] == gone


def test_servers_that_misbehave_are_failures(subscribe, receiver, api, tiny_graph, settings):
    webhook, client = subscribe("viewer", Event.JOB_ENDED), api("viewer")
    settings.WEBHOOK_TIMEOUT_S = 0.3

    def fail():
        make_due(webhook)
        send_waiting(webhook.pk)
        ((_, attempts),) = get_log(client, webhook)
        return attempts[-1]

    end_job(tiny_graph)
    receiver.answers, receiver.location = [302], receiver.url
    redirects = "Redirects are not followed: enter the address that it leads to."
    assert fail() == (302, f"The server answered 302. {redirects}")
    assert len(receiver.events) == 1
    receiver.location, receiver.answers = "", [500]
    receiver.body, receiver.pause = b"slow" * 100, 0.05
    status, error = fail()
    assert (status, error) == (500, "The server answered 500.")  # what came in time is kept
    receiver.body, receiver.pause = b"", 0.0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        settings.CLEW = replace(settings.CLEW, import_hosts=(host, receiver.host))
        Webhook.objects.update(url=f"http://{host}/")
        assert fail() == (None, "The server did not answer within 0.3 s.")
    assert fail() == (None, "The server did not answer ([Errno 111] Connection refused).")
    settings.CLEW = replace(settings.CLEW, import_hosts=(receiver.host,))
    forbidden = f"Webhooks may not be sent to http://{host}. The operator allows: {receiver.host} (CLEW_IMPORT_HOSTS)."
    assert fail() == (None, forbidden)
    settings.SECRET_KEY = "another"
    Webhook.objects.update(url=receiver.url)
    make_due(webhook)
    send_waiting(webhook.pk)
    error = Delivery.objects.get().attempts[-1]["error"]
    assert error == "The webhook's secret was stored with another secret key: rotate it."
    receiver.secret = services.rotate_secret(webhook=webhook)
    make_due(webhook)
    send_waiting(webhook.pk)
    assert Delivery.objects.get().state == "delivered"


def test_a_rotated_secret_signs_beside_the_old_one_for_a_day(subscribe, receiver, api, tiny_graph):
    webhook, client = subscribe("viewer", Event.JOB_ENDED), api("viewer")
    first = receiver.secret
    answer = client.post(f"{URL}/{webhook.pk}/rotate-secret")
    second, until = answer.json()["secret"], answer.json()["old_secret_until"]
    assert (answer.status_code, second != first) == (200, True)
    left = datetime.fromisoformat(until) - timezone.now()
    assert timedelta(hours=23, minutes=59) < left <= timedelta(hours=24)
    webhook.refresh_from_db()
    assert services.list_secrets(webhook) == [second, first]
    assert first not in webhook.encrypted_old_secret
    for secret in (first, second):
        receiver.secret = secret
        end_job(tiny_graph)
        send_waiting(webhook.pk)
    assert len(receiver.events) == 2
    Webhook.objects.update(old_secret_until=timezone.now())
    for secret in (second, first):
        receiver.secret = secret
        end_job(tiny_graph)
        send_waiting(webhook.pk)
    assert len(receiver.events) == 3  # the old one does not fit any more
    receiver.secret = second
    make_due(webhook)
    send_waiting(webhook.pk)
    assert len(receiver.events) == 4
    assert api("admin").post(f"{URL}/{webhook.pk}/rotate-secret").status_code == 404


def test_a_webhook_is_made_changed_and_deleted_by_its_owner_alone(subscribe, receiver, api):
    webhook, client = subscribe("viewer", Event.RUN_ENDED, Event.JOB_ENDED), api("viewer")
    address = f"{URL}/{webhook.pk}"
    assert client.get(URL).json()["results"][0]["events"] == ["job.ended", "run.ended"]
    assert api("admin").get(URL).json()["results"] == []
    assert api("admin").get(address).status_code == 404
    for wrong, code in (
        ({"url": "http://127.0.0.1:1/"}, "not_allowed"),
        ({"url": "http://169.254.169.254/latest"}, "not_allowed"),
        ({"url": f"http://user@{receiver.host}/"}, "not_allowed"),
        ({"url": "file:///etc/passwd"}, "not_allowed"),
        ({"url": ""}, "invalid"),
        ({"events": []}, "invalid"),
        ({"events": ["job.began"]}, "invalid"),
    ):
        for answer in (
            client.patch(address, wrong, format="json"),
            client.post(URL, {"url": receiver.url, "events": ["job.ended"], **wrong}, format="json"),
        ):
            assert answer.json()["error"]["code"] == code, wrong
    moved = client.patch(address, {"url": f"{receiver.url}&x=1", "events": ["run.ended"]}, format="json").json()
    assert (moved["url"], moved["events"]) == (f"{receiver.url}&x=1", ["run.ended"])
    script = APIClient()
    script.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user=webhook.user, scopes=[Scope.ADMIN])}")
    assert script.get(address).status_code == 200
    assert client.delete(address).status_code == 204
    assert client.get(URL).json()["count"] == 0


def test_what_is_kept_is_bounded(subscribe, api, tiny_graph, monkeypatch, receiver):
    monkeypatch.setattr(sending, "LOG_MAX", 2)
    monkeypatch.setattr(services, "WAITING_MAX", 3)
    monkeypatch.setattr(services, "WEBHOOKS_MAX", 1)
    webhook, client = subscribe("viewer", Event.JOB_ENDED), api("viewer")
    again = client.post(URL, {"url": receiver.url, "events": ["job.ended"]}, format="json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    for _ in range(3):
        end_job(tiny_graph)
    send_waiting(webhook.pk)
    assert Delivery.objects.count() == 2
    for _ in range(4):
        end_job(tiny_graph)
    shown = client.get(f"{URL}/{webhook.pk}").json()
    assert (shown["enabled"], shown["waiting"], shown["reason"]) == (
        *(False, 3, "More than 3 events waited to be delivered."),
    )


def test_one_worker_sends_to_a_webhook_at_a_time_and_what_was_lost_is_found(subscribe, receiver, tiny_graph):
    webhook = subscribe("viewer", Event.JOB_ENDED)
    assert list(services.list_due(timezone.now())) == []
    end_job(tiny_graph)
    assert list(services.list_due(timezone.now())) == [webhook]
    Webhook.objects.update(sending_until=timezone.now() + timedelta(seconds=60))
    send_waiting(webhook.pk)
    assert (receiver.events, list(services.list_due(timezone.now()))) == ([], [])
    Webhook.objects.update(sending_until=timezone.now() - timedelta(seconds=1))  # its worker died
    assert list(services.list_due(timezone.now())) == [webhook]
    send_waiting(webhook.pk)
    assert len(receiver.events) == 1


__all__ = ["worker"]
