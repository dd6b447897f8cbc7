"""Who may call what, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from webapp.accounts.models import Role, User
from webapp.accounts.rights import may_manage
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


class Viewer(BasePermission):
    """Anybody who is logged in."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, Role.VIEWER)


class AnalystWrites(BasePermission):
    """Viewers read; analysts write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, Role.VIEWER if request.method in SAFE_METHODS else Role.ANALYST)


class AdminWrites(BasePermission):
    """Viewers read; administrators write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, Role.VIEWER if request.method in SAFE_METHODS else Role.ADMIN)


class Admin(BasePermission):
    """Administrators only."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, Role.ADMIN)


class Analyst(BasePermission):
    """Analysts and administrators only."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide."""
        return has_role(request, Role.ANALYST)


class OwnerWrites(BasePermission):
    """Who may see something reads it; its owner and administrators write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the user may do that at all."""
        return has_role(request, Role.VIEWER if request.method in SAFE_METHODS else Role.ANALYST)

    def has_object_permission(self, request: Request, view: APIView, obj: AccessControlled) -> bool:
        """Whether with this."""
        return request.method in SAFE_METHODS or may_manage(request.user, obj)
