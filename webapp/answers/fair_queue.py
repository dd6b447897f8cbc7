"""Whose run or diagnosis is next: people take turns, so that nobody waits behind all that another has asked.

The queue is what PostgreSQL says it is; a message to the workers only wakes one. A run's turn is how many runs its
person has at work plus its place among those that the person has waiting. Within a turn it is first the one who was
served longest ago. Of the runs of one comparison the one that is likely to take longest begins, so that the others are
done beside it. Methods without a checkpoint read a question alike, and a worker reads it once: it takes the others of
them itself, and no other worker begins to read it meanwhile, which would take as long again. Those that wait for a
language model do that longer than for the reading, so that any worker takes them.
A worker is at one diagnosis at a time: it tries changes for minutes, and questions must find a free thread beside it.
"""

from __future__ import annotations

from itertools import chain
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Now

from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.answers.models import Diagnosis, Run, RunState
from webapp.api.errors import TooManyRunsError
from webapp.graphs.models import Graph

_ORDER = """
    WITH entries AS NOT MATERIALIZED (
        SELECT id, user_id, state, created_at, claimed_at, likely_s, "group" FROM answers_run
        UNION ALL
        SELECT id, user_id, state, created_at, claimed_at, NULL, NULL FROM answers_diagnosis
    ), queued AS (
        SELECT id, user_id, created_at, likely_s,
            min(created_at) OVER (PARTITION BY coalesce("group", id)) AS asked_at
        FROM entries WHERE state = 'queued'
    ), waiting AS (
        SELECT id, user_id, created_at, row_number() OVER (
            PARTITION BY user_id ORDER BY asked_at, likely_s DESC NULLS LAST, created_at, id
        ) AS place
        FROM queued
    ), person AS (
        SELECT user_id,
            (SELECT count(*) FROM entries AS e
                WHERE e.state = 'running' AND e.user_id IS NOT DISTINCT FROM w.user_id) AS at_work,
            (SELECT max(claimed_at) FROM entries AS e WHERE e.user_id = w.user_id) AS served_at
        FROM (SELECT DISTINCT user_id FROM waiting) AS w
    ), turns AS (
        SELECT waiting.id, row_number() OVER (
            ORDER BY person.at_work + waiting.place, person.served_at NULLS FIRST, waiting.created_at, waiting.id
        ) AS position
        FROM waiting JOIN person ON waiting.user_id IS NOT DISTINCT FROM person.user_id
    )
"""

ALIKE = sorted(name for name in registry.RETRIEVERS if not registry.get_method(name).steerable)
"""Methods that read a question alike where they have no checkpoint."""

_NEXT = f"""
    WITH chosen AS ({_ORDER} SELECT id, position FROM turns),
    placed AS (
        SELECT chosen.id, chosen.position,
            min(chosen.position) OVER (PARTITION BY coalesce(run."group", chosen.id)) AS of_group,
            CASE WHEN run."group" IS NULL OR NOT (run.checkpoint_id IS NULL AND run.method = ANY(%s)) THEN 1
            ELSE coalesce((
                SELECT CASE WHEN bool_or(other.worker = %s) THEN 0
                ELSE max(CASE WHEN other.state = 'running' AND run.llm IS NULL THEN 3 ELSE 2 END) END
                FROM answers_run AS other
                WHERE other."group" = run."group" AND other.worker <> ''
                    AND other.checkpoint_id IS NULL AND other.method = ANY(%s)
            ), 1) END AS elsewhere
        FROM chosen LEFT JOIN answers_run AS run ON run.id = chosen.id
        WHERE run.id IS NOT NULL
            OR NOT EXISTS (SELECT FROM answers_diagnosis WHERE state = 'running' AND worker = %s)
    )
    SELECT id FROM placed WHERE elsewhere < 3 ORDER BY of_group, elsewhere, position LIMIT 1
"""

_ENTRIES: tuple[QuerySet[Run] | QuerySet[Diagnosis], ...] = (
    Run.objects.select_related("graph__snapshot", "graph__endpoint", "graph__error_limit", "checkpoint"),
    Diagnosis.objects.select_related("run__graph", "run__graph__snapshot", "run__graph__endpoint", "run__checkpoint"),
)
"""All that waits in the queue."""

_CLAIMING = 0xC1A1_4146
"""The advisory lock of claims."""

LATELY = 200
"""The last answered runs of a graph that say how long methods take."""

_TAKEN = """
    SELECT method, percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at))
    FROM (
        SELECT method, started_at, finished_at FROM answers_run
        WHERE graph_id = %s AND state = 'done' AND started_at IS NOT NULL
        ORDER BY created_at DESC LIMIT %s
    ) AS answered
    GROUP BY method
"""


def claim_next(worker: str) -> Run | Diagnosis | None:
    """Give the next run or diagnosis to a worker; None when none waits that it may take. The time is the database's.

    Claims take turns, so that each sees what the others have begun.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIMING])
        while True:
            cursor.execute(_NEXT, [ALIKE, worker, ALIKE, worker])
            row = cursor.fetchone()
            if row is None:
                return None
            for rows in _ENTRIES:  # one that was stopped meanwhile is not queued any more
                if rows.filter(pk=row[0], state=RunState.QUEUED).update(
                    state=RunState.RUNNING,
                    worker=worker,
                    claimed_at=Now(),
                    started_at=Coalesce("started_at", Now()),
                ):
                    return rows.get(pk=row[0])


def estimate_seconds(graph: Graph) -> dict[str, float]:
    """How long each method took on a graph lately: the middle of its last runs that were answered."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN, [graph.pk, LATELY])
        return dict(cursor.fetchall())


def compute_positions() -> dict[UUID, int]:
    """The runs and diagnoses that wait, each with its place in the order in which they are to begin; 1 is next."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_ORDER} SELECT id, position FROM turns")
        return dict(cursor.fetchall())


def list_waiting() -> list[UUID]:
    """The runs and diagnoses that wait, oldest first."""
    keys = [rows.filter(state=RunState.QUEUED).values_list("created_at", "pk") for rows in _ENTRIES]
    return [key for _, key in sorted(chain.from_iterable(keys))]


def require_room(user: User, more: int = 1) -> None:
    """Refuse so many more runs or diagnoses to who has, or would have, too many waiting.

    Raises:
        TooManyRunsError: so it is.
    """
    count = _count_waiting(user)
    if count + more > settings.RUNS_WAITING_MAX:
        raise TooManyRunsError(
            f"{count} of your questions are waiting already.",
            hint="Wait until some are answered, or stop those that you do not need.",
        )


def build_limit_headers(user: User) -> dict[str, str]:
    """How many more runs a person may have waiting, as ``RateLimit`` headers."""
    most: int = settings.RUNS_WAITING_MAX
    policy = f'"{TooManyRunsError.policy}";q={most};qu="concurrent-requests"'
    return {
        "RateLimit-Policy": policy,
        "RateLimit": f'"{TooManyRunsError.policy}";r={max(0, most - _count_waiting(user))}',
    }


def _count_waiting(user: User) -> int:
    return sum(rows.filter(user=user, state=RunState.QUEUED).count() for rows in _ENTRIES)
