"""Who may see and change which graph."""

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import Group
from django.test import Client

from tests.support.sockets import Socket
from tests.webapp.graphs.test_graphs import upload
from webapp.accounts.models import Role, User
from webapp.answers import services as answers
from webapp.graphs import services
from webapp.graphs.selectors import can_see_graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind


@pytest.fixture
def private(tiny_graph, users):
    """The tiny graph, which only its owner, an analyst, and administrators see."""
    services.set_access(graph=tiny_graph, visibility="private", owner=users["analyst"])
    return tiny_graph


@pytest.fixture
def things(private, question_set, checkpoint, users):
    """Something of every kind that belongs to the graph; by the address of its list."""
    from webapp.experiments.models import LabelSet, Report, TrajectorySet
    from webapp.review.models import Queue

    common = {"graph": private, "question_set_name": "Q"}
    run = answers.create_run(graph=private, ask=answers.Ask("What borders Switzerland?"), user=users["analyst"])
    return {
        "graphs": private,
        "question-sets": question_set,
        "checkpoints": checkpoint(),
        "runs": run,
        "label-sets": LabelSet.objects.create(name="L", snapshot_hash="h", strategy="answer-set", **common),
        "trajectory-sets": TrajectorySet.objects.create(name="T", snapshot_hash="h", policy="offline", **common),
        "reports": Report.objects.create(
            snapshot_hash="h", split="test", method="inses", reasoner="extractive", budget=5, seed=0, **common
        ),
        "review/queues": Queue.objects.create(name="R", snapshot=private.snapshot, **common),
        "jobs": jobs.create(kind=JobKind.INDEX, title="Index", graph=private, user=None),
    }


def statuses(client, things, **query):
    return {
        name: (
            client.get(f"/api/v1/{name}/{thing.pk}").status_code,
            client.get(f"/api/v1/{name}", query).json()["count"],
        )
        for name, thing in things.items()
    }


def test_nothing_of_a_private_graph_is_found_by_others(api, things):
    assert set(statuses(api("viewer"), things).values()) == {(404, 0)}
    assert set(statuses(api("analyst"), things).values()) == {(200, 1)}
    assert set(statuses(api("admin"), things, all="true").values()) == {(200, 1)}


def test_what_leads_to_a_graph_by_way_of_something_else_is_hidden_too(api, things):
    from webapp.answers.models import AgentCorrection
    from webapp.review.models import Item

    item = Item.objects.create(
        queue=things["review/queues"], position=0, key="q", question="q?", doubt=0.5, reason="r", shown="s"
    )
    AgentCorrection.objects.create(run=things["runs"], step=1, before=[], chosen={})
    expected = {"viewer": (404, 0), "analyst": (200, 1), "admin": (200, 1)}
    for role, (status, count) in expected.items():
        client = api(role)
        assert client.get(f"/api/v1/review/items/{item.pk}").status_code == status, role
        assert client.get(f"/api/v1/review/queues/{item.queue_id}/items").status_code == status
        assert client.get("/api/v1/corrections").json()["count"] == count
        assert client.get(f"/api/v1/graphs/{things['graphs'].pk}/promotions").status_code == status


