"""The app's registration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """Knowledge graphs: upload, snapshots, browsing."""

    name = "webapp.graphs"
    label = "graphs"

    def ready(self) -> None:
        """Say what counts against quotas; listen for jobs that end without having done their work."""
        from webapp.accounts import quotas  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import progress  # noqa: PLC0415
        from webapp.graphs.models import GraphVersion, SourceFile  # noqa: PLC0415
        from webapp.jobs.signals import job_ended_early, job_retried  # noqa: PLC0415

        quotas.count(SourceFile, owner="graph__owner", size="size")
        quotas.count(GraphVersion, owner="graph__owner", size="bytes")

        def handle_ended_early(sender: Any, job: Any, **_: Any) -> None:
            progress.handle_ended_early(job=job)

        def handle_retried(sender: Any, job: Any, **_: Any) -> None:
            progress.handle_retried(job=job)

        job_retried.connect(handle_retried, weak=False, dispatch_uid="graphs.job_retried")
        job_ended_early.connect(handle_ended_early, weak=False, dispatch_uid="graphs.job_ended_early")
