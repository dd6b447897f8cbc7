"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files on their way in: resumable uploads, and what may be imported from elsewhere."""

    name = "webapp.uploads"
    label = "uploads"

    def ready(self) -> None:
        """Say what counts against quotas."""
        from webapp.accounts import quotas  # noqa: PLC0415  # models are not loaded before this
        from webapp.uploads.models import Upload  # noqa: PLC0415

        quotas.count(Upload, owner="user", size="length")
