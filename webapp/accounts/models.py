"""Users with a role, and API tokens."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models

from webapp.api.access import EVERYBODY, AccessControlled, Person


class Role(models.TextChoices):
    """What a user may do; each role includes the one before."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    ADMIN = "admin"


_ORDER = [Role.VIEWER, Role.ANALYST, Role.ADMIN]


class User(AbstractUser, AccessControlled):
    """A person. ``role`` decides; Django's own permissions are not used.

    ``quota`` is how many bytes they may keep; None: as the installation says. ``one_time_until`` is set while the
    password is one that was made for them: it opens nothing but the way to another one, and only until then.
    """

    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)
    quota = models.PositiveBigIntegerField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    one_time_until = models.DateTimeField(null=True)

    @property
    def must_change_password(self) -> bool:
        """Whether the password was made for them."""
        return self.one_time_until is not None

    def set_password(self, raw_password: str | None) -> None:
        """Set a password of their own."""
        super().set_password(raw_password)
        self.one_time_until = None

    def has_role(self, role: Role) -> bool:
        """Whether this user's role is ``role`` or more."""
        return self.is_active and _ORDER.index(Role(self.role)) >= _ORDER.index(role)

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Oneself; everybody to administrators."""
        return EVERYBODY if isinstance(user, User) and user.has_role(Role.ADMIN) else models.Q(pk=user.pk)


class Scope(models.TextChoices):
    """What a token may be used for: looking, asking, changing graphs and experiments, running the installation.

    A token for reconciling alone may stand in an address, and opens nothing but the reconciliation services of graphs.
    """

    READ = "read"
    ASK = "ask"
    WRITE = "write"
    ADMIN = "admin"
    RECONCILE = "reconcile"


def list_scopes() -> list[str]:
    """Everything that the user may do."""
    return list(Scope.values)


class ApiToken(AccessControlled):
    """A token for scripts. Only its SHA-256 is kept; the token has 256 random bits, so no salt is needed.

    ``scopes`` are what it may be used for; the user's role bounds it as well.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=100, blank=True)
    scopes = models.JSONField(default=list_scopes)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"token of {self.user_id}"

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """One's own."""
        return models.Q(user=user.pk)
