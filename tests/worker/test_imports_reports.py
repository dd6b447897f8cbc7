"""What is told of a graph: a look before the import, the report, bad rows, statistics, schema, checked questions."""

import csv
import gzip
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.kg.readers import catalog
from retrieval.questions import formats
from retrieval.types import QuestionRecord
from tests.webapp.uploads.test_uploads import complete
from webapp.graphs import services
from webapp.graphs.models import GraphState
from webapp.jobs.models import Job, JobState
from webapp.questions.services import save_question_set
from worker import imports

ROWS = (
    b"Paris\tin\tFrance\nParis\tin\tFrance\n=1+1\n\tin\tX\nRome\ttwin\tRome\nBerlin\tin\tGermany\n"
    b"Berlin\ttype\tCity\nParis\ttype\tCity\nFrance\ttype\tCountry\n"
)


@pytest.fixture
def graph(users):
    sent = [SimpleUploadedFile("a.tsv", ROWS), SimpleUploadedFile("again.tsv", ROWS)]
    made, job = services.create_graph(
        name="Cities",
        description="",
        visibility="public",
        files=sent,
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    made.refresh_from_db()
    return made


def get(api, graph, what, **query):
    return api("viewer").get(f"/api/v1/graphs/{graph.pk}/{what}", query)


def test_the_report_tells_what_became_of_each_file(api, graph):
    report = get(api, graph, "report").json()
    figures = ("triples", "duplicates", "self_loops", "dangling", "blank_labels", "odd_encodings", "problems")
    assert {name: report[name] for name in figures} == {
        "triples": 6,
        "duplicates": 1,
        "self_loops": 1,
        "dangling": 0,
        "blank_labels": 1,
        "odd_encodings": 0,
        "problems": 3,
    }
    first, again = report["files"]
    assert (first["name"], first["format"], first["rows"], first["problems"]) == ("a.tsv", "delimited", 7, 2)
    assert sorted((k["kind"], k["count"]) for k in first["kinds"]) == [("blank", 1), ("row", 1)]
    assert (again["name"], again["same_as"], again["rows"]) == ("again.tsv", "a.tsv", 0)


def test_bad_rows_are_downloaded_without_formulas(api, graph):
    answer = get(api, graph, "problems", format="csv")
    assert answer["Content-Type"] == "text/csv"
    assert 'filename="Cities problems.csv"' in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode(), newline="")))
    assert [(row["file"], row["line"], row["text"]) for row in rows] == [
        ("a.tsv", "3", "'=1+1"),
        ("a.tsv", "4", "in\tX"),
        ("again.tsv", "", ""),
    ]
    assert "a.tsv" in rows[2]["reason"]


def test_statistics_and_schema(api, graph):
    made = get(api, graph, "statistics").json()
    assert (made["entities"], made["relations"], made["triples"], made["self_loops"]) == (7, 3, 6, 1)
    assert made["components"] == {"count": 2, "largest": 6, "largest_share": 6 / 7}
    assert made["top_relations"][0]["label"] == "type"
    assert [(r["label"], r["count"]) for r in made["top_relations"]] == [("type", 3), ("in", 2), ("twin", 1)]
    assert {h["label"]: h["count"] for h in made["hubs"]}["Paris"] == 2
    assert sum(one["count"] for one in made["degrees"]) == 7
    schema = get(api, graph, "schema").json()
    names = {one["id"]: one["label"] for one in schema["types"]}
    assert {(one["label"], one["count"]) for one in schema["types"]} == {
        ("City", 2),
        ("Country", 1),
        ("entity", 4),
    }
    edges = {(e["label"], names[e["source"]], names[e["target"]], e["count"]) for e in schema["edges"]}
    assert ("in", "City", "Country", 1) in edges


@pytest.mark.parametrize("what", ["report", "statistics", "schema"])
def test_of_a_graph_without_a_version_nothing_is_told(api, graph, what):
    graph.snapshot = None
    graph.state = GraphState.IMPORTING
    graph.save()
    answer = get(api, graph, what)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "graph_not_ready")


