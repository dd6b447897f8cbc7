"""Uploading and reading question sets."""

import gzip
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.graphs.models import Graph
from webapp.questions.models import QuestionSet
from webapp.questions.selectors import to_engine_questions

METAQA = "what is the capital of [Germany]\tBerlin\nwhat borders [Switzerland]\tGermany|France\n"


def upload(client, graph, content, *, filename="questions.txt", name="Set", **more):
    if isinstance(content, str):
        content = content.encode()
    fields = {"name": name, "graph": graph, "file": SimpleUploadedFile(filename, content), **more}
    return client.post("/api/v1/question-sets", fields, format="multipart")


def test_a_metaqa_file(api, tiny_graph):
    answer = upload(api("analyst"), tiny_graph.pk, METAQA, filename="1-hop-dev.txt", format="metaqa")
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["name"], made["graph"], made["graph_name"], made["questions"], made["problems"]) == (
        "Set",
        tiny_graph.pk,
        "Tiny",
        2,
        [],
    )
    assert sum(made["splits"].values()) == 2
    listed = api("viewer").get(f"/api/v1/question-sets/{made['id']}/questions").json()
    assert [(q["question"], q["topic_entities"], q["answers"], q["hops"]) for q in listed["results"]] == [
        ("what is the capital of Germany", ["Germany"], ["Berlin"], 1),
        ("what borders Switzerland", ["Switzerland"], ["Germany", "France"], 1),
    ]


@pytest.mark.parametrize("asked", [{}, {"format": "auto"}])
def test_a_set_names_the_format_that_was_detected(api, tiny_graph, asked):
    made = upload(api("analyst"), tiny_graph.pk, METAQA, **asked)
    assert made.status_code == 201, made.content
    assert QuestionSet.objects.get(pk=made.json()["id"]).format == "metaqa"


def test_bad_rows_are_named_and_the_good_go_in(api, tiny_graph):
    good = json.dumps({"id": "a", "question": "q?", "topic_entities": ["Germany"], "answers": ["Berlin"]})
    made = upload(api("analyst"), tiny_graph.pk, f"{good}\nnot json\n", format="jsonl", filename="q.jsonl").json()
    assert made["questions"] == 1
    assert [(p["file"], p["line"], p["text"]) for p in made["problems"]] == [("q.jsonl", 2, "not json")]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_questions_in_utf_16_are_read(api, tiny_graph, pack):
    made = upload(api("analyst"), tiny_graph.pk, pack(METAQA.encode("utf-16")))
    assert made.status_code == 201, made.content
    assert made.json()["questions"] == 2


def archive(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, content in files.items():
            opened.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def test_the_files_of_an_archive_are_one_set(api, tiny_graph):
    made = upload(
        api("analyst"),
        tiny_graph.pk,
        archive(train_txt=METAQA, test_txt=f"{METAQA}no tab\n"),
        filename="all.zip",
    )
    assert made.status_code == 201, made.content
    body = made.json()
    assert (body["questions"], body["splits"]) == (4, {"train": 2, "dev": 0, "test": 2})
    assert [(p["file"], p["line"]) for p in body["problems"]] == [("all.zip/test.txt", 3)]
    bad = upload(api("analyst"), tiny_graph.pk, archive(**{"__/x": METAQA}), filename="bad.zip", name="Other")
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "bad_source")
    assert "leads out of it" in bad.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"", 400), (b"\x89PNG", 400), ("nothing of a question file", 400), (b"caf\xe9\t\xff\n", 400)],
)
def test_a_file_without_a_good_question_is_refused(api, tiny_graph, content, status):
    answer = upload(api("analyst"), tiny_graph.pk, content)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] in {"bad_source", "empty_source"}
    assert QuestionSet.objects.count() == 0


def test_names_are_unique_within_a_graph(api, tiny_graph):
    assert upload(api("analyst"), tiny_graph.pk, METAQA).status_code == 201
    assert upload(api("analyst"), tiny_graph.pk, METAQA).json()["error"]["code"] == "name_taken"
    assert upload(api("analyst"), tiny_graph.pk, METAQA, name="Other").status_code == 201


def test_an_unknown_graph_is_404(api, tiny_graph):
    assert upload(api("analyst"), 999, METAQA).status_code == 404


def test_questions_can_be_filtered(api, question_set):
    url = f"/api/v1/question-sets/{question_set.pk}/questions"
    assert [q["id"] for q in api("viewer").get(url, {"split": "dev"}).json()["results"]] == ["q2"]
    assert [q["id"] for q in api("viewer").get(url, {"q": "CAPITAL"}).json()["results"]] == ["q1"]
    assert api("viewer").get(url, {"q": "\0"}).status_code == 400


