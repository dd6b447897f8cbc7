"""How often log-ins may be tried: counted before a password is looked at, so that many tries at once gain nothing."""

from __future__ import annotations

import hashlib
import ipaddress

from django.conf import settings

from webapp.api.errors import TooManyLoginsError
from webapp.api.redis import redis_client


class Try:
    """One try to log in: of an account from an address, of an account at all, and from an address at all.

    The three counts last ``LOGIN_WINDOW_S`` from their first try on. The second slows guessing from many addresses, the
    third guessing the names of many accounts.
    """

    def __init__(self, *, username: str, address: str) -> None:
        name, place = username.casefold(), _place(address)
        self._counts = {
            _key("both", f"{name}\0{place}"): settings.LOGIN_FAILURES,
            _key("account", name): settings.LOGIN_FAILURES_OF_ACCOUNT,
            _key("address", place): settings.LOGIN_FAILURES_OF_ADDRESS,
        }

    def count(self) -> None:
        """Count it.

        Raises:
            TooManyLoginsError: there were too many lately.
        """
        with redis_client().pipeline(transaction=True) as pipe:
            for key in self._counts:
                pipe.set(key, 0, ex=settings.LOGIN_WINDOW_S, nx=True)
                pipe.incr(key)
            tries = pipe.execute()[1::2]
        if any(made > most for made, most in zip(tries, self._counts.values(), strict=True)):
            raise TooManyLoginsError(
                "Too many wrong passwords.",
                hint=f"Wait {settings.LOGIN_WINDOW_S // 60} minutes and try again.",
            )

    def succeeded(self) -> None:
        """It was the right password: forget the wrong ones of this account from this address, and this try."""
        both, account, address = self._counts
        with redis_client().pipeline(transaction=True) as pipe:
            pipe.delete(both)
            for key in (account, address):
                pipe.set(key, 1, ex=settings.LOGIN_WINDOW_S, nx=True)
                pipe.decr(key)
            pipe.execute()


def _key(kind: str, what: str) -> str:
    return f"clew:login:{kind}:{hashlib.sha256(what.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _place(address: str) -> str:
    """The address, or of IPv6 the network that one household or host has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((int(ip) >> 64 << 64, 64)))
    return str(ip)
