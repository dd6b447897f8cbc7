"""The app's registration."""

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Runs: one question answered by one method, and the events it emitted."""

    name = "webapp.answers"
    label = "answers"
