"""Programs that people write or edit: checked before a run takes one, and kept as corrections of what was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from retrieval.errors import ProgramError
from retrieval.events import AnswerFinal, ProgramExecuted
from retrieval.limits import PROGRAM_LIMIT
from retrieval.programs.rendering.names import from_named_json, require_program, to_named_json
from retrieval.questions.files import to_json
from retrieval.types import QuestionRecord
from webapp.accounts.models import Role
from webapp.answers.models import ACTIVE, Run, RunEvent, RunState
from webapp.api.errors import InvalidError
from webapp.graphs import snapshots
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint

KEPT, OPEN, UNDONE = "kept", "open", "undone"


@dataclass(frozen=True, slots=True)
class EditedProgram:
    """A program that a person wrote, and the one that they edited, where there is one."""

    program: dict[str, Any] | None = None
    before: dict[str, Any] | None = None


def check_program(graph: Graph, program: Any, corrects: Run | None) -> EditedProgram:
    """What a run is to keep of a program that a person asks it with.

    Raises:
        ProgramError: it is no program, or the graph lacks something that it names.
        InvalidError: ``corrects`` is of another graph, or there is no program.
        GraphNotReadyError, DamagedError: as :func:`snapshots.open_current`.
    """
    if corrects is not None and program is None:
        raise InvalidError("A correction needs a program.", hint="Send the edited program too, or leave corrects out.")
    if corrects is not None and corrects.graph_id != graph.pk:
        raise InvalidError(
            f"The run that is corrected is of the graph {corrects.graph.name}.",
            hint="Ask the same graph, or leave corrects out.",
        )
    if program is None:
        return EditedProgram()
    size = len(json.dumps(program, ensure_ascii=False).encode())
    if size > PROGRAM_LIMIT:
        raise ProgramError(
            f"The program is {size:,} bytes as JSON.",
            hint=f"At most {PROGRAM_LIMIT:,} are taken; shorten it.",
        )
    try:
        known = _normalize_program(graph, program)
    except ProgramError as error:
        raise ProgramError(error.message, hint=error.hint or _FORM) from None
    return EditedProgram(known, None if corrects is None else find_executed(corrects))


def _normalize_program(graph: Graph, program: Any) -> dict[str, Any]:
    """A program as the graph spells it, so that the same one is kept the same.

    One over an endpoint is kept as it came: whether its names are there is found out when it runs.

    Raises:
        ProgramError, GraphNotReadyError, DamagedError: as :func:`check_program`.
    """
    if get_endpoint(graph) is None:
        snapshot = snapshots.open_current(graph)
        return to_named_json(snapshot, from_named_json(snapshot, program))
    require_program(program)
    kept: dict[str, Any] = program
    return kept


_FORM = "Send a program as program.executed carries it: read.program, with names of the graph."


def find_executed(run: Run) -> dict[str, Any] | None:
    """The program that a run's question was read as, or that it was asked with; None where there was none."""
    rows = RunEvent.objects.filter(run=run, type=ProgramExecuted.type).order_by("-seq")
    payload = rows.values_list("payload", flat=True).first()
    program: dict[str, Any] | None = run.program if payload is None else payload["read"]["program"]
    return program


def list_corrections(*, graph_id: int) -> QuerySet[Run]:
    """Runs of a graph that a person gave a program, newest first; ``corrected`` where it was corrected in its turn."""
    rows = Run.objects.select_related("graph", "user").filter(graph_id=graph_id, program__isnull=False, trial=False)
    return rows.annotate(corrected=_is_corrected()).order_by("-created_at", "-id")


def _is_corrected() -> Exists:
    """Whether its person, or an analyst, corrected a run; what another viewer makes of it stands beside it."""
    by_right = Q(user=OuterRef("user")) | Q(user__role__in=[Role.ANALYST, Role.ADMIN])
    return Exists(Run.objects.filter(by_right, corrects=OuterRef("pk"), state=RunState.DONE))


def get_state(run: Run) -> str:
    """``kept`` where a run of :func:`list_corrections` answered and still stands, ``open`` where it has not
    ended.
    """
    if run.state in (*ACTIVE, RunState.PAUSED):
        return OPEN
    corrected: bool = run.corrected  # type: ignore[attr-defined]  # annotated
    return UNDONE if corrected or run.state != RunState.DONE else KEPT


def list_kept(*, graph_id: int) -> QuerySet[Run]:
    """The :func:`list_corrections` of a graph whose state is ``kept``, newest first."""
    return list_corrections(graph_id=graph_id).filter(~_is_corrected(), state=RunState.DONE)


def iter_questions(*, graph_id: int) -> Iterator[QuestionRecord]:
    """The kept corrections of a graph to learn from: question, answers and program; oldest first."""
    for run in list_kept(graph_id=graph_id).reverse().iterator(100):
        yield QuestionRecord(str(run.pk), run.question, answers=_load_answers(run), program=run.program)


def export_lines(*, graph_id: int) -> Iterator[str]:
    """The same as lines of a question set."""
    for question in iter_questions(graph_id=graph_id):
        yield json.dumps(to_json(question), ensure_ascii=False) + "\n"


def _load_answers(run: Run) -> tuple[str, ...]:
    """All of them; the run's row has the first few."""
    ends = RunEvent.objects.filter(run=run, type=AnswerFinal.type).order_by("-seq")
    payload = ends.values_list("payload", flat=True).first()
    return tuple(run.answers if payload is None else (answer["label"] for answer in payload["answers"]))
