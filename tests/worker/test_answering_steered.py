"""Steering an agent: paused without a worker, taken back, chosen for, taken up; nothing is lost."""

import time

import pytest

from retrieval.answering.run import Steering
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    PathRetrieved,
    QuestionLinked,
    RunPaused,
    RunStarted,
    to_plain,
)
from retrieval.results import Answer
from retrieval.supervision.trajectories import read_trajectories
from retrieval.train import train as fit
from retrieval.types import AgentAction, LinkedEntity, Node, QuestionRecord, RelationStep, Usage
from webapp.answers import services, steering
from webapp.answers.models import AgentCorrection, Run
from webapp.experiments import services as experiments
from webapp.graphs import files
from webapp.jobs import heartbeats
from webapp.questions.services import save_question_set
from worker import answering, identity, training

SWITZERLAND = Node(0, "Switzerland")
EXPLORE = AgentAction("explore", entities=(SWITZERLAND,), facts=3, score=0.9, count=1, front=0)
BORDERS = AgentAction("choose", relations=(RelationStep("borders", "borders"),), facts=2, score=0.7)
LANGUAGE = AgentAction("choose", relations=(RelationStep("official_language", "official language"),), facts=1)
FINISH = AgentAction("finish", score=0.6)
STARTED = RunStarted("q?", "graph-s3", "extractive", "hash", None, "enc", 50, 0)
LINKED = QuestionLinked((LinkedEntity(SWITZERLAND, "Switzerland", 0, 5, 1.0, "exact"),), (), 1.0)
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)


def step(number, chosen, *, others=(), by="policy"):
    alternatives = (chosen, *others)
    return AgentStep(number, "t", chosen.kind, "o", (), 1, 1, 1.0, chosen=chosen, alternatives=alternatives, by=by)


FIRST, SECOND = step(1, EXPLORE), step(2, BORDERS, others=(LANGUAGE,))


def paused(number, *alternatives):
    return RunPaused(number, "Paused.", alternatives)


@pytest.fixture
def agent(run):
    """A queued run of an agent that pauses after every step."""
    Run.objects.update(method="graph-s3", pause_after=1)
    run.refresh_from_db()
    return run


@pytest.fixture
def steer(agent, users):
    def act(keep, action=None, pause_after=1):
        agent.refresh_from_db()
        return steering.apply_steering(run=agent, steer=steering.Steer(keep, action, pause_after), user=users["viewer"])

    return act


@pytest.fixture
def work(agent, scripted):
    """``work(*events)`` lets a worker do the run's part that waits, by a script; what the engine was asked."""

    def do(*script):
        answerer = scripted(*script)
        answering.answer(str(agent.pk))
        return answerer.requests[0] if answerer.requests else None

    return do


def types(log):
    return [event["type"] for event in log]


def test_a_run_goes_on_through_several_tasks_in_one_gapless_log(agent, work, steer, events):
    first = work(STARTED, LINKED, FIRST, paused(1, BORDERS, LANGUAGE))
    agent.refresh_from_db()
    assert (agent.state, agent.worker, agent.finished_at, agent.incomplete) == ("paused", "", None, False)
    assert first.steering == Steering(pause_after=1)

    assert steer(1).state == "queued"
    second = work(SECOND, paused(2, FINISH))
    assert second.steering == Steering(actions=(EXPLORE,), shown=1, begun=True, linked=LINKED.entities, pause_after=1)

    steer(2, pause_after=None)
    third = work(step(3, FINISH), FINAL)
    assert third.steering == Steering(actions=(EXPLORE, BORDERS), shown=2, begun=True, linked=LINKED.entities)
    log = events(agent)
    assert types(log) == [
        *("run.started", "question.linked", "agent.step", "run.paused", "agent.step", "run.paused"),
        *("agent.step", "answer.final"),
    ]
    assert [event["seq"] for event in log] == list(range(1, 9))
    agent.refresh_from_db()
    assert (agent.state, agent.answers) == ("done", ["Germany"])
    assert agent.started_at < agent.finished_at