def test_sets_can_be_listed_by_graph_and_deleted(api, question_set, tiny_graph):
    client = api("analyst")
    assert client.get("/api/v1/question-sets", {"graph": tiny_graph.pk}).json()["count"] == 1
    assert client.get("/api/v1/question-sets", {"graph": 12345}).json()["count"] == 0
    assert client.get("/api/v1/question-sets", {"graph": "x"}).status_code == 400
    assert client.delete(f"/api/v1/question-sets/{question_set.pk}").status_code == 204
    assert client.get(f"/api/v1/question-sets/{question_set.pk}").status_code == 404


def test_a_graph_without_examples_takes_some_from_its_first_set(question_set, tiny_graph):
    tiny_graph.refresh_from_db()
    assert tiny_graph.examples == ["what is the capital of [Germany]?", "what borders Switzerland?"]


def test_the_engine_gets_back_what_was_read(question_set):
    first, second = to_engine_questions(question_set)
    assert (first.id, first.topic_entities, first.answers, first.split) == (
        "q1",
        ("Germany",),
        ("Berlin",),
        "train",
    )
    assert (second.hops, second.paths) == (1, ())


def test_a_suite_with_programs_and_operators(api, tiny_graph):
    program = {
        "op": "Walk",
        "source": {"op": "Entities", "ids": ["Germany"]},
        "relation": {"name": "capital", "inverse": False},
    }
    lost = {**program, "relation": {"name": "capitals", "inverse": False}}
    rows = [
        {
            "id": "a",
            "question": "What is it?",
            "answers": ["Berlin"],
            "operators": ["walk"],
            "program": program,
        },
        {
            "id": "b",
            "question": "And now?",
            "answers": ["1"],
            "also": [["one"]],
            "program": lost,
            "sql": "SELECT 1",
        },
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    made = upload(api("analyst"), tiny_graph.pk, content, filename="suite.jsonl").json()
    first, second = to_engine_questions(QuestionSet.objects.get(pk=made["id"]))
    assert (first.program, first.operators, first.also) == (program, ("walk",), ())
    assert (second.program, second.operators, second.also) == (lost, (), (("one",),))
    url = f"/api/v1/question-sets/{made['id']}"
    listed = api("viewer").get(f"{url}/questions").json()["results"]
    assert [(row["operators"], row["program"]) for row in listed] == [(["walk"], program), ([], lost)]
    found = api("viewer").get(f"{url}/check").json()
    assert (found["programs"], found["programs_found"], found["programs_missing"]) == (
        2,
        1,
        [
            {
                "question": "b",
                "message": "The graph has no relation “capitals”.",
                "hint": "The nearest are “capital”.",
            }
        ],
    )
    # What was looked up before programs were is looked up again.
    old = {key: value for key, value in found.items() if not key.startswith("programs")}
    QuestionSet.objects.update(checked=old)
    assert api("viewer").get(f"{url}/check").json() == found


def test_training(api, question_set, tiny_graph, redis):
    url = f"/api/v1/graphs/{tiny_graph.pk}/train"
    body = {"question_set": question_set.pk, "method": "rel-rag-path", "config": {"epochs": 1}}
    job = api("analyst").post(url, body, format="json")
    assert job.status_code == 202
    assert (job.json()["kind"], job.json()["title"]) == ("train", "Train rel-rag-path on Tiny questions")
    assert redis.llen("clew:celery:long") == 1
    wrong = {**body, "method": "inses"}
    assert api("analyst").post(url, wrong, format="json").json()["error"]["code"] == "unknown_method"
    other = Graph.objects.create(name="Other", visibility="public", snapshot=tiny_graph.snapshot, state="ready")
    answer = api("analyst").post(f"/api/v1/graphs/{other.pk}/train", body, format="json")
    assert answer.json()["error"]["code"] == "bad_training_data"


def test_a_dataset_is_a_question_set_again(api, tiny_graph):
    line = {"id": "a", "question": "How many?", "answers": ["2"], "program": {"op": "count"}, "split": "test"}
    client = api("analyst")
    made = upload(client, tiny_graph.pk, json.dumps(line), filename="q.jsonl").json()
    answer = client.get(f"/api/v1/question-sets/{made['id']}/dataset")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Set.zip"'
    again = upload(client, tiny_graph.pk, b"".join(answer.streaming_content), filename="Set.zip", name="Again").json()
    assert again["problems"] == []
    first, second = (to_engine_questions(QuestionSet.objects.get(pk=each["id"])) for each in (made, again))
    assert first == second
