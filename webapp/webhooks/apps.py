"""The app's registration."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Webhooks of people and the log of their deliveries."""

    name = "webapp.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Record the events of the other apps."""
        from webapp.api.signals import event_occurred  # noqa: PLC0415  # models are not loaded before this
        from webapp.webhooks import services  # noqa: PLC0415

        event_occurred.connect(services.save_event, dispatch_uid="webhooks.event_occurred")
