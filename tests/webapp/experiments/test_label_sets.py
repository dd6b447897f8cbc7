"""Label sets: started, listed, downloaded, deleted; and what is refused."""

import io
import json
import zipfile

import pytest

from webapp.experiments import label_sets
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet

URL = "/api/v1/label-sets"
LINE = '{"question": "q1", "topic": "Germany", "path": [["capital", false]], "source": "answer-set", "score": 1.0}\n'


def start(client, graph, questions, **fields):
    body = {"graph": graph.pk, "question_set": questions.pk, "strategy": "answer-set", **fields}
    return client.post(URL, body, format="json")


@pytest.fixture
def done(tiny_graph, question_set, users):
    """A label set whose job is done, with its file."""
    row = label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="", user=users["analyst"]
    )
    path = files.ensure_local_path(files.build_labels_name(tiny_graph.pk, row.pk))
    path.parent.mkdir(parents=True)
    path.write_text(LINE)
    label_sets.save_label_set(
        label_set=row,
        questions=2,
        labels=1,
        coverage=0.5,
        fit=0.75,
        sources={"answer-set": 1},
        usage={"llm_calls": 3, "tokens": 40},
        compression={"pools": 1, "raw": 4, "merged": 2, "ratio": 0.5, "raw_max": 4, "merged_max": 2},
    )
    row.refresh_from_db()
    return row


def test_status_lists_the_strategies(api, users):
    shown = api("viewer").get("/api/v1/status").json()["label_strategies"]
    assert {s["id"]: s["available"] for s in shown} == {
        "answer-set": True,
        "shortest-path": True,
        "all-shortest": True,
        "llm": False,
    }


def test_labelling_is_queued(api, tiny_graph, question_set, redis):
    answer = start(api("analyst"), tiny_graph, question_set)
    assert answer.status_code == 202, answer.content
    made, job = answer.json()["label_set"], answer.json()["job"]
    assert (made["name"], made["state"], made["job"]) == (
        "Answer-set consistency, Tiny questions",
        "queued",
        job["id"],
    )
    assert (job["kind"], job["title"]) == ("label", "Label Tiny questions by answer-set")
    assert (made["snapshot"], made["created_by"], made["usage"]) == (
        tiny_graph.snapshot.hash,
        "analyst",
        {"llm_calls": 0, "tokens": 0},
    )
    assert redis.llen("clew:celery:long") == 1
    assert Job.objects.get(pk=job["id"]).params["max_hops"] is None
    longer = start(api("analyst"), tiny_graph, question_set, max_hops=4).json()["job"]
    assert Job.objects.get(pk=longer["id"]).params["max_hops"] == 4
    assert api("analyst").get(f"{URL}/{made['id']}/download").status_code == 409


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"strategy": "oracle"}, "bad_config"),
        ({"strategy": "llm"}, "llm_not_configured"),
        ({"strategy": "llm", "prompt": "poem"}, "bad_config"),
        ({"prompt": "reg"}, "bad_config"),
        ({"strategy": None}, "invalid"),
        ({"question_set": "x"}, "invalid"),
        ({"name": "n" * 201}, "invalid"),
        ({"max_hops": 0}, "invalid"),
        ({"max_hops": 9}, "invalid"),
    ],
)
def test_what_cannot_be_labelled(api, tiny_graph, question_set, fields, code):
    answer = start(api("analyst"), tiny_graph, question_set, **fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert (LabelSet.objects.count(), Job.objects.count()) == (0, 0)


def test_a_set_of_another_graph_or_for_testing_only_is_refused(api, tiny_graph, question_set):
    elsewhere = Graph.objects.create(name="Elsewhere", visibility="public")
    other = QuestionSet.objects.create(name="Other", graph=elsewhere)
    assert start(api("analyst"), tiny_graph, other).json()["error"]["code"] == "bad_training_data"
    assert start(api("analyst"), elsewhere, other).json()["error"]["code"] == "graph_not_ready"
    question_set.splits = {"train": 0, "dev": 0, "test": 2}
    question_set.save()
    error = start(api("analyst"), tiny_graph, question_set).json()["error"]
    assert error["message"] == ("The question set Tiny questions has no question to learn from: all are for testing.")


def test_a_label_set_shows_what_it_holds(api, tiny_graph, question_set, done):
    shown = api("viewer").get(f"{URL}/{done.pk}").json()
    assert (shown["state"], shown["questions"], shown["labels"], shown["coverage"], shown["fit"]) == (
        "done",
        2,
        1,
        0.5,
        0.75,
    )
    assert (shown["sources"], shown["usage"]) == ({"answer-set": 1}, {"llm_calls": 3, "tokens": 40})
    assert shown["compression"] == {"pools": 1, "raw": 4, "merged": 2, "ratio": 0.5}
    assert api("viewer").get(URL, {"question_set": question_set.pk}).json()["count"] == 1
    assert api("viewer").get(URL, {"graph": tiny_graph.pk + 1}).json()["count"] == 0


def test_labels_are_downloaded_as_they_lie(api, done):
    answer = api("viewer").get(f"{URL}/{done.pk}/download")
    assert b"".join(answer.streaming_content).decode() == LINE
    assert answer["Content-Type"] == "application/jsonl"
    assert answer["Content-Disposition"] == f'attachment; filename="labels-{done.pk}.jsonl"'


def test_labels_outlive_their_question_set(api, question_set, done):
    question_set.delete()
    shown = api("viewer").get(f"{URL}/{done.pk}").json()
    assert (shown["question_set"], shown["question_set_name"]) == (None, "Tiny questions")


def test_a_deleted_label_set_takes_its_file_along(api, tiny_graph, done):
    assert api("viewer").delete(f"{URL}/{done.pk}").status_code == 403
    assert api("analyst").delete(f"{URL}/{done.pk}").status_code == 204
    assert not files.ensure_local_path(files.build_labels_name(tiny_graph.pk, done.pk)).exists()
    assert api("analyst").get(f"{URL}/{done.pk}").status_code == 404


def test_deleting_one_that_is_being_made_stops_its_job(api, tiny_graph, question_set):
    made = start(api("analyst"), tiny_graph, question_set).json()
    api("analyst").delete(f"{URL}/{made['label_set']['id']}")
    assert Job.objects.get().state == "cancelled"


def test_why_it_was_not_made(api, tiny_graph, question_set):
    made = start(api("analyst"), tiny_graph, question_set).json()
    jobs.cancel_job(job=Job.objects.get())
    shown = api("viewer").get(f"{URL}/{made['label_set']['id']}").json()
    assert (shown["state"], shown["error"], shown["coverage"]) == ("cancelled", None, None)


def test_a_graph_takes_its_labels_along(tiny_graph, done):
    graphs.purge_graph(graph=tiny_graph)
    assert LabelSet.objects.count() == 0
    assert not files.ensure_local_path(f"labels/{tiny_graph.pk}").exists()


def combine(client, first, second, how="union", **fields):
    body = {"first": first, "second": second, "how": how, **fields}
    return client.post(f"{URL}/combine", body, format="json")


@pytest.fixture
def other(done, tiny_graph, question_set):
    """A second label set of the same questions that is done."""
    row = label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="shortest-path", name="Short", user=None
    )
    label_sets.save_label_set(label_set=row, questions=2, labels=1, coverage=0.5, fit=0.75)
    row.refresh_from_db()
    return row


