"""The app's registration."""

from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files on their way in: resumable uploads, and what may be imported from elsewhere."""

    name = "webapp.uploads"
    label = "uploads"