def test_questions_are_checked_against_the_version_that_is_asked(api, graph):
    asked = [
        QuestionRecord("q1", "Where is Paris?", ("Paris",), ("France",), split="train"),
        QuestionRecord("q2", "Where is Berlin?", ("Berlinn",), ("Germany",), split="test"),
        QuestionRecord("q3", "Where is Oslo?", ("Oslo",), ("Norway",), split="test"),
    ]
    made = save_question_set(name="Q", graph=graph, questions=asked, format="jsonl", user=None)
    url = f"/api/v1/question-sets/{made.pk}/check"
    found = api("viewer").get(url).json()
    assert (found["questions"], found["askable"], found["measurable"]) == (3, 1, 2)
    assert (found["topics"], found["topics_found"], found["answers"], found["answers_found"]) == (3, 1, 3, 2)
    missing = {one["name"]: one["nearest"] for one in found["topics_missing"]}
    assert missing["Berlinn"][0] == "Berlin"
    assert (found["splits"], found["version"]) == ({"train": 1, "test": 2}, 1)
    body = {"mode": "append", "files": [SimpleUploadedFile("oslo.tsv", b"Oslo\tin\tNorway\n")]}
    job = api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart").json()
    imports.import_graph(job["id"])
    again = api("viewer").get(url).json()
    assert (again["version"], again["topics_found"], again["measurable"]) == (2, 2, 3)


def preview(client, *ids, **more):
    return client.post("/api/v1/uploads/preview", {"uploads": ids, **more}, format="json")


def test_the_formats_that_files_can_be_read_as(api):
    found = api("analyst").get("/api/v1/uploads/formats").json()
    assert [one["name"] for one in found["graph"]] == list(catalog.FORMATS)
    assert [one["name"] for one in found["questions"]] == list(formats.FORMATS)
    shown = {one["name"]: one for one in found["graph"]}
    assert shown["csv"] == {
        "name": "csv",
        "label": "Triples, comma separated",
        "holds": "facts: head, relation, tail on each line",
        "options": ["delimiter", "header", "encoding", "columns"],
    }
    assert shown["pdf"]["options"] == []


def test_a_look_before_the_import_and_its_corrections_are_what_the_import_does(api):
    client = api()
    content = "wer;was;wem\nKöln;liegt in;Deutschland\n".encode("latin-1")
    id = complete(client, content, "deutsch.csv")
    seen = preview(client, id).json()[0]
    assert (seen["upload"], seen["name"], seen["delimiter"]) == (id, "deutsch.csv", ";")
    corrected = preview(
        client,
        id,
        delimiter=";",
        header=True,
        encoding="latin-1",
        columns={"head": "wem", "relation": 1, "tail": 0},
    )
    assert corrected.json()[0]["rows"] == [["Deutschland", "liegt in", "Köln"]]
    body = {
        "name": "Deutsch",
        "uploads": [id],
        "delimiter": ";",
        "header": True,
        "encoding": "latin-1",
        "columns": {"head": "wem", "relation": 1, "tail": 0},
    }
    answer = client.post("/api/v1/graphs", body, format="json")
    imports.import_graph(answer.json()["job"]["id"])
    assert Job.objects.get(pk=answer.json()["job"]["id"]).state == JobState.DONE
    found = client.get(f"/api/v1/graphs/{answer.json()['graph']['id']}/entities", {"q": "köln"}).json()
    assert found[0]["label"] == "Köln"


def test_a_look_at_questions_and_at_nothing_useful(api):
    client = api("analyst")
    line = b'{"id": "1", "question": "Who?", "topic_entities": ["A"], "answers": ["B"]}\n'
    questions = complete(client, gzip.compress(line), "q.jsonl.gz")
    picture = complete(client, b"\x89PNG\r\n\x1a\n....", "x.png")
    seen = preview(client, questions, picture, kind="questions").json()
    assert (seen[0]["format"], seen[0]["kind"]) == ("jsonl", "questions")
    assert (seen[1]["format"], bool(seen[1]["notes"])) == ("", True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": {"head": 0}},
        {"columns": {"head": 0, "relation": 1, "tail": True}},
        {"encoding": "no-such-encoding"},
        {"delimiter": "ab"},
        {"uploads": []},
    ],
)
def test_wrong_corrections_are_named(api, wrong):
    client = api()
    answer = preview(client, complete(client), **wrong) if "uploads" not in wrong else preview(client)
    assert answer.status_code == 400
    assert answer.json()["error"]["hint"]
