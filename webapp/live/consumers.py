"""What all sockets share. Protocol: ``docs/contracts.md``."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.http import parse_cookie
from redis.exceptions import RedisError

from retrieval.errors import ClewError
from webapp.accounts.authentication import list_live_tokens
from webapp.accounts.models import User
from webapp.api.concurrency import ConcurrencyLimit
from webapp.api.network import get_network
from webapp.live import channels
from webapp.live.lookups import query_cached

logger = logging.getLogger(__name__)

NOT_LOGGED_IN = 4401
NOT_FOUND = 4404
COME_AGAIN = 1012
"""Who the user is, or what they may do, changed: another connection is checked anew."""
TOO_MANY = 4429
"""The person, or the address, has too many sockets open already."""
CHECK_EVERY_S = 2.0
"""How often a socket looks whether its person may still have it."""


class TooManySocketsError(ClewError):
    """Too many sockets are open at once."""

    code = "too_many_sockets"


_open = ConcurrencyLimit()
_REFUSAL = TooManySocketsError("Too many sockets are open.")


async def close_with_code(receive: Any, send: Any, code: int) -> None:
    """End a socket with a code, which a browser learns only of one that was accepted."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})


class Socket(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """What all sockets share: log-in, ping and sending JSON."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse before the channel layer is touched; else begin.

        A code can be told to a browser only after accepting.
        """
        code = await self.find_obstacle(scope) if is_logged_in(scope) else NOT_LOGGED_IN
        if code is None:
            try:
                with _open.take_turn(scope["user"].pk, most=settings.SOCKETS_OF_PERSON, refusal=_REFUSAL):
                    await self.handle_connection(scope, receive, send)
            except TooManySocketsError:
                code = TOO_MANY
        if code is not None:
            await close_with_code(receive, send, code)

    async def handle_connection(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve the socket to its end."""
        self.joined: list[str] = []
        self.guard: asyncio.Task[None] | None = None
        try:
            await super().__call__(scope, receive, send)
        finally:  # also where sending broke because the client had gone, of which ``disconnect`` is not told
            await self.let_go()

    async def find_obstacle(self, scope: dict[str, Any]) -> int | None:
        """The code to refuse a logged-in user with, if any."""
        return None

    async def join(self, *groups: str) -> bool:
        """Accept and join groups, besides that of the person; whether they are still who they were at the log-in."""
        await self.accept()
        for name in (channels.get_person_group(self.scope["user"].pk), *groups):
            await self.channel_layer.group_add(name, self.channel_name)
            self.joined.append(name)
        same = bool(await database_sync_to_async(self.is_still_allowed)())
        if same:
            self.guard = asyncio.create_task(self.keep_watch())
        else:
            await self.person_changed({})
        return same

    def is_still_allowed(self) -> bool:
        """Whether the person is still who logged in, by a session or token that is still good. In a thread."""
        return _is_unchanged(self.scope["user"]) and _is_still_open(self.scope)

    def make_check_key(self) -> Hashable:
        """What :meth:`is_still_allowed` depends on; sockets for which it is the same share the check."""
        user, session = self.scope["user"], self.scope.get("session")
        credential = self.scope.get("token") or (session and session.session_key)
        return user.pk, user.role, user.password, credential

    async def keep_watch(self) -> None:
        """Have the person come again once they may not have this socket any more, if nobody said so."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            try:
                allowed = await query_cached(self.make_check_key(), self.is_still_allowed, kept_s=CHECK_EVERY_S / 2)
            except Exception:  # a database that is away says nothing of the person
                logger.warning("could not check a socket", exc_info=True)
                continue
            if not allowed:
                await self.person_changed({})
                return

    async def let_go(self) -> None:
        """The socket is over, however it came to that: stop what goes on beside it and leave the groups."""
        if self.guard is not None:
            self.guard.cancel()
        joined, self.joined = self.joined, []
        for name in joined:
            try:
                await self.channel_layer.group_discard(name, self.channel_name)
            except (RedisError, OSError):
                logger.warning("could not leave %s", name, exc_info=True)

    async def person_changed(self, message: dict[str, Any]) -> None:
        """Have the person come again."""
        await self.close(COME_AGAIN)

    async def send_json(self, frame: Any) -> None:
        """Send one text frame."""
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer a ping; ignore everything else."""
        with contextlib.suppress(ValueError, RecursionError):
            frame = json.loads(text_data or "")
            if isinstance(frame, dict) and frame.get("type") == "ping":
                await self.send_json({"type": "pong"})


class BoundedSockets:
    """Bound the sockets of an address and of a credential, and spread the queries of all over a few threads.

    A credential is one person's: a socket beyond what a person may have is refused before anything is looked up.

    All that a socket does in a thread, Channels' own look-up of the session included, it does in its assigned one.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        threads = [ThreadPoolExecutor(1, thread_name_prefix="sockets") for _ in range(settings.SOCKET_THREADS)]
        self._threads = itertools.cycle(threads)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve a socket, unless there are too many like it."""
        address = f"address {get_network((scope.get('client') or ('',))[0])}"
        headers = dict(scope["headers"])
        cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
        credential = headers.get(b"authorization") or cookies.get(settings.SESSION_COOKIE_NAME)
        try:
            with ExitStack() as stack:
                stack.enter_context(_open.take_turn(address, most=settings.SOCKETS_OF_ADDRESS, refusal=_REFUSAL))
                if credential:
                    person = f"credential {credential!r}"
                    stack.enter_context(_open.take_turn(person, most=settings.SOCKETS_OF_PERSON, refusal=_REFUSAL))
                async with ThreadSensitiveContext(executor=next(self._threads)):
                    await self.inner(scope, receive, send)
        except TooManySocketsError:
            await close_with_code(receive, send, TOO_MANY)


def is_logged_in(scope: dict[str, Any]) -> bool:
    """Whether the session (or token) belongs to a user."""
    user = scope.get("user")
    return bool(user and user.is_authenticated and user.is_active and not user.must_change_password)


class NotThere(Socket):
    """Any other address, such as a run whose id is no id."""

    async def find_obstacle(self, scope: dict[str, Any]) -> int | None:
        """Always."""
        return NOT_FOUND


def _is_unchanged(user: User) -> bool:
    now = User.objects.filter(pk=user.pk, is_active=True, role=user.role, password=user.password)
    return now.exists()


def _is_still_open(scope: Any) -> bool:
    """Whether what a connection was opened with is still there: the token, or the session."""
    if "token" in scope:
        return list_live_tokens().filter(pk=scope["token"]).exists()
    session = scope.get("session")
    return session is None or bool(session.exists(session.session_key))
