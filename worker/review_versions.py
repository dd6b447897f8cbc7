"""Carrying a review over to the version of its graph that is current, for a person or before a training."""

from __future__ import annotations

from typing import Any

from retrieval.errors import Cancelled, ProgramError
from retrieval.kg import snapshot as kg
from retrieval.types import Progress, QuestionRecord
from webapp.graphs import files
from webapp.graphs.models import GraphVersion
from webapp.review.domain import program_candidates
from webapp.review.models import CandidatePath, Item, Queue, QueueKind
from webapp.review.services import carry_over
from webapp.review.services.carry_over import Measure, Measurement
from worker import answerers, job_runs, review_programs


def move_queue_of_job(context: job_runs.Context) -> dict[str, Any]:
    """Carry the queue of a job over."""
    rows = Queue.objects.select_related("graph__snapshot", "snapshot").filter(deleted_at=None)
    row = rows.filter(pk=context.job.params["carry_over"]).first()
    if row is None or row.graph.snapshot is None:
        raise Cancelled("The queue was deleted.")
    return {"queue": row.pk, "reopened": move_queue(context, row, row.graph.snapshot)}


def move_queue(context: job_runs.Context, row: Queue, version: GraphVersion) -> int:
    """Move a queue to a version of its graph; how many items were opened again."""
    if row.snapshot_id == version.pk:
        return 0
    programs = row.kind == QueueKind.PROGRAMS
    return carry_over.move_to_version(
        queue=row,
        version=version,
        user=context.job.user,
        measure=_make_program_measure(version) if programs else carry_over.make_path_measure(row, version),
        progress=lambda done, total: context.update_progress(Progress("measuring paths", done, total, "questions")),
    )


def _make_program_measure(version: GraphVersion) -> Measure:
    """Runs a program again on another version; it changed when it gives something else there."""
    from retrieval.pretrained import PROGRAMS  # noqa: PLC0415 - torch comes with it
    from retrieval.programs.reader import ProgramReader  # noqa: PLC0415
    from retrieval.programs.rendering.names import from_named_json  # noqa: PLC0415

    snapshot = kg.open(files.ensure_local_path(version.path))
    reader = ProgramReader(snapshot, answerers.get_encoder().encode, PROGRAMS)

    def measure(item: Item, candidate: CandidatePath) -> Measurement:
        try:
            understanding = reader.execute(from_named_json(snapshot, candidate.program or {}))
        except ProgramError:  # a name of it is gone
            return Measurement({"gives": [], **program_candidates.fit([], 0, item.answers)}, changed=True)
        question = QuestionRecord(item.key, item.question, tuple(item.topics), tuple(item.answers))
        made = review_programs.build_program_fields(understanding, question)
        return Measurement(made, (made["gives"], made["reached"]) != (candidate.gives, candidate.reached))

    return measure
