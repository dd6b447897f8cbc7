"""A database server of Clew's own: one process in a directory of its own, started again whenever it is gone.

Whether it runs is told by a lock that the server inherits and keeps as long as one of its processes lives. Numbers in
pid files are not believed: they outlive their processes, are given to others, and are copied with a home.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import psutil

from retrieval.errors import ConfigError

logger = logging.getLogger(__name__)

BACKOFF_S = (0.0, 0.0, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
SILENT_S = 60.0
"""A server that runs and takes no connection for so long hangs, and is ended."""

LISTENS_S = 2.0
"""How often a server that runs is tried for whether it takes connections."""

GIVE_UP = 3
"""So many ends of a server before it was ready, one after the other, when Clew starts."""


class Server:
    """One server.

    Args:
        directory: where it works and keeps its data.
        lock: the file whose lock it keeps.
        log: where its output goes.
    """

    name: str
    program: str
    stop_signal: signal.Signals
    setting: str

    def __init__(self, *, directory: Path, lock: Path, log: Path) -> None:
        self.directory = directory
        self.lock = lock
        self.log = log
        self.tries = 0
        self.started_at: float | None = None
        self._pid: int | None = None
        self._try_at = 0.0
        self._heard = float("-inf")

    # --- what each server does its own way --------------------------------------------------------------

    @property
    def socket(self) -> Path:
        """Where it listens."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        """Whether it serves: no longer starting, no longer recovering."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Make its directory."""
        raise NotImplementedError

    def build_command(self) -> tuple[list[str], dict[str, Any]]:
        """How it is started: words, and more of ``Popen``'s arguments."""
        raise NotImplementedError

    def list_stale_files(self) -> list[Path]:
        """Files that a server which is gone leaves, and that would mislead the next."""
        raise NotImplementedError

    # --- whether it runs ------------------------------------------------------------------------------------

    def is_listening(self) -> bool:
        """Whether somebody takes connections at its socket."""
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.settimeout(5)
                client.connect(str(self.socket))
            except OSError:
                return False
        return True

    def is_locked(self) -> bool:
        """Whether a process of it lives."""
        with self._lock_file() as file:
            return not _take(file)

    def list_processes(self) -> list[psutil.Process]:
        """Its processes, zombies left out: those of its program that work in its directory."""
        return [p for p in psutil.process_iter(["name"]) if self._is_mine(p)]

    def _is_mine(self, process: psutil.Process) -> bool:
        if not (process.info["name"] or "").startswith(self.program):
            return False
        try:
            return process.status() != psutil.STATUS_ZOMBIE and self.directory.samefile(process.cwd())
        except (psutil.Error, OSError):
            return False

    def is_head(self, process: psutil.Process) -> bool:
        """Whether this is the server itself, not one that it started."""
        raise NotImplementedError

    # --- starting and ending -----------------------------------------------------------------------------

    def ensure_running(self) -> bool:
        """Start it, unless it runs, or starts, or ends just now. Does not wait.

        Returns:
            Whether it was started.
        """
        self._collect_child()
        now = time.monotonic()
        if now - self._heard < LISTENS_S and self.is_locked():
            return False
        if self.is_listening():
            self._heard = now
            return False
        living = self.list_processes()
        if any(map(self.is_head, living)) or (not living and self.is_locked()):
            if self._heard == float("-inf"):
                self._heard = now
            if now - self._heard > SILENT_S and living:
                logger.warning("%s takes no connection for %.0f s and is ended", self.name, SILENT_S)
                self.stop()
            return False
        if living:  # what a killed server left busy
            _stop_processes(living)
        if now < self._try_at:
            return False
        return self._start_process()

    def _start_process(self) -> bool:
        words, options = self.build_command()
        with self._lock_file() as lock, self.log.open("ab") as log:
            if not _take(lock):
                return False
            self.tries += 1
            self._try_at = time.monotonic() + BACKOFF_S[min(self.tries, len(BACKOFF_S) - 1)]
            for trace in self.list_stale_files():
                trace.unlink(missing_ok=True)
            child = subprocess.Popen(
                words,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[lock.fileno()],
                umask=0o077,
                start_new_session=True,  # Ctrl-C must not reach it before its clients are gone
                **options,
            )
        self._pid = child.pid
        child.returncode = 0  # the object is dropped on purpose: the server outlives this process if others hold it
        self.started_at = self._heard = time.monotonic()
        return True

    def mark_ready(self) -> None:
        """Say that it serves: the next failure is the first again."""
        self.tries = 0
        self._try_at = 0.0
        self.started_at = None

    def has_failed(self) -> bool:
        """Whether it keeps ending before it serves."""
        self._collect_child()
        return self.tries >= GIVE_UP and self._pid is None and not self.is_locked()

    def make_error(self) -> ConfigError:
        """What to say then."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        last = f" Its last words: {lines[-1].strip()}" if lines else ""
        return ConfigError(
            f"Clew's own {self.name} does not start.{last}",
            hint=f"See {self.log}, or set {self.setting} to another one.",
        )

    def stop(self, patience: float = 60.0) -> None:
        """End it: in order, then by force."""
        living = self.list_processes()
        for process in filter(self.is_head, living):
            with contextlib.suppress(psutil.Error):
                process.send_signal(self.stop_signal)
        deadline = time.monotonic() + patience
        while living and time.monotonic() < deadline:
            time.sleep(0.02)
            self._collect_child()
            living = [p for p in living if p.is_running() and self._is_alive(p)]
        _stop_processes(living)
        self._collect_child()

    def _is_alive(self, process: psutil.Process) -> bool:
        with contextlib.suppress(psutil.Error):
            return bool(process.status() != psutil.STATUS_ZOMBIE)
        return False

    def _collect_child(self) -> None:
        """Take leave of the process that this one started, if it ended."""
        if self._pid is None:
            return
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                return
        self._pid = None

    @contextlib.contextmanager
    def _lock_file(self) -> Iterator[IO[str]]:
        with self.lock.open("a") as file:
            yield file


def _take(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _stop_processes(processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(processes, timeout=5)
