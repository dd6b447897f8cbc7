"""The app's registration."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Long work: rows with progress, queueing by task name, cancelling, worker presence."""

    name = "webapp.jobs"
    label = "jobs"
