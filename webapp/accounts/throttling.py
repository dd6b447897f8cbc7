"""Limits on log-in attempts: per account and address first, then per address, then per account with a growing delay.

Attempts are counted before the password is checked, so that parallel attempts gain nothing; refused attempts are not
counted, so that repeating them extends no lock. A browser that has logged in to the account before carries a signed
device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It has a count of its own and is exempt
from the other limits, so that nobody else can lock the owner out of it.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import signing

from webapp.accounts.models import User
from webapp.api.errors import TooManyLoginsError
from webapp.api.network import get_network
from webapp.api.redis import get_redis_client

_SALT = "webapp.accounts.device"
_PREFIX = "clew:login"

# KEYS: the counters. ARGV: window, longest lock, seconds for which the lock level is kept, then each counter's limit.
# A counter that ends in ":account" locks for the window, then twice as long each time, when it reaches its limit.
# Returns 0, or the milliseconds to wait where a counter is at its limit; then nothing is counted.
_COUNT = """
local wait = 0
for i, key in ipairs(KEYS) do
    if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[3 + i]) then
        wait = math.max(wait, redis.call('PTTL', key))
    end
end
if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
    local count = redis.call('INCR', key)
    if count == 1 then redis.call('EXPIRE', key, ARGV[1]) end
    if count == tonumber(ARGV[3 + i]) and string.sub(key, -8) == ':account' then
        local level = redis.call('INCR', key .. ':level')
        redis.call('EXPIRE', key .. ':level', ARGV[3])
        redis.call('EXPIRE', key, math.min(ARGV[1] * 2 ^ (level - 1), tonumber(ARGV[2])))
    end
end
return 0
"""


class LoginAttempt:
    """One attempt to log in.

    Args:
        address: the client's network address.
        device: identifies a client that has logged in to this account before; empty for any other.
    """

    def __init__(self, *, username: str, address: str, device: str = "") -> None:
        account = _build_account_key(username)
        if device:
            self._counters = {f"{account}:device:{_hash_text(device)}": settings.LOGIN_FAILURES}
        else:
            network = _hash_text(get_network(address))
            self._counters = {
                f"{account}:address:{network}": settings.LOGIN_FAILURES,
                f"{account}:account": settings.LOGIN_FAILURES_OF_ACCOUNT,
                f"{_PREFIX}:address:{network}": settings.LOGIN_FAILURES_OF_ADDRESS,
            }

    def count(self) -> None:
        """Count the attempt.

        Raises:
            TooManyLoginsError: a limit is reached; the attempt is not counted.
        """
        windows = settings.LOGIN_WINDOW_S, settings.LOGIN_LOCK_MAX_S, settings.LOGIN_LEVEL_KEPT_S
        count = get_redis_client().register_script(_COUNT)
        wait = int(count(keys=[*self._counters], args=[*windows, *self._counters.values()]))
        if wait:
            seconds = math.ceil(wait / 1000)
            raise TooManyLoginsError(
                "Too many wrong passwords.",
                hint=f"Wait {describe_seconds(seconds)} and try again.",
                retry_after=seconds,
            )

    def clear(self) -> None:
        """Take the attempt back because the password is right; forget the wrong ones of this client."""
        self.take_back()
        get_redis_client().delete(next(iter(self._counters)))

    def take_back(self) -> None:
        """Take the attempt back."""
        with get_redis_client().pipeline(transaction=True) as pipe:
            for key in self._counters:
                pipe.set(key, 1, ex=settings.LOGIN_WINDOW_S, nx=True)
                pipe.decr(key)
            pipe.execute()


def list_locks(usernames: Sequence[str]) -> dict[str, int]:
    """Map each account to the seconds for which new devices cannot log in to it; 0 where they can."""
    keys = [f"{_build_account_key(name)}:account" for name in usernames]
    with get_redis_client().pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.get(key)
            pipe.ttl(key)
        replies = pipe.execute()
    limit = settings.LOGIN_FAILURES_OF_ACCOUNT
    return {
        name: max(0, ttl) if int(count or 0) >= limit else 0
        for name, count, ttl in zip(usernames, replies[::2], replies[1::2], strict=True)
    }


def clear_lock(username: str) -> None:
    """Forget all failed attempts of an account, from everywhere."""
    keys = [*get_redis_client().scan_iter(f"{_build_account_key(username)}:*", count=1000)]
    if keys:
        get_redis_client().delete(*keys)


def create_device(username: str) -> str:
    """Return the value of a new device cookie for an account."""
    return signing.dumps([_build_account_key(username), secrets.token_urlsafe(12)], salt=_SALT)


def read_device(cookie: str, username: str) -> str:
    """Return the device that a cookie names, empty where the cookie is not of this account or not valid."""
    try:
        content: Any = signing.loads(cookie, salt=_SALT, max_age=settings.DEVICE_COOKIE_AGE)
    except signing.BadSignature:
        return ""
    account, device = content
    return str(device) if account == _build_account_key(username) else ""


def describe_seconds(seconds: int) -> str:
    """Render a waiting time: seconds below two minutes, else minutes rounded up."""
    if seconds < 120:
        return f"{seconds} second{'s' if seconds != 1 else ''}"
    return f"{math.ceil(seconds / 60)} minutes"


def _build_account_key(username: str) -> str:
    return f"{_PREFIX}:{_hash_text(User.normalize_username(username).casefold())}"


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
