"""The app's registration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    """Sources of graphs that are read again."""

    name = "webapp.sources"
    label = "sources"

    def ready(self) -> None:
        """Look at new versions before they are tested; listen for jobs that are tried again."""
        from webapp.graphs import gates  # noqa: PLC0415  # models are not loaded before this
        from webapp.jobs.signals import job_retried  # noqa: PLC0415
        from webapp.sources import outcomes, services  # noqa: PLC0415

        gates.register(services.hold_shrunken_version)

        def handle_retried(sender: Any, job: Any, **_: Any) -> None:
            outcomes.handle_retried(job)

        job_retried.connect(handle_retried, weak=False, dispatch_uid="sources.job_retried")
