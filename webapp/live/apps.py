"""The app's registration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """What all event streams share: channel groups, and the socket's log-in."""

    name = "webapp.live"
    label = "live"

    def ready(self) -> None:
        """Listen for people who may do something else than before."""
        from webapp.accounts.signals import person_changed  # noqa: PLC0415  # models are not loaded before this
        from webapp.live import channels  # noqa: PLC0415

        def handle_change(sender: Any, person: Any, **_: Any) -> None:
            channels.notify_person_on_commit(person.pk)

        person_changed.connect(handle_change, weak=False, dispatch_uid="live.person_changed")
