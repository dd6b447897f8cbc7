"""Uploads that arrive in pieces."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled, Person

FOLDER = "incoming"


def get_folder() -> Path:
    """Where the files lie until something is made of them, on this machine's disk."""
    return Path(settings.MEDIA_ROOT) / FOLDER


class Upload(AccessControlled):
    """A file that arrives in pieces. How much of it is there is the size of its file, so the two cannot differ.

    ``metadata`` is the header ``Upload-Metadata`` as it came.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=255)
    length = models.BigIntegerField()
    metadata = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        """Its file."""
        return get_folder() / str(self.pk)

    @property
    def offset(self) -> int:
        """Bytes that have arrived."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def complete(self) -> bool:
        """Whether all of it has arrived."""
        return self.offset == self.length

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """One's own."""
        return models.Q(user=user.pk)
