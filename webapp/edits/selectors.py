"""Reading edits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from retrieval.kg.analysis import duplicates
from retrieval.kg.edits.effects import Effect
from retrieval.kg.edits.operations import Operation, RevertEffect, parse_operation
from webapp.api.errors import ConflictError
from webapp.edits.models import AppliedEdit, DistinctPair, GraphEdit
from webapp.graphs import snapshots
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.provenance import EditAuthor


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


def find_authors(graph: Graph, numbers: Iterable[int]) -> dict[int, EditAuthor]:
    """Who made edits of a graph, by their numbers."""
    edits = GraphEdit.objects.filter(graph=graph, number__in=numbers).select_related("created_by")
    return {
        edit.number: EditAuthor(edit.created_by.username if edit.created_by else "", edit.created_at, edit.reason)
        for edit in edits
    }


def list_duplicates(graph: Graph) -> list[dict[str, Any]]:
    """Suggested duplicates of the current version, likeliest first, without those of which somebody said otherwise.

    Raises:
        GraphNotReadyError: there is no version.
    """
    snapshot = snapshots.open_current(graph)
    distinct = set(DistinctPair.objects.filter(graph=graph).values_list("first", "second"))
    rows = []
    for candidate in duplicates.get_duplicates(snapshot):
        ends = [candidate.first, candidate.second]
        labels = tuple(sorted(snapshot.get_entity_label(entity) for entity in ends))
        if labels not in distinct:
            first, second = (
                asdict(snapshot.get_node(entity)) | {"degree": snapshot.get_degree(entity)} for entity in ends
            )
            comparisons = [asdict(comparison) for comparison in candidate.comparisons]
            rows.append({"first": first, "second": second, "score": candidate.score, "comparisons": comparisons})
    return rows


def _build_undo(edit: GraphEdit, version: GraphVersion) -> RevertEffect:
    applied = AppliedEdit.objects.filter(edit=edit, versions=version).first()
    if applied is None:
        raise ConflictError(
            f"Version {version.version} does not contain edit {edit.number}.",
            hint="It was undone, or another version is current. The log of edits shows which version has it.",
        )
    return RevertEffect(edit.description, Effect.from_json(applied.effect))
