"""Graphs that were deleted: they can come back for a while."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from tests.webapp.graphs.test_graphs import stored_files, upload
from tests.webapp.uploads.test_uploads import code
from webapp.graphs import files, trash
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind, JobState


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
    assert files.ensure_local_path(tiny_graph.snapshot.path).is_dir()
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
    directory = files.ensure_local_path(tiny_graph.snapshot.path)
    trash.put_graph(graph=tiny_graph, confirm="Tiny", user=None)
    trash.remove_expired()
    assert directory.is_dir()
    Graph.objects.update(deleted_at=timezone.now() - timedelta(days=settings.CLEW.trash_days, seconds=1))
    trash.remove_expired()
    assert not directory.exists()
    assert Graph.objects.count() == 0


def test_the_trash_can_be_emptied_by_name(api, tiny_graph):
    directory = files.ensure_local_path(tiny_graph.snapshot.path)
    trash.put_graph(graph=tiny_graph, confirm="Tiny", user=None)
    url = f"/api/v1/trash/{tiny_graph.pk}"
    assert code(api().delete(url)) == (400, "confirm_needed")
    assert api().delete(f"{url}?confirm=Tiny").status_code == 204
    assert (directory.exists(), Graph.objects.count(), stored_files()) == (False, 0, [])
