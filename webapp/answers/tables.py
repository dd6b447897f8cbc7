"""Answers that are tables: their rows as a file, and the facts behind each cell."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from retrieval.errors import Cancelled, ProgramError
from retrieval.events import AnswerFinal, from_plain
from retrieval.kg.snapshot import Snapshot
from retrieval.programs.algebra.cell_facts import list_cell_facts
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.names import from_named_json
from retrieval.results import AnswerTable
from retrieval.types import Hop, RelationStep
from webapp.answers.models import Run, RunEvent
from webapp.answers.programs import find_executed
from webapp.api.errors import ConflictError, InvalidError, VersionGoneError
from webapp.graphs.selectors import find_version
from webapp.graphs.snapshots import open_snapshot

#: Facts of a cell that are given, seconds that a table may take, and tables that are kept.
FACTS, _SECONDS, _KEPT = 200, 20.0, 4
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class CellFacts:
    """The first facts behind a cell, and how many there are."""

    facts: tuple[Hop, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Computed:
    executor: Executor
    table: Table
    rows: Rows


def load_table(run: Run) -> AnswerTable:
    """The table that answers a run.

    Raises:
        ConflictError: no table answers it.
    """
    rows = RunEvent.objects.filter(run=run, type=AnswerFinal.type).order_by("-seq")
    payload: dict[str, Any] | None = rows.values_list("payload", flat=True).first()
    table = None if payload is None else payload.get("table")
    if table is None:
        raise ConflictError("The answer of this run is no table.", hint="Only answers of several columns are tables.")
    return from_plain(AnswerTable, table)


def find_cell_facts(run: Run, row: int, column: int) -> CellFacts:
    """The facts behind a cell of the table that answers a run; computed again on the version that was asked.

    Args:
        run: answered by a table.
        row: number of the row, from 0.
        column: number of the column, from 0.

    Raises:
        ConflictError: no table answers it, or its graph lives in an endpoint.
        InvalidError: the table has no such cell.
        VersionGoneError: the version of the graph was deleted.
        ProgramError: the table takes too long.
    """
    table = load_table(run)
    if not (0 <= row < len(table.rows) and 0 <= column < len(table.columns)):
        size = f"{len(table.rows):,} rows and {len(table.columns):,} columns"
        raise InvalidError(f"The table has no such cell: it has {size}, counted from 0.")
    version = find_version(run.graph, run.snapshot_hash)
    if version is None:
        raise VersionGoneError(
            "The version of the graph that was asked is gone, and the facts with it.", hint="Ask the question again."
        )
    with _lock:  # an executor is one thread's
        computed = _compute_table(str(run.pk), version.path)
        facts = list_cell_facts(computed.executor, computed.table, computed.rows, row, column)
        snapshot = computed.executor.snapshot
        return CellFacts(tuple(_build_hop(snapshot, *fact) for fact in facts[:FACTS].tolist()), len(facts))


@lru_cache(maxsize=_KEPT)
def _compute_table(run: str, path: str) -> _Computed:
    program = find_executed(Run.objects.get(pk=run))
    snapshot, ends = open_snapshot(path), time.monotonic() + _SECONDS
    table = from_named_json(snapshot, program)
    executor = Executor(snapshot, cancelled=lambda: time.monotonic() > ends)
    try:
        rows = executor.run(table)
    except Cancelled:
        raise ProgramError("This table takes too long to compute again.", hint="Ask for fewer rows.") from None
    if not isinstance(table, Table) or not isinstance(rows, Rows):
        raise ConflictError("The answer of this run is no table.")
    executor.cancelled = lambda: False
    return _Computed(executor, table, rows)


def _build_hop(snapshot: Snapshot, head: int, relation: int, tail: int) -> Hop:
    step = RelationStep(snapshot.get_relation_name(relation), snapshot.get_relation_label(relation), inverse=False)
    return Hop(snapshot.get_node(head), step, snapshot.get_node(tail), verified=True)
