"""A review of programs, from the questions to a checkpoint that learned from it."""

import json
import uuid

import pytest

from retrieval.types import QuestionRecord
from webapp.answers import services as answers
from webapp.jobs.models import Job, JobState
from webapp.questions.services import save_question_set
from webapp.review.models import Item, Queue
from worker import answering, review_queues, training

URL, ITEMS = "/api/v1/review/queues", "/api/v1/review/items"
YES, NO = "rational", "not-rational"


def walk(relation, name, *, inverse=False):
    source = {"op": "Entities", "ids": [name]}
    return {"op": "Walk", "source": source, "relation": {"name": relation, "inverse": inverse}}


BORDERS = walk("borders", "Switzerland")
HOW_MANY = {"op": "Count", "source": BORDERS}
HOW = "How many countries border Switzerland?"


@pytest.fixture
def questions(tiny_graph):
    asked = [
        QuestionRecord("q1", HOW, ("Switzerland",), ("2",), split="train", program=HOW_MANY),
        QuestionRecord("q2", "What borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="train"),
        QuestionRecord("q3", "What is the official language of France?", ("France",), ("French",), split="dev"),
        QuestionRecord("q4", "What borders Mars?", (), (), split="train", program=walk("borders", "Mars")),
        QuestionRecord("q5", "What is the capital of Germany?", ("Germany",), ("Berlin",), split="test"),
    ]  # fmt: skip
    return save_question_set(name="Five", graph=tiny_graph, questions=asked, format="jsonl", user=None)


@pytest.fixture
def queue(api, tiny_graph, questions):
    """A queue of programs, prepared."""
    body = {
        "graph": tiny_graph.pk,
        "question_set": questions.pk,
        "kind": "programs",
        "ordering": "sequential",
    }
    answer = api("analyst").post(URL, body, format="json")
    assert answer.status_code == 202, answer.content
    review_queues.review(answer.json()["job"]["id"])
    job = Job.objects.get(pk=answer.json()["job"]["id"])
    assert (job.state, job.error_message) == (JobState.DONE, "")
    return Queue.objects.get(pk=answer.json()["queue"]["id"])


def shown(client, queue, key):
    return client.get(f"{ITEMS}/{Item.objects.get(queue=queue, key=key).pk}").json()


def judge(client, item, kinds):
    """Judge every candidate of an item; ``kinds`` by place, the others are not rational."""
    body = {
        "id": str(uuid.uuid4()), "version": item["version"], "shown": item["shown"],
        "verdicts": [
            {"candidate": one["id"], "kind": kinds.get(at, NO)} for at, one in enumerate(item["candidates"])
        ],
    }  # fmt: skip
    answer = client.post(f"{ITEMS}/{item['id']}/submit", body, format="json")
    assert answer.status_code == 200, answer.content


def tried(graph, user, program):
    ask = answers.Ask(HOW, program=program, trial=True)
    run = answers.create_run(graph=graph, ask=ask, user=user)
    answering.answer(str(run.pk))
    return str(run.pk)


def add(client, item, run, **more):
    body = {"id": str(uuid.uuid4()), "run": run, **more}
    return client.post(f"{ITEMS}/{item['id']}/programs", body, format="json")


def programs(item):
    return [one["executed"]["read"]["program"] for one in item["candidates"]]


def test_candidates_are_what_is_given_and_what_is_read(api, queue):
    assert (queue.kind, queue.name, queue.items) == ("programs", "Programs of Five", 4)
    item = shown(api("viewer"), queue, "q1")
    first = item["candidates"][0]
    assert first["executed"]["read"]["program"] == HOW_MANY
    assert first["sources"][0]["source"] == "given"
    assert (first["reached"], first["hits"], first["precision"], first["recall"]) == (1, 1, 1.0, 1.0)
    assert [step["text"] for step in first["executed"]["steps"]][-1].startswith("count")
    assert (first["topic"], first["path"], first["steps"], first["author"]) == ("", [], [], None)
    read = shown(api("viewer"), queue, "q2")
    assert BORDERS in programs(read)
    assert all(one["source"] == "reader" for c in read["candidates"] for one in c["sources"])
    best = read["candidates"][programs(read).index(BORDERS)]
    assert (best["reached"], best["hits"], best["precision"], best["recall"]) == (2, 2, 1.0, 1.0)
    drawing = api("viewer").get(f"{ITEMS}/{read['id']}/drawing", {"candidates": best["id"]}).json()
    assert sorted(node["label"] for node in drawing[0]["hit"]) == ["France", "Germany"]
    assert {hop["step"]["name"] for hop in drawing[0]["hops"]} == {"borders"}
    misfit = Item.objects.get(queue=queue, key="q4")
    assert misfit.reason.endswith("The program of Five does not fit the graph: The graph has no entity “Mars”.")


def test_a_program_that_was_tried_is_added_judged_and_taken_back(api, tiny_graph, queue, users):
    analyst = api("analyst")
    item = shown(analyst, queue, "q1")
    run = tried(tiny_graph, users["analyst"], walk("borders", "Switzerland", inverse=True))
    assert analyst.get("/api/v1/runs").json()["count"] == 0
    assert analyst.get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections").json()["count"] == 0
    edited = item["candidates"][0]["id"]
    answer = add(analyst, item, run, edited_from=edited)
    assert answer.status_code == 200, answer.content
    grown = answer.json()["item"]
    assert len(grown["candidates"]) == len(item["candidates"]) + 1
    new = grown["candidates"][-1]
    assert (new["author"], new["edited_from"], new["reached"], new["hits"]) == ("analyst", edited, 0, 0)
    # What asks for the same is there already.
    same = tried(tiny_graph, users["analyst"], {"op": "Count", "source": {**BORDERS}})
    assert len(add(analyst, item, same).json()["item"]["candidates"]) == len(grown["candidates"])
    back = analyst.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json").json()["item"]
    assert programs(back) == programs(item)


def test_what_cannot_be_added_is_told(api, tiny_graph, queue, users):
    analyst = api("analyst")
    item = shown(analyst, queue, "q1")
    failed = tried(tiny_graph, users["analyst"], {**BORDERS, "source": HOW_MANY})
    answer = add(analyst, item, failed)
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        409,
        "The run has no answer: it is failed.",
    )
    assert add(analyst, item, str(uuid.uuid4())).status_code == 404
    assert add(api("viewer"), item, failed).status_code == 403
    path = {"id": str(uuid.uuid4()), "topic": "Switzerland", "path": [["borders", False]]}
    refused = analyst.post(f"{ITEMS}/{item['id']}/candidates", path, format="json")
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        400,
        "In the review Programs of Five programs are judged.",
    )