def test_a_step_is_taken_back_without_a_worker(agent, work, steer, events):
    work(STARTED, LINKED, FIRST, SECOND, paused(2, FINISH))
    assert steer(1, pause_after=0).state == "paused"
    rewound, rests = events(agent)[-2:]
    assert (rewound["type"], rewound["to_step"], rewound["by"]) == ("agent.rewound", 1, "person")
    assert (rests["type"], rests["step"], rests["message"]) == ("run.paused", 1, "Taken back to step 1.")
    assert rests["alternatives"] == to_plain((BORDERS, LANGUAGE))
    assert agent.pause_after == 1
    # ... and once more, to the beginning.
    steer(0, pause_after=0)
    assert events(agent)[-1]["alternatives"] == to_plain((EXPLORE,))
    assert Run.objects.get().pause_after == 1


def test_another_action_is_chosen_and_kept_as_a_correction(agent, work, steer, events):
    work(STARTED, LINKED, FIRST, SECOND, step(3, FINISH), FINAL)
    assert steer(1, LANGUAGE, pause_after=None).state == "queued"
    asked = work(step(2, LANGUAGE, by="person"), step(3, FINISH), FINAL)
    assert asked.steering == Steering(
        actions=(EXPLORE, LANGUAGE), shown=1, begun=True, linked=LINKED.entities, by_person=frozenset({2})
    )
    log = events(agent)
    assert types(log)[-5:] == ["answer.final", "agent.rewound", "agent.step", "agent.step", "answer.final"]
    kept = AgentCorrection.objects.get()
    assert (kept.step, kept.user.username) == (2, "viewer")
    assert (kept.before, kept.proposed, kept.chosen) == (
        to_plain([EXPLORE]),
        to_plain(BORDERS),
        to_plain(LANGUAGE),
    )


def test_choosing_what_the_policy_would_have_done_is_no_correction(agent, work, steer):
    work(STARTED, LINKED, FIRST, paused(1, BORDERS, LANGUAGE))
    steer(1, BORDERS)
    work(step(2, BORDERS, by="person"), paused(2, FINISH))
    assert AgentCorrection.objects.count() == 0
    # After taking it back, the policy's own choice is still known.
    steer(1, LANGUAGE)
    assert AgentCorrection.objects.get().proposed == to_plain(BORDERS)


def test_a_run_that_was_taken_up_shows_no_old_answer(agent, work, steer):
    work(STARTED, LINKED, FIRST, SECOND, step(3, FINISH), FINAL)
    before = Run.objects.get()
    taken = steer(1, pause_after=0)
    assert (taken.state, taken.answers, taken.answers_count, taken.finished_at) == ("paused", [], 0, None)
    time.sleep(0.05)
    steer(1, pause_after=None)
    work(SECOND, step(3, FINISH), FINAL)
    after = Run.objects.get()
    assert after.state == "done"
    assert after.started_at == before.started_at
    assert after.rested_s >= 0.05


def test_pausing_is_asked_of_the_engine(agent, users, work, events):
    def ask_to_pause():
        steering.pause_run(run=Run.objects.get())

    engine_saw = []
    work(
        STARTED,
        ask_to_pause,
        lambda: engine_saw.append(steering_flag(agent)),
        FIRST,
        paused(1, BORDERS),
    )
    assert engine_saw == [True]
    # The flag is of this part only: the next one does not pause by it.
    assert steering_flag(agent) is False


def steering_flag(run):
    from webapp.jobs import cancel

    return cancel.make_stop_check(steering.PAUSE, run.pk)()


def test_a_run_that_ends_before_it_pauses_has_ended(agent, users, work, steer, events):
    work(STARTED, FIRST, lambda: steering.pause_run(run=Run.objects.get()), FINAL)
    agent.refresh_from_db()
    assert agent.state == "done"
    assert steering_flag(agent) is False


def test_stopping_a_paused_run_ends_it_at_once(agent, work, events):
    work(STARTED, FIRST, paused(1, BORDERS))
    agent.refresh_from_db()
    stopped = services.cancel_run(run=agent)
    assert (stopped.state, stopped.incomplete) == ("cancelled", True)
    assert types(events(agent))[-2:] == ["run.paused", "run.cancelled"]


