"""How requests say who sends them: a session cookie (with CSRF check) or a bearer token."""

from __future__ import annotations

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from webapp.accounts.models import ApiToken, User
from webapp.accounts.services import digest


class Session(SessionAuthentication):
    """Django's session. Without one, the answer is 401 rather than 403."""

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
        found = user_of_token(token.strip())
        if found is None:
            raise AuthenticationFailed("This token is not known.")
        return found

    def authenticate_header(self, request: Request) -> str:
        """The scheme named in a 401."""
        return "Bearer"


def user_of_token(token: str) -> tuple[User, ApiToken] | None:
    """The active user that a token belongs to."""
    row = ApiToken.objects.select_related("user").filter(digest=digest(token), user__is_active=True).first()
    return (row.user, row) if row else None


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