def test_right_answers_may_be_values_and_programs_are_measured_by_them(api, queue):
    item = shown(api("analyst"), queue, "q1")
    body = {"id": str(uuid.uuid4()), "answers": ["3"], "replaces": None}
    changed = api("analyst").post(f"{ITEMS}/{item['id']}/answers", body, format="json").json()["item"]
    assert (changed["answers"], changed["candidates"][0]["hits"]) == (["3"], 0)


def test_what_is_accepted_is_exported_and_learned(api, tiny_graph, queue, users):
    analyst = api("analyst")
    one, two = shown(analyst, queue, "q1"), shown(analyst, queue, "q2")
    judge(analyst, one, {0: YES})
    judge(analyst, two, {programs(two).index(BORDERS): YES})
    lines = b"".join(analyst.get(f"{URL}/{queue.pk}/export", {"format": "jsonl"}).streaming_content)
    rows = [json.loads(line) for line in lines.splitlines()]
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    assert [(row["question"], row["program"], row["source"]) for row in accepted] == [
        ("q1", HOW_MANY, "analyst"),
        ("q2", BORDERS, "analyst"),
    ]
    assert "path" not in accepted[0]
    assert len(rows) == len(one["candidates"]) + len(two["candidates"])
    lines = b"".join(analyst.get(f"{URL}/{queue.pk}/export", {"format": "questions"}).streaming_content)
    exported = {row["id"]: row for row in map(json.loads, lines.splitlines())}
    assert (exported["q1"]["program"], exported["q2"]["program"]) == (HOW_MANY, BORDERS)
    assert "program" not in exported["q3"]
    table = b"".join(analyst.get(f"{URL}/{queue.pk}/export", {"format": "csv"}).streaming_content).decode()
    assert table.splitlines()[0].endswith(",program,answers,answers_by")
    body = {"method": "rel-rag-path", "review_queue": queue.pk, "config": {"epochs": 1}}
    started = analyst.post(f"/api/v1/graphs/{tiny_graph.pk}/train", body, format="json")
    assert started.status_code == 202, started.content
    training.train(started.json()["id"])
    job = Job.objects.get(pk=started.json()["id"])
    assert (job.state, job.error_message) == (JobState.DONE, "")
    rejected = len(rows) - 2
    assert job.result["labels"] == {
        "accepted": 2, "rejected": rejected, "broken": 0, "programs": 2, "added": 0, "answered": 0,
    }  # fmt: skip
    # Of the four questions that are learned from, these two bring programs, and the third one that does not fit.
    assert job.result["notes"][-1].startswith("Programs that were given: 3; read as such ")