def test_nothing_can_be_made_of_a_private_graph_by_others(api, things, users):
    other = User.objects.create_user("other", password="x" * 12, role=Role.ANALYST)
    client = api("viewer")
    client.force_login(other)
    graph, run, questions = things["graphs"].pk, things["runs"].pk, things["question-sets"].pk
    calls = [
        ("post", "runs", {"graph": graph, "question": "q?"}),
        ("post", "comparisons", {"graph": graph, "question": "q?", "methods": [{"method": "inses"}]}),
        ("post", f"graphs/{graph}/train", {"question_set": questions, "method": "reg-path"}),
        ("post", "reports", {"graph": graph, "question_set": questions}),
        ("post", "label-sets", {"graph": graph, "question_set": questions, "strategy": "answer-set"}),
        ("post", f"graphs/{graph}/versions", {"mode": "append"}),
        ("get", f"graphs/{graph}/versions", None),
        ("get", f"graphs/{graph}/statistics", None),
        ("get", f"graphs/{graph}/report", None),
        ("get", f"graphs/{graph}/extract", None),
        ("get", f"graphs/{graph}/entities", None),
        ("get", f"runs/{run}/events", None),
        ("post", f"runs/{run}/cancel", {}),
        ("patch", f"graphs/{graph}", {"name": "Mine"}),
        ("delete", f"graphs/{graph}?confirm=Tiny", None),
        ("delete", f"question-sets/{questions}", None),
        ("post", f"jobs/{things['jobs'].pk}/cancel", {}),
    ]
    for method, path, body in calls:
        answer = getattr(client, method)(f"/api/v1/{path}", body, format="json")
        assert answer.status_code == 404, (method, path, answer.content)


def test_a_group_sees_what_is_shared_with_it(api, private, users):
    group = Group.objects.create(name="Chemists")
    client = api("analyst")  # its owner
    url = f"/api/v1/graphs/{private.pk}"
    answer = client.patch(url, {"visibility": "group", "groups": [group.pk]}, format="json").json()
    assert (answer["visibility"], answer["groups"]) == ("group", [{"id": group.pk, "name": "Chemists"}])
    assert api("viewer").get(url).status_code == 404
    users["viewer"].groups.add(group)
    assert api("viewer").get(url).json()["owner"] == "analyst"
    client.patch(url, {"visibility": "private"}, format="json")
    assert api("viewer").get(url).status_code == 404
    client.patch(url, {"visibility": "public"}, format="json")
    assert api("viewer").get(url).status_code == 200


def test_owners_and_administrators_change_a_graph_and_nobody_else(api, tiny_graph, users):
    url = f"/api/v1/graphs/{tiny_graph.pk}"
    assert api("analyst").patch(url, {"name": "Mine"}, format="json").status_code == 403
    assert api("viewer").patch(url, {"owner": "viewer"}, format="json").status_code == 403
    given = api("admin").patch(url, {"owner": "analyst"}, format="json").json()
    assert given["owner"] == "analyst"
    assert api("analyst").patch(url, {"name": "Mine"}, format="json").json()["name"] == "Mine"
    wrong = api("admin").patch(url, {"owner": "nobody", "visibility": "secret", "groups": [99]}, format="json")
    assert sorted(wrong.json()["error"]["fields"]) == ["groups", "owner", "visibility"]
    assert upload(api("analyst")).status_code == 403


def test_sockets_tell_only_of_what_may_be_seen(things, users):
    def cookie(user):
        client = Client()
        client.force_login(user)
        return client.cookies[settings.SESSION_COOKIE_NAME].value

    async def first(user_cookie, address):
        from channels.layers import channel_layers

        from webapp.project.asgi import application

        channel_layers.backends.clear()
        headers = [
            (b"origin", b"http://localhost"),
            (b"cookie", f"{settings.SESSION_COOKIE_NAME}={user_cookie}".encode()),
        ]
        connection = Socket(application, address, headers)
        assert await connection.connect()
        try:
            return await connection.close_code()
        finally:
            await connection.disconnect()

    run = f"/ws/runs/{things['runs'].pk}"
    several = f"/ws/runs?after={things['runs'].pk}:0"
    assert [async_to_sync(first)(cookie(users["viewer"]), url) for url in (run, several)] == [4404, 4404]
    assert can_see_graph(users["analyst"], things["graphs"].pk)
    assert not can_see_graph(users["viewer"], things["graphs"].pk)
    from webapp.answers.consumers import _can_watch
    from webapp.graphs.consumers import _get_revisions

    assert [len(_get_revisions(users[name])) for name in ("viewer", "analyst", "admin")] == [0, 1, 1]
    assert [_can_watch(users[n], [things["runs"].pk]) for n in ("viewer", "analyst")] == [False, True]
