"""One question over several graphs: each is asked, answers are joined, and what is lost is said."""

import pytest

from retrieval.events import AnswerFinal, ChainsBuilt, RunFailed
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.results import Answer
from retrieval.types import EvidenceChain, Hop, Node, RelationStep, Usage
from webapp.answers import log, services
from webapp.answers.models import AcrossQuestion, Run, RunState
from webapp.graphs import files, snapshots
from webapp.graphs.models import Graph, GraphState, GraphVersion

URL = "/api/v1/across"
QUESTION = "What borders Switzerland?"


@pytest.fixture
def other(tiny_graph, users):
    """A second graph, that knows two neighbours; one of them the first knows too, spelt otherwise."""
    graph = Graph.objects.create(name="Alps", created_by=users["admin"], visibility="public")
    name = files.build_snapshot_name(graph.pk, 1)
    files.ensure_local_path(name).parent.mkdir(parents=True)
    table = TripleTable.from_facts([("Switzerland", "next to", "FRANCE"), ("Switzerland", "next to", "Italy")])
    built = build_snapshot(table, files.ensure_local_path(name)).manifest
    first = tiny_graph.snapshot
    graph.snapshot = GraphVersion.objects.create(
        **{field.name: getattr(first, field.name) for field in GraphVersion._meta.fields if field.name != "id"}
        | {"graph": graph, "version": 1, "hash": built.content_hash, "path": name},
    )
    graph.state = GraphState.READY
    graph.save()
    return graph


@pytest.fixture
def asked(api, tiny_graph, other):
    """``asked(**body)``: the answer to a viewer who asks both graphs."""

    def post(**body):
        full = {"graphs": [tiny_graph.pk, other.pk], "question": QUESTION, **body}
        return api("viewer").post(URL, full, format="json")

    return post


def finish(run_id, relation, names):
    """What a worker leaves of a run: answers, with a chain from Switzerland to all of them."""
    run = Run.objects.get(pk=run_id)
    snapshot = snapshots.open_current(run.graph)
    swiss = snapshot.get_node(snapshot.find_entity("Switzerland"))
    ends = [snapshot.get_node(snapshot.find_entity(name)) for name in names]
    step = RelationStep(relation, relation, inverse=False)
    hops = tuple(Hop(swiss, step, end, verified=True) for end in ends)
    chain = EvidenceChain(swiss, (step,), (tuple(ends),), (len(ends),), hops, 0.9)
    answers = tuple(
        Answer(end.label, 0.9 - place / 10, Node(end.id, end.label), (0,), verified=True)
        for place, end in enumerate(ends)
    )
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    log.append(run.pk, after=0, events=[ChainsBuilt((chain,), 0, len(hops), 1.0)])
    services.close_run(run_id=run.pk, after=1, event=AnswerFinal(answers, None, "Two countries.", (), Usage(), 2.0))


def test_each_graph_is_asked_and_their_answers_are_joined(api, asked, tiny_graph, other):
    answer = asked(budget=20, seed=3)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert [(one["name"], one["state"], one["run"]["budget"]) for one in made["graphs"]] == [
        ("Tiny", "queued", 20),
        ("Alps", "queued", 20),
    ]
    assert (made["going"], made["answers"], made["question"]) == (True, [], QUESTION)
    assert {one["run"]["across"] for one in made["graphs"]} == {made["id"]}
    tiny, alps = (one["run"]["id"] for one in made["graphs"])
    finish(tiny, "borders", ["Germany", "France"])
    half = api("viewer").get(f"{URL}/{made['id']}").json()
    assert half["going"] is True
    assert [one["label"] for one in half["answers"]] == ["Germany", "France"]
    finish(alps, "next to", ["FRANCE", "Italy"])
    shown = api("viewer").get(f"{URL}/{made['id']}").json()
    assert shown["going"] is False
    assert [(one["label"], one["score"]) for one in shown["answers"]] == [
        ("France", 0.9),
        ("Germany", 0.9),
        ("Italy", 0.8),
    ]
    joined = shown["answers"][0]["members"]
    assert [(m["place"], m["label"], m["by"]) for m in joined] == [(0, "France", ""), (1, "FRANCE", "name")]
    facts = [[(h["source"]["label"], h["step"]["name"], h["target"]["label"]) for h in m["facts"]] for m in joined]
    assert facts == [[("Switzerland", "borders", "France")], [("Switzerland", "next to", "FRANCE")]]
    assert [one["text"] for one in shown["graphs"]] == ["Two countries.", "Two countries."]


