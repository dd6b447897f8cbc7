"""Users with a role, and API tokens."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    """What a user may do; each role includes the one before."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    ADMIN = "admin"


_ORDER = [Role.VIEWER, Role.ANALYST, Role.ADMIN]


class User(AbstractUser):
    """A person. ``role`` decides; Django's own permissions are not used."""

    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)

    def has_role(self, role: Role) -> bool:
        """Whether this user's role is ``role`` or more."""
        return self.is_active and _ORDER.index(Role(self.role)) >= _ORDER.index(role)


class ApiToken(models.Model):
    """A token for scripts. Only its SHA-256 is kept; the token has 256 random bits, so no salt is needed."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"token of {self.user_id}"
