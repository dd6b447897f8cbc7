"""Reading edits."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from retrieval.kg.edits.effects import Effect
from retrieval.kg.edits.operations import Operation, RevertEffect, parse_operation
from webapp.api.errors import ConflictError
from webapp.edits.models import AppliedEdit, GraphEdit
from webapp.graphs.models import Graph, GraphVersion


def list_edits(graph: Graph) -> QuerySet[GraphEdit]:
    """The log of a graph's edits, newest first. ``is_current`` says whether the current version contains an edit."""
    contained = AppliedEdit.objects.filter(edit=OuterRef("pk"), versions=graph.snapshot_id)
    undone = GraphEdit.objects.filter(undoes=OuterRef("pk"), is_applied=True)
    rows = GraphEdit.objects.filter(graph=graph).select_related("created_by", "version", "job", "undoes")
    return rows.annotate(is_current=Exists(contained), is_undone=Exists(undone))


def list_current_edits(version: GraphVersion | None) -> list[GraphEdit]:
    """The edits that a version contains, oldest first."""
    if version is None:
        return []
    return list(GraphEdit.objects.filter(applications__versions=version).order_by("number").distinct())


def build_operations(edits: Iterable[GraphEdit], version: GraphVersion) -> list[Operation]:
    """The engine's operations of some edits. An undo takes back the effect that its edit has in ``version``.

    Raises:
        ConflictError: an edit that is to be undone is not contained in the version.
    """
    return [
        parse_operation(edit.operation) if edit.undoes is None else _build_undo(edit.undoes, version) for edit in edits
    ]


def _build_undo(edit: GraphEdit, version: GraphVersion) -> RevertEffect:
    applied = AppliedEdit.objects.filter(edit=edit, versions=version).first()
    if applied is None:
        raise ConflictError(
            f"Version {version.version} does not contain edit {edit.number}.",
            hint="It was undone, or another version is current. The log of edits shows which version has it.",
        )
    return RevertEffect(edit.description, Effect.from_json(applied.effect))
