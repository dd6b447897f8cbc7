"""``CLEW_HOME``: closed to other users, started once at a time, and told from its copies."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from retrieval.errors import ConfigError

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Identity:
    """Which home this is. A copy has the same file in another place, and gets an identity of its own.

    Attributes:
        id: random name, which the processes of this home carry in their environment.
        path: where it lay when it was last looked at.
        device, inode: of its directory.
    """

    id: str
    path: str
    device: int
    inode: int

    def is_of(self, home: Path) -> bool:
        """Whether this was written for that directory, moved perhaps.

        A number of a device may change when the machine starts again, and a path when the home is moved: one of
        them may, the directory's own number may not.
        """
        now = home.stat()
        return self.inode == now.st_ino and (self.path == str(home) or self.device == now.st_dev)


def make_private(home: Path) -> None:
    """Make the home, if need be, and close it to other users, as all that this process makes from now on.

    Directories above it stay as they are.

    Raises:
        ConfigError: it cannot be closed, or is a directory that others use.
    """
    os.umask(0o077)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = home.stat()
    except OSError as error:
        raise ConfigError(
            f"CLEW_HOME is {str(home)!r}, which cannot be made: {error.strerror}.",
            hint="Choose a directory of your own.",
        ) from error
    if not status.st_mode & OTHERS:
        return
    if status.st_mode & stat.S_ISVTX or home in (Path.home(), Path(home.anchor)):
        raise ConfigError(
            f"CLEW_HOME is {str(home)!r}, which holds more than Clew's data and cannot be closed to other users.",
            hint=f"Choose a directory of its own, such as {str(home / 'clew')!r}.",
        )
    with contextlib.suppress(OSError):
        home.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS)
    if home.stat().st_mode & OTHERS:
        raise ConfigError(
            f"CLEW_HOME is {str(home)!r}, which other users may enter and which cannot be closed to them.",
            hint=f"Choose a directory of your own, such as {str(home / 'clew')!r}, on a disk that keeps rights.",
        )


def ensure_identity(home: Path) -> tuple[Identity, Identity | None]:
    """The home's identity, and that of the home which it was copied from, if it has just been found to be a copy."""
    with (home / "identity").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = _read(file.read())
        if known is not None and known == Identity(known.id, str(home), *_get_place(home)):
            return known, None
        copied = known if known is not None and not known.is_of(home) else None
        kept = known.id if known is not None and copied is None else uuid.uuid4().hex
        made = Identity(kept, str(home), *_get_place(home))
        file.truncate(0)
        file.write(json.dumps(asdict(made)) + "\n")
    return made, copied


def _get_place(home: Path) -> tuple[int, int]:
    status = home.stat()
    return status.st_dev, status.st_ino


def _read(text: str) -> Identity | None:
    try:
        return Identity(**json.loads(text))
    except (ValueError, TypeError):
        return None


@contextlib.contextmanager
def lock_home(home: Path) -> Iterator[None]:
    """Keep this home to one ``manage.py up``.

    The lock is the kernel's: it goes with the process that holds it, however that ends, and is not copied with the
    home.

    Raises:
        ConfigError: another one has it.
    """
    run = home / "run"
    run.mkdir(parents=True, exist_ok=True)
    with (run / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ConfigError(
                f"Clew already runs on {home} (process {file.read().strip() or 'not known'}).",
                hint="Stop it, or give this one a home of its own: CLEW_HOME=...",
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
