"""Checkpoints and training as the API shows and takes them."""

from __future__ import annotations

from rest_framework import serializers

from webapp.experiments.models import Checkpoint


class CheckpointSerializer(serializers.ModelSerializer[Checkpoint]):
    """A trained retriever."""

    graph_name = serializers.CharField(source="graph.name")
    snapshot = serializers.CharField(source="snapshot.hash")
    metrics = serializers.DictField(child=serializers.FloatField())
    config = serializers.DictField()

    class Meta:
        model = Checkpoint
        fields = [
            *("id", "method", "graph", "graph_name", "snapshot", "encoder", "fingerprint", "metrics"),
            *("config", "question_set", "created_at"),
        ]


class TrainSerializer(serializers.Serializer[object]):
    """What to train with what."""

    question_set = serializers.IntegerField()
    method = serializers.CharField(max_length=32)
    config = serializers.DictField(required=False, default=dict)
