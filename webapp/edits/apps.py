"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class EditsConfig(AppConfig):
    """Edits of graphs."""

    name = "webapp.edits"
    label = "edits"

    def ready(self) -> None:
        """Say that edits go with a graph."""
        from webapp.edits.models import GraphEdit  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import dependents  # noqa: PLC0415

        dependents.register(dependents.Dependent("edits", GraphEdit))
