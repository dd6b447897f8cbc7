"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """Studies and their cells."""

    name = "webapp.studies"
    label = "studies"

    def ready(self) -> None:
        """Say what goes with a graph, what goes to the trash, and what counts against quotas."""
        from webapp.accounts import quotas  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import dependents, trash  # noqa: PLC0415
        from webapp.studies.models import Study, StudySet  # noqa: PLC0415
        from webapp.studies.services import delete_study  # noqa: PLC0415

        quotas.count(Study, owner="created_by", size="bytes")
        dependents.register(dependents.Dependent("studies", StudySet, "snapshot_hash"))
        trash.register("studies", model=Study, name=str, purge=lambda row: delete_study(study=row))