def test_stop_pressed_while_a_run_comes_to_rest_is_not_lost(agent, work, events):
    work(STARTED, FIRST, lambda: services.cancel_run(run=Run.objects.get()), paused(1, BORDERS))
    agent.refresh_from_db()
    assert agent.state == "cancelled"
    assert types(events(agent))[-2:] == ["run.paused", "run.cancelled"]


def test_a_stopped_or_failed_run_is_taken_up_where_it_was(agent, work, steer, events):
    def crash():
        raise ZeroDivisionError

    work(STARTED, LINKED, FIRST, crash)
    agent.refresh_from_db()
    assert (agent.state, agent.error_code) == ("failed", "internal")
    taken = steer(1, pause_after=None)
    assert (taken.error_code, taken.incomplete) == ("", False)
    assert work(SECOND, step(3, FINISH), FINAL).steering.shown == 1
    assert types(events(agent))[2:] == [
        *("agent.step", "run.failed", "agent.rewound", "agent.step", "agent.step", "answer.final")
    ]
    agent.refresh_from_db()
    assert agent.state == "done"


def test_a_waiting_continuation_is_stopped_behind_its_log(agent, work, steer, events):
    work(STARTED, FIRST, paused(1, BORDERS))
    steer(1)
    agent.refresh_from_db()
    assert services.cancel_run(run=agent).state == "cancelled"
    assert [event["seq"] for event in events(agent)] == [1, 2, 3, 4]


def test_no_sweep_ends_a_paused_run(agent, work):
    work(STARTED, FIRST, paused(1, BORDERS))
    heartbeats.mark_left(heartbeats.ANSWERS, identity.NAME)
    services.handle_lost_runs()
    services.fail_if_worker_lost(run_id=agent.pk)
    agent.refresh_from_db()
    assert agent.state == "paused"


def test_a_worker_that_dies_in_a_later_part_loses_nothing(agent, work, steer, events):
    work(STARTED, LINKED, FIRST, paused(1, BORDERS))
    steer(1, LANGUAGE)
    services.claim(worker="dead")
    heartbeats.mark_left(heartbeats.ANSWERS, "dead")
    services.handle_lost_runs()
    agent.refresh_from_db()
    assert (agent.state, agent.error_code) == ("failed", "worker_lost")
    steer(1, LANGUAGE)
    assert work(step(2, LANGUAGE, by="person"), FINAL).steering.actions == (EXPLORE, LANGUAGE)
    assert [event["seq"] for event in events(agent)] == list(range(1, 9))


def test_what_the_parts_of_a_run_cost_adds_up(agent, work, steer, monkeypatch):
    from retrieval.llm.metering import list_meters

    def spend():
        list_meters()[0].count(Usage(llm_calls=1, prompt_tokens=10, completion_tokens=5))

    work(STARTED, spend, FIRST, paused(1, BORDERS))
    assert Run.objects.get().usage["prompt_tokens"] == 10
    steer(1, pause_after=None)
    work(SECOND, spend, FINAL)
    assert Run.objects.get().usage == {
        "llm_calls": 2,
        "prompt_tokens": 20,
        "completion_tokens": 10,
        "reasoning_tokens": 0,
        "cost": None,
        "over_budget": False,
    }


def test_other_methods_are_not_steered(run, scripted):
    answerer = scripted(STARTED, PathRetrieved(1, (), 0.5, 1.0), FINAL)
    answering.answer(str(run.pk))
    assert answerer.requests[0].steering is None


def listed(api):
    return [(row["step"], row["state"]) for row in api("viewer").get("/api/v1/corrections").json()["results"]]


