"""The app's registration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class GraphTestsConfig(AppConfig):
    """Tests of graphs."""

    name = "webapp.graph_tests"
    label = "graph_tests"

    def ready(self) -> None:
        """Stand before new versions and promotions; say what goes with a graph; listen for rounds that break off."""
        from webapp.experiments import promotions  # noqa: PLC0415  # models are not loaded before this
        from webapp.graph_tests import services  # noqa: PLC0415
        from webapp.graph_tests.models import GraphTest  # noqa: PLC0415
        from webapp.graphs import dependents, gates, trash  # noqa: PLC0415
        from webapp.jobs.signals import job_ended_early  # noqa: PLC0415

        gates.register(services.take_version)
        promotions.GATES.append(services.take_checkpoint)
        dependents.register(dependents.Dependent("tests", GraphTest))
        trash.register("tests", model=GraphTest, name=str, purge=lambda row: row.delete())

        def handle_ended_early(sender: Any, job: Any, **_: Any) -> None:
            services.handle_broken_off(job=job)

        job_ended_early.connect(handle_ended_early, weak=False, dispatch_uid="graph_tests.job_ended_early")
