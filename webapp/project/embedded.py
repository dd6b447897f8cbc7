"""PostgreSQL and Redis of Clew's own, from pip packages, used when no address of others is set.

Both listen on Unix sockets only and keep their data under ``CLEW_HOME``. Where the sockets lie follows from
``CLEW_HOME``, so any process knows the addresses without asking. Processes that need the servers *hold* them
(a locked file per process under ``run/holders``): the first starts them, the last to leave stops them.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from webapp.project import home as homes
from webapp.project.env import Env
from webapp.project.layout import ServerLayout
from webapp.project.postgres import PostgresServer
from webapp.project.redis_server import RedisServer
from webapp.project.server import Server

SAID_EVERY_S = 15.0
"""How often a person is told that a server still recovers."""


def to_stderr(line: str) -> None:
    """Tell whoever started a command."""
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201


class Servers:
    """The embedded servers of one ``CLEW_HOME``, held by this process.

    Args:
        home: ``CLEW_HOME``.
        postgres, redis: which of them are Clew's own.
        say: shows a line to whoever waits.
    """

    def __init__(
        self, home: Path, *, postgres: bool = True, redis: bool = True, say: Callable[[str], None] = to_stderr
    ) -> None:
        self.layout = ServerLayout(home)
        self.say = say
        self.servers: list[Server] = []
        if redis:
            self.servers.append(RedisServer(self.layout))
        if postgres:
            self.servers.append(PostgresServer(self.layout))
        self._held: IO[str] | None = None
        self._told: dict[str, float] = {}

    def hold(self, *, stopping: Callable[[], bool] = lambda: False) -> None:
        """Start what is not running yet, and keep it running until :meth:`release` or the end of this process.

        Waits until all serve, however long one recovers, or until ``stopping``.

        Raises:
            ConfigError: one cannot be started.
        """
        home = self.layout.home
        homes.make_private(home)
        (home / "run" / "holders").mkdir(parents=True, exist_ok=True)
        with self._lock():
            ensure_identity(home, self.say)
            self.layout.ensure_reach()
            try:
                self._start(stopping)
            except BaseException:
                self._stop_unheld()
                raise
            self._held = self._open_holder_file()
        atexit.register(self.release)

    def _open_holder_file(self) -> IO[str]:
        path = self._get_holders_folder() / str(os.getpid())
        if os.getpid() in list_holders(self.layout.home):  # this process holds them twice
            path = path.with_name(f"{path.name}-{uuid.uuid4().hex[:8]}")
        file = path.open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
        return file

    def release(self) -> None:
        """Let go; stop the servers when no other living process holds them."""
        if self._held is None or not self._get_holders_folder().exists():
            return
        with self._lock():
            Path(self._held.name).unlink(missing_ok=True)
            self._held.close()
            self._held = None
            self._stop_unheld()

    def _start(self, stopping: Callable[[], bool]) -> None:
        for server in self.servers:
            server.prepare()
            server.ensure_running()
        for server in self.servers:
            self._ensure_ready(server, stopping)

    def _stop_unheld(self) -> None:
        if not list_holders(self.layout.home):
            for server in self.servers:
                server.stop()
            self.layout.drop_reach()

    def check(self) -> None:
        """Start again what has died, and say so. Does not wait for it: a recovery may take minutes.

        Raises:
            ConfigError, OSError: one cannot be started now; to be tried again.
        """
        with self._lock():
            if self._held is None:  # let go meanwhile, in another thread
                return
            self.layout.ensure_reach()
            for server in self.servers:
                if server.ensure_running():
                    self.say(f"{server.name} had stopped and is started again. Its log: {server.log}")
        for server in self.servers:
            if server.started_at is not None:
                self._watch_recovery(server, server.started_at)

    def _watch_recovery(self, server: Server, since: float) -> None:
        took = time.monotonic() - since
        if server.is_ready():
            server.mark_ready()
            self._told.pop(server.name, None)
            self.say(f"{server.name} serves again after {took:.0f} s.")
        elif time.monotonic() - self._told.setdefault(server.name, since) > SAID_EVERY_S:
            self._told[server.name] = time.monotonic()
            self.say(f"{server.name} is reading its data since {took:.0f} s; Clew waits for it.")

    def _ensure_ready(self, server: Server, stopping: Callable[[], bool]) -> None:
        began = reported_at = time.monotonic()
        while not server.is_ready() and not stopping():
            if server.has_failed():
                raise server.make_error()
            server.ensure_running()
            if time.monotonic() - reported_at > SAID_EVERY_S / 3:
                reported_at = time.monotonic()
                self.say(f"{server.name} is starting since {reported_at - began:.0f} s; Clew waits for it.")
            time.sleep(0.02)
        server.mark_ready()

    def _get_holders_folder(self) -> Path:
        return self.layout.home / "run" / "holders"

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        with (self.layout.home / "run" / "servers.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def parse_holder(file: Path) -> int:
    """Number of the process that made a file of ``run/holders``."""
    return int(file.name.split("-")[0])


def list_holders(home: Path) -> list[int]:
    """Numbers of the processes that hold a home's servers; files of those that are gone are removed.

    To be called while nobody begins to hold them.
    """
    living = []
    for path in (home / "run" / "holders").iterdir():
        with path.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                living.append(parse_holder(path))
            else:
                path.unlink(missing_ok=True)
    return living


def ensure_identity(home: Path, say: Callable[[str], None]) -> str:
    """The home's identity; when it was copied from another, that is said, and it gets one of its own."""
    identity, copied = homes.ensure_identity(home)
    if copied is not None:
        say(f"{home} is a copy of {copied.path} and goes its own way from here.")
        if (ServerLayout(home).pgdata / "postmaster.pid").exists():
            say(
                "It was copied while its database ran, so that its last changes may be missing or torn. "
                "Stop Clew before you copy its home."
            )
    return identity.id


def make_servers(settings: Env, say: Callable[[str], None] = to_stderr) -> Servers:
    """The servers that these settings leave to Clew (possibly none of the two)."""
    return Servers(settings.home, postgres=settings.database_url is None, redis=settings.redis_url is None, say=say)
