"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Runs: one question answered by one method, and the events it emitted."""

    name = "webapp.answers"
    label = "answers"

    def ready(self) -> None:
        """Say what goes with a graph."""
        from webapp.answers.models import Run  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import dependents  # noqa: PLC0415

        dependents.register(dependents.Dependent("runs", Run, "snapshot_hash"))
