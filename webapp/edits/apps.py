"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class EditsConfig(AppConfig):
    """Edits of graphs."""

    name = "webapp.edits"
    label = "edits"

    def ready(self) -> None:
        """Say that edits go with a graph, and who made them."""
        from webapp.edits.models import GraphEdit  # noqa: PLC0415  # models are not loaded before this
        from webapp.edits.selectors import find_authors  # noqa: PLC0415
        from webapp.graphs import dependents, provenance  # noqa: PLC0415

        provenance.register_authors(find_authors)
        dependents.register(dependents.Dependent("edits", GraphEdit))
