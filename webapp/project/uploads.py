"""What a request may send, and how slowly, decided while it arrives and not after it filled the disk."""

from __future__ import annotations

import asyncio
import json
import time
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from webapp.accounts.authentication import find_token_user
from webapp.accounts.models import Role, User
from webapp.api.concurrency import is_too_slow
from webapp.api.errors import render_error

_BROKEN_OFF = {"type": "http.disconnect"}
_COMPRESS = "Compress the files with gzip."
_SIGN_IN = "Only forms with files may be larger, of people who may upload files: log in first."
_SLOWLY = "The request came too slowly to be waited for."
_TRY_AGAIN = "Try again on a better connection; large files are best sent as resumable uploads."
_TOO_SLOW = 408, render_error("too_slow", _SLOWLY, _TRY_AGAIN)


def limit_body(application: Any) -> Any:
    """Wrap an ASGI application so that bodies come in time, and are no larger than their sender may send.

    Up to ``BODY_MAX_BYTES`` are for everybody and stay in memory. More, up to ``UPLOAD_MAX_BYTES``, only forms with
    files of people who may send some have, which is looked up once somebody wants to.
    """

    async def run_limited(scope: dict[str, Any], receive: Any, send: Any) -> None:
        bounded = _Bounded(scope, receive)

        async def send_unless_refused(message: Any) -> None:
            if bounded.refusal is None:
                await send(message)

        await bounded.allow(_get_announced_size(scope))
        if bounded.refusal is None:
            await application(scope, bounded, send_unless_refused)
        if bounded.refusal is not None:
            await _send_refusal(send, *bounded.refusal)

    return run_limited


class _Bounded:
    """The messages of a request, until it sends too much or too slowly: as if it had broken off then."""

    def __init__(self, scope: dict[str, Any], receive: Any) -> None:
        self._scope = scope
        self._receive = receive
        self._limit = min(settings.BODY_MAX_BYTES, settings.UPLOAD_MAX_BYTES)
        self._seen = 0
        self._began = time.monotonic()
        self._arriving = True
        self.refusal: tuple[int, dict[str, Any]] | None = None

    async def __call__(self) -> Any:
        """The next message. Once the body is there, this waits for the connection's end, as long as that takes."""
        if not self._arriving:
            return await self._receive()
        try:
            async with asyncio.timeout(settings.BODY_QUIET_S):
                message = await self._receive()
        except TimeoutError:
            self.refusal = _TOO_SLOW
            return _BROKEN_OFF
        self._seen += len(message.get("body", b""))
        self._arriving = bool(message.get("more_body"))
        await self.allow(self._seen)
        if self._arriving and is_too_slow(self._seen, time.monotonic() - self._began):
            self.refusal = _TOO_SLOW
        return message if self.refusal is None else _BROKEN_OFF

    async def allow(self, size: int) -> None:
        """Refuse a body of this size where it is too large."""
        if size > self._limit:
            self._limit = settings.UPLOAD_MAX_BYTES if await self._has_larger_limit() else self._limit
        if size > self._limit:
            at_maximum = self._limit == settings.UPLOAD_MAX_BYTES
            hint = _COMPRESS if at_maximum else _SIGN_IN
            message = f"The request is over the limit of {_format_size(self._limit)}."
            self.refusal = 413, render_error("too_large", message, hint)

    async def _has_larger_limit(self) -> bool:
        headers = dict(self._scope["headers"])
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        return kind == b"multipart/form-data" and bool(await database_sync_to_async(_can_upload)(headers))


def _get_announced_size(scope: dict[str, Any]) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < 20 else 0


def _can_upload(headers: dict[bytes, bytes]) -> bool:
    """Whether the session or token of a request belongs to somebody who may upload files."""
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        credentials = find_token_user(token.strip())
        user: Any = None if credentials is None else credentials[0]
    else:
        user = _find_session_user(headers.get(b"cookie", b"").decode("latin-1"))
    return isinstance(user, User) and not user.must_change_password and user.has_role(Role.ANALYST)


def _find_session_user(cookies: str) -> Any:
    try:
        cookie = SimpleCookie(cookies).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    if cookie is None:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie.value)
    return get_user(request)


def _format_size(size: int) -> str:
    return f"{size / 1024**3:g} GiB" if size >= 1024**3 else f"{size / 1024**2:g} MiB"


async def _send_refusal(send: Any, status: int, content: dict[str, Any]) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(content).encode()})
