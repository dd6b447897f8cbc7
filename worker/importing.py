"""Importing: source files in, a snapshot out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings

from retrieval.errors import ClewError
from retrieval.kg import snapshot as kg
from retrieval.kg.readers import read_graph
from retrieval.types import Problem
from webapp.graphs import files
from webapp.graphs import services as graphs
from webapp.graphs.models import SourceFile
from webapp.graphs.selectors import latest_version
from webapp.jobs import queue
from webapp.jobs.models import Job
from worker import reporting


@shared_task(name=queue.IMPORT_GRAPH)
def import_graph(job_id: int) -> None:
    """Import the graph of a job."""
    reporting.run(job_id, work, failed=failed)


def work(context: reporting.Context) -> dict[str, Any]:
    """Read, build, record. Nothing of a build that breaks off is left where it could be taken for a snapshot."""
    job, graph = context.job, context.job.graph
    sources = list(graph.files.all())
    shown = {Path(source.path).name: source.name for source in sources}
    problems: list[Problem] = []
    counts = {"problems": 0}

    def problem(found: Problem) -> None:
        counts["problems"] += 1
        if len(problems) < settings.PROBLEMS_KEPT:
            name = shown.get(Path(found.file).name, found.file)
            problems.append(Problem(name, found.line, found.message, found.text))

    try:
        table = read_graph(
            [files.local_path(source.path) for source in sources],
            problems=problem,
            progress=context.progress,
            fmt=job.params.get("format"),
            delimiter=job.params.get("delimiter"),
            header=job.params.get("header"),
            names={files.local_path(source.path): source.name for source in sources},
        )
    except ClewError as error:
        raise _named(error, sources) from error
    finally:
        graphs.save_problems(graph=graph, problems=problems, count=counts["problems"])
    version = latest_version(graph) + 1
    out = files.local_path(files.snapshot_name(graph.pk, version))
    shutil.rmtree(out, ignore_errors=True)  # of an earlier attempt whose worker died before recording it
    out.parent.mkdir(parents=True, exist_ok=True)
    snapshot = kg.build(table, out, progress=context.progress)
    recorded = graphs.imported(graph=graph, version=version, manifest=snapshot.manifest)
    queue.send(queue.WARM, graph.pk)
    return {
        "snapshot": recorded.hash,
        "entities": recorded.entities,
        "relations": recorded.relations,
        "triples": recorded.triples,
        "problems": counts["problems"],
    }


def _named(error: ClewError, sources: list[SourceFile]) -> ClewError:
    """The same error with the files called as their owner called them."""
    message = error.message
    for source in sources:
        message = message.replace(str(files.local_path(source.path)), source.name)
        message = message.replace(Path(source.path).name, source.name)
    named = type(error)(message, hint=error.hint)
    named.code = error.code
    return named


def failed(job: Job, error: ClewError) -> None:
    """Say on the graph why it cannot be asked, and keep no files that nothing refers to."""
    graphs.import_failed(graph=job.graph, error=error)
    if job.graph.snapshot_id is None:
        files.remove_uploads(job.graph_id)
