"""What a study found, as the API shows it: rows over all seeds, gains, and tests of the best figures."""

from __future__ import annotations

from rest_framework import serializers

from webapp.experiments.report_serializers import Interval, Metric


class SpreadSerializer(serializers.Serializer[object]):
    """A figure over all seeds; ``sd`` is the sample deviation, null for one seed."""

    mean = serializers.FloatField()
    sd = serializers.FloatField(allow_null=True)
    values = serializers.ListField(child=serializers.FloatField())


class StudyRowSerializer(serializers.Serializer[object]):
    """All seeds of a variant, share, training and test set. ``intervals`` are of the first seed, over its questions."""

    train = serializers.CharField()
    variant = serializers.CharField()
    fraction = serializers.FloatField()
    test = serializers.CharField()
    seeds = serializers.ListField(child=serializers.IntegerField())
    n = serializers.IntegerField()
    cross_dataset = serializers.BooleanField()
    metrics = serializers.DictField(child=SpreadSerializer())
    intervals = serializers.DictField(child=Interval())
    groups = serializers.DictField(child=serializers.DictField(child=serializers.DictField(child=Metric())))
    causes = serializers.DictField(child=serializers.FloatField(), help_text="questions, mean over the seeds")
    training_s = SpreadSerializer()
    latency_ms = SpreadSerializer()
    retrieval_ms = SpreadSerializer()
    code_versions = serializers.ListField(child=serializers.CharField())


class GainSerializer(serializers.Serializer[object]):
    """By which share a variant is better than the baseline of the same seed."""

    train = serializers.CharField()
    test = serializers.CharField()
    fraction = serializers.FloatField()
    variant = serializers.CharField()
    baseline = serializers.CharField()
    metrics = serializers.DictField(child=SpreadSerializer())


class VariantPlaceSerializer(serializers.Serializer[object]):
    """What tells the rows of one test set apart."""

    train = serializers.CharField()
    variant = serializers.CharField()
    fraction = serializers.FloatField()


class WinnerSerializer(VariantPlaceSerializer):
    """The best mean of a test set and metric, tested against the runner-up question by question."""

    test = serializers.CharField()
    metric = serializers.CharField()
    runner_up = VariantPlaceSerializer()
    questions = serializers.IntegerField()
    difference = serializers.FloatField()
    p = serializers.FloatField(help_text="two-sided, by a paired randomisation test")
    significant = serializers.BooleanField()
