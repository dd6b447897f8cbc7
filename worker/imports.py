"""Importing: source files in, a snapshot out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction

from retrieval.errors import ClewError, SourceError
from retrieval.kg import snapshot as kg
from retrieval.kg.analysis.import_report import build_report
from retrieval.kg.model.storage import load_model
from retrieval.kg.readers import child_process
from retrieval.kg.readers.options import ReadOptions
from retrieval.types import Problem, SourceReport
from webapp.accounts import quotas
from webapp.edits import services as edit_log
from webapp.graphs import files, progress, snapshots, versions
from webapp.graphs.import_steps import ImportStep, read_steps
from webapp.graphs.models import GraphVersion, Mode, SourceFile
from webapp.graphs.selectors import compute_next_version
from webapp.jobs import queue
from webapp.jobs.models import Job
from webapp.uploads import remote_sources
from worker import edits, job_runs, refreshing

#: An import that says nothing for so long, in seconds, is stuck at its file.
SILENCE_S = 1200.0
#: Seconds in which data is checked by shapes beside it.
VALIDATION_S = 300.0


class _ProblemList:
    """Problems of an import, the first of them kept; files have the names that their owner gave them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.kept: list[Problem] = []
        self.count = 0

    def add(self, problem: Problem) -> None:
        """Count a problem."""
        self.count += 1
        if len(self.kept) < settings.PROBLEMS_KEPT:
            self.kept.append(replace(problem, file=self._names.get(Path(problem.file).name, problem.file)))


@shared_task(name=queue.IMPORT_GRAPH)
def import_graph(job_id: int) -> None:
    """Import the graph of a job."""
    job_runs.run(job_id, import_files, failed=handle_failure)


def import_files(context: job_runs.Context) -> dict[str, Any]:
    """Read, build, record. Nothing of a build that breaks off is left where it could be taken for a snapshot."""
    job, graph = context.job, context.job.graph
    mode, base = Mode(job.params.get("mode", Mode.REPLACE)), graph.snapshot
    if refreshing.is_refresh(context) and not refreshing.fetch_source(context):
        return {"unchanged": True, "problems": 0}
    steps = _list_steps(job)
    applying = edits.list_edits(job, mode, base) if steps or mode == Mode.EDIT else []
    if mode == Mode.EDIT and base is not None and all(edit.is_applied for edit in applying):
        return {"snapshot": base.hash, "unchanged": True, "problems": 0}  # by an earlier attempt
    sources = [source for step in steps for source in step.files]
    _fetch(context, sources)
    problems = _ProblemList({Path(source.path).name: source.name for source in sources})
    version = compute_next_version(graph)
    out = files.get_path(files.build_snapshot_name(graph.pk, version))
    files.make_way(out)
    reports = None
    try:
        calls = {
            "limits": child_process.Limits(memory=settings.CLEW.import_memory, seconds=0, silence=SILENCE_S),
            "callbacks": {"problems": problems.add, "progress": context.update_progress},
            "check": context.check,
        }
        built = _build_version(steps, base, out, calls) if steps else ()
        if not steps and mode != Mode.EDIT:
            _build_relabelled(job, base, out, calls)
        outcomes = edits.apply(context, out, applying, mode, base)
        violations = _validate(context, sources, problems.add)
        context.check_before_commit()
        reports = built
    except ClewError as error:
        raise _replace_paths(error, sources) from error
    finally:
        files.remove_halves(out)
        if reports is None:
            shutil.rmtree(out, ignore_errors=True)  # it was broken off just when all was done
        progress.save_problems(job=job, problems=problems.kept, count=problems.count)
    snapshot = kg.open(out)
    if base is not None and base.hash == snapshot.hash and _has_equal_model(base, out):
        shutil.rmtree(out)
        versions.delete_files(job=job)
        return {"snapshot": base.hash, "unchanged": True, "problems": problems.count}
    origin = progress.Origin(
        job=job,
        mode=mode,
        base=base if mode != Mode.REPLACE else None,
        note=job.params.get("note", ""),
        problems=problems.count,
        violations=violations,
        report=asdict(build_report(snapshot, reports)) | edits.build_report(context, applying, outcomes),
    )
    with transaction.atomic():
        recorded = progress.register_version(graph=graph, version=version, manifest=snapshot.manifest, origin=origin)
        edit_log.record(version=recorded, base=origin.base if steps else base, edits=applying, outcomes=outcomes)
    if not settings.CLEW.keep_files:
        versions.drop_files(job=job)
    queue.send(queue.WARM, graph.pk)
    return {
        "snapshot": recorded.hash,
        "entities": recorded.entities,
        "relations": recorded.relations,
        "triples": recorded.triples,
        "problems": problems.count,
        "violations": violations,
    }


