"""``/status`` tells what is the matter, and neither paths nor addresses."""

import pytest
import redis as client
from django.conf import settings

from retrieval.plugins import Plugin
from webapp.graphs import files
from webapp.jobs import heartbeats
from webapp.project import health

URL = "/api/v1/status"


def troubles(api, role="viewer"):
    answer = api(role).get(URL)
    assert answer.status_code == 200
    assert str(settings.CLEW.home) not in answer.content.decode()
    return [(one["code"], one["message"]) for one in answer.json()["troubles"]]


@pytest.fixture
def workers(redis):
    heartbeats.send_beat(heartbeats.ANSWERS, "a")
    heartbeats.send_beat(heartbeats.JOBS, "b")
    heartbeats.send_beat(heartbeats.LONG, "c")


def test_all_is_well(api, workers):
    assert troubles(api) == []


def test_workers_that_are_missing(api, workers):
    heartbeats.mark_left(heartbeats.JOBS, "b")
    assert troubles(api) == [("workers", "No worker for jobs is running: imports wait.")]
    heartbeats.send_beat(heartbeats.JOBS, "b")
    heartbeats.mark_left(heartbeats.LONG, "c")
    said = "No worker for long jobs is running: training and evaluations wait."
    assert troubles(api) == [("workers", said)]


def test_a_queue_that_is_away(api, workers, monkeypatch):
    viewer = api("viewer")
    with monkeypatch.context() as away:
        away.setattr(heartbeats, "get_redis_client", lambda: client.Redis(port=1))
        answer = viewer.get(URL)
    assert answer.status_code == 200
    assert [one["code"] for one in answer.json()["troubles"]] == ["queue"]
    assert answer.json()["workers"] == {"answers": 0, "jobs": 0}


def test_a_full_disk(api, workers, monkeypatch):
    monkeypatch.setattr(health, "FREE_MIN", 10**18)
    assert troubles(api) == [("disk", "The server's disk is nearly full.")]
    assert "GB are left" in troubles(api, "admin")[0][1]


def test_a_damaged_graph_is_told_to_who_sees_it(api, workers, tiny_graph):
    tiny_graph.visibility = "public"
    tiny_graph.save()
    place = files.get_path(tiny_graph.snapshot.path)
    (place / "tails.npy").write_bytes(b"x")
    assert api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/relations").status_code == 503
    assert troubles(api) == [("graph", "The files of the graph Tiny are damaged.")]
    tiny_graph.visibility = "private"
    tiny_graph.save()
    assert troubles(api) == []
    assert len(troubles(api, "admin")) == 1


def test_plug_ins_that_are_not_used_are_told_to_administrators(api, workers, monkeypatch):
    loaded = (
        Plugin("clew.methods", "good", "good 1.0", object()),
        Plugin("clew.methods", "bad", "bad 1.0", problem="It imports torch."),
    )
    monkeypatch.setattr(health, "load_plugin_methods", lambda: loaded)
    assert troubles(api) == []
    assert troubles(api, "admin") == [("plugin", "The plug-in bad is not used: It imports torch.")]
