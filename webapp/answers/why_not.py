"""Asking why a run did not give an expected answer: a worker looks, and what it finds lies in Redis for an hour."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from retrieval.events import to_plain
from webapp.answers.models import Run, RunState
from webapp.api.errors import ConflictError
from webapp.api.redis import redis_client
from webapp.graphs import browse, selectors, snapshots
from webapp.jobs import queue

KEPT_S = 3600
WAITING, DONE, FAILED = "waiting", "done", "failed"


@dataclass(frozen=True, slots=True)
class Expected:
    """What was expected: an entity of the run's version of the graph, or a name that it may lack."""

    name: str
    entity: int | None = None


def ask(*, run: Run, expected: Expected) -> UUID:
    """Have a worker find out; the id of what it will find.

    Raises:
        ConflictError: the run has no answer to compare with, or its version of the graph is gone.
        NotImportedError: the graph stays in an endpoint.
        UnknownEntityError: the graph has no such entity.
    """
    if run.state != RunState.DONE:
        raise ConflictError("The run has not answered.", hint="Ask again, and wait for the answer.")
    snapshots.require_imported(run.graph)
    version = selectors.version(run.graph, run.snapshot_hash)
    if version is None:
        raise ConflictError("The run's version of the graph is gone.", hint="Ask again on the current one.")
    name = expected.name
    if expected.entity is not None:
        opened = snapshots.opened(version.path)
        name = opened.entity_label(browse.require_entity(opened, expected.entity))
    key = uuid4()
    asked = {"run": str(run.pk), "name": name, "entity": expected.entity}
    _keep(key, {"state": WAITING, "asked": asked})
    queue.enqueue(queue.WHY_NOT, key)
    return key


def read(key: UUID | str, *, run: Run | None = None) -> dict[str, Any] | None:
    """How far it is; None where there is none of this run, or it was too long ago."""
    kept = redis_client().get(_name(key))
    found = None if kept is None else json.loads(kept)
    return found if found and (run is None or found["asked"]["run"] == str(run.pk)) else None


def found(key: UUID | str, what: Any) -> None:
    """Keep what a worker found, a ``WhyNot``."""
    _end(key, state=DONE, found=to_plain(what))


def failed(key: UUID | str, *, code: str, message: str, hint: str) -> None:
    """Keep why it could not be found out."""
    _end(key, state=FAILED, error={"code": code, "message": message, "hint": hint})


def _end(key: UUID | str, **fields: Any) -> None:
    before = read(key)
    if before is not None:
        _keep(key, {**before, **fields})


def _keep(key: UUID | str, what: dict[str, Any]) -> None:
    empty = {"found": None, "error": None}
    redis_client().set(_name(key), json.dumps({**empty, **what}, ensure_ascii=False), ex=KEPT_S)


def _name(key: UUID | str) -> str:
    return f"clew:why-not:{key}"
