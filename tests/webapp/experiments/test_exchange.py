"""Checkpoints that are downloaded and brought back, by real processes over the checkpoint that comes with the demo."""

import io
import shutil
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval import demo
from webapp.experiments.models import Checkpoint
from webapp.graphs import files


@pytest.fixture
def trained(checkpoint, tiny_graph):
    """A checkpoint's row with its files."""
    row = checkpoint(path=f"checkpoints/{tiny_graph.pk}/7")
    shutil.copytree(demo.CHECKPOINT, files.place(row.path))
    return row


def post(client, graph, content, name="mine.zip"):
    return client.post(
        "/api/v1/checkpoints",
        {"graph": graph.pk, "file": SimpleUploadedFile(name, content)},
        format="multipart",
    )


def test_a_checkpoint_goes_out_as_numbers_and_comes_back(api, trained, tiny_graph):
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    content = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="rel-rag-path-ffffffff.zip"'
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert {"manifest.json", "config.json", "weights.safetensors"} <= set(names)
    assert not [name for name in names if name.endswith(".pt")]
    answer = post(api("analyst"), tiny_graph, content)
    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert (made["method"], made["question_set_name"], made["graph"]) == (
        "rel-rag-path", "uploaded: mine.zip", tiny_graph.pk,
    )  # fmt: skip
    row = Checkpoint.objects.get(pk=made["id"])
    assert (files.place(row.path) / "weights.pt").is_file()
    again = post(api("analyst"), tiny_graph, content)
    assert "this very checkpoint" in again.json()["error"]["message"]
    assert Checkpoint.objects.filter(graph=tiny_graph).count() == 2


def test_a_checkpoint_of_another_graph_is_not_used_until_it_is_promoted(api, trained, tiny_graph):
    answer = api("viewer").get(f"/api/v1/checkpoints/{trained.pk}/download")
    content = b"".join(answer.streaming_content)
    Checkpoint.objects.filter(pk=trained.pk).update(of_study=True)  # so that no other is in use
    made = post(api("analyst"), tiny_graph, content).json()
    assert (made["foreign"], made["in_use"]) == (True, False)
    assert api("analyst").post(f"/api/v1/checkpoints/{made['id']}/promote").status_code < 300
    assert api("viewer").get(f"/api/v1/checkpoints/{made['id']}").json()["in_use"]


def test_what_is_no_checkpoint_is_refused_in_words(api, tiny_graph):
    answer = post(api("analyst"), tiny_graph, b"no zip")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "The file is no checkpoint: it is no whole zip."
    assert answer.json()["error"]["hint"]
    assert not Checkpoint.objects.exists()
    assert api("analyst").post("/api/v1/checkpoints", {"graph": tiny_graph.pk}).status_code == 400
    assert post(api("viewer"), tiny_graph, b"x").status_code == 403
