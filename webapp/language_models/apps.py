"""The app's registration."""

from django.apps import AppConfig


class LanguageModelsConfig(AppConfig):
    """Language models."""

    name = "webapp.language_models"
    label = "language_models"
