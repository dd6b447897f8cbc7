"""A format is a file and a line: the guide "Add a format", followed, gives one that commands and the API read."""

import os
import subprocess
import sys

import pytest

from retrieval.kg.readers import child_process
from retrieval.kg.snapshot import Snapshot
from tests.support.guides import format_added
from tests.webapp.uploads.test_uploads import complete
from webapp.jobs.models import Job, JobState
from worker import imports

FILMS = b"Jaws --directed by--> Spielberg\nHook --directed by--> Spielberg\nnothing of the kind\n"


@pytest.fixture
def root(tmp_path_factory):
    return format_added(tmp_path_factory.mktemp("engine"))


@pytest.fixture
def known(root, monkeypatch):
    """Foreign files are read by the engine that has the format."""
    child_process._Child.stop_idle()
    monkeypatch.setattr(child_process, "ROOT", root)
    yield
    child_process._Child.stop_idle()


def test_the_format_of_the_guide_is_built_by_the_command_line(root, tmp_path):
    (tmp_path / "films.arrows").write_bytes(FILMS)
    command = [
        sys.executable,
        "-m",
        "retrieval",
        "build-graph",
        "films.arrows",
        "--out",
        "graph",
        "--no-index",
    ]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "films.arrows:3: there is no arrow" in done.stderr
    graph = Snapshot(tmp_path / "graph")
    assert (graph.num_triples, list(graph.relation_names)) == (2, ["directed by"])
    assert list(graph.entity_labels) == ["Hook", "Jaws", "Spielberg"]


def test_the_format_of_the_guide_is_uploaded_looked_at_and_imported(api, known):
    client = api()
    id = complete(client, FILMS, "films")
    seen = client.post("/api/v1/uploads/preview", {"uploads": [id]}, format="json").json()[0]
    assert (seen["format"], seen["titles"]) == ("arrows", ["head", "relation", "tail"])
    assert seen["rows"] == [["Jaws", "directed by", "Spielberg"], ["Hook", "directed by", "Spielberg"]]
    assert [(one["line"], one["message"]) for one in seen["problems"]] == [(3, "there is no arrow")]
    made = client.post("/api/v1/graphs", {"name": "Films", "uploads": [id]}, format="json").json()
    imports.import_graph(made["job"]["id"])
    job = Job.objects.get(pk=made["job"]["id"])
    assert (job.state, job.result["triples"], job.result["problems"]) == (JobState.DONE, 2, 1)
