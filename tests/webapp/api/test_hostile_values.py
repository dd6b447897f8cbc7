"""Whatever is sent to whatever address, nothing breaks: the answer is one that the API promises, or a typed error."""

import json
import logging
import uuid

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from rest_framework.test import APIClient

from tests.support import hostile
from tests.webapp.review.calls import DRAFTS
from webapp.accounts.models import User
from webapp.accounts.services import make_token
from webapp.answers import services as answers
from webapp.answers.models import AgentCorrection
from webapp.experiments import label_sets
from webapp.experiments.models import Report, TrajectorySet
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.language_models.models import Provider
from webapp.review.models import Item
from webapp.review.services import queues
from webapp.uploads.models import Upload


@pytest.fixture
def known(text_graph, question_set, checkpoint, users):
    """One thing of each kind, and what is right to send about it."""
    admin, graph = users["admin"], text_graph
    graph.owner = admin
    graph.save()
    job = jobs.create(kind=JobKind.TRAIN, title="Train", graph=graph, user=admin)
    labels = label_sets.start_labelling(
        graph=graph, question_set=question_set, strategy="answer-set", name="One", user=admin
    )
    label_sets.save_label_set(label_set=labels, questions=2, labels=2)
    labels.refresh_from_db()
    common = {"graph": graph, "question_set": question_set, "question_set_name": "Q", "created_by": admin}
    report = Report.objects.create(
        snapshot_hash=graph.snapshot.hash,
        split="dev",
        method="inses",
        reasoner="extractive",
        budget=5,
        seed=0,
        finished_at=job.created_at,
        **common,
    )
    walks = TrajectorySet.objects.create(
        name="T", snapshot_hash=graph.snapshot.hash, policy="offline", finished_at=job.created_at, **common
    )
    queue = queues.start_queue(
        graph=graph, question_set=question_set, label_sets=[labels], plan=queues.Plan(overlap=1), user=admin
    )
    queues.save_items(queue=queue, drafts=DRAFTS)
    item = Item.objects.filter(queue=queue).order_by("pk").first()
    run = answers.create_run(graph=graph, ask=answers.Ask("What borders Germany?", method="graph-s3"), user=admin)
    AgentCorrection.objects.create(run=run, step=1, before=[], chosen={}, user=admin)
    upload = Upload.objects.create(user=admin, name="a.tsv", length=3, expires_at=job.created_at)
    token, _ = make_token(user=admin, name="script")
    provider = Provider.objects.create(name="P", base_url="http://127.0.0.1:9/v1", model="m")
    group = Group.objects.create(name="Team")
    other = User.objects.create_user("other", role="analyst")
    ids = {
        "checkpoints": checkpoint(job=job).pk,
        "graphs": graph.pk,
        "groups": group.pk,
        "jobs": job.pk,
        "label-sets": labels.pk,
        "language-models": provider.pk,
        "question-sets": question_set.pk,
        "reports": report.pk,
        "review/items": item.pk,
        "review/queues": queue.pk,
        "runs": run.pk,
        "tokens": token.pk,
        "trajectory-sets": walks.pk,
        "uploads": upload.pk,
        "users": other.pk,
        "comparisons": uuid.uuid4(),
    }
    judged = {"id": str(uuid.uuid4()), "version": item.version, "shown": "x", "verdicts": []}
    return {
        **{f"{place} id": str(pk) for place, pk in ids.items()},
        **{"version": 2, "number": 0, "name": "rel-rag-path", "entity": 1, "head": 1, "tail": 2},
        **{"graph": graph.pk, "question_set": question_set.pk, "label_sets": [labels.pk], "from": 1, "to": 2},
        **{
            "relation": "capital",
            "topic": "Germany",
            "path": [["borders", False]],
            "q": "a",
            "username": "new",
        },
        **{
            "ids": f"{report.pk},{report.pk}",
            "snapshot": graph.snapshot.hash,
            "confirm": graph.name,
            "method": "inses",
        },
        **{"question": "What borders Germany?", "role": "viewer", "files": [], "topic_entity": "Germany"},
        "POST /api/v1/runs": {
            "method": "inses",
            "entities": [],
            "budget": 5,
            "seed": 1,
            "reasoner": "extractive",
        },
        "POST /api/v1/comparisons": {"methods": [{"method": "inses"}]},
        "POST /api/v1/review/items/{id}/submit": judged,
        "POST /api/v1/uploads/preview": {"upload": str(upload.pk)},
        "POST /api/v1/graphs/{id}/train": {"method": "rel-rag-path", "config": {}},
        "POST /api/v1/reports": {"method": "inses", "split": "dev", "topics": "given"},
    }


def _plain(value):
    """A value as a form can have it."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else json.dumps(value)


def send(request, user):
    """The answer to a request of a user; what it changed is taken back."""
    client = APIClient(raise_request_exception=False)
    client.force_authenticate(user)
    meta = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in request.headers.items()}
    call = getattr(client, request.operation.method.lower())
    with transaction.atomic():
        try:
            if isinstance(request.body, dict):
                fields = {k: v for k, v in request.body.items() if v is not None}
                data = {k: v if isinstance(v, list) else _plain(v) for k, v in fields.items()}
                data = {k: [_plain(one) for one in v] if isinstance(v, list) else v for k, v in data.items()}
                answer = call(request.address, data, format="multipart", **meta)
            elif request.body is not None:
                answer = call(
                    request.address,
                    request.body,
                    content_type=request.kind or "application/offset+octet-stream",
                    **meta,
                )
            else:
                answer = call(request.address, **meta)
            if answer.streaming:
                b"".join(answer.streaming_content)
        finally:
            transaction.set_rollback(True)
    return answer


def wrong(answer):
    """What is wrong with an answer; empty where it is one of those that are promised."""
    if answer.status_code >= 500:
        return f"{answer.status_code} {answer.content[:200]!r}"
    if answer.status_code >= 400:
        try:
            error = json.loads(answer.content)["error"]
        except (ValueError, KeyError, TypeError):
            return f"{answer.status_code} without a typed error: {answer.content[:100]!r}"
        if not (error.get("code") and error.get("message")):
            return f"{answer.status_code} that says nothing: {error}"
    return ""


@pytest.mark.slow
def test_nothing_breaks(known, users):
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    found, sent = [], 0
    for operation in hostile.operations():
        for request in hostile.requests(operation, known):
            sent += 1
            said = wrong(send(request, User.objects.get(username="admin")))
            if said:
                found.append(f"{operation} {request.said}: {said}")
                print(found[-1][:300], flush=True)
    assert not found, f"{len(found)} of {sent}:\n" + "\n".join(found[:40])
    assert sent > 3000


@pytest.mark.parametrize("address", ["graphs?page=%00", "runs?q=a%00b", "methods/a%00b", "graphs/1/entities?q=%00"])
def test_no_address_holds_nul(api, address):
    answer = api().get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("inside", ["1e999", "[-1e999]", "NaN", "[" * 101 + "]" * 101])
def test_no_body_is_endless(api, inside):
    body = f'{{"name": "Team", "members": [], "more": {inside}}}'
    answer = api().post("/api/v1/groups", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_a_body_may_be_in_any_language_and_as_deep_as_allowed(api):
    body = '{"name": "Tëäm 𝒳", "members": [], "more": ' + "[" * 99 + "]" * 99 + "}"
    assert api().post("/api/v1/groups", body, content_type="application/json").status_code == 201