def test_a_graph_that_fails_says_so_and_loses_nothing(api, asked):
    made = asked().json()
    tiny, alps = (one["run"]["id"] for one in made["graphs"])
    finish(alps, "next to", ["Italy"])
    Run.objects.filter(pk=tiny).update(state=RunState.RUNNING)
    services.close_run(run_id=tiny, after=0, event=RunFailed("internal", "It broke.", "Ask again."))
    shown = api("viewer").get(f"{URL}/{made['id']}").json()
    assert [one["state"] for one in shown["graphs"]] == ["failed", "done"]
    assert shown["graphs"][0]["run"]["error"]["message"] == "It broke."
    assert [one["label"] for one in shown["answers"]] == ["Italy"]


def test_a_graph_that_is_not_ready_is_kept_with_the_reason(asked, other):
    Graph.objects.filter(pk=other.pk).update(snapshot=None, state=GraphState.IMPORTING)
    made = asked().json()
    assert [(one["state"], one["run"] is None) for one in made["graphs"]] == [
        ("queued", False),
        ("refused", True),
    ]
    assert made["graphs"][1]["error"]["code"] == "graph_not_ready"


def test_where_no_graph_can_be_asked_nothing_is_kept(asked, tiny_graph, other):
    Graph.objects.update(snapshot=None, state=GraphState.IMPORTING)
    assert (asked().status_code, asked().json()["error"]["code"]) == (409, "graph_not_ready")
    assert AcrossQuestion.objects.count() == 0


@pytest.mark.parametrize("deletes", ["graph", "run"])
def test_what_was_deleted_is_said(api, asked, tiny_graph, deletes):
    made = asked().json()
    tiny, alps = (one["run"]["id"] for one in made["graphs"])
    finish(tiny, "borders", ["Germany"])
    finish(alps, "next to", ["Italy"])
    if deletes == "graph":
        gone = api("admin").delete(f"/api/v1/graphs/{tiny_graph.pk}?confirm=Tiny")
    else:
        gone = api("viewer").delete(f"/api/v1/runs/{tiny}")
    assert gone.status_code == 204, gone.content
    shown = api("viewer").get(f"{URL}/{made['id']}").json()
    assert [(one["name"], one["state"]) for one in shown["graphs"]] == [("Tiny", "deleted"), ("Alps", "done")]
    assert [(one["label"], one["members"][0]["place"]) for one in shown["answers"]] == [("Italy", 1)]


def test_graphs_that_one_may_not_see_are_neither_asked_nor_told(api, asked, other, users):
    made = asked().json()
    finish(made["graphs"][1]["run"]["id"], "next to", ["Italy"])
    Graph.objects.filter(pk=other.pk).update(visibility="private", owner=users["admin"])
    assert asked().status_code == 404
    mine = api("viewer").get(f"{URL}/{made['id']}").json()
    assert [(one["name"], one["state"], one["graph"] is None) for one in mine["graphs"]] == [
        ("Tiny", "queued", False),
        ("Alps", "hidden", True),
    ]
    assert mine["answers"] == []
    theirs = api("analyst").get(f"{URL}/{made['id']}").json()  # who may see one of its runs
    assert [one["name"] for one in theirs["graphs"]] == ["Tiny", ""]
    Graph.objects.update(visibility="private", owner=users["admin"])
    assert api("analyst").get(f"{URL}/{made['id']}").status_code == 404
    assert api("viewer").get(f"{URL}/{made['id']}").status_code == 200  # who asked it


@pytest.mark.parametrize("count", [1, 6, "twice"])
def test_two_to_five_different_graphs(asked, tiny_graph, users, count):
    graphs = [tiny_graph.pk] * (2 if count == "twice" else 1)
    for name in "abcde"[: 0 if count in ("twice", 1) else 5]:
        graphs.append(Graph.objects.create(name=name, created_by=users["admin"], visibility="public").pk)
    answer = asked(graphs=graphs)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert asked(question=" ").status_code == 400
    assert Run.objects.count() == 0


def test_deleting_takes_its_runs_along(api, asked):
    made = asked().json()
    assert api("analyst").delete(f"{URL}/{made['id']}").status_code == 403
    assert api("viewer").delete(f"{URL}/{made['id']}").status_code == 204
    assert (Run.objects.count(), AcrossQuestion.objects.count()) == (0, 0)
    assert api("viewer").get(f"{URL}/{made['id']}").status_code == 404
