"""The data model of files: given with an import, inferred before one, and kept with a version."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.graphs.models import Graph
from webapp.jobs.models import Job

CITIES = b"id,name,country\n1,Paris,F\n2,Rome,I\n"
MODEL = {"kinds": [{"table": "cities", "label": "town"}]}
WRONG = {"kinds": [{"label": "town"}]}


def refused(answer):
    return answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["message"]


def create(client, **more):
    body = {"name": "Cities", "files": [SimpleUploadedFile("cities.csv", CITIES)], **more}
    return client.post("/api/v1/graphs", body, format="multipart")


def test_an_import_takes_a_model(api):
    assert create(api(), model=json.dumps(MODEL)).status_code == 202
    assert Job.objects.get().params["model"] == MODEL


def test_the_import_of_a_version_takes_a_model(api, tiny_graph):
    # Files in the request, JSON in a field of the form.
    body = {"mode": "append", "files": [SimpleUploadedFile("cities.csv", CITIES)], "model": "{}"}
    assert api().post(f"/api/v1/graphs/{tiny_graph.pk}/versions", body, format="multipart").status_code == 202
    assert Job.objects.get().params["model"] == {}


@pytest.mark.parametrize(
    ("model", "code", "message"),
    [
        ('{"kinds": [{"label": "town"}]}', "bad_config", "The data model cannot be read: table is missing."),
        (
            '{"kinds": [{"table": "t", "columns": [{"name": "c", "type": "colour"}]}]}',
            "bad_config",
            "The data model cannot be read: the type of a column is one of text, number, date, boolean, list, link.",
        ),
        ('{"references": 1}', "bad_config", "The data model cannot be read: references must be a list of objects."),
        ("[]", "invalid", "model: A data model is a JSON object."),
        ("{", "invalid", "model: A data model is a JSON object."),
        ("[" * 100_000, "invalid", "model: A data model is a JSON object."),
        ('{"kinds": NaN}', "invalid", "model: Value must be valid JSON."),
        ('{"a": "\\u0000"}', "invalid", "model: This JSON cannot be kept: it holds NUL."),
        ('{"a": "' + "x" * 1_000_000 + '"}', "invalid", "model: A data model may have 1,000,000 bytes."),
    ],
    ids=range(9),
)
def test_a_model_that_is_none_is_refused_before_anything_is_kept(api, model, code, message):
    answer = create(api(), model=model)
    assert answer.status_code == 400
    found = answer.json()["error"]
    assert (found["code"], found["message"].startswith(message)) == (code, True), found
    assert found["hint"]
    assert (Graph.objects.count(), Job.objects.count()) == (0, 0)


def test_an_import_that_is_tried_again_keeps_its_model_unless_another_is_given(api):
    created = create(api(), model=json.dumps(MODEL)).json()
    job = Job.objects.get(pk=created["job"]["id"])
    url = f"/api/v1/jobs/{job.pk}/retry"
    for sent, kept in (
        ({}, MODEL),
        ({"encoding": "latin-1"}, MODEL),
        ({"model": {}}, {}),
    ):
        Job.objects.filter(pk=job.pk).update(state="failed")
        assert api().post(url, sent, format="json").status_code == 202
        job.refresh_from_db()
        assert job.params["model"] == kept
    Job.objects.filter(pk=job.pk).update(state="failed")
    assert refused(api().post(url, {"model": WRONG}, format="json"))[:2] == (400, "bad_config")
