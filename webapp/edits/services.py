"""Changing graphs by hand: queueing edits and undos, and recording what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from retrieval.errors import EditError
from retrieval.kg.edits.edited_graph import EditedGraph
from retrieval.kg.edits.effects import EditOutcome, Effect
from retrieval.kg.edits.operations import Operation
from webapp.accounts.models import User
from webapp.api.errors import GraphNotReadyError
from webapp.edits import selectors
from webapp.edits.models import AppliedEdit, DistinctPair, GraphEdit
from webapp.graphs import announce, snapshots, versions
from webapp.graphs.models import Graph, GraphVersion, Mode
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind

NOTE_OPERATIONS = 3
"""Operations that the note of a version names; of more it says how many."""

SAMPLE = 20
"""Facts of each kind that a preview shows."""


@dataclass(frozen=True, slots=True)
class NewEdit:
    """An operation as it was asked for, or the edit that is to be undone, with reason and source."""

    operation: dict[str, object]
    undoes: GraphEdit | None = None
    reason: str = ""
    source: str = ""


def preview(*, graph: Graph, edits: Sequence[NewEdit]) -> list[dict[str, Any]]:
    """The effects that edits would have on the current version: counts, and the first facts.

    Raises:
        GraphNotReadyError: the graph has no version.
        EditError, ConflictError: an edit cannot be applied.
    """
    return [_describe(graph, operation, effect) for operation, effect in _apply(graph, edits)]


def create(*, graph: Graph, edits: Sequence[NewEdit], user: User) -> Job:
    """Record edits and queue the job that makes the next version with all of them.

    Raises:
        ConflictError: the graph is being changed, or an edit that is to be undone is not in the current version.
        GraphNotReadyError: the graph has no version.
        EditError: an edit cannot be applied; none is recorded.
    """
    with transaction.atomic():
        locked = versions.lock_graph(graph)
        descriptions = [operation.describe() for operation, _ in _apply(locked, edits)]
        assert locked.snapshot is not None, "edits were applied to it"
        job = jobs.create(
            kind=JobKind.IMPORT,
            title=f"Edit {locked.name}",
            graph=locked,
            user=user,
            params={"mode": Mode.EDIT.value, "note": _write_note(descriptions, edits)},
            is_large=locked.snapshot.bytes > settings.LARGE_IMPORT_BYTES,
        )
        last = GraphEdit.objects.filter(graph=locked).aggregate(Max("number"))["number__max"] or 0
        GraphEdit.objects.bulk_create(
            GraphEdit(
                graph=locked,
                number=number,
                operation=edit.operation,
                description=description,
                undoes=edit.undoes,
                reason=edit.reason,
                source=edit.source,
                job=job,
                created_by=user,
            )
            for number, (edit, description) in enumerate(zip(edits, descriptions, strict=True), last + 1)
        )
        announce.notify_graph_on_commit(locked.pk)
    return job


def record(
    *, version: GraphVersion, base: GraphVersion | None, edits: Sequence[GraphEdit], outcomes: Sequence[EditOutcome]
) -> None:
    """Record which edits a new version contains: those of ``base`` that were not undone, and those applied now."""
    for edit, outcome in zip(edits, outcomes, strict=True):
        edit.message = outcome.message
        if outcome.effect is not None:
            edit.is_applied = True
            edit.version = edit.version or version
        edit.save(update_fields=["message", "is_applied", "version"])
        if outcome.effect is not None and edit.undoes is None:
            applied = AppliedEdit.objects.create(edit=edit, effect=outcome.effect.to_json())
            applied.versions.add(version)
    if base is not None:
        undone = [edit.undoes_id for edit in edits if edit.undoes_id is not None]
        for applied in AppliedEdit.objects.filter(versions=base).exclude(edit__in=undone):
            applied.versions.add(version)


def mark_distinct(*, graph: Graph, labels: tuple[str, str], user: User) -> None:
    """Say that two entities are not the same, so that they are not suggested again."""
    first, second = sorted(labels)
    DistinctPair.objects.get_or_create(graph=graph, first=first, second=second, defaults={"created_by": user})


def _apply(graph: Graph, edits: Sequence[NewEdit]) -> list[tuple[Operation, Effect]]:
    """Apply edits to the current version in memory."""
    if graph.snapshot is None:
        raise GraphNotReadyError(f"{graph.name} has no version that could be edited.", hint="Import it first.")
    rows = [GraphEdit(operation=edit.operation, undoes=edit.undoes) for edit in edits]
    operations = selectors.build_operations(rows, graph.snapshot)
    edited = EditedGraph(snapshots.open_snapshot(graph.snapshot.path))
    effects: list[Effect] = []
    for number, operation in enumerate(operations, 1):
        try:
            effects.append(edited.apply(operation))
        except EditError as error:
            place = f"Edit {number} of {len(operations)}: " if len(operations) > 1 else ""
            raise EditError(f"{place}{error.message}", hint=error.hint) from error
    return list(zip(operations, effects, strict=True))


def _describe(graph: Graph, operation: Operation, effect: Effect) -> dict[str, Any]:
    base = snapshots.open_current(graph)
    labels = dict.fromkeys(end for fact in effect.added for end in (fact.head, fact.tail))
    relations = dict.fromkeys(fact.relation for fact in effect.added)
    return {
        "description": operation.describe(),
        "removed": len(effect.removed),
        "added": len(effect.added),
        "removed_sample": [list(fact.triple) for fact in effect.removed[:SAMPLE]],
        "added_sample": [list(fact.triple) for fact in effect.added[:SAMPLE]],
        "new_entities": [label for label in labels if base.find_entity(label) is None][:SAMPLE],
        "new_relations": [name for name in relations if base.find_relation(name) is None][:SAMPLE],
    }


def _write_note(descriptions: Sequence[str], edits: Sequence[NewEdit]) -> str:
    """The note of a version: its edits as sentences, with their reasons."""
    sentences = [
        f"{description} ({edit.reason})" if edit.reason else description
        for description, edit in zip(descriptions, edits, strict=True)
    ]
    more = len(sentences) - NOTE_OPERATIONS
    return "; ".join(sentences[:NOTE_OPERATIONS]) + (f"; and {more} more" if more > 0 else "")
