"""Who may see and change which graph, what tokens are good for, the trash, storage and quotas."""

import io
import tarfile
import zipfile
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.support.sockets import Socket
from tests.webapp.graphs.test_graphs import stored_files, upload
from tests.webapp.uploads.test_uploads import begin, code, complete
from webapp.accounts import quotas
from webapp.accounts.models import ApiToken, Role, User
from webapp.answers import services as answers
from webapp.graphs import files, services, trash
from webapp.graphs.models import Graph, Visibility
from webapp.graphs.selectors import may_see
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind, JobState

GB = 10**9


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
    run = answers.create_run(
        graph=private, ask=answers.Ask("What borders Switzerland?"), user=users["analyst"]
    )
    return {
        "graphs": private,
        "question-sets": question_set,
        "checkpoints": checkpoint(),
        "runs": run,
        "label-sets": LabelSet.objects.create(name="L", snapshot_hash="h", strategy="answer-set", **common),
        "trajectory-sets": TrajectorySet.objects.create(
            name="T", snapshot_hash="h", policy="offline", **common
        ),
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
    wrong = api("admin").patch(
        url, {"owner": "nobody", "visibility": "secret", "groups": [99]}, format="json"
    )
    assert sorted(wrong.json()["error"]["fields"]) == ["groups", "owner", "visibility"]
    assert upload(api("analyst")).status_code == 403


def test_groups_are_made_by_administrators(api, users):
    made = api().post("/api/v1/groups", {"name": "Chemists", "members": ["viewer"]}, format="json")
    assert (made.status_code, made.json()["members"]) == (201, ["viewer"])
    url = f"/api/v1/groups/{made.json()['id']}"
    assert api().post("/api/v1/groups", {"name": "Chemists"}, format="json").status_code in (400, 409)
    assert api("viewer").get(url).json()["members"] == ["viewer"]
    assert api("analyst").get(url).json()["members"] == []
    assert api("analyst").patch(url, {"members": ["analyst"]}, format="json").status_code == 403
    changed = api().patch(url, {"members": ["viewer", "analyst"]}, format="json").json()
    assert sorted(changed["members"]) == ["analyst", "viewer"]
    people = {p["username"]: p["groups"] for p in api().get("/api/v1/users").json()}
    assert people == {"viewer": ["Chemists"], "analyst": ["Chemists"], "admin": []}
    assert api("analyst").get("/api/v1/users").status_code == 403
    assert api().delete(url).status_code == 204


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
    assert async_to_sync(first)(cookie(users["viewer"]), run) == 4404
    assert may_see(users["analyst"], things["graphs"].pk)
    assert not may_see(users["viewer"], things["graphs"].pk)
    from webapp.answers.consumers import _may_watch
    from webapp.graphs.consumers import _active_jobs

    assert [len(_active_jobs(users[name])) for name in ("viewer", "analyst", "admin")] == [0, 1, 1]
    assert [_may_watch(users[n], str(things["runs"].pk)) for n in ("viewer", "analyst")] == [False, True]


# --- tokens -------------------------------------------------------------------------------------------


def bearer(token):
    from rest_framework.test import APIClient

    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def make_token(client, *scopes, **more):
    answer = client.post("/api/v1/tokens", {"name": "script", "scopes": scopes, **more}, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_token_does_what_its_scopes_say(api, tiny_graph):
    graph = f"/api/v1/graphs/{tiny_graph.pk}"
    asking = ("post", "/api/v1/runs", {"graph": tiny_graph.pk, "question": "What borders Switzerland?"})
    calls = {
        "read": ("get", graph, None),
        "ask": asking,
        "write": ("patch", graph, {"description": "new"}),
        "admin": ("get", "/api/v1/tokens", None),
    }
    for scope in calls:
        client = bearer(make_token(api(), scope)["token"])
        got = {name: getattr(client, m)(url, body, format="json") for name, (m, url, body) in calls.items()}
        assert {name for name, answer in got.items() if answer.status_code < 300} == {scope}
        refused = next(answer for name, answer in got.items() if name != scope)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
        assert "lacks the scope" in refused.json()["error"]["message"]


def test_a_token_gives_no_more_than_its_user_has(api, tiny_graph):
    client = bearer(make_token(api("viewer"), "read", "ask", "write", "admin")["token"])
    changed = client.patch(f"/api/v1/graphs/{tiny_graph.pk}", {"name": "X"}, format="json")
    assert changed.status_code == 403


def test_tokens_are_listed_without_themselves_and_taken_back(api):
    made = make_token(api("viewer"), "read", expires_days=2)
    assert made["token"].startswith("clew_")
    client = bearer(made["token"])
    assert client.get("/api/v1/graphs").status_code == 200
    row = api("viewer").get("/api/v1/tokens").json()[0]
    assert (row["name"], row["scopes"], "token" in row) == ("script", ["read"], False)
    assert row["last_used_at"] is not None
    assert api("admin").get("/api/v1/tokens").json() == []
    assert api("admin").delete(f"/api/v1/tokens/{made['id']}").status_code == 404
    assert api("viewer").delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert client.get("/api/v1/graphs").status_code == 401


def test_tokens_expire(api):
    client = bearer(make_token(api("viewer"), "read", expires_days=1)["token"])
    assert client.get("/api/v1/graphs").status_code == 200
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get("/api/v1/graphs").status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [{"scopes": []}, {"scopes": ["root"]}, {"name": ""}, {"expires_days": 0}, {"expires_days": 10**6}],
)
def test_wrong_tokens_are_refused(api, wrong):
    body = {"name": "x", "scopes": ["read"], **wrong}
    answer = api().post("/api/v1/tokens", body, format="json")
    assert list(answer.json()["error"]["fields"]) == list(wrong)


# --- the trash ----------------------------------------------------------------------------------------


def test_deleting_needs_the_name_and_can_be_undone(api, tiny_graph, question_set):
    url = f"/api/v1/graphs/{tiny_graph.pk}"
    refused = api().delete(url)
    assert code(refused) == (400, "confirm_needed")
    assert api().delete(f"{url}?confirm=Tiny").status_code == 204
    assert api().get(url).status_code == 404
    assert api().get(f"/api/v1/question-sets/{question_set.pk}").status_code == 404
    assert api().get("/api/v1/question-sets").json()["count"] == 0
    row = api().get("/api/v1/trash").json()[0]
    assert (row["id"], row["name"], row["triples"], row["deleted_by"]) == (tiny_graph.pk, "Tiny", 6, "admin")
    assert api("analyst").get("/api/v1/trash").json() == []
    assert api("analyst").post(f"/api/v1/trash/{tiny_graph.pk}/restore").status_code == 404
    assert files.local_path(tiny_graph.snapshot.path).is_dir()
    restored = api().post(f"/api/v1/trash/{tiny_graph.pk}/restore", {}, format="json").json()
    assert (restored["name"], restored["state"], restored["triples"]) == ("Tiny", "ready", 6)
    assert api().get(f"/api/v1/question-sets/{question_set.pk}").status_code == 200
    assert api().get("/api/v1/trash").json() == []


def test_a_name_in_the_trash_is_free(api, tiny_graph):
    api().delete(f"/api/v1/graphs/{tiny_graph.pk}?confirm=Tiny")
    assert upload(api(), name="Tiny").status_code == 202
    url = f"/api/v1/trash/{tiny_graph.pk}/restore"
    assert code(api().post(url, {}, format="json")) == (409, "name_taken")
    assert api().post(url, {"name": "Tiny again"}, format="json").json()["name"] == "Tiny again"


def test_deleting_stops_what_works_on_it(api, redis):
    answer = upload(api()).json()
    running = Job.objects.get()
    Job.objects.update(state="running", worker="w")
    waiting = jobs.create(kind=JobKind.INDEX, title="I", graph=running.graph, user=None)
    assert api().delete(f"/api/v1/graphs/{answer['graph']['id']}?confirm=Graph").status_code == 204
    assert redis.exists(f"clew:cancel:job:{running.pk}") == 1
    waiting.refresh_from_db()
    assert waiting.state == JobState.CANCELLED


def test_what_was_in_the_trash_for_long_is_gone(api, tiny_graph, question_set):
    directory = files.local_path(tiny_graph.snapshot.path)
    trash.discard(graph=tiny_graph, confirm="Tiny", user=None)
    trash.sweep()
    assert directory.is_dir()
    Graph.objects.update(deleted_at=timezone.now() - timedelta(days=settings.CLEW.trash_days, seconds=1))
    trash.sweep()
    assert not directory.exists()
    assert Graph.objects.count() == 0


def test_the_trash_can_be_emptied_by_name(api, tiny_graph):
    directory = files.local_path(tiny_graph.snapshot.path)
    trash.discard(graph=tiny_graph, confirm="Tiny", user=None)
    url = f"/api/v1/trash/{tiny_graph.pk}"
    assert code(api().delete(url)) == (400, "confirm_needed")
    assert api().delete(f"{url}?confirm=Tiny").status_code == 204
    assert (directory.exists(), Graph.objects.count(), stored_files()) == (False, 0, [])


# --- storage and quotas -------------------------------------------------------------------------------


def test_storage_is_shown_by_graph(api, private):
    (files.local_path(private.snapshot.path) / "cache").mkdir()
    (files.local_path(private.snapshot.path) / "cache" / "x").write_bytes(b"12345")
    trained = files.place(files.checkpoint_name(private.pk, 7)) / "cache"
    trained.mkdir(parents=True)
    (trained / "weights.pt").write_bytes(b"123")
    complete(api("analyst"))
    shown = api("analyst").get("/api/v1/storage").json()
    row = shown["graphs"][0]
    assert (row["name"], row["caches"], row["uploads"], row["trashed"]) == ("Tiny", 5, 0, False)
    assert row["snapshots"] == files.size(private.snapshot.path) > 0
    assert row["others"] == 3
    assert row["total"] == row["snapshots"] + 8
    assert (shown["uploads"], shown["total"]) == (12, row["total"] + 12)
    assert (shown["mine"], shown["quota"]) == (12, None)
    assert shown["free"] > 0
    assert api("viewer").get("/api/v1/storage").json()["graphs"] == []


def test_a_quota_bounds_what_one_keeps(api, users, monkeypatch):
    monkeypatch.setattr(quotas, "quota", lambda: 100)
    assert code(begin(api(), 101)) == (413, "over_quota")
    assert begin(api(), 60).status_code == 201
    refused = begin(api(), 41)
    assert code(refused) == (413, "over_quota")
    assert "Delete" in refused.json()["error"]["hint"]
    assert begin(api("analyst"), 41).status_code == 201
    assert code(upload(api(), b"a\tr\tb\n" * 10)) == (413, "over_quota")
    assert upload(api()).status_code == 202


def test_a_quota_is_read_from_the_environment(settings):
    from dataclasses import replace

    settings.CLEW = replace(settings.CLEW, quota_gb=1.5)
    assert quotas.quota() == int(1.5 * GB)


# --- archives -----------------------------------------------------------------------------------------


def test_archives_are_taken(api):
    packed, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("facts.tsv", "a\tr\tb\n")
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        info = tarfile.TarInfo("facts.tsv")
        info.size = 6
        archive.addfile(info, io.BytesIO(b"a\tr\tb\n"))
    for number, (name, content) in enumerate({"a.zip": packed, "a.tar.gz": tarred}.items()):
        sent = SimpleUploadedFile(name, content.getvalue())
        answer = api().post("/api/v1/graphs", {"name": f"G{number}", "files": [sent]}, format="multipart")
        assert answer.status_code == 202, answer.content
    assert Graph.objects.filter(visibility=Visibility.PRIVATE).count() == 2
