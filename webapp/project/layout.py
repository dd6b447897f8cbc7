"""Where the embedded servers keep what, and the addresses that follow from it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from retrieval.errors import ConfigError

SOCKET_PATH_MAX = 90  # the kernel's limit is 107 bytes, less on macOS
DATABASE = "clew"
POSTGRES_SOCKET = ".s.PGSQL.5432"
SHORT = Path("/tmp")  # not TMPDIR: every process must come to the same place, whatever its environment says


@dataclass(frozen=True, slots=True)
class ServerLayout:
    """Where the embedded servers keep what.

    The addresses follow from ``home`` alone, never from what a server wrote into it: that comes along when a home
    is copied.
    """

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
    def reach(self) -> Path:
        """The home by a path that is short enough for sockets: its own, or that of a link to it."""
        if len(os.fsencode(self.pgdata / POSTGRES_SOCKET)) <= SOCKET_PATH_MAX:
            return self.home
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return SHORT / f"clew-{os.geteuid()}-{digest}"

    @property
    def postgres_sockets(self) -> Path:
        """Directory of PostgreSQL's socket."""
        return self.reach / "postgres"

    @property
    def redis_socket(self) -> Path:
        """Redis' socket."""
        return self.reach / "redis" / "redis.sock"

    @property
    def database_url(self) -> str:
        """Address of the database ``clew``."""
        return self.build_address(DATABASE)

    @property
    def redis_url(self) -> str:
        """Address of Redis."""
        return f"unix://{quote(str(self.redis_socket))}?db=0"

    def build_address(self, database: str) -> str:
        """Address of a database of the embedded PostgreSQL."""
        return f"postgresql://postgres:@/{database}?host={quote(str(self.postgres_sockets))}"

    def ensure_reach(self) -> None:
        """Make the short link, where the home needs one and it is not there.

        Raises:
            ConfigError: something else is in its place.
        """
        link = self.reach
        if link == self.home:
            return
        with contextlib.suppress(FileExistsError):
            link.symlink_to(self.home)
        if not link.is_symlink() or link.lstat().st_uid != os.geteuid() or link.readlink() != self.home:
            raise ConfigError(
                f"{link} is to be a link to {self.home}, whose own path is too long for sockets, and is not.",
                hint="Remove it, or set CLEW_HOME to a shorter path.",
            )

    def drop_reach(self) -> None:
        """Remove the short link, if there is one."""
        if self.reach != self.home:
            self.reach.unlink(missing_ok=True)
