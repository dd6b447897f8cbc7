"""The app's registration."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """What every endpoint shares: errors, permissions, pagination, schema."""

    name = "webapp.api"
    label = "api"
