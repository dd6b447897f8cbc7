"""Checkpoints that are downloaded and brought back, by real processes over the checkpoint that comes with the demo."""

import io
import json
import pickle
import shutil
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval import demo
from retrieval.kg.readers import child_process
from webapp.experiments.models import Checkpoint
from webapp.graphs import files
from webapp.jobs.models import Job
from worker import checkpoints

pytestmark = pytest.mark.usefixtures("owned_graph")


@pytest.fixture
def trained(checkpoint, tiny_graph):
    """A checkpoint's row with its files."""
    row = checkpoint(path=f"checkpoints/{tiny_graph.pk}/trained")
    shutil.copytree(demo.CHECKPOINT, files.get_path(row.path))
    return row


def post(client, graph, content, name="mine.zip"):
    return client.post(
        "/api/v1/checkpoints",
        {"graph": graph.pk, "file": SimpleUploadedFile(name, content)},
        format="multipart",
    )


def take(client, graph, content, name="mine.zip"):
    """Upload a checkpoint and have a worker look through it; the job as its page shows it."""
    answer = post(client, graph, content, name)
    assert answer.status_code == 202, answer.content
    checkpoints.take_checkpoint(answer.json()["id"])
    return client.get(f"/api/v1/jobs/{answer.json()['id']}").json()


@pytest.mark.slow
def test_a_checkpoint_goes_out_as_numbers_and_comes_back(api, trained, tiny_graph):
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    content = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="rel-rag-path-ffffffff.zip"'
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert b"# Relation paths for Tiny\n" in zipfile.ZipFile(io.BytesIO(content)).read("README.md")
    assert {"manifest.json", "config.json", "weights.safetensors"} <= set(names)
    assert not [name for name in names if name.endswith(".pt")]
    job = take(api("analyst"), tiny_graph, content)
    assert (job["state"], [stage["state"] for stage in job["stages"]]) == ("done", ["done", "done"])
    made = api("analyst").get(f"/api/v1/checkpoints/{job['result']['checkpoint']}").json()
    assert (made["method"], made["question_set_name"], made["graph"]) == (
        "rel-rag-path", "uploaded: mine.zip", tiny_graph.pk,
    )  # fmt: skip
    row = Checkpoint.objects.get(pk=made["id"])
    assert (files.get_path(row.path) / "weights.pt").is_file()
    assert not files.get_path(Job.objects.get(pk=job["id"]).params["file"]).exists()
    again = take(api("analyst"), tiny_graph, content)
    assert "this very checkpoint" in again["error"]["message"]
    assert Checkpoint.objects.filter(graph=tiny_graph).count() == 2


@pytest.mark.slow
def test_a_checkpoint_of_another_graph_is_not_used_until_it_is_promoted(api, trained, tiny_graph):
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    content = b"".join(answer.streaming_content)
    Checkpoint.objects.filter(pk=trained.pk).update(of_study=True)  # so that no other is in use
    job = take(api("analyst"), tiny_graph, content)
    made = api("analyst").get(f"/api/v1/checkpoints/{job['result']['checkpoint']}").json()
    assert (made["foreign"], made["in_use"]) == (True, False)
    assert api("analyst").post(f"/api/v1/checkpoints/{made['id']}/promote").status_code < 300
    assert api("viewer").get(f"/api/v1/checkpoints/{made['id']}").json()["in_use"]


def rewritten(content, **changes):
    """The file with members changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as held, zipfile.ZipFile(out, "w") as file:
        for name in held.namelist():
            file.writestr(name, changes.get(name, held.read(name)))
    return out.getvalue()


@pytest.mark.slow
def test_what_is_broken_foreign_or_could_run_is_refused_in_words_before_anything_is_loaded(
    api, trained, tiny_graph, monkeypatch
):
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    content = b"".join(answer.streaming_content)
    called = []
    real = child_process.call

    def call(function, *args, **kwargs):
        called.append(args[0])
        return real(function, *args, **kwargs)

    monkeypatch.setattr(child_process, "call", call)
    manifest = json.loads(zipfile.ZipFile(io.BytesIO(content)).read("manifest.json"))
    torch_file = io.BytesIO()
    with zipfile.ZipFile(torch_file, "w") as file:
        file.writestr("archive/data.pkl", pickle.dumps({"weights": 1}))
    for sent, said in [
        (b"no zip", "The file is no checkpoint: it is no whole zip."),
        (content[: len(content) // 2], "The file is no checkpoint: it is no whole zip."),
        (content[:-1], "The file is no checkpoint: it is no whole zip."),
        (
            pickle.dumps({"weights": 1}),
            "The file is a pickle. Such weights can run code when they are opened",
        ),
        (torch_file.getvalue(), "The file holds 'archive/data.pkl'. Such weights can run code"),
        (
            rewritten(content, **{"weights.safetensors": b"half"}),
            "weights.safetensors is no whole safetensors file.",
        ),
        (rewritten(content, **{"config.json": b"[]"}), "config.json cannot be read"),
        (
            rewritten(content, **{"manifest.json": json.dumps({**manifest, "encoder": "other"}).encode()}),
            "The checkpoint was trained with the encoder other",
        ),
        (rewritten(content, **{"manifest.json": b"{" * (2 << 20)}), "manifest.json is larger than 1 MB."),
    ]:
        job = take(api("analyst"), tiny_graph, sent)
        assert job["state"] == "failed", said
        assert said in job["error"]["message"]
        assert job["error"]["hint"]
    assert set(called) == {"retrieval.methods.checkpoint_zip:unpack"}
    assert Checkpoint.objects.get() == trained
    place = files.get_path(trained.path)
    assert list(place.parent.iterdir()) == [place]


def test_a_checkpoint_is_uploaded_with_a_file_by_who_may(api, tiny_graph):
    assert api("analyst").post("/api/v1/checkpoints", {"graph": tiny_graph.pk}).status_code == 400
    assert post(api("viewer"), tiny_graph, b"x").status_code == 403


def test_a_waiting_upload_can_be_cancelled_and_its_file_goes(api, tiny_graph):
    client = api("analyst")
    job = post(client, tiny_graph, b"x").json()
    file = files.get_path(Job.objects.get().params["file"])
    assert file.read_bytes() == b"x"
    assert client.post(f"/api/v1/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    assert not file.exists()


@pytest.mark.slow
def test_an_upload_is_cancelled_while_it_is_read(api, trained, tiny_graph, monkeypatch):
    client = api("analyst")
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    job = post(client, tiny_graph, b"".join(answer.streaming_content)).json()
    real = child_process.call

    def call(function, *args, **kwargs):
        if args[0] == "retrieval.methods.exchange:take":
            assert client.post(f"/api/v1/jobs/{job['id']}/cancel").status_code == 200
        return real(function, *args, **kwargs)

    monkeypatch.setattr(child_process, "call", call)
    checkpoints.take_checkpoint(job["id"])
    assert client.get(f"/api/v1/jobs/{job['id']}").json()["state"] == "cancelled"
    assert Checkpoint.objects.get() == trained
    place = files.get_path(trained.path)
    assert list(place.parent.iterdir()) == [place]
