"""Shapes of edits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from retrieval.kg.edits.operations import OPERATIONS
from webapp.api.fields import PlainText
from webapp.edits.models import GraphEdit
from webapp.graphs.serializers import NodeSerializer
from webapp.jobs.models import ACTIVE

BATCH = 500
"""Edits that are made at once."""

STATES = ("pending", "failed", "current", "undone", "dropped", "absent")


class FactField(serializers.ListField):
    """A fact: head, relation and tail."""

    child = PlainText(max_length=4096)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=3, max_length=3, **options)


class OperationSerializer(serializers.Serializer[object]):
    """An operation. Facts need ``fact``; a change also ``replacement``; a rename ``entity`` and ``name``; a merge
    ``entity``, which stays, and ``other``."""

    op = serializers.ChoiceField(choices=OPERATIONS)
    fact = FactField(required=False)
    replacement = FactField(required=False)
    entity = PlainText(max_length=4096, required=False)
    other = PlainText(max_length=4096, required=False)
    name = PlainText(max_length=4096, required=False)


class ReasonSerializer(serializers.Serializer[object]):
    """Why, and where that is from."""

    reason = PlainText(max_length=2000, allow_blank=True, default="")
    source = PlainText(max_length=2000, allow_blank=True, default="")  # type: ignore[assignment]  # a field of this name hides an option of the base


class NewEditSerializer(ReasonSerializer):
    """An edit to be made."""

    operation = OperationSerializer()


class NewEditsSerializer(serializers.Serializer[object]):
    """Edits that make one version together, in order."""

    edits = serializers.ListField(child=NewEditSerializer(), min_length=1, max_length=BATCH)


class EditSerializer(serializers.ModelSerializer[GraphEdit]):
    """An edit in the log."""

    state = serializers.SerializerMethodField()
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)
    version = serializers.IntegerField(source="version.version", allow_null=True, default=None)
    undoes = serializers.IntegerField(source="undoes.number", allow_null=True, default=None)

    class Meta:
        model = GraphEdit
        fields = [
            *("number", "operation", "description", "reason", "source", "state", "message", "version", "undoes"),
            *("created_by", "created_at"),
        ]

    @extend_schema_field(serializers.ChoiceField(choices=STATES))
    def get_state(self, edit: Any) -> str:
        """Whether the current version contains it, and if not, why."""
        if not edit.is_applied:
            return "pending" if edit.job is not None and edit.job.state in ACTIVE else "failed"
        if edit.undoes_id is not None or edit.is_current:
            return "current"
        if edit.is_undone:
            return "undone"
        return "dropped" if edit.message else "absent"


class EffectSerializer(serializers.Serializer[object]):
    """What an edit would change: counts, and the first facts."""

    description = serializers.CharField()
    removed = serializers.IntegerField()
    added = serializers.IntegerField()
    removed_sample = serializers.ListField(child=FactField())
    added_sample = serializers.ListField(child=FactField())
    new_entities = serializers.ListField(child=serializers.CharField(), help_text="labels that the graph lacks")
    new_relations = serializers.ListField(child=serializers.CharField(), help_text="names that the graph lacks")


class DuplicateNodeSerializer(NodeSerializer):
    """An entity that may be in the graph twice."""

    degree = serializers.IntegerField(help_text="its facts in the graph")


class ComparisonSerializer(serializers.Serializer[object]):
    """What two entities have of one relation."""

    relation = serializers.CharField()
    inverse = serializers.BooleanField()
    outcome = serializers.ChoiceField(choices=("equal", "similar", "different"))
    first = serializers.CharField()
    second = serializers.CharField()


class DuplicateSerializer(serializers.Serializer[object]):
    """Two entities that may be the same; ``score`` is the probability of it."""

    first = DuplicateNodeSerializer()
    second = DuplicateNodeSerializer()
    score = serializers.FloatField()
    comparisons = ComparisonSerializer(many=True, help_text="what counts most comes first")


class DistinctSerializer(serializers.Serializer[object]):
    """Two entities that are not the same."""

    first = PlainText(max_length=4096)
    second = PlainText(max_length=4096)
