"""Logging in, tokens and the first administrator."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth import authenticate
from django.utils import timezone

from webapp.accounts.models import ApiToken, Role, Scope, User
from webapp.accounts.throttling import LoginAttempt
from webapp.api.errors import BadLoginError, ServerBusyError

ADMIN = "admin"
SEEN_EVERY = timedelta(minutes=1)
HASH_WAIT_S = 10.0
"""A hash takes a processor for some tenths of a second: so long, others wait for their turn."""
_hashing = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))


def check_password(*, username: str, password: str, address: str, device: str = "") -> User:
    """The user of this name and password.

    Raises:
        BadLoginError: no such active user, another password, or one made for them too long ago.
        TooManyLoginsError: too many wrong tries lately (:mod:`webapp.accounts.throttling`); this one was not looked at.
        ServerBusyError: too many passwords are being checked just now.
    """
    attempt = LoginAttempt(username=username, address=address, device=device)
    attempt.count()
    if not _hashing.acquire(timeout=HASH_WAIT_S):
        attempt.take_back()
        raise ServerBusyError("Too many people are logging in just now.", hint="Try again in some seconds.")
    try:
        user = authenticate(username=username, password=password)
    finally:
        _hashing.release()
    if not isinstance(user, User) or (user.one_time_until and user.one_time_until <= timezone.now()):
        raise BadLoginError("The user name or the password is wrong.", hint="Check both and try again.")
    attempt.clear()
    return user


def mark_seen(user: User) -> None:
    """Note that a person was there just now, to the minute."""
    now = timezone.now()
    if user.last_seen_at is None or now - user.last_seen_at > SEEN_EVERY:
        User.objects.filter(pk=user.pk).update(last_seen_at=now)
        user.last_seen_at = now


def create_token(
    *, user: User, name: str = "", scopes: Sequence[str] | None = None, expires_at: datetime | None = None
) -> str:
    """A new API token; it can be shown only now. Without ``scopes`` it may do all that the user may."""
    return make_token(user=user, name=name, scopes=scopes, expires_at=expires_at)[1]


def make_token(
    *, user: User, name: str, scopes: Sequence[str] | None = None, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new API token: its row, and the token itself."""
    token = f"clew_{secrets.token_urlsafe(32)}"
    chosen = [scope for scope in Scope.values if scopes is None or scope in scopes]
    row = ApiToken.objects.create(user=user, digest=hash_token(token), name=name, scopes=chosen, expires_at=expires_at)
    return row, token


def hash_token(token: str) -> str:
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
