"""What workers do every few seconds: begin refreshes that are due, and record how those that go on ended."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.core.mail import get_connection, send_mail
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from retrieval.errors import EndpointError, SourceError
from webapp.api.errors import ConflictError
from webapp.api.failures import NO_ERROR
from webapp.graph_tests.models import Cause as RoundCause
from webapp.graph_tests.models import Decision, TestRound
from webapp.graphs import announce
from webapp.graphs.models import GraphVersion
from webapp.jobs.models import ACTIVE, Job, JobState
from webapp.sources import services
from webapp.sources.models import Cause, GraphSource, Outcome, Refresh
from webapp.sources.schedules import compute_next

logger = logging.getLogger(__name__)
BACKOFF = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
"""How long a scheduled refresh waits before each further attempt when its source does not answer."""

FAILURES_MAX = 5
"""Failures in a row after which a schedule pauses."""

AWAY = (SourceError.code, EndpointError.code)


def look_after_refreshes(now: datetime | None = None) -> None:
    """Record what ended, try again what waited, and begin what is due. Times that were missed are made up for once."""
    now = now or timezone.now()
    for key in Refresh.objects.filter(outcome=Outcome.OPEN).values_list("pk", flat=True):
        _process_locked(key, now)
    waiting = Q(outcome=Outcome.OPEN, retry_at__lte=now)
    for refresh in Refresh.objects.select_related("source__graph").filter(waiting, graph__deleted_at=None):
        if refresh.source is not None:
            _start(refresh.source, now)
    due = GraphSource.objects.select_related("graph").filter(next_at__lte=now, failures__lt=FAILURES_MAX)
    for source in due.filter(graph__deleted_at=None):
        if _start(source, now):
            GraphSource.objects.filter(pk=source.pk).update(next_at=compute_next(source.schedule, now))


def _start(source: GraphSource, now: datetime) -> bool:
    """Whether a refresh began; the next look tries again where the graph is being changed."""
    try:
        services.start_refresh(source=source, cause=Cause.SCHEDULE, user=None, now=now)
    except ConflictError:
        return False
    return True


def _process_locked(key: int, now: datetime) -> None:
    """Record how a refresh ended, unless another worker is doing so."""
    with transaction.atomic():
        rows = Refresh.objects.select_for_update(of=("self",), skip_locked=True)
        refresh = rows.select_related("job", "graph", "source").filter(pk=key, outcome=Outcome.OPEN).first()
        if refresh is not None:
            _process(refresh, now)


def _process(refresh: Refresh, now: datetime) -> None:
    """Record how a refresh ended, if it did."""
    job = refresh.job
    if refresh.retry_at is not None or (job is not None and job.state in ACTIVE):
        if refresh.source is None and refresh.retry_at is not None:
            _close(refresh, Outcome.STOPPED, now)  # nothing is left to be read
        return
    if job is None or job.state == JobState.CANCELLED:
        _close(refresh, Outcome.STOPPED, now)
    elif job.state == JobState.FAILED:
        _handle_failure(refresh, job, now)
    elif (job.result or {}).get("unchanged"):
        _close(refresh, Outcome.UNCHANGED, now)
    else:
        _process_version(refresh, job, now)


def _process_version(refresh: Refresh, job: Job, now: datetime) -> None:
    """Close a refresh that made a version, unless tests of it go on."""
    refresh.version = GraphVersion.objects.filter(job=job).first()
    round = TestRound.objects.filter(version=refresh.version, cause=RoundCause.VERSION).order_by("-pk").first()
    version = refresh.version
    if version is not None and round is None:
        is_held = version.violations > 0 and refresh.graph.snapshot_id != version.pk
        _close(refresh, Outcome.HELD if is_held else Outcome.CHANGED, now)
    elif version is None or round is None or round.decision in (Decision.CURRENT, Decision.ACCEPTED):
        _close(refresh, Outcome.CHANGED, now)
    elif round.decision == Decision.HELD:
        _close(refresh, Outcome.HELD, now)


def _close(refresh: Refresh, outcome: Outcome, now: datetime) -> None:
    with transaction.atomic():
        refresh.outcome, refresh.finished_at, refresh.retry_at = outcome, now, None
        refresh.save()
        if outcome in (Outcome.CHANGED, Outcome.UNCHANGED, Outcome.HELD):
            services.remember_content(refresh)
        if outcome == Outcome.CHANGED:
            GraphSource.objects.filter(graph=refresh.graph_id).update(changed_at=now)
        announce.notify_graph_on_commit(refresh.graph_id)
    if outcome == Outcome.HELD:
        _notify(refresh, "its tests or shapes hold the new version back.")


def _handle_failure(refresh: Refresh, job: Job, now: datetime) -> None:
    """Wait for a source that does not answer, where nobody does; else record the failure and tell the owner."""
    away = not refresh.content_hash and job.error_code in AWAY
    if refresh.cause == Cause.SCHEDULE and away and refresh.attempt <= len(BACKOFF):
        refresh.retry_at = now + BACKOFF[refresh.attempt - 1]
        refresh.attempt += 1
        refresh.save(update_fields=["retry_at", "attempt"])
        announce.notify_graph_on_commit(refresh.graph_id)
        return
    columns = {name: getattr(job, name) for name in NO_ERROR}
    for name, value in columns.items():
        setattr(refresh, name, value)
    GraphSource.objects.filter(graph=refresh.graph_id).update(failures=F("failures") + 1, checked_at=now, **columns)
    _close(refresh, Outcome.FAILED, now)
    _notify(refresh, f"{job.error_message} {job.error_hint}")


def _notify(refresh: Refresh, reason: str) -> None:
    """Write to the address of the source, where the installation sends mail."""
    source = GraphSource.objects.filter(graph=refresh.graph_id).exclude(notify="").first()
    if source is None or not settings.EMAIL_HOST:
        return
    name = refresh.graph.name
    lines = [f"The source of {name} was read, and nothing became current: {reason}"]
    if source.schedule and source.failures >= FAILURES_MAX:
        lines.append(f"This was failure {source.failures} in a row: the schedule is paused until the source is saved.")
    transaction.on_commit(partial(_send_mail, f"Clew: {name} was not refreshed", "\n\n".join(lines), source.notify))


def _send_mail(subject: str, text: str, to: str) -> None:
    connection = get_connection()
    try:
        send_mail(subject, text, None, [to], connection=connection)
    except OSError as error:  # the page says it too
        logger.warning("mail to %s could not be sent: %s", to, error)
    finally:
        with suppress(OSError):
            connection.close()  # it stays open where log-in or encryption failed


def handle_retried(job: Job) -> None:
    """Open the refresh of a job again that is tried again by hand.

    Raises:
        ConflictError: another refresh goes on.
    """
    refresh = Refresh.objects.filter(pk=job.params.get("refresh", 0)).exclude(outcome=Outcome.OPEN).first()
    if refresh is None:
        return
    if Refresh.objects.filter(graph=refresh.graph_id, outcome=Outcome.OPEN).exists():
        raise ConflictError("The graph is being refreshed.", hint="Wait until that is done.")
    Refresh.objects.filter(pk=refresh.pk).update(outcome=Outcome.OPEN, finished_at=None, **NO_ERROR)
