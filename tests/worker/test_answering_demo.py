"""The demo graph answers with the checkpoint that comes with it as soon as it is imported; nothing is trained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval import demo as content
from retrieval.answering.run import AskRequest
from retrieval.events import AnswerFinal
from retrieval.language.question import Question
from retrieval.training.manifest import read_manifest
from tests.webapp.answers.test_runs import ask
from webapp.experiments.models import Checkpoint
from webapp.graphs import files
from webapp.graphs.models import Graph, GraphState, Seeded
from webapp.jobs.models import Job, JobKind
from webapp.project import demo
from worker import answerers, imports


@pytest.fixture
def imported(users):
    """The demo graph, whose loading stopped when it was handed in and whose import has ended since."""
    demo._load(lambda: True)
    assert not Seeded.objects.exists()
    imports.import_graph(Job.objects.get(kind=JobKind.IMPORT).pk)
    graph = Graph.objects.get(name=demo.NAME)
    assert graph.state == GraphState.READY
    return graph


def test_it_is_right_without_a_training(api, imported):
    demo._load(lambda: False)
    assert Seeded.objects.filter(name="demo").exists()
    assert not Job.objects.filter(kind=JobKind.TRAIN).exists()
    row = Checkpoint.objects.get()
    assert (row.method, row.fingerprint) == (content.METHOD, read_manifest(content.CHECKPOINT).fingerprint)
    (listed,) = api("viewer").get("/api/v1/checkpoints", {"graph": imported.pk}).json()["results"]
    assert (listed["id"], listed["in_use"], listed["promoted_at"], listed["job"]) == (
        row.pk,
        True,
        None,
        None,
    )
    assert ask(api("viewer"), imported).json()["checkpoint"] == row.pk

    answerer = answerers._open_answerer(imported.snapshot, row, content.METHOD, "extractive")
    *_, final = answerer.run(AskRequest(Question("Which countries border both France and Germany?")))
    assert isinstance(final, AnswerFinal)
    assert {answer.label for answer in final.answers} == {"Belgium", "Luxembourg", "Switzerland"}


def test_a_loading_that_broke_off_records_it_once(imported):
    demo._load(lambda: False)
    Seeded.objects.all().delete()
    demo._load(lambda: False)
    assert Checkpoint.objects.count() == 1
    assert (files.ensure_local_path(Checkpoint.objects.get().path) / "weights.safetensors").is_file()


def test_with_another_encoder_it_is_trained(imported, settings):
    settings.CLEW = replace(settings.CLEW, encoder="bge-base-en-v1.5")
    demo._load(lambda: False)
    assert not Checkpoint.objects.exists()
    assert Job.objects.get(kind=JobKind.TRAIN).params["method"] == content.METHOD
