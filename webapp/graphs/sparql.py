"""SPARQL queries of a version, in a process of its own: whoever writes them decides how long they take."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from retrieval.errors import QueryError
from retrieval.kg.readers import child_process
from retrieval.programs import rdf_store
from webapp.accounts.models import User
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import BusyError
from webapp.graphs import snapshots
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import GraphVersion

FACTS_MAX = 1_000_000
"""Largest version that can be queried."""

RESULT_BYTES_MAX = 32_000_000
BUILD_LIMITS = child_process.Limits(memory=2 << 30, seconds=240.0)
QUERY_LIMITS = child_process.Limits(memory=1 << 30, seconds=30.0)

_turns = ConcurrencyLimit()
_processes = threading.BoundedSemaphore(2)
"""People wait for each other, so that they do not take all cores."""

_building = threading.Lock()


def answer_query(*, version: GraphVersion, query: str, accepted: Sequence[str], user: User) -> rdf_store.QueryResult:
    """What a query gives; see :func:`rdf_store.query_store`. The first query of a version makes its RDF.

    Raises:
        DamagedError: as :func:`snapshots.open_snapshot`.
        QueryError: the query is malformed or not allowed, the version too large, or a limit was reached.
        BusyError: the person has queries under way.
    """
    snapshots.open_snapshot(version.path)  # whether it is sound
    if version.triples > FACTS_MAX:
        raise QueryError(
            f"This graph has more than {FACTS_MAX:,} facts: too many to be queried by SPARQL here.",
            hint="Load its files into a store of their own, or ask questions and programs.",
        )
    path = ensure_local_path(version.path)
    refusal = BusyError("Other queries of yours are still under way.", hint="Wait until they have ended.")
    with _turns.take_turn(user.pk, most=4, refusal=refusal):
        release_connection()
        with _processes:
            _ensure_store(path)
            try:
                return child_process.call(
                    rdf_store.query_store,
                    path,
                    query,
                    accepted,
                    most=RESULT_BYTES_MAX,
                    what="a query",
                    limits=QUERY_LIMITS,
                )
            except child_process.TooMuchError as error:
                raise QueryError(
                    f"The query took more than {QUERY_LIMITS.seconds:g} s or "
                    f"{child_process.format_memory(QUERY_LIMITS.memory)}.",
                    hint="Narrow its patterns down, or add LIMIT.",
                ) from error


def _ensure_store(path: Path) -> None:
    """Make the RDF of a version where it is not there yet.

    Raises:
        QueryError: that takes too long, or too much memory.
    """
    if rdf_store.has_store(path):
        return
    with _building:
        if rdf_store.has_store(path):
            return
        try:
            child_process.call(rdf_store.build_store, path, what="The graph", limits=BUILD_LIMITS)
        except child_process.TooMuchError as error:
            raise QueryError(
                f"Preparing this graph for SPARQL took more than {BUILD_LIMITS.seconds:g} s or "
                f"{child_process.format_memory(BUILD_LIMITS.memory)}.",
                hint="Load its files into a store of their own, or ask questions and programs.",
            ) from error
