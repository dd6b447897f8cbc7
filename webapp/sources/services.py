"""Keeping the source of a graph, beginning refreshes, and deciding on versions that lost most of their content."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from retrieval.errors import ConfigError
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError, KeyNeededError
from webapp.api.failures import NO_ERROR
from webapp.graphs import announce, gates, progress, snapshots, versions
from webapp.graphs.models import Graph, GraphVersion, Mode
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.language_models import encryption
from webapp.sources.checks import is_same_account, require_valid, split_password
from webapp.sources.connections import Connection
from webapp.sources.models import PROTECTED, QUERIED, Cause, GraphSource, Outcome, Refresh, SourceKind
from webapp.sources.reading import find_replacing_version
from webapp.sources.schedules import compute_next

SHRUNK_SHARE = 0.5
"""The share of its content that a version keeps at least; with less it waits for a person."""


def create_source(*, graph: Graph, values: Mapping[str, Any], user: User) -> GraphSource:
    """Give a graph the source from which its next versions are read.

    Raises:
        ConflictError: it has one.
        NotImportedError: it lives in an endpoint.
        InvalidError, NotAllowedError, SourceError: the source could never be read.
    """
    snapshots.require_imported(graph)
    source = GraphSource(graph=graph, created_by=user)
    _apply(source, values)
    try:
        with transaction.atomic():
            source.save(force_insert=True)
    except IntegrityError:
        raise ConflictError(
            f"{graph.name} has a source already.", hint="Change that one; a source of files takes several addresses."
        ) from None
    announce.notify_graph_on_commit(graph.pk)
    return source


def update_source(*, source: GraphSource, values: Mapping[str, Any]) -> GraphSource:
    """Change what is named. A paused schedule goes on.

    Raises:
        KeyNeededError: another server or user would get the password of the one before.
        InvalidError, NotAllowedError, SourceError: the source could not be read.
    """
    _apply(source, values)
    source.save()
    announce.notify_graph_on_commit(source.graph_id)
    return source


def _apply(source: GraphSource, values: Mapping[str, Any]) -> None:
    connection = build_connection(source, values)
    require_valid(connection)
    if _describe(connection) != _describe(build_connection(source, {})):
        source.fingerprint = source.content_hash = ""
    source.kind, source.query, source.file_name = connection.kind, connection.query, connection.file_name
    source.addresses = list(connection.addresses)
    source.encrypted_password = encryption.encrypt(connection.password) if connection.password else ""
    source.schedule = " ".join(values.get("schedule", source.schedule).split())
    source.notify = values.get("notify", source.notify)
    source.next_at = compute_next(source.schedule, timezone.now())
    source.failures = 0


def _describe(connection: Connection) -> tuple[str, tuple[str, ...], str, str]:
    return connection.kind, connection.addresses, connection.query, connection.file_name


def build_connection(source: GraphSource | None, values: Mapping[str, Any]) -> Connection:
    """How a source is read, with changes of some values.

    Raises:
        KeyNeededError: the stored password would be sent to another server.
        InvalidError, NotAllowedError: the address cannot be used.
        ConfigError: the stored password cannot be read any more.
    """
    source = source or GraphSource()
    kind = SourceKind(values.get("kind", source.kind or SourceKind.FILES))
    addresses = tuple(dict.fromkeys(values.get("addresses", source.addresses)))
    password = ""
    if kind in PROTECTED and addresses:
        bare, written = split_password(kind, addresses[0]) if "addresses" in values else (addresses[0], None)
        addresses = (bare, *addresses[1:])
        password = written if written is not None else _find_password(source, kind, bare)
    return Connection(
        kind=kind,
        addresses=addresses,
        query=values.get("query", source.query) if kind in QUERIED else "",
        file_name=values.get("file_name", source.file_name) if kind != SourceKind.SPARQL else "",
        password=password,
    )


def _find_password(source: GraphSource, kind: SourceKind, address: str) -> str:
    if not source.encrypted_password or source.kind != kind:
        return ""
    if not is_same_account(kind, source.addresses[0], address):
        raise KeyNeededError(
            "The address leads to another server or user, to which the stored password does not belong.",
            hint="Write the password or secret key into the address.",
        )
    try:
        return encryption.decrypt(source.encrypted_password)
    except ConfigError:
        raise ConfigError(
            "The password of the source cannot be read: it was stored with another secret key.",
            hint="Write the address with its password again, or restore CLEW_HOME/secret-key.",
        ) from None


def delete_source(*, source: GraphSource) -> None:
    """Delete a source. Its refreshes stay, and a refresh that goes on ends as it would."""
    source.delete()
    announce.notify_graph_on_commit(source.graph_id)


def start_refresh(*, source: GraphSource, cause: Cause, user: User | None, now: datetime | None = None) -> Refresh:
    """Queue the reading of a source, or read it at once where a refresh waits to try again.

    Raises:
        ConflictError: the graph is being refreshed, imported or tested.
    """
    now = now or timezone.now()
    with transaction.atomic():
        graph = versions.lock_graph(source.graph)
        refresh = Refresh.objects.filter(graph=graph, outcome=Outcome.OPEN).first()
        if refresh is None:
            refresh = Refresh.objects.create(graph=graph, source=source, cause=cause, user=user, started_at=now)
        elif refresh.retry_at is None:
            raise ConflictError(f"{graph.name} is being refreshed.", hint="Wait until that is done.")
        refresh.retry_at = None
        refresh.job = jobs.create(
            kind=JobKind.IMPORT,
            title=f"Refresh {graph.name}",
            graph=graph,
            user=user,
            params={"mode": Mode.REPLACE.value, "note": "Refreshed from its source.", "refresh": refresh.pk},
        )
        refresh.save()
        progress.mark_importing(graph=graph)
        announce.notify_graph_on_commit(graph.pk)
    return refresh


def _measure(version: GraphVersion) -> int:
    return version.triples + version.passages


def hold_shrunken_version(graph: Graph, version: GraphVersion, user: User | None) -> bool:
    """Keep a refreshed version from becoming current where most of the content is gone; whether it is kept."""
    refresh = Refresh.objects.filter(job=version.job_id, outcome=Outcome.OPEN).first() if version.job_id else None
    if refresh is None or graph.snapshot is None:
        return False
    refresh.version, refresh.before, refresh.after = version, _measure(graph.snapshot), _measure(version)
    shrunk = not refresh.confirmed and refresh.after < SHRUNK_SHARE * refresh.before
    if shrunk:
        refresh.outcome, refresh.finished_at = Outcome.SHRUNK, timezone.now()
        remember_content(refresh)
    refresh.save()
    return shrunk


def remember_content(refresh: Refresh) -> None:
    """Record what a source held, so that it is not imported again while it stays the same."""
    latest = find_replacing_version(refresh.graph)
    GraphSource.objects.filter(graph=refresh.graph_id).update(
        fingerprint=refresh.fingerprint,
        content_hash=refresh.content_hash,
        read_version=0 if latest is None else latest.version,
        checked_at=timezone.now(),
        failures=0,
        **NO_ERROR,
    )


def confirm(*, refresh: Refresh, user: User) -> Refresh:
    """Take a version that lost most of its content. Tests of the graph are asked first.

    Raises:
        ConflictError: it does not wait for anybody, or its version is gone.
    """
    with transaction.atomic():
        graph = versions.lock_graph(refresh.graph)
        locked = Refresh.objects.select_for_update().get(pk=refresh.pk)
        version = GraphVersion.objects.filter(pk=locked.version_id or 0, deleted_at=None).first()
        if locked.outcome != Outcome.SHRUNK or version is None:
            raise ConflictError("No version of this refresh waits.", hint="Refresh again.")
        locked.outcome, locked.confirmed, locked.finished_at, locked.user = Outcome.OPEN, True, None, user
        try:
            with transaction.atomic():
                locked.save()
        except IntegrityError:
            raise ConflictError(f"{graph.name} is being refreshed.", hint="Wait until that is done.") from None
        if not gates.take(graph, version, user):
            progress.use_version(graph=graph, snapshot=version, user=user)
    return locked


def require_source(graph: Graph) -> GraphSource:
    """The source of a graph.

    Raises:
        InvalidError: it has none.
    """
    source = GraphSource.objects.filter(graph=graph).first()
    if source is None:
        raise InvalidError(f"{graph.name} has no source.", hint="Set one on the page of the graph.")
    return source
