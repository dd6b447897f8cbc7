"""The app's registration."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    """Read-only links of answers and conversations."""

    name = "webapp.sharing"
    label = "sharing"