def _list_steps(job: Job) -> list[ImportStep]:
    """The steps of an import; none where the snapshot is changed, because files are not kept.

    Raises:
        SourceError: its files are not kept any more.
    """
    if job.params.get("mode") == Mode.EDIT:
        return []
    rows = job.params.get("steps")
    if rows is not None:
        steps = read_steps(rows)
    else:
        sources = list(job.files.exclude(path="") or job.graph.files.filter(snapshot=None))
        mode = Mode(job.params.get("mode", Mode.REPLACE))
        steps = [ImportStep(mode, ReadOptions.from_values(job.params), sources)] if sources else []
    if not steps and rows != []:
        raise SourceError("The files of this import are not kept any more.", hint="Upload them again.")
    return steps


def _build_version(
    steps: Sequence[ImportStep], base: GraphVersion | None, out: Path, calls: dict[str, Any]
) -> tuple[SourceReport, ...]:
    """Build what the steps make of each other; the first one changes ``base`` unless it replaces it."""
    from retrieval.kg.build.from_files import write_version  # noqa: PLC0415 - loads polars

    reports: tuple[SourceReport, ...] = ()
    before = files.ensure_local_path(base.path) if base is not None and steps[0].mode != Mode.REPLACE else None
    for number, step in enumerate(steps, start=1):
        place = out if number == len(steps) else out.with_name(f".{out.name}.building-{number}")
        reports += child_process.call(
            write_version,
            [files.ensure_local_path(source.path) for source in step.files],
            place,
            step.options,
            base=before,
            removing=step.mode == Mode.REMOVE,
            names={files.ensure_local_path(source.path): source.name for source in step.files},
            what=_describe_sources(step.files),
            **calls,
        )
        before = place
    return reports


def _build_relabelled(job: Job, base: GraphVersion | None, out: Path, calls: dict[str, Any]) -> None:
    """Build a version by a changed model out of the one before, whose files are not kept."""
    from retrieval.kg.build.relabelling import write_relabelled  # noqa: PLC0415 - loads polars

    before = snapshots.require_current(job.graph) if base is None else base
    callbacks = {"progress": calls["callbacks"]["progress"]}
    place = files.ensure_local_path(before.path)
    child_process.call(
        write_relabelled, place, out, job.params["model"], what=job.graph.name, **{**calls, "callbacks": callbacks}
    )


def _has_equal_model(base: GraphVersion, out: Path) -> bool:
    """Whether nothing was chosen otherwise than for the version before; what was counted does not matter."""
    models = (load_model(files.ensure_local_path(base.path)), load_model(out))
    before, after = (None if model is None else model.extract_choices() for model in models)
    return before == after


def _validate(context: job_runs.Context, sources: list[SourceFile], report: Callable[[Problem], None]) -> int:
    """Check RDF that was uploaded by the shapes beside it, and count the violations.

    A check that takes too long is a problem. Files of earlier versions are not checked again.
    """
    params = context.job.params
    if (
        not sources
        or params.get("steps") is not None
        or params.get("mode", Mode.REPLACE) not in (Mode.REPLACE, Mode.APPEND)
    ):
        return 0
    from retrieval.kg.readers.shape_checks import validate_files  # noqa: PLC0415 - loads pyoxigraph
    from retrieval.kg.readers.shapes import can_hold_shapes  # noqa: PLC0415

    paths = {files.ensure_local_path(source.path): source.name for source in sources}
    if not any(map(can_hold_shapes, paths)):
        return 0  # no process for that
    try:
        return child_process.call(
            validate_files,
            [*paths],
            paths,
            what="the data by its shapes",
            limits=child_process.Limits(memory=settings.CLEW.import_memory, seconds=VALIDATION_S),
            callbacks={"problems": report},
            check=context.check,
        )
    except SourceError as error:
        report(Problem(_describe_sources(sources), 0, f"the data was not checked by its shapes: {error.message}"))
        return 0


def _fetch(context: job_runs.Context, sources: list[SourceFile]) -> None:
    """Copy the files that lie elsewhere, but those that an earlier attempt has copied."""
    for source in sources:
        target = files.get_path(source.path)
        if source.origin and not target.exists():
            limit: int = settings.RESUMABLE_MAX_BYTES
            source.size = remote_sources.fetch(source.origin, target, limit=limit, progress=context.update_progress)
            source.save(update_fields=["size"])
            if context.job.graph.owner is not None:
                quotas.require_room(context.job.graph.owner, 0)


def _describe_sources(sources: Sequence[SourceFile]) -> str:
    """The files, as an error names them."""
    return sources[0].name if len(sources) == 1 else f"{sources[0].name} and {len(sources) - 1:,} more"


def _replace_paths(error: ClewError, sources: list[SourceFile]) -> ClewError:
    """The same error with the files called as their owner called them."""
    message = error.message
    for source in sources:
        message = message.replace(str(files.ensure_local_path(source.path)), source.name)
        message = message.replace(Path(source.path).name, source.name)
    replaced = type(error)(message, hint=error.hint)
    replaced.code = error.code
    return replaced


def handle_failure(job: Job, error: ClewError) -> None:
    """Say on the graph why it cannot be asked. The files are kept for a while, to be read otherwise."""
    progress.mark_import_failed(graph=job.graph, error=error)
