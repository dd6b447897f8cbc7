"""The app's registration."""

from __future__ import annotations

from django.apps import AppConfig


class VocabularyConfig(AppConfig):
    """Vocabularies of graphs."""

    name = "webapp.vocabulary"
    label = "vocabulary"
