"""Who may call what, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from webapp.accounts.models import Role, User
from webapp.accounts.rights import require_manager
from webapp.api.access import AccessControlled
from webapp.api.errors import PasswordChangeError

if TYPE_CHECKING:  # REST framework's settings load this module before its views are there
    from rest_framework.views import APIView


def has_role(request: Request, role: Role) -> bool:
    """Whether the request's user has the role or more.

    Raises:
        PasswordChangeError: the user still has the password that was made for them.
    """
    if not isinstance(request.user, User):
        return False
    if request.user.must_change_password:
        raise PasswordChangeError("Choose a password of your own first.", hint="Send it to session/password.")
    return request.user.has_role(role)


class ByRole(BasePermission):
    """Who has a role or more; another one may be needed to write than to read."""

    reads = Role.VIEWER
    writes = Role.VIEWER

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, self.reads if request.method in SAFE_METHODS else self.writes)


class Viewer(ByRole):
    """Anybody who is logged in."""


class AnalystWrites(ByRole):
    """Viewers read; analysts write."""

    writes = Role.ANALYST


class AdminWrites(ByRole):
    """Viewers read; administrators write."""

    writes = Role.ADMIN


class Analyst(ByRole):
    """Analysts and administrators only."""

    reads = writes = Role.ANALYST


class Admin(ByRole):
    """Administrators only."""

    reads = writes = Role.ADMIN


class ByManager(ByRole):
    """Visible is not manageable: whoever sees a row reads it, and whoever may manage it changes it."""

    def has_object_permission(self, request: Request, view: APIView, obj: AccessControlled) -> bool:
        """Let a row be read; refuse to change one that is somebody else's.

        Raises:
            ForbiddenError: the user may not manage the row.
        """
        if request.method not in SAFE_METHODS:
            require_manager(request.user, obj)
        return True


class ManagerWrites(ByManager):
    """Viewers read; whoever manages a row changes it, whatever their role."""


class OwnerWrites(ByManager):
    """Viewers read; analysts make rows, and change those that they manage."""

    writes = Role.ANALYST
