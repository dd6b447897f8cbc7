"""The app's registration."""

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Review queues and verdicts."""

    name = "webapp.review"
    label = "review"
