"""Jobs as the API and the socket show them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.fields import RowError
from webapp.jobs.models import Job, JobState, LogLine
from webapp.jobs.stages import StageState


class StageSerializer(serializers.Serializer[object]):
    """A stage of a job."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides one of the base's
    state = serializers.ChoiceField(choices=[state.value for state in StageState])


class JobSerializer(serializers.ModelSerializer[Job]):
    """A job."""

    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    rate = serializers.FloatField(allow_null=True, help_text="units a second")
    revision = serializers.IntegerField(
        read_only=True, help_text="counts its changes: of two accounts of a job, the higher is the newer"
    )
    eta_s = serializers.SerializerMethodField()
    stages = StageSerializer(many=True)
    overall = serializers.SerializerMethodField()
    error = RowError()
    metrics = serializers.DictField(child=serializers.FloatField())
    result = serializers.JSONField(allow_null=True)

    class Meta:
        model = Job
        fields = [
            *("id", "kind", "title", "state", "stage", "done", "total", "unit", "rate", "eta_s", "message"),
            *("stages", "overall"),
            *("metrics", "error", "graph", "user", "created_at", "started_at", "finished_at", "result"),
            "revision",
        ]

    def get_eta_s(self, job: Job) -> float | None:
        """Seconds left, when that can be told."""
        if job.state != JobState.RUNNING or not job.rate or job.total <= 0:
            return None
        return round(max(job.total - job.done, 0) / job.rate, 1)

    def get_overall(self, job: Job) -> float:
        """The share of all its stages that is done, from 0 to 1. It never goes back while the job runs."""
        return 1.0 if job.state == JobState.DONE else round(job.overall, 4)


class LogLineSerializer(serializers.ModelSerializer[LogLine]):
    """A line of a job's log."""

    class Meta:
        model = LogLine
        fields = ["at", "level", "text"]


def render_job(job: Job) -> dict[str, Any]:
    """A job as a plain object."""
    return dict(JobSerializer(job).data)
