"""Edits by hand during an import: those that a job makes, and those that are applied to a new content again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings

from retrieval.errors import EditError
from retrieval.kg.edits.effects import EditOutcome
from retrieval.kg.readers import child_process
from webapp.edits import selectors
from webapp.edits.models import GraphEdit
from webapp.graphs import files
from webapp.graphs.models import GraphVersion, Mode
from webapp.jobs import log
from webapp.jobs.models import Job, Level
from worker import job_runs

SILENCE_S = 1200.0


def list_edits(job: Job, mode: Mode, base: GraphVersion | None) -> list[GraphEdit]:
    """The edits that an import applies: those of its job, or on a whole new content those of the version before."""
    if mode == Mode.EDIT:
        return list(job.edits.order_by("number").select_related("undoes"))
    if mode == Mode.REPLACE and job.params.get("reapplies_edits", True):
        return selectors.list_current_edits(base)
    return []


def apply(
    context: job_runs.Context, out: Path, edits: list[GraphEdit], mode: Mode, base: GraphVersion | None
) -> list[EditOutcome]:
    """Apply edits to ``base`` when they are the job's, else to the new content in ``out``; writes ``out``.

    Raises:
        EditError: an edit of the job cannot be applied; nothing is written that stays.
    """
    if not edits or base is None:
        return []
    from retrieval.kg.build.edits import write_edited_version  # noqa: PLC0415 - loads polars

    outcomes: list[EditOutcome] = child_process.call(
        write_edited_version,
        files.ensure_local_path(base.path) if mode == Mode.EDIT else out,
        out,
        selectors.build_operations(edits, base),
        [edit.number for edit in edits],
        what=context.job.graph.name,
        limits=child_process.Limits(memory=settings.CLEW.import_memory, seconds=0, silence=SILENCE_S),
        callbacks={"progress": context.update_progress},
        check=context.check,
    )
    messages = describe_failures(edits, outcomes)
    if messages and mode == Mode.EDIT:
        raise EditError(messages[0], hint="The graph has changed meanwhile. Look at it and try again.")
    return outcomes


def describe_failures(edits: list[GraphEdit], outcomes: list[EditOutcome]) -> list[str]:
    """A sentence for each edit that could not be applied."""
    return [
        f"Edit {edit.number} ({edit.description}): {outcome.message}"
        for edit, outcome in zip(edits, outcomes, strict=True)
        if outcome.effect is None
    ]


def build_report(context: job_runs.Context, edits: list[GraphEdit], outcomes: list[EditOutcome]) -> dict[str, Any]:
    """What a version's report says of edits that were applied again; those that were not are in the job's log too."""
    failures = describe_failures(edits, outcomes)
    if failures:
        log.write(
            context.job.pk,
            f"{len(failures)} of {len(edits)} edits could not be applied again: {' '.join(failures)}",
            Level.WARNING,
        )
    return {"edits_applied": len(edits) - len(failures), "edits_failed": failures}
