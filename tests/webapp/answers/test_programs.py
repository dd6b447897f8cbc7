"""Runs that are asked with a program, and the corrections that they make."""

import json
from dataclasses import replace

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from retrieval.events import AnswerFinal, ProgramExecuted
from retrieval.results import Answer, ProgramReading
from retrieval.types import Usage
from tests.webapp.answers.test_runs import ask
from webapp.accounts.models import User
from webapp.answers import log, services
from webapp.answers.models import Run, RunState
from webapp.graphs.models import Graph, GraphEndpoint, GraphState

SPEAKERS = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["German"]},
    "relation": {"name": "official_language", "inverse": True},
}
NEIGHBOURS = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["Switzerland"]},
    "relation": {"name": "borders", "inverse": False},
}
HOW_MANY = {"op": "Count", "source": NEIGHBOURS}


def deep(levels):
    return HOW_MANY if not levels else {"op": "Or", "left": NEIGHBOURS, "right": deep(levels - 1)}


def finish(run, program, *labels):
    """End a run as a worker does: with the program that was executed and its answers."""
    run = Run.objects.get(pk=run["id"])
    read = ProgramReading("countries", program, 0.8)
    told = ProgramExecuted(read, (), (), (), "", "", 1.0)
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    log.append(run.pk, after=0, events=[told])
    answers = tuple(Answer(label, 0.9) for label in labels)
    services.close_run(run_id=run.pk, after=1, event=AnswerFinal(answers, None, "", (), Usage(), 2.0))


def corrections(client, graph):
    return client.get(f"/api/v1/graphs/{graph.pk}/program-corrections").json()["results"]


def test_a_run_keeps_the_program_that_it_is_asked_with(api, tiny_graph):
    viewer = api("viewer")
    first = ask(viewer, tiny_graph, "Who speaks German?").json()
    assert viewer.get(f"/api/v1/runs/{first['id']}").json()["program"] is None
    finish(first, NEIGHBOURS, "Germany", "France")
    answer = ask(viewer, tiny_graph, "Who speaks German?", program=SPEAKERS, corrects=first["id"])
    assert answer.status_code == 201, answer.content
    shown = viewer.get(f"/api/v1/runs/{answer.json()['id']}").json()
    assert (shown["program"], shown["corrects"], shown["method"]) == (SPEAKERS, first["id"], "rel-rag-path")
    assert Run.objects.get(pk=shown["id"]).program_before == NEIGHBOURS


def test_it_is_kept_as_the_graph_spells_it(api, tiny_graph):
    sent = {**SPEAKERS, "source": {"op": "Entities", "ids": ["German", "German"]}}
    sent["relation"] = {"name": "official_language", "inverse": True}
    run = ask(api("viewer"), tiny_graph, program=sent).json()
    assert Run.objects.get(pk=run["id"]).program == SPEAKERS


@pytest.mark.parametrize(
    ("program", "message", "hint"),
    [
        ("count", "This is no program: program is no object with an 'op'.", "Send a program as program.executed"),
        ([], "This is no program: program is no object with an 'op'.", "Send a program as program.executed"),
        ({}, "This is no program: program is no object with an 'op'.", "Send a program as program.executed"),
        (deep(41), "This is no program: The program is nested deeper than 40 levels.", "Send a program"),
        ({"op": "Sort"}, "This is no program: program: there is no operation 'Sort'", "Send a program"),
        ({"op": "Count"}, "This is no program: program: Count lacks 'source'.", "Send a program"),
        (
            {"op": "Having", "relation": {"name": "border", "inverse": False}},
            "The graph has no relation “border”.",
            "The nearest are “borders”.",
        ),
        ({"op": "Entities", "ids": ["Germani"]}, "The graph has no entity “Germani”.", "The nearest are"),
        ({"op": "Entities", "ids": ["x" * 65_536]}, "The program is 65,567 bytes as JSON.", "At most 65,536"),
    ],
)  # fmt: skip
def test_what_is_no_program_of_the_graph(api, tiny_graph, program, message, hint):
    answer = ask(api("viewer"), tiny_graph, program=program)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "bad_program"
    assert error["message"].startswith(message)
    assert error["hint"].startswith(hint)
    assert Run.objects.count() == 0


