"""What a token must be good for, by what is called. One place, so that no address can be forgotten."""

from __future__ import annotations

import re

from webapp.accounts.models import Scope

SAFE = ("GET", "HEAD", "OPTIONS")
_ASKING = re.compile(r"/api/v1/(runs|comparisons|across)(/|$)")
_RUNNING = re.compile(r"/api/v1/(tokens|groups|users|language-models|language-limits|trash)(/|$)")


def needed(method: str, path: str) -> Scope:
    """The scope that a request needs. Tokens themselves are never shown to one that has less than all."""
    if path.startswith("/api/v1/tokens"):
        return Scope.ADMIN
    if method in SAFE:
        return Scope.READ
    if _ASKING.match(path):
        return Scope.ASK
    return Scope.ADMIN if _RUNNING.match(path) else Scope.WRITE
