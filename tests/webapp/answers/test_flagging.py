"""Doubting an answer: its question waits for analysts, once, with the paths that were shown."""

import uuid

import pytest

from retrieval.events import AnswerFinal, ChainsBuilt, PathRetrieved, QuestionLinked
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.results import Answer
from retrieval.types import EvidenceChain, Hop, LinkedEntity, Node, RelationStep, Usage
from webapp.answers import log, services
from webapp.answers.models import Flag, Run, RunState
from webapp.graphs import files, progress, snapshots
from webapp.review.models import Item, Queue, Submission

BORDERS, CAPITAL = RelationStep("borders", "borders"), RelationStep("capital", "capital")


@pytest.fixture
def asked(tiny_graph, users):
    """``asked()`` is a run about Switzerland that answered Germany and Berlin, by two chains and a path."""
    graph = snapshots.open_current(tiny_graph)

    def node(label):
        return Node(graph.find_entity(label), label)

    def make(question="What borders Switzerland?"):
        run = services.create_run(graph=tiny_graph, ask=services.Ask(question), user=users["viewer"])
        swiss, germany, berlin = node("Switzerland"), node("Germany"), node("Berlin")
        hops = (Hop(swiss, BORDERS, germany, True), Hop(germany, CAPITAL, berlin, True))
        log.append(
            run.pk,
            after=0,
            events=[
                QuestionLinked((LinkedEntity(swiss, "Switzerland", 13, 24, 1.0, "exact"),), (), 1.0),
                PathRetrieved(1, hops[:1], 0.5, 1.0),
                ChainsBuilt(
                    (
                        EvidenceChain(swiss, (BORDERS,), ((germany,),), (1,), hops[:1], 0.75),
                        EvidenceChain(swiss, (BORDERS, CAPITAL), ((germany,), (berlin,)), (1, 1), hops, 0.25),
                    ),
                    1,
                    2,
                    1.0,
                ),
                AnswerFinal(
                    (Answer("Germany", 0.75, germany), Answer("Berlin", 0.25, berlin)),
                    None,
                    "",
                    (),
                    Usage(),
                    1.0,
                ),
            ],
        )
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
        return run

    make.id = graph.find_entity
    return make


def flag(client, run, kind="answer-wrong", **fields):
    body = {"id": str(uuid.uuid4()), "kind": kind, **fields}
    return client.post(f"/api/v1/runs/{run.pk}/flag", body, format="json")


def test_a_doubted_answer_waits_for_analysts(api, asked):
    run = asked()
    answer = flag(api("viewer"), run, answer=asked.id("Berlin"), comment="a city")
    assert answer.status_code == 200, answer.content
    item, queue = Item.objects.get(), Queue.objects.get()
    assert answer.json() == {"queue": queue.pk, "item": item.pk}
    assert (queue.name, queue.items, queue.candidates, queue.state) == ("Flagged answers", 1, 2, "done")
    assert (item.key, item.question, item.topics) == (str(run.pk), run.question, ["Switzerland"])
    assert item.answers == ["Germany"]
    assert item.reason == "Flagged by viewer: the answer Berlin is wrong. a city"
    paths = [(c.path, c.sources[0]["score"], c.reached, c.hits) for c in item.candidates.all()]
    assert paths == [
        ([["borders", False]], 0.75, 2, 1),
        ([["borders", False], ["capital", False]], 0.25, 1, 0),
    ]
    (shown,) = api("viewer").get(f"/api/v1/runs/{run.pk}").json()["flags"]
    assert (shown["kind"], shown["answer"], shown["user"], shown["item"]) == (
        "answer-wrong",
        "Berlin",
        "viewer",
        item.pk,
    )
    got = api("analyst").post(f"/api/v1/review/queues/{queue.pk}/next", {}, format="json").json()["item"]
    verdicts = [{"candidate": one["id"], "kind": "unsure"} for one in got["candidates"]]
    body = {"id": str(uuid.uuid4()), "version": 0, "shown": got["shown"], "verdicts": verdicts}
    done = api("analyst").post(f"/api/v1/review/items/{item.pk}/submit", body, format="json")
    assert done.json()["item"]["state"] == "done"
    gone = api().delete(f"/api/v1/review/queues/{queue.pk}?confirm=Flagged answers")
    assert gone.status_code == 204
    assert api("viewer").get(f"/api/v1/runs/{run.pk}").json()["flags"] == []


