"""Extracting: the passages of one graph in, another graph out, with the facts that a language model read in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery import shared_task

from retrieval.errors import ClewError
from retrieval.kg import snapshot as kg
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.llm.metering import Limit, use_meter
from webapp.graphs import files, progress
from webapp.graphs.models import Graph
from webapp.graphs.selectors import compute_next_version
from webapp.jobs import queue
from webapp.jobs.models import Job
from worker import answerers, job_runs, language_models

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


@shared_task(name=queue.EXTRACT)
def extract(job_id: int) -> None:
    """Extract as a job says."""
    job_runs.run(job_id, extract_graph, failed=handle_failure)


def extract_graph(context: job_runs.Context) -> dict[str, Any]:
    """Read, merge, build, record. Replies are kept beside the source's snapshot, so nothing is paid for twice."""
    from retrieval.extraction.extract import allow_long_replies  # noqa: PLC0415
    from retrieval.extraction.extract import extract as read_facts  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    job, graph = context.job, context.job.graph
    source = _get_source_name(job.params["source"])
    corpus = files.ensure_local_path(source)
    opened = kg.open(corpus)
    passages = _list_passages(opened)
    merge = float(job.params["merge"])
    model = allow_long_replies(language_models.get_settings(job.params["llm"]))
    asker = Asker(model, ReplyStore(get_cache_folder(corpus) / "replies"))
    meter = language_models.make_job_meter(job.user_id, Limit(job.params.get("max_tokens"), job.params.get("max_cost")))
    with use_meter(meter):
        made = read_facts(
            passages,
            asker,
            answerers.get_encoder().encode if merge < 1 else None,
            form=job.params.get("form", "own"),
            threshold=merge,
            progress=context.update_progress,
            cancelled=context.is_cancelled,
        )
    version = compute_next_version(graph)
    out = files.get_path(files.build_snapshot_name(graph.pk, version))
    files.make_way(out)
    snapshot = build_snapshot(made.table, out, progress=context.update_progress)
    progress.register_version(graph=graph, version=version, manifest=snapshot.manifest, origin=progress.Origin(job=job))
    queue.send(queue.WARM, graph.pk)
    usage = made.report["usage"]
    figures = {"facts": made.report["facts"], "entities": made.report["entities"]}
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    spent = {"tokens": tokens} if usage["cost"] is None else {"tokens": tokens, "cost": usage["cost"]}
    return {**made.report, "metrics": {**figures, **spent}}


def _get_source_name(graph_id: int) -> str:
    """Storage name of the snapshot that is read."""
    source = Graph.objects.select_related("snapshot").filter(pk=graph_id).first()
    if source is None or source.snapshot is None:
        raise ClewError("The graph whose passages were to be read was deleted.", hint="Choose another one.")
    return source.snapshot.path


def _list_passages(opened: Snapshot) -> list[Any]:
    return [] if opened.passages is None else [opened.passages.get_passage(i) for i in range(len(opened.passages))]


def handle_failure(job: Job, error: ClewError) -> None:
    """Say on the graph why it is not there."""
    progress.mark_import_failed(graph=job.graph, error=error)