def test_what_is_not_even_json(api, tiny_graph):
    body = f'{{"graph": {tiny_graph.pk}, "question": "Q?", "program": {{"op": }}'
    answer = api("viewer").post("/api/v1/runs", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    deeper = "[" * 200 + "]" * 200
    body = f'{{"graph": {tiny_graph.pk}, "question": "Q?", "program": {deeper}}}'
    answer = api("viewer").post("/api/v1/runs", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    answer = ask(api("viewer"), tiny_graph, program={"op": "Entities", "ids": ["a\0"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_methods_that_run_no_programs(api, tiny_graph):
    refused = ask(api("viewer"), tiny_graph, program=HOW_MANY, method="inses").json()["error"]
    assert (refused["code"], refused["message"]) == ("unknown_method", "inses does not run programs.")
    assert "rel-rag-path" in refused["hint"]
    run = ask(api("viewer"), tiny_graph, program=HOW_MANY, method="router").json()
    assert run["method"] == "rel-rag-path"


def test_a_graph_in_an_endpoint_takes_programs_and_looks_their_names_up_when_they_run(api, settings):
    settings.CLEW = replace(settings.CLEW, import_hosts=("localhost:1",))
    graph = Graph.objects.create(name="Films", visibility="public", state=GraphState.READY)
    GraphEndpoint.objects.create(
        graph=graph,
        url="http://localhost:1/sparql",
        hops=2,
        max_triples=10,
        per_entity=10,
        timeout=1.0,
        checked_at=timezone.now(),
    )
    answer = ask(api("viewer"), graph, program={"op": "Walk", "source": {"op": "Entities", "ids": [1]}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_program")
    assert Run.objects.count() == 0
    answer = ask(api("viewer"), graph, program=HOW_MANY)
    assert answer.status_code == 201, answer.content
    assert Run.objects.get().program == HOW_MANY


def test_methods_are_compared_on_one_program(api, tiny_graph):
    methods = [{"method": "rel-rag-path"}, {"method": "rel-rag-triple"}]
    body = {"graph": tiny_graph.pk, "question": "Q?", "methods": methods, "program": HOW_MANY}
    answer = api("viewer").post("/api/v1/comparisons", body, format="json")
    assert answer.status_code == 201, answer.content
    assert [run.program for run in Run.objects.all()] == [HOW_MANY, HOW_MANY]


def test_what_cannot_be_corrected(api, tiny_graph, users):
    viewer = api("viewer")
    run = ask(viewer, tiny_graph).json()
    alone = ask(viewer, tiny_graph, corrects=run["id"]).json()["error"]
    assert (alone["code"], alone["message"]) == ("invalid", "A correction needs a program.")
    other = Graph.objects.create(name="Other", visibility="public", snapshot=tiny_graph.snapshot)
    Graph.objects.filter(pk=other.pk).update(state=GraphState.READY)
    other.refresh_from_db()
    elsewhere = ask(viewer, other, program=HOW_MANY, corrects=run["id"]).json()["error"]
    assert (elsewhere["code"], elsewhere["message"]) == (
        "invalid",
        "The run that is corrected is of the graph Tiny.",
    )
    hidden = Graph.objects.create(name="Hidden", visibility="private", created_by=users["admin"])
    unseen = Run.objects.create(graph=hidden, question="Q?", budget=1, seed=0)
    assert ask(viewer, tiny_graph, program=HOW_MANY, corrects=str(unseen.pk)).status_code == 404
    assert ask(viewer, tiny_graph, program=HOW_MANY, corrects="1").status_code == 400


@pytest.mark.parametrize(("role", "state"), [("analyst", "undone"), ("other", "kept")])
def test_a_correction_is_corrected_by_its_person_and_by_analysts(api, tiny_graph, role, state):
    viewer, other = api("viewer"), APIClient()
    other.force_login(User.objects.create_user("other", role="viewer" if role == "other" else role))
    first = ask(viewer, tiny_graph, "How many neighbours has Switzerland?", program=NEIGHBOURS).json()
    finish(first, NEIGHBOURS, "Germany", "France")
    second = ask(other, tiny_graph, first["question"], program=SPEAKERS, corrects=first["id"]).json()
    finish(second, SPEAKERS, "Germany", "Switzerland")
    (shown,) = corrections(viewer, tiny_graph)
    assert (shown["run"], shown["state"]) == (first["id"], state)
    learned = api("analyst").get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections", {"kept": "true"})
    assert (first["id"] in [row["run"] for row in learned.json()["results"]]) == (state == "kept")


def test_corrections_are_listed_and_exported(api, tiny_graph):
    viewer, analyst = api("viewer"), api("analyst")
    first = ask(viewer, tiny_graph, "How many neighbours has Switzerland?").json()
    finish(first, NEIGHBOURS, "Germany", "France")
    second = ask(viewer, tiny_graph, first["question"], program=SPEAKERS, corrects=first["id"]).json()
    assert corrections(viewer, tiny_graph)[0]["state"] == "open"
    finish(second, SPEAKERS, "Germany", "Switzerland")
    assert corrections(viewer, tiny_graph)[0]["state"] == "kept"
    third = ask(viewer, tiny_graph, first["question"], program=HOW_MANY, corrects=second["id"]).json()
    finish(third, HOW_MANY, "2")
    own = ask(analyst, tiny_graph, "Who speaks German?", program=SPEAKERS).json()
    found = corrections(analyst, tiny_graph)
    assert [(row["run"], row["corrects"], row["state"], row["user"]) for row in found] == [
        (own["id"], None, "open", "analyst"),
        (third["id"], second["id"], "kept", "viewer"),
        (second["id"], first["id"], "undone", "viewer"),
    ]
    assert [(row["before"], row["after"]) for row in found] == [
        (None, SPEAKERS),
        (SPEAKERS, HOW_MANY),
        (NEIGHBOURS, SPEAKERS),
    ]
    assert (found[1]["question"], found[1]["answers"]) == (first["question"], ["2"])
    learned = analyst.get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections", {"kept": "true"}).json()
    assert [row["run"] for row in learned["results"]] == [third["id"]]
    file = analyst.get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections/download")
    assert file["Content-Type"] == "application/jsonl"
    assert [json.loads(line) for line in b"".join(file.streaming_content).splitlines()] == [
        {
            "id": third["id"],
            "question": first["question"],
            "topic_entities": [],
            "answers": ["2"],
            "program": HOW_MANY,
        }
    ]
    assert api("viewer").delete(f"/api/v1/runs/{second['id']}").status_code == 204
    assert [(row["corrects"], row["before"]) for row in corrections(viewer, tiny_graph)] == [(None, SPEAKERS)]


@pytest.mark.parametrize(
    ("role", "visibility", "statuses"),
    [
        (None, "public", (401, 401)),
        ("viewer", "public", (200, 403)),
        ("analyst", "public", (200, 200)),
        ("admin", "public", (200, 200)),
        ("viewer", "private", (404, 403)),
        ("analyst", "private", (404, 404)),
        ("admin", "private", (200, 200)),
    ],
)
def test_who_sees_corrections(api, tiny_graph, role, visibility, statuses):
    listed, downloaded = statuses
    ask(api("admin"), tiny_graph, program=HOW_MANY)
    Graph.objects.filter(pk=tiny_graph.pk).update(visibility=visibility)
    client = api(role)
    answer = client.get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections")
    assert answer.status_code == listed
    if listed == 200:
        # Viewers see their own alone.
        assert len(answer.json()["results"]) == (0 if role == "viewer" else 1)
    file = client.get(f"/api/v1/graphs/{tiny_graph.pk}/program-corrections/download")
    assert file.status_code == downloaded