def test_a_second_doubt_is_a_remark_and_no_second_item(api, asked):
    run, other = asked(), asked()
    flag(api("viewer"), run)
    flag(api("analyst"), run, "path-wrong", chain=1, comment="by chance")
    flag(api("analyst"), other, "answer-missing", answer=asked.id("France"))
    item = Item.objects.get()
    assert item.reason.split("\n") == [
        "Flagged by viewer: the answer is wrong.",
        "Flagged by analyst: “borders, then capital” is not why. by chance",
        "Flagged by analyst: the answer France is missing.",
    ]
    assert (item.answers, item.candidates.count(), Queue.objects.count()) == ([], 2, 1)
    assert [len(api("viewer").get(f"/api/v1/runs/{r.pk}").json()["flags"]) for r in (run, other)] == [2, 1]


def test_a_repeated_doubt_is_recorded_once(api, asked):
    run, id = asked(), str(uuid.uuid4())
    answers = [flag(api("viewer"), run, id=id) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert (Flag.objects.count(), "\n" in Item.objects.get().reason) == (1, False)
    assert flag(api("analyst"), run, id=id).status_code == 409


def test_a_question_of_a_set_brings_its_answers(api, asked, question_set):
    flag(api("viewer"), asked("what borders Switzerland?"))
    item = Item.objects.get()
    assert (item.key, item.topics, item.answers) == ("q2", ["Switzerland"], ["Germany", "France"])
    assert [(c.hits, c.precision, c.recall) for c in item.candidates.all()] == [(2, 1.0, 1.0), (0, 0.0, 0.0)]


def test_doubts_about_what_is_not_there(api, asked):
    run = asked()
    missing = flag(api("viewer"), run, answer=10**6)
    assert missing.json()["error"]["message"] == "The graph has no entity number 1000000."
    chain = flag(api("viewer"), run, "path-wrong", chain=2)
    assert chain.json()["error"]["message"] == "The run has no chain 2."
    assert flag(api("viewer"), run, "ugly").status_code == 400
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    assert flag(api("viewer"), run).json()["error"]["message"] == "The run has not ended."
    assert (Item.objects.count(), Flag.objects.count()) == (0, 0)


def test_each_version_of_a_graph_has_a_queue_of_its_own(api, asked, tiny_graph):
    old = asked()
    table = TripleTable.from_facts([("Switzerland", "borders", "Austria")])
    built = build_snapshot(table, files.ensure_local_path(files.build_snapshot_name(tiny_graph.pk, 2)))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    queue = flag(api("viewer"), old).json()["queue"]
    shown = api("viewer").get(f"/api/v1/review/queues/{queue}").json()
    assert (shown["current"], shown["version"], shown["question_set"], shown["label_sets"]) == (
        False,
        1,
        None,
        [],
    )
    assert Item.objects.get().candidates.count() == 2


def test_a_run_that_showed_no_path_is_judged_all_the_same(api, tiny_graph, users):
    run = services.create_run(graph=tiny_graph, ask=services.Ask("Why?"), user=users["viewer"])
    Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
    item = flag(api("viewer"), run).json()["item"]
    shown = api("analyst").get(f"/api/v1/review/items/{item}").json()
    body = {"id": str(uuid.uuid4()), "version": 0, "shown": shown["shown"], "broken": True}
    assert api("analyst").post(f"/api/v1/review/items/{item}/submit", body, format="json").status_code == 200
    assert Submission.objects.count() == 1


def test_a_doubt_tells_the_right_answer_and_paths_to_it_are_found(api, asked):
    run = asked()
    item = flag(api("viewer"), run, right_answers=["german", "French"]).json()["item"]
    shown = api("analyst").get(f"/api/v1/review/items/{item}").json()
    assert (shown["answers"], shown["assumed"], shown["suggested"]) == (["German", "French"], True, [])
    assert (shown["answered"]["analyst"], shown["answered"]["answers"]) == ("viewer", ["German", "French"])
    found = {tuple(name for name, _ in one["path"]): one for one in shown["candidates"]}
    assert [(one["hits"], one["recall"]) for one in found.values()][:2] == [(0, 0.0), (0, 0.0)], "what was shown"
    best = found["borders", "official_language"]
    assert (best["hits"], best["precision"], best["recall"]) == (2, 1.0, 1.0)
    assert [(s["source"], s["name"], s["score"]) for s in best["sources"]] == [("answers", "viewer", 1.0)]
    (one,) = api("viewer").get(f"/api/v1/runs/{run.pk}").json()["flags"]
    assert one["right_answers"] == ["German", "French"]
    (event,) = api("viewer").get(f"/api/v1/review/queues/{shown['queue']}/events").json()["results"]
    assert (event["kind"], event["answers"]) == ("answered", {"before": [], "now": ["German", "French"]})


def test_missing_answers_join_those_that_were_given(api, asked):
    flag(api("viewer"), asked(), "answer-missing", right_answers=["France"])
    assert Item.objects.get().answers == ["Germany", "Berlin", "France"]


def test_a_right_answer_that_the_graph_does_not_have_is_refused_with_the_nearest(api, asked):
    answer = flag(api("viewer"), asked(), right_answers=["Germny"])
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_entity")
    assert answer.json()["error"]["message"] == "The graph has no entity “Germny”."
    assert answer.json()["error"]["hint"].startswith("Did you mean “Germany”")
    assert (Item.objects.count(), Flag.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("flagged", "said"),
    [
        (("answer-wrong", "France", []), "The run did not give the answer “France”."),
        (("answer-right", "France", []), "The run did not give the answer “France”."),
        (("answer-missing", "Berlin", []), "The run gave the answer “Berlin”."),
        (("answer-wrong", "Berlin", ["Germany", "Berlin"]), "“Berlin” is called wrong and right at once."),
    ],
)
def test_what_nobody_can_mean_is_refused(api, asked, flagged, said):
    kind, answer, right = flagged
    answered = flag(api("viewer"), asked(), kind, answer=asked.id(answer), right_answers=right)
    error = answered.json()["error"]
    assert (answered.status_code, error["code"], error["message"]) == (400, "invalid", said)
    assert error["hint"]
    assert (Item.objects.count(), Flag.objects.count()) == (0, 0)


def test_known_answers_stand_until_an_analyst_takes_a_viewers_over(api, asked, question_set):
    run = asked("what borders Switzerland?")
    item = flag(api("viewer"), run, right_answers=["Berlin"]).json()["item"]
    shown = api("analyst").get(f"/api/v1/review/items/{item}").json()
    assert (shown["answers"], shown["answered"]) == (["Germany", "France"], None)
    assert [(one["analyst"], one["answers"]) for one in shown["suggested"]] == [("viewer", ["Berlin"])]
    body = {"id": str(uuid.uuid4()), "answers": ["Berlin"], "replaces": None}
    taken = api("analyst").post(f"/api/v1/review/items/{item}/answers", body, format="json").json()["item"]
    assert (taken["answers"], taken["answered"]["analyst"], taken["suggested"]) == (
        ["Berlin"],
        "analyst",
        [],
    )
    flag(api("viewer"), run, right_answers=["French"])
    shown = api("analyst").get(f"/api/v1/review/items/{item}").json()
    assert (shown["answers"], shown["suggested"][0]["answers"]) == (["Berlin"], ["French"])
    flag(api("analyst"), run, right_answers=["Germany"])
    shown = api("analyst").get(f"/api/v1/review/items/{item}").json()
    assert (shown["answers"], shown["suggested"]) == (["Germany"], []), "an analyst's count at once"


def test_answers_that_are_called_right_wait_with_all_of_them(api, asked):
    run = asked()
    assert flag(api("viewer"), run, "answer-right").status_code == 200
    item = Item.objects.get()
    assert item.reason == "Called right by viewer: the answers are right."
    kept = Flag.objects.get()
    assert (kept.kind, kept.answer, kept.right_answers) == ("answer-right", "", [])
    assert (item.answers, item.answered.analyst.username) == (["Germany", "Berlin"], "viewer")
