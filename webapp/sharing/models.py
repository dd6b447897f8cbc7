"""Links that show an answer to people without an account, and what administrators allow."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.accounts.models import Role, User
from webapp.answers.models import Run
from webapp.api.access import EVERYBODY, AccessControlled, Person


class SharedLink(AccessControlled):
    """A link of a run, or of its thread up to that run. Only the SHA-256 of its token is kept.

    ``origins`` are the sites whose pages may frame it. A revoked link is kept to tell whoever opens it.
    """

    owner_path = "user_id"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="shared_links")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="shared_links")
    conversation = models.BooleanField(default=False)
    digest = models.CharField(max_length=64, unique=True)
    origins = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"link of {self.run_id}"

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """One's own; everybody's to administrators."""
        return EVERYBODY if isinstance(user, User) and user.has_role(Role.ADMIN) else models.Q(user=user.pk)


class SharingPolicy(AccessControlled):
    """The one row of what administrators allow: links at all, and links without an end."""

    enabled = models.BooleanField(default=True)
    endless = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "sharing policies"

    def __str__(self) -> str:
        return "sharing policy"
