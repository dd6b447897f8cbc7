"""The app's registration."""

from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    """Question sets."""

    name = "webapp.questions"
    label = "questions"
