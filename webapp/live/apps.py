"""The app's registration."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Event streams: envelope, group names, publishing and the sockets. Imports no domain writes."""

    name = "webapp.live"
    label = "live"
