"""How requests say who sends them: a session cookie (with CSRF check) or a bearer token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotFound, PermissionDenied
from rest_framework.request import Request

from webapp.accounts.models import ApiToken, Scope, User
from webapp.accounts.scopes import find_required_scope
from webapp.accounts.services import hash_token, mark_seen


class Session(SessionAuthentication):
    """Django's session. Without one, the answer is 401 rather than 403."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The session's user."""
        credentials = super().authenticate(request)
        if credentials is not None:
            mark_seen(credentials[0])
        return credentials

    def authenticate_header(self, request: Request) -> str:
        """The scheme named in a 401."""
        return "Session"


class BearerToken(BaseAuthentication):
    """``Authorization: Bearer TOKEN``."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's user; None when the header is absent or of another scheme."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        credentials = find_token_user(token.strip())
        if credentials is None:
            raise AuthenticationFailed("This token is not known, or has expired.")
        scope = find_required_scope(request.method or "GET", _get_route(request))
        if scope is None:
            raise PermissionDenied("No token may be used for that: log in.")
        if scope not in credentials[1].scopes:
            raise PermissionDenied(f"This token may not be used for that: it lacks the scope {scope}.")
        mark_seen(credentials[0])
        return credentials

    def authenticate_header(self, request: Request) -> str:
        """The scheme named in a 401."""
        return "Bearer"


class ReconciliationToken(BaseAuthentication):
    """A token in the address, which has the scope for reconciling and no other."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken]:
        """The token's user.

        Raises:
            NotFound: there is no such token.
        """
        credentials = find_token_user(request.parser_context["kwargs"]["token"])
        if credentials is None or credentials[1].scopes != [Scope.RECONCILE]:
            raise NotFound("This address holds no token that is for reconciling alone.")
        mark_seen(credentials[0])
        return credentials


def _get_route(request: Request) -> str:
    match = request.resolver_match
    return match.route if match is not None else ""


def list_live_tokens() -> QuerySet[ApiToken]:
    """Tokens that have not expired, of people who are let in."""
    unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return ApiToken.objects.filter(unexpired, user__is_active=True)


def find_token_user(token: str) -> tuple[User, ApiToken] | None:
    """The active user that a token belongs to, unless it has expired. That it was used is noted once a minute."""
    now = timezone.now()
    row = list_live_tokens().select_related("user").filter(digest=hash_token(token)).first()
    if row is None:
        return None
    if row.last_used_at is None or now - row.last_used_at > timedelta(minutes=1):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row.user, row


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its registry is untyped
    """The session in the schema."""

    target_class = Session
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The cookie's name."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its registry is untyped
    """The token in the schema."""

    target_class = BearerToken
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """An HTTP bearer scheme."""
        return {"type": "http", "scheme": "bearer"}
