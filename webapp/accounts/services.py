"""Logging in, tokens and the first administrator."""

from __future__ import annotations

import hashlib
import secrets

from django.conf import settings
from django.contrib.auth import authenticate
from django.core.cache import cache

from webapp.accounts.models import ApiToken, Role, User
from webapp.api.errors import BadLoginError, TooManyLoginsError

ADMIN = "admin"


def check_password(*, username: str, password: str, address: str) -> User:
    """The user of this name and password.

    Failures are counted by user name and address, so that guessing is slow and nobody else is locked out.

    Raises:
        BadLoginError: no such active user, or another password.
        TooManyLoginsError: too many wrong tries lately; this one was not looked at.
    """
    key = "login:" + hashlib.sha256(f"{username.casefold()}\0{address}".encode()).hexdigest()
    if cache.get(key, 0) >= settings.LOGIN_FAILURES:
        raise TooManyLoginsError(
            "Too many wrong passwords.", hint=f"Wait {settings.LOGIN_WINDOW_S // 60} minutes and try again."
        )
    user = authenticate(username=username, password=password)
    if not isinstance(user, User):
        cache.add(key, 0, settings.LOGIN_WINDOW_S)
        cache.incr(key)
        raise BadLoginError("The user name or the password is wrong.", hint="Check both and try again.")
    cache.delete(key)
    return user


def create_token(*, user: User) -> str:
    """A new API token; it can be shown only now."""
    token = f"clew_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(user=user, digest=digest(token))
    return token


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def ensure_admin(*, password: str | None) -> str | None:
    """Make the user ``admin`` when there is no administrator yet.

    Args:
        password: to use; None makes one.

    Returns:
        The password that was made, to be shown once; None when none was made.
    """
    if User.objects.filter(role=Role.ADMIN).exists():
        return None
    made = None if password else secrets.token_urlsafe(12)
    User.objects.create_user(ADMIN, password=password or made, role=Role.ADMIN)
    return made
