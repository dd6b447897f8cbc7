"""Graphs of passages: which methods they serve, and what their questions keep."""

import json

import pytest

from retrieval.kg.readers.options import DETECT
from webapp.experiments import resolution
from webapp.questions import selectors
from webapp.questions import services as questions

pytestmark = pytest.mark.django_db


def test_a_graph_serves_the_methods_whose_needs_it_holds(api, tiny_graph):
    client = api("analyst")
    body = {"graph": tiny_graph.pk, "question": "Who?", "method": "text-rag"}
    answer = client.post("/api/v1/runs", body, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_method")
    assert f"text-rag needs passages, and the graph {tiny_graph.name} has none." in answer.json()["error"]["message"]
    tiny_graph.snapshot.passages = 3
    tiny_graph.snapshot.save()
    answer = client.post("/api/v1/runs", body, format="json")
    assert answer.status_code == 201
    assert (answer.json()["method"], answer.json()["checkpoint"]) == ("text-rag", None)


def test_a_graph_of_passages_alone_is_asked_as_text_unless_told_otherwise(tiny_graph):
    assert resolution.resolve_method_and_checkpoint(tiny_graph, None, None)[0] == "rel-rag-path"
    tiny_graph.snapshot.triples, tiny_graph.snapshot.passages = 0, 3
    assert resolution.resolve_method_and_checkpoint(tiny_graph, None, None) == ("text-rag", None)


def test_supporting_passages_are_kept_with_their_question(tmp_path, tiny_graph):
    from django.core.files.uploadedfile import SimpleUploadedFile

    row = {"id": "q", "question": "Who?", "answers": ["Ann"], "supporting_passages": [0, 7]}
    upload = SimpleUploadedFile("q.jsonl", json.dumps(row).encode())
    found = questions.import_question_set(name="Q", graph=tiny_graph, upload=upload, options=DETECT, user=None)
    assert selectors.to_engine_questions(found)[0].passages == ("0", "7")