def downloaded(api, agent):
    answer = api("analyst").get("/api/v1/corrections/download", {"graph": agent.graph_id})
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def test_a_correction_is_a_label_once_the_run_has_an_answer(agent, work, steer, api, tmp_path):
    from retrieval.supervision.trajectories import read_trajectories

    work(STARTED, LINKED, FIRST, paused(1, BORDERS, LANGUAGE))
    steer(1, LANGUAGE)
    assert (listed(api), downloaded(api, agent)) == ([(2, "undone")], "")
    work(step(2, LANGUAGE, by="person"), paused(2, FINISH))
    assert (listed(api), downloaded(api, agent)) == ([(2, "open")], "")
    steer(2, pause_after=None)
    work(step(3, FINISH), FINAL)
    assert listed(api) == [(2, "kept")]

    path = tmp_path / "corrections.jsonl"
    path.write_text(downloaded(api, agent))
    (kept,) = read_trajectories(path)
    assert (kept.id, kept.source, kept.behaviour) == (str(agent.pk), "person", "viewer")
    assert (kept.topics, kept.answers) == (("Switzerland",), ("Germany",))
    assert [action.kind for action in kept.actions] == ["explore", "choose", "finish"]
    assert kept.actions[0].front == 0
    assert [(r.name, r.inverse) for r in kept.actions[1].relations] == [("official_language", False)]


def test_what_people_corrected_is_learned_from(agent, work, steer, users, monkeypatch):
    work(STARTED, LINKED, FIRST, SECOND, step(3, FINISH), FINAL)
    steer(1, LANGUAGE, pause_after=None)
    work(step(2, LANGUAGE, by="person"), step(3, FINISH), FINAL)
    learned = []

    def recording(*given, trajectories, **named):
        learned.append([t.id for t in read_trajectories(trajectories)] if trajectories else [])
        return fit(*given, trajectories=trajectories, **named)

    monkeypatch.setattr("retrieval.train.train", recording)
    asked = [
        QuestionRecord("q1", "what is spoken in France?", ("France",), ("French",), split="train"),
        QuestionRecord("q2", "what is spoken in Germany?", ("Germany",), ("German",), split="dev"),
    ]
    questions = save_question_set(name="Two", graph=agent.graph, questions=asked, format="jsonl", user=users["analyst"])
    for method in ("graph-s3", "reg-path"):
        job = experiments.start_training(
            graph=agent.graph,
            question_set=questions,
            training=experiments.Training(method, config={"epochs": 1, "draws_per_epoch": 8}, seed=0),
            user=users["analyst"],
        )
        training.train(job.pk)
        job.refresh_from_db()
        assert (job.state, job.error_message) == ("done", "")
    assert learned == [[str(agent.pk)], []]
    kept = files.ensure_local_path(files.build_checkpoint_name(agent.graph_id, job.pk)).parent
    assert list(kept.glob(".*trajectories*")) == []


def test_a_correction_that_was_taken_back_or_impossible_is_no_label(agent, work, steer, api):
    work(STARTED, LINKED, FIRST, paused(1, BORDERS, LANGUAGE))
    steer(1, LANGUAGE)
    refused = AgentStep(2, "", "choose", "no", (), 1, 0, 1.0, chosen=LANGUAGE, by="person", valid=False)
    work(refused, paused(2, BORDERS))
    assert listed(api) == [(2, "undone")]
    steer(1)
    work(SECOND, step(3, FINISH), FINAL)
    assert (listed(api), downloaded(api, agent)) == ([(2, "undone")], "")


def test_a_correction_without_an_answer_is_no_label(agent, work, steer, api):
    from retrieval.results import NoAnswer, NoAnswerReason

    work(STARTED, LINKED, FIRST, paused(1, BORDERS, LANGUAGE))
    steer(1, LANGUAGE, pause_after=None)
    nothing = AnswerFinal((), NoAnswer(NoAnswerReason.NO_PATH, "m", "h"), "", (), Usage(), 1.0)
    work(step(2, LANGUAGE, by="person"), step(3, FINISH), nothing)
    assert (listed(api), downloaded(api, agent)) == ([(2, "open")], "")
    assert api("viewer").get("/api/v1/corrections", {"graph": agent.graph_id + 1}).json()["count"] == 0
    assert api("analyst").get("/api/v1/corrections/download").status_code == 400
    assert api("analyst").get("/api/v1/corrections/download", {"graph": 10**6}).status_code == 404
