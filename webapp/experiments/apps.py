"""The app's registration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from webapp.jobs.models import Job


def _delete_upload(job: Job, **_: object) -> None:
    from webapp.experiments import exchange  # noqa: PLC0415  # models are not loaded before this

    if job.kind == "checkpoint":
        exchange.delete_upload(job=job)


class ExperimentsConfig(AppConfig):
    """Training and its checkpoints."""

    name = "webapp.experiments"
    label = "experiments"

    def ready(self) -> None:
        """Say what goes with a graph, and what is told of it."""
        from webapp.experiments.models import (  # noqa: PLC0415  # models are not loaded before this
            Checkpoint,
            LabelSet,
            Report,
            TrajectorySet,
        )
        from webapp.experiments.reports import delete_report  # noqa: PLC0415
        from webapp.experiments.serializers import CheckpointInUseField  # noqa: PLC0415
        from webapp.experiments.services import delete_checkpoint  # noqa: PLC0415
        from webapp.graphs import dependents, trash  # noqa: PLC0415
        from webapp.graphs.serializers import GraphSerializer  # noqa: PLC0415
        from webapp.jobs.signals import job_ended_early  # noqa: PLC0415

        dependents.register(
            dependents.Dependent("checkpoints", Checkpoint, "snapshot"),
            dependents.Dependent("label_sets", LabelSet, "snapshot_hash"),
            dependents.Dependent("trajectory_sets", TrajectorySet, "snapshot_hash"),
            dependents.Dependent("reports", Report, "snapshot_hash"),
        )
        trash.register("checkpoints", model=Checkpoint, name=str, purge=lambda row: delete_checkpoint(checkpoint=row))
        trash.register("reports", model=Report, name=str, purge=lambda row: delete_report(report=row))
        job_ended_early.connect(_delete_upload, dispatch_uid="checkpoint-uploads")
        GraphSerializer.added["checkpoint"] = CheckpointInUseField
