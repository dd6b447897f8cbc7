"""The app's registration."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """Settings, entry points and the embedded servers."""

    name = "webapp.project"
    label = "project"
