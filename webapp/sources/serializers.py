"""Sources and refreshes as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.fields import PlainText, RowError
from webapp.sources.models import GraphSource, Refresh, SourceKind
from webapp.sources.outcomes import FAILURES_MAX

ADDRESSES_MAX = 50


class NewSourceSerializer(serializers.Serializer[object]):
    """A source. What it leaves out stays as it is where one is changed."""

    kind = serializers.ChoiceField(choices=SourceKind.choices)
    addresses = serializers.ListField(
        child=PlainText(max_length=2000),
        min_length=1,
        max_length=ADDRESSES_MAX,
        help_text="of files: paths on the server and addresses; else one, with the password of a database or storage",
    )
    query = PlainText(max_length=100_000, allow_blank=True, required=False, help_text="SELECT, or CONSTRUCT")
    file_name = PlainText(
        max_length=200,
        allow_blank=True,
        required=False,
        help_text="what a single file, or the rows of a query, are called; the data model is kept by this name",
    )
    schedule = PlainText(
        max_length=100, allow_blank=True, required=False, help_text="five fields of cron, in UTC; empty for none"
    )
    notify = serializers.EmailField(allow_blank=True, required=False, help_text="who is told of failures")


class GraphSourceSerializer(serializers.ModelSerializer[GraphSource]):
    """A source. Its addresses, query and the address for failures are shown to who manages the graph."""

    error = RowError()
    has_password = serializers.SerializerMethodField()
    is_paused = serializers.SerializerMethodField()

    class Meta:
        model = GraphSource
        fields = [
            *("kind", "addresses", "query", "file_name", "has_password", "schedule", "next_at", "is_paused"),
            *("notify", "checked_at", "changed_at", "failures", "error"),
        ]
        extra_kwargs = {"next_at": {"allow_null": True}}

    addresses = serializers.ListField(child=serializers.CharField())

    def get_has_password(self, source: GraphSource) -> bool:
        """Whether a password is stored."""
        return bool(source.encrypted_password)

    def get_is_paused(self, source: GraphSource) -> bool:
        """Whether too many failures in a row have paused the schedule."""
        return bool(source.schedule) and source.failures >= FAILURES_MAX

    def to_representation(self, source: GraphSource) -> dict[str, Any]:
        """Without what only its managers may see, unless the context says so."""
        shown = super().to_representation(source)
        return shown if self.context.get("managed") else {**shown, "addresses": [], "query": "", "notify": ""}


class RefreshSerializer(serializers.ModelSerializer[Refresh]):
    """A refresh. ``outcome`` is empty while it goes on; ``previous`` is the version to compare its version with."""

    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    version = serializers.SerializerMethodField()
    violations = serializers.IntegerField(
        source="version.violations", default=0, help_text="of the shapes, by the version that it made"
    )
    error = RowError()
    job = serializers.IntegerField(source="job_id", allow_null=True)

    class Meta:
        model = Refresh
        fields = [
            *("id", "cause", "user", "job", "version", "violations", "outcome", "attempt"),
            *("retry_at", "before", "after", "started_at", "finished_at", "error"),
        ]

    def get_version(self, refresh: Refresh) -> int | None:
        """The number of the version that it made, if that is still there."""
        version = refresh.version
        return None if version is None or version.deleted_at is not None else version.version


class SourceStateSerializer(serializers.Serializer[object]):
    """The source of a graph, null where it has none, and its latest refreshes, newest first."""

    source = GraphSourceSerializer(allow_null=True)  # type: ignore[assignment]  # a field of this name hides an option
    refreshes = RefreshSerializer(many=True)


class SourceCheckSerializer(serializers.Serializer[object]):
    """What a source answers now."""

    sample = serializers.CharField(help_text="its first lines")
    keeps_model = serializers.BooleanField(help_text="whether it is read with the data model of the current version")
