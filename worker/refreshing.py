"""Reading the source of a graph within the import that makes its next version."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.db import transaction

from retrieval.errors import Cancelled
from webapp.accounts import quotas
from webapp.graphs import services as graphs
from webapp.graphs import versions
from webapp.jobs.models import Job
from webapp.sources import reading
from webapp.sources.models import GraphSource, Refresh
from webapp.sources.services import build_connection
from worker import job_runs


def is_refresh(context: job_runs.Context) -> bool:
    """Whether the files of an import are still to be read from a source."""
    return "refresh" in context.job.params


def fetch_source(context: job_runs.Context) -> bool:
    """Keep what the source holds as the files of the import; whether it has changed since it was read last.

    Raises:
        SourceError: it cannot be read.
        InvalidError, NotAllowedError: its query, or its address, is refused.
        Cancelled: the source was deleted meanwhile.
    """
    job = context.job
    versions.delete_files(job=job)  # of an attempt that broke off
    refresh = Refresh.objects.select_related("source").filter(pk=job.params["refresh"]).first()
    if refresh is None or refresh.source is None:
        raise Cancelled("The source was deleted.")
    source = refresh.source
    connection = build_connection(source, {})
    known = _is_latest(source)
    refresh.fingerprint = reading.compute_fingerprint(connection)
    if known and refresh.fingerprint and refresh.fingerprint == source.fingerprint:
        refresh.content_hash = source.content_hash
        refresh.save(update_fields=["fingerprint", "content_hash"])
        return False
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as directory:
        fetched = reading.fetch_files(connection, Path(directory), context.update_progress)
        refresh.content_hash = reading.compute_hash(fetched)
        refresh.save(update_fields=["fingerprint", "content_hash"])
        if known and refresh.content_hash == source.content_hash:
            return False
        _keep_files(context, fetched)
    return True


def _is_latest(source: GraphSource) -> bool:
    """Whether nobody has replaced the graph's content by other files since the source was read last."""
    latest = reading.find_replacing_version(source.graph)
    return bool(source.content_hash) and latest is not None and latest.version == source.read_version


def _keep_files(context: job_runs.Context, fetched: list[reading.FetchedFile]) -> None:
    job = context.job
    if job.graph.owner is not None:
        quotas.require_room(job.graph.owner, sum(file.path.stat().st_size for file in fetched))
    contents = []
    try:
        contents = [File(file.path.open("rb"), name=file.name) for file in fetched]
        with transaction.atomic():
            graphs.keep_files(job=job, contents=graphs.ImportFiles(contents))
    finally:
        for content in contents:
            content.close()
    options = reading.choose_options(job.graph, [file.name for file in fetched])
    job.params = {**job.params, **options.to_json()}
    Job.objects.filter(pk=job.pk).update(params=job.params)
