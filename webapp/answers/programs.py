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
from retrieval.programs.rendering.names import named, require_program, resolved
from retrieval.questions.files import to_json
from retrieval.types import Question
from webapp.accounts.models import Role
from webapp.answers.models import ACTIVE, Run, RunEvent, RunState
from webapp.api.errors import InvalidError
from webapp.graphs import snapshots
from webapp.graphs.models import Graph
from webapp.graphs.selectors import endpoint_of

KEPT, OPEN, UNDONE = "kept", "open", "undone"


@dataclass(frozen=True, slots=True)
class Written:
    """A program that a person wrote, and the one that they edited, where there is one."""

    program: dict[str, Any] | None = None
    before: dict[str, Any] | None = None


def written(graph: Graph, program: Any, corrects: Run | None) -> Written:
    """What a run is to keep of a program that a person asks it with.

    Raises:
        ProgramError: it is no program, or the graph lacks something that it names.
        InvalidError: ``corrects`` is of another graph, or there is no program.
        GraphNotReadyError, DamagedError: as :func:`snapshots.of_graph`.
    """
    if corrects is not None and program is None:
        raise InvalidError(
            "A correction needs a program.", hint="Send the edited program too, or leave corrects out."
        )
    if corrects is not None and corrects.graph_id != graph.pk:
        raise InvalidError(
            f"The run that is corrected is of the graph {corrects.graph.name}.",
            hint="Ask the same graph, or leave corrects out.",
        )
    if program is None:
        return Written()
    size = len(json.dumps(program, ensure_ascii=False).encode())
    if size > PROGRAM_LIMIT:
        raise ProgramError(
            f"The program is {size:,} bytes as JSON.",
            hint=f"At most {PROGRAM_LIMIT:,} are taken; shorten it.",
        )
    try:
        known = _checked(graph, program)
    except ProgramError as error:
        raise ProgramError(error.message, hint=error.hint or _FORM) from None
    return Written(known, None if corrects is None else _executed(corrects))


def _checked(graph: Graph, program: Any) -> dict[str, Any]:
    """A program as the graph spells it, so that the same one is kept the same.

    One over an endpoint is kept as it came: whether its names are there is found out when it runs.

    Raises:
        ProgramError, GraphNotReadyError, DamagedError: as :func:`written`.
    """
    if endpoint_of(graph) is None:
        snapshot = snapshots.of_graph(graph)
        return named(snapshot, resolved(snapshot, program))
    require_program(program)
    kept: dict[str, Any] = program
    return kept


_FORM = "Send a program as program.executed carries it: read.program, with names of the graph."


def _executed(run: Run) -> dict[str, Any] | None:
    """The program that a run's question was read as, or that it was asked with; None where there was none."""
    told = RunEvent.objects.filter(run=run, type=ProgramExecuted.type).order_by("-seq")
    payload = told.values_list("payload", flat=True).first()
    found: dict[str, Any] | None = run.program if payload is None else payload["read"]["program"]
    return found


def corrections(*, graph_id: int) -> QuerySet[Run]:
    """Runs of a graph that a person gave a program, newest first; ``corrected`` where it was corrected in its turn."""
    rows = Run.objects.select_related("graph", "user").filter(
        graph_id=graph_id, program__isnull=False, trial=False
    )
    return rows.annotate(corrected=_is_corrected()).order_by("-created_at", "-id")


def _is_corrected() -> Exists:
    """Whether its person, or an analyst, corrected a run; what another viewer makes of it stands beside it."""
    by_right = Q(user=OuterRef("user")) | Q(user__role__in=[Role.ANALYST, Role.ADMIN])
    return Exists(Run.objects.filter(by_right, corrects=OuterRef("pk"), state=RunState.DONE))


def state_of(run: Run) -> str:
    """``kept`` where a run of :func:`corrections` answered and still stands, ``open`` where it has not ended."""
    if run.state in (*ACTIVE, RunState.PAUSED):
        return OPEN
    corrected: bool = run.corrected  # type: ignore[attr-defined]  # annotated
    return UNDONE if corrected or run.state != RunState.DONE else KEPT


def kept(*, graph_id: int) -> QuerySet[Run]:
    """The :func:`corrections` of a graph whose state is ``kept``, newest first."""
    return corrections(graph_id=graph_id).filter(~_is_corrected(), state=RunState.DONE)


def as_questions(*, graph_id: int) -> Iterator[Question]:
    """The kept corrections of a graph to learn from: question, answers and program; oldest first."""
    for run in kept(graph_id=graph_id).reverse().iterator(100):
        yield Question(str(run.pk), run.question, answers=_answers(run), program=run.program)


def labels(*, graph_id: int) -> Iterator[str]:
    """The same as lines of a question set."""
    for question in as_questions(graph_id=graph_id):
        yield json.dumps(to_json(question), ensure_ascii=False) + "\n"


def _answers(run: Run) -> tuple[str, ...]:
    """All of them; the run's row has the first few."""
    ends = RunEvent.objects.filter(run=run, type=AnswerFinal.type).order_by("-seq")
    payload = ends.values_list("payload", flat=True).first()
    return tuple(run.answers if payload is None else (answer["label"] for answer in payload["answers"]))
