"""What a run asks of the database in its worker, beside the events that are written while the engine goes on."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.events import AnswerFinal, PathRetrieved, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from worker import answering

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)


@pytest.mark.parametrize("paths", [0, 200])
def test_a_run_takes_seven_statements_however_many_events_it_has(run, scripted, events, paths):
    scripted(STARTED, *(PathRetrieved(index + 1, (), 0.5, 1.0) for index in range(paths)), FINAL)
    with CaptureQueriesContext(connection) as queries:
        answering.answer(str(run.pk))
    statements = [" ".join(query["sql"].split()[:3]) for query in queries]
    assert [statement for statement in statements if statement.split()[0] not in ("BEGIN", "COMMIT")] == [
        "SELECT pg_advisory_xact_lock(3248570694)",  # claims take turns
        "WITH chosen AS",
        'UPDATE "answers_run" SET',
        'SELECT "answers_run"."error_code", "answers_run"."error_message",',
        'UPDATE "answers_run" SET',
        "INSERT INTO answers_runevent",
        'SELECT "webhooks_webhook"."id", "webhooks_webhook"."user_id",',  # webhooks to notify
    ]
    assert [event["seq"] for event in events(run)] == list(range(1, paths + 3))
