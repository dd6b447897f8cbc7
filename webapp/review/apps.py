"""The app's registration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Review queues and verdicts."""

    name = "webapp.review"
    label = "review"

    def ready(self) -> None:
        """Say what goes with a graph; listen for people who may judge no more."""
        from webapp.accounts.signals import person_changed  # noqa: PLC0415  # models are not loaded before this
        from webapp.graphs import dependents  # noqa: PLC0415
        from webapp.review.models import Queue  # noqa: PLC0415
        from webapp.review.services import reservations  # noqa: PLC0415

        dependents.register(dependents.Dependent("queues", Queue, "snapshot", purged_before=True))

        def handle_change(sender: Any, person: Any, **_: Any) -> None:
            reservations.release_unless_analyst(user=person)

        person_changed.connect(handle_change, weak=False, dispatch_uid="review.person_changed")