def test_two_label_sets_are_combined_by_a_job(api, question_set, done, other):
    answer = combine(api("analyst"), done.pk, other.pk, "intersection")
    assert answer.status_code == 202, answer.content
    made, job = answer.json()["label_set"], answer.json()["job"]
    assert (made["name"], made["strategy"], made["question_set"], made["state"]) == (
        "Intersection of Answer-set consistency, Tiny questions and Short",
        "intersection",
        question_set.pk,
        "queued",
    )
    assert job["title"] == "Keep what both of two label sets of Tiny questions have"
    assert Job.objects.get(pk=job["id"]).params == {
        "question_set": question_set.pk,
        "strategy": "intersection",
        "combined": [done.pk, other.pk],
    }
    assert combine(api("analyst"), done.pk, other.pk, name="Both").json()["label_set"]["name"] == "Both"


def test_label_sets_that_do_not_go_together_are_not_combined(api, users, done, other):
    assert combine(api("viewer"), done.pk, other.pk).status_code == 403
    analyst = api("analyst")
    assert combine(analyst, done.pk, done.pk).json()["error"]["code"] == "bad_config"
    assert combine(analyst, done.pk, other.pk, "sum").json()["error"]["code"] == "invalid"
    assert combine(analyst, done.pk, other.pk + 1).status_code == 404
    LabelSet.objects.filter(pk=other.pk).update(snapshot_hash="another")
    error = combine(analyst, done.pk, other.pk).json()["error"]
    assert error["message"] == "The label set Short was made on another version of the graph."
    LabelSet.objects.filter(pk=other.pk).update(finished_at=None)
    assert combine(analyst, done.pk, other.pk).json()["error"]["code"] == "bad_training_data"
    assert LabelSet.objects.count() == 2


def test_the_dataset_holds_labels_with_their_questions(api, done):
    answer = api("viewer").get(f"{URL}/{done.pk}/dataset")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as file:
        assert json.loads(file.read("labels/train.jsonl"))["path"] == ["capital"]
        assert "questions/train.jsonl" in file.namelist()
