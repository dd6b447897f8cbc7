"""The app's registration."""

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    """Training and its checkpoints."""

    name = "webapp.experiments"
    label = "experiments"
