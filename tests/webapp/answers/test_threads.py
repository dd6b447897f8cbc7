"""Follow-ups: what they may lean on, and for whom."""

import pytest

from retrieval.events import AnswerFinal, ProgramExecuted, QuestionLinked, QuestionRewritten
from retrieval.results import Answer, ProgramReading
from retrieval.types import Denoted, LinkedEntity, Node, Usage
from tests.webapp.answers.test_programs import NEIGHBOURS
from tests.webapp.answers.test_runs import ask
from webapp.answers import log, services
from webapp.answers.models import Run, RunState
from webapp.graphs import services as graphs
from webapp.graphs import snapshots
from webapp.graphs.models import Graph, GraphState


def finished(client, graph, question="What borders Switzerland?", read=None):
    """A run with its log, as a worker leaves it."""
    run = Run.objects.get(pk=ask(client, graph, question).json()["id"])
    find = snapshots.open_current(graph).find_entity
    swiss, french, german = find("Switzerland"), find("France"), find("Germany")
    linked = LinkedEntity(Node(swiss, "Switzerland"), "Switzerland", 13, 24, 1.0, "exact")
    told = [
        *([QuestionRewritten(read, read, (Denoted(0, 4, (french, german)),), 1.0)] if read else []),
        QuestionLinked((linked,), (), 1.0),
        ProgramExecuted(ProgramReading("neighbours", NEIGHBOURS, 0.8), (), (), (), "", "", 1.0),
    ]
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    log.append(run.pk, after=0, events=told)
    answers = (Answer("France", 0.9, Node(french, "France")), Answer("Germany", 0.9, Node(german, "Germany")))
    final = AnswerFinal(answers, None, "", (), Usage(), 2.0)
    services.close_run(run_id=run.pk, after=len(told), event=final)
    return run, (swiss, french, german)


def test_a_follow_up_keeps_what_it_leans_on(api, tiny_graph):
    viewer = api("viewer")
    first, (swiss, french, german) = finished(viewer, tiny_graph)
    second = ask(viewer, tiny_graph, "which of them are large?", follows=str(first.pk)).json()
    kept = Run.objects.get(pk=second["id"])
    assert kept.context == {
        "question": "What borders Switzerland?",
        "topics": [swiss],
        "answers": [french, german],
        "program": NEIGHBOURS,
        "denoted": [],
    }
    assert (second["thread"], kept.follows_id) == (str(first.pk), first.pk)


def test_a_follow_up_of_a_follow_up_leans_on_how_that_was_read(api, tiny_graph):
    viewer = api("viewer")
    first, (_, french, german) = finished(viewer, tiny_graph, "and them?", "They are what?")
    second = ask(viewer, tiny_graph, "why?", follows=str(first.pk)).json()
    context = Run.objects.get(pk=second["id"]).context
    assert context["question"] == "They are what?"
    assert context["denoted"] == [{"start": 0, "end": 4, "ids": sorted([french, german])}]


def test_two_tabs_may_follow_the_same_question(api, tiny_graph):
    viewer = api("viewer")
    first, _ = finished(viewer, tiny_graph)
    asked = [ask(viewer, tiny_graph, text, follows=str(first.pk)).json()["id"] for text in ("one?", "two?")]
    shown = viewer.get(f"/api/v1/runs?thread={first.pk}").json()["results"]
    assert [row["id"] for row in shown] == [*reversed(asked), str(first.pk)]


def test_methods_are_compared_on_a_follow_up(api, tiny_graph):
    viewer = api("viewer")
    first, _ = finished(viewer, tiny_graph)
    body = {"graph": tiny_graph.pk, "question": "and them?", "follows": str(first.pk)}
    methods = [{"method": "rel-rag-path"}, {"method": "graph-s3"}]
    answer = viewer.post("/api/v1/comparisons", {**body, "methods": methods}, format="json")
    assert answer.status_code == 201, answer.content
    assert {row["thread"] for row in answer.json()["runs"]} == {str(first.pk)}


def test_one_that_is_not_answered_is_not_followed(api, tiny_graph):
    viewer = api("viewer")
    first = ask(viewer, tiny_graph).json()
    answer = ask(viewer, tiny_graph, "and them?", follows=first["id"])
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        409,
        "The question before has no answer.",
    )


def test_one_of_another_graph_is_not_followed(api, tiny_graph):
    viewer = api("viewer")
    first, _ = finished(viewer, tiny_graph)
    other = Graph.objects.create(
        name="Other", state=GraphState.READY, snapshot=tiny_graph.snapshot, visibility=tiny_graph.visibility
    )
    answer = ask(viewer, other, "and them?", follows=str(first.pk))
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        400,
        "The question before was asked of the graph Tiny.",
    )


@pytest.mark.parametrize("of", ["nobody", "a graph that one may not see"])
def test_one_that_is_not_seen_is_not_followed(api, tiny_graph, users, of):
    first, _ = finished(api("admin"), tiny_graph)
    key = "00000000-0000-4000-8000-000000000000"
    if of != "nobody":
        graphs.set_access(graph=tiny_graph, visibility="private", owner=users["analyst"])
        key = str(first.pk)
    other = Graph.objects.create(
        name="Other", state=GraphState.READY, snapshot=tiny_graph.snapshot, visibility=tiny_graph.visibility
    )
    answer = ask(api("viewer"), other, "and them?", follows=key)
    assert answer.status_code == 404


@pytest.mark.parametrize("role", ["analyst", "admin"])
def test_a_thread_belongs_to_its_person(api, tiny_graph, role):
    viewer, other = api("viewer"), api(role)
    first, _ = finished(viewer, tiny_graph)
    answer = ask(other, tiny_graph, "and them?", follows=str(first.pk))
    assert (answer.status_code, answer.json()["error"]) == (
        403,
        {
            "code": "forbidden",
            "message": "The run in follows belongs to someone else.",
            "hint": "Ask that question yourself first, or omit follows.",
        },
    )
    body = {"graph": tiny_graph.pk, "question": "and them?", "follows": str(first.pk)}
    methods = [{"method": "rel-rag-path"}, {"method": "graph-s3"}]
    compared = other.post("/api/v1/comparisons", {**body, "methods": methods}, format="json")
    assert compared.status_code == 403
    first.refresh_from_db()
    assert (first.thread, Run.objects.count()) == (None, 1)


def test_a_thread_goes_with_its_graph(api, tiny_graph):
    viewer = api("viewer")
    first, _ = finished(viewer, tiny_graph)
    ask(viewer, tiny_graph, "and them?", follows=str(first.pk))
    Run.objects.all().delete()
    tiny_graph.delete()
    assert viewer.get(f"/api/v1/runs?thread={first.pk}").json()["results"] == []
