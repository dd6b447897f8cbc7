"""The app's registration."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, their roles, sessions and API tokens."""

    name = "webapp.accounts"
    label = "accounts"
