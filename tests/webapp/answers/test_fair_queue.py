"""Whose run is next: people take turns, see their place, and cannot fill the queue."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from retrieval.events import RunCancelled
from webapp.accounts.models import User
from webapp.answers import fair_queue, services
from webapp.answers.models import Diagnosis, Run
from webapp.api.errors import TooManyRunsError
from webapp.graphs.models import Graph
from webapp.jobs import queue

STOPPED = RunCancelled("Stopped.", 0)


@pytest.fixture
def ask(tiny_graph, users):
    def ask(who, times=1, graph=tiny_graph):
        asked = services.Ask("What borders Switzerland?")
        return [services.create_run(graph=graph, ask=asked, user=users[who]) for _ in range(times)]

    return ask


@pytest.fixture
def compare(api, tiny_graph):
    """``compare(method, ...)`` asks one question of methods without a checkpoint; their runs as they were named."""

    def compare(*methods):
        body = {"graph": tiny_graph.pk, "question": "q?", "methods": [{"method": name} for name in methods]}
        shown = api("viewer").post("/api/v1/comparisons", body, format="json").json()
        return [Run.objects.get(pk=run["id"]) for run in shown["runs"]]

    return compare


def served(count, *, end=True):
    """Who is served by the next claims, each ended before the next when ``end``."""
    names = []
    for number in range(count):
        run = services.claim(worker=f"w{number}")
        names.append(run.user.username)
        if end:
            Run.objects.filter(pk=run.pk).update(state="done")
    return names


@pytest.mark.parametrize("end", [True, False], ids=["one worker", "many workers"])
def test_a_person_does_not_wait_behind_all_that_another_asked(ask, end):
    ask("viewer", 20)
    assert served(2, end=end) == ["viewer", "viewer"]
    ask("analyst")
    assert served(2, end=end) == ["analyst", "viewer"]


def test_people_take_turns(ask):
    ask("viewer", 4)
    ask("analyst", 2)
    ask("admin", 2)
    assert served(8) == ["viewer", "analyst", "admin", "viewer", "analyst", "admin", "viewer", "viewer"]


def test_the_runs_of_one_person_come_in_order(ask):
    first, second, third = ask("viewer", 3)
    assert [services.claim(worker="w").pk for _ in range(3)] == [first.pk, second.pk, third.pk]
    assert services.claim(worker="w") is None


def test_of_a_comparison_the_method_that_took_longest_begins(api, tiny_graph, ask):
    for method, seconds in (("reg-path", 2), ("inses", 9), ("inses", 5), ("reg-triple", 60)):
        begun = timezone.now()
        (run,) = ask("viewer")
        Run.objects.filter(pk=run.pk).update(
            method=method,
            state="failed" if seconds > 30 else "done",
            started_at=begun,
            finished_at=begun + timedelta(seconds=seconds),
        )
    assert fair_queue.estimate_seconds(tiny_graph) == {"reg-path": 2.0, "inses": 7.0}
    (alone,) = ask("viewer")
    methods = ["reg-triple", "reg-path", "inses", "rel-rag-path"]
    body = {"graph": tiny_graph.pk, "question": "q?", "methods": [{"method": name} for name in methods]}
    group = api("viewer").post("/api/v1/comparisons", body, format="json").json()
    assert [run["method"] for run in group["runs"]] == methods
    (later,) = ask("viewer")
    claimed = [services.claim(worker="w") for _ in range(6)]
    assert (claimed[0].pk, claimed[-1].pk) == (alone.pk, later.pk)
    assert [run.method for run in claimed[1:-1]] == ["inses", "reg-path", "reg-triple", "rel-rag-path"]


def test_what_reads_a_question_alike_goes_to_the_worker_that_reads_it(compare):
    first, *_ = compare("reg-triple", "reg-path", "inses", "rapl")
    claimed = [services.claim(worker=worker) for worker in ("w", "v", "w", "v")]
    assert [run and run.method for run in claimed] == ["reg-triple", "inses", "reg-path", None]
    services.close_run(run_id=first.pk, after=0, event=STOPPED)
    assert services.claim(worker="v") is None, "the other of them is still at work"
    services.close_run(run_id=claimed[2].pk, after=0, event=STOPPED)
    assert services.claim(worker="v").method == "rapl", "nobody reads it any more"


def test_runs_that_ask_a_language_model_go_to_any_worker(compare):
    compare("reg-triple", "reg-path")
    Run.objects.update(llm=1)
    assert [services.claim(worker=worker).method for worker in ("w", "v")] == ["reg-triple", "reg-path"]


def test_a_comparison_does_not_hold_back_another(compare):
    compare("reg-triple", "reg-path")
    compare("reg-path", "reg-triple")
    claimed = [(worker, services.claim(worker=worker).method) for worker in ("w", "v", "v", "w")]
    assert claimed == [("w", "reg-triple"), ("v", "reg-path"), ("v", "reg-triple"), ("w", "reg-path")]


def test_each_run_that_waits_shows_its_place(ask, api, tiny_graph, django_assert_max_num_queries):
    mine = ask("viewer", 3)
    other = ask("analyst")[0]
    assert [fair_queue.compute_positions()[run.pk] for run in (*mine, other)] == [1, 3, 4, 2]
    client = api("viewer")
    client.get("/api/v1/runs")
    with django_assert_max_num_queries(6):
        shown = {row["id"]: row["position"] for row in client.get("/api/v1/runs").json()["results"]}
    assert [shown[str(run.pk)] for run in mine] == [1, 3, 4]
    assert services.claim(worker="w").pk == mine[0].pk
    assert client.get(f"/api/v1/runs/{mine[0].pk}").json()["position"] is None
    assert api("analyst").get(f"/api/v1/runs/{other.pk}").json()["position"] == 1


def test_claims_at_once_never_give_one_run_twice(ask):
    ask("viewer", 6)
    ask("analyst", 6)

    def claim(number):
        try:
            return services.claim(worker=f"w{number}").pk
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        claimed = list(pool.map(claim, range(12)))
    assert len(set(claimed)) == 12


def test_a_person_may_have_so_many_waiting_and_others_are_not_hindered(ask, api, tiny_graph, settings):
    settings.RUNS_WAITING_MAX = 3
    ask("viewer", 2)
    body = {"graph": tiny_graph.pk, "question": "What borders Germany?"}
    comparison = {**body, "methods": [{"method": "rel-rag-path"}, {"method": "reg-path"}]}
    refused = api("viewer").post("/api/v1/comparisons", comparison, format="json")
    assert (refused.status_code, Run.objects.count()) == (429, 2)  # all of it or nothing
    taken = api("viewer").post("/api/v1/runs", body, format="json")
    assert (taken.status_code, taken["RateLimit"]) == (201, '"runs";r=0')
    assert taken["RateLimit-Policy"] == '"runs";q=3;qu="concurrent-requests"'
    refused = api("viewer").post("/api/v1/runs", body, format="json")
    assert (refused["Retry-After"], refused["RateLimit"]) == ("5", '"runs";r=0;t=5')
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (429, "too_many_runs")
    assert error["message"] == "3 of your questions are waiting already."
    assert error["hint"]
    assert api("analyst").post("/api/v1/runs", body, format="json").status_code == 201
    services.claim(worker="w")
    assert api("viewer").post("/api/v1/runs", body, format="json").status_code == 201


def test_runs_of_people_who_were_deleted_are_answered_too(ask, users):
    ask("viewer", 2)
    User.objects.filter(username="viewer").delete()
    ask("analyst")
    assert {services.claim(worker="w").user_id for _ in range(3)} == {None, users["analyst"].pk}
    assert Graph.objects.count() == 1


def test_only_who_asked_too_much_is_refused(users, ask, settings):
    settings.RUNS_WAITING_MAX = 1
    ask("viewer")
    with pytest.raises(TooManyRunsError):
        ask("viewer")
    ask("admin")


@pytest.fixture
def diagnose(api, tiny_graph, users):
    """``diagnose(who, times)`` asks why a run that is done lacks an answer; the responses."""

    def diagnose(who, times=1):
        asked = services.Ask("What borders Switzerland?")
        run = services.create_run(graph=tiny_graph, ask=asked, user=users[who])
        Run.objects.filter(pk=run.pk).update(state="done")
        url = f"/api/v1/runs/{run.pk}/why-not"
        return [api(who).post(url, {"name": "Italy"}, format="json") for _ in range(times)]

    return diagnose


def test_a_person_does_not_wait_behind_the_diagnoses_of_another(ask, diagnose):
    diagnose("viewer", 20)
    ask("analyst")
    assert services.claim(worker="w").user.username == "viewer"
    assert services.claim(worker="w").user.username == "analyst"


def test_a_worker_is_at_one_diagnosis_at_a_time(ask, diagnose):
    diagnose("viewer", 2)
    assert isinstance(services.claim(worker="w"), Diagnosis)
    assert services.claim(worker="w") is None
    assert isinstance(services.claim(worker="v"), Diagnosis)


def test_diagnoses_count_among_those_that_wait(diagnose, settings, ask):
    settings.RUNS_WAITING_MAX = 3
    ask("viewer")
    refused = diagnose("viewer", 3)
    assert [answer.status_code for answer in refused] == [202, 202, 429]
    assert refused[2].json()["error"]["hint"]


def test_a_lost_message_of_a_diagnosis_is_sent_again(diagnose, redis):
    diagnose("viewer")
    redis.flushdb()
    services.send_waiting()
    assert redis.llen("clew:celery:answers") == 1


@pytest.mark.parametrize("task", [name for name, to in queue.QUEUE_OF.items() if to in ("answers", "help")])
def test_every_task_of_the_answers_worker_takes_whose_turn_it_is_first(task, ask, monkeypatch):
    import worker.app  # registers the tasks
    from worker import answering

    begun = []
    monkeypatch.setattr(answering, "process_claimed", begun.append)
    (run,) = ask("viewer")
    worker.app.app.tasks[task](-1)
    assert [one.pk for one in begun] == [run.pk]


def test_messages_are_sent_by_the_queue_alone():
    root = Path(__file__).parents[3]
    sending = [
        str(file.relative_to(root))
        for folder in ("webapp", "worker")
        for file in (root / folder).rglob("*.py")
        if re.search(r"\.(send_task|apply_async|delay|signature)\(", file.read_text())
    ]
    assert sending == ["webapp/jobs/queue.py"]
