"""Reading foreign files in a process of its own, with limits of time and memory, that is killed where it breaks them.

A file may be made, or may happen, to keep a parser busy for hours or to fill the memory, and a parser of another
language may end the whole process at it. Here that costs a child process: the one that waits for it goes on with
everything else, and gets an error that says what happened. A child that ended well serves the next call; one that
waits for a while ends by itself.

The child is a fresh interpreter without torch and Django, and without the parent's environment but for what it needs
to start. Functions, arguments and results travel as pickles of our own code.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import pickle
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar, cast

from retrieval.errors import SourceError

logger = logging.getLogger(__name__)

#: Where the child imports this package from.
ROOT = Path(__file__).resolve().parents[3]
MB = 1 << 20
#: How often the one that waits is asked whether to go on, in seconds.
TICK_S = 0.1
#: Children that wait for the next call, and how long they do, in seconds.
IDLE, IDLE_S = 2, 300.0
#: A child that needed more than this is not used again, in bytes.
SMALL = 400 * MB
#: A child whose parent died while native code kept it from noticing lives that much longer, in seconds.
ORPHAN_S = 900
PARENT_S = 1.0
_STDERR = 4096
_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "HF_HOME",
    "HF_HUB_CACHE",
)

T = TypeVar("T")


class TooMuchError(SourceError):
    """Reading a file took more time or memory than it may."""

    code = "too_much_to_read"


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading may take.

    Attributes:
        memory: bytes of its own, mapped files not among them; 0 sets no limit.
        seconds: of the whole call; 0 sets no limit.
        silence: seconds without a word of how far it is; 0 sets no limit.
    """

    memory: int = 1024 * MB
    seconds: float = 30.0
    silence: float = 0.0


def call(
    function: Callable[..., T],
    *args: Any,
    what: str,
    limits: Limits,
    callbacks: Mapping[str, Callable[[Any], None]] | None = None,
    check: Callable[[], None] = lambda: None,
    **kwargs: Any,
) -> T:
    """What a function returns that is called in a process of its own.

    Args:
        function: of a module, which the child imports.
        args, kwargs: what it is called with.
        what: which file or files it reads, for the errors.
        callbacks: callbacks that the function takes by these names; they are called here, with one argument each.
        check: called often; may raise to break the call off, as the callbacks may. The child is killed then.

    Raises:
        TooMuchError: the call took more time or memory than it may; the child was killed.
        SourceError: the child broke at the file.
        ClewError, OSError: what the function itself raises.
    """
    folder = tempfile.mkdtemp(prefix="clew-reading-")
    request = pickle.dumps((function, args, kwargs, tuple(callbacks or ()), limits, folder))
    try:
        for _ in range(IDLE + 1):
            child = _Child.acquire()
            try:
                ended, value = _Call(child, what, limits, callbacks or {}, check).run(request)
            except _NeverBegun:
                child.stop()  # it had waited for too long, and ended just then
                continue
            except BaseException:
                child.stop()
                raise
            return cast(T, _resolve_result(child, ended, value, what, limits))
        raise SourceError(f"{what} could not be read: no process could be started for it.", hint="Try again.")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def call_by_name(function: str, *args: Any, **kwargs: Any) -> Any:
    """What a function returns that the caller must not import: ``call(named, "package.module:function", ...)``."""
    return resolve_name(function)(*args, **kwargs)


def _resolve_result(child: _Child, ended: str, value: Any, what: str, limits: Limits) -> Any:
    """The result of a call that came to an end by itself."""
    if ended in ("done", "raised"):
        child.release()
    else:
        child.stop()
    if ended == "done":
        return value
    if ended == "raised":
        raise value
    if ended == "memory":
        raise _make_limit_error(what, format_memory(limits.memory))
    logger.error("reading %s broke: %s", what, value)
    kind = str(value).strip().rsplit("\n", 1)[-1].split(":")[0][:100]
    raise SourceError(
        f"{what} could not be read: its reader broke ({kind}).",
        hint="The file is probably damaged; make or upload it again, or in another format.",
    )


def _make_limit_error(what: str, limit: str) -> TooMuchError:
    return TooMuchError(
        f"Reading {what} took more than {limit}, and was broken off.",
        hint="It may be damaged, or not what its name says. Split it, or give it in another format.",
    )


def format_memory(memory: int) -> str:
    """A limit of memory as people read it."""
    return f"{memory / (1024 * MB):.3g} GB of memory"


class _NeverBegun(Exception):
    """The child ended before it took the call."""


class _Call:
    """One call, seen from the one that waits."""

    def __init__(
        self,
        child: _Child,
        what: str,
        limits: Limits,
        callbacks: Mapping[str, Callable[[Any], None]],
        check: Callable[[], None],
    ) -> None:
        self._child, self._what, self._limits, self._told, self._check = child, what, limits, callbacks, check
        self._begun = False
        self._errors = b""
        self._buffer = bytearray()

    def run(self, request: bytes) -> tuple[str, Any]:
        """How it ended (``done``, ``raised``, ``broke``, ``memory``), with what."""
        process = self._child.process
        assert process.stdout is not None
        assert process.stderr is not None
        self._child.send(request)
        started = heard = time.monotonic()
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            ready.register(process.stderr, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(TICK_S):
                    piece = os.read(key.fd, 1 << 20)
                    if key.fileobj is process.stderr:
                        self._errors = (self._errors + piece)[-_STDERR:]
                        if not piece:
                            ready.unregister(key.fileobj)
                        continue
                    if not piece:
                        return self._explain_death(process)
                    self._buffer += piece
                    heard = time.monotonic()
                    for kind, value in self._read_messages():
                        if kind not in ("begun", "told"):
                            return kind, value
                self._check()
                self._require_time(started, heard)

    def _require_time(self, started: float, heard: float) -> None:
        now = time.monotonic()
        if self._limits.seconds and now - started > self._limits.seconds:
            raise _make_limit_error(self._what, f"{self._limits.seconds:g} s")
        if self._limits.silence and now - heard > self._limits.silence:
            raise _make_limit_error(self._what, f"{self._limits.silence:g} s without getting any further")

    def _read_messages(self) -> list[tuple[str, Any]]:
        """The messages that have come whole; callbacks are called."""
        messages = []
        while len(self._buffer) >= 8:
            size = int.from_bytes(self._buffer[:8], "big")
            if len(self._buffer) < 8 + size:
                break
            kind, value = pickle.loads(bytes(self._buffer[8 : 8 + size]))
            del self._buffer[: 8 + size]
            self._begun = True
            if kind == "told":
                self._told[value[0]](value[1])
            messages.append((kind, value))
        return messages

    def _explain_death(self, process: subprocess.Popen[bytes]) -> tuple[str, Any]:
        """What made the child end in the middle."""
        status = process.wait()
        if not self._begun:
            raise _NeverBegun
        assert process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            self._errors = (self._errors + (process.stderr.read() or b""))[-_STDERR:]
        if -status == signal.SIGXCPU:
            raise _make_limit_error(self._what, f"{self._limits.seconds:g} s")
        if b"memory allocation" in self._errors or b"MemoryError" in self._errors or b"bad_alloc" in self._errors:
            return "memory", None
        if -status == signal.SIGKILL:
            raise _make_limit_error(self._what, "the memory that this machine has")
        name = signal.Signals(-status).name if status < 0 else f"exit {status}"
        return "broke", f"{self._errors.decode(errors='replace')}\n{name}"


class _Child:
    """A process that waits for calls."""

    _idle: list[_Child] = []
    _lock = threading.Lock()

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from retrieval.kg.readers.child_server import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **environment,
                "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),  # plug-ins
                "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
                "OPENBLAS_NUM_THREADS": "1",
                "RUST_BACKTRACE": "0",
            },
        )

    @classmethod
    def acquire(cls) -> _Child:
        """One that waits, or else a new one."""
        with cls._lock:
            while cls._idle:
                child = cls._idle.pop()
                if child.owner != os.getpid():
                    continue
                if child.process.poll() is None:
                    return child
                child.stop()  # it had waited for too long; its pipes are closed
        return cls()

    def send(self, request: bytes) -> None:
        """Hand it a call."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(len(request).to_bytes(8, "big") + request)
            self.process.stdin.flush()
        except OSError:
            raise _NeverBegun from None

    def release(self) -> None:
        """It may serve another call, unless it needed much memory."""
        with self._lock:
            if len(self._idle) < IDLE and _read_peak_memory(self.process.pid) <= SMALL:
                self._idle.append(self)
                return
        self.stop()

    def stop(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    @classmethod
    def stop_idle(cls) -> None:
        """End those of this process that wait."""
        with cls._lock:
            while cls._idle:
                child = cls._idle.pop()
                if child.owner == os.getpid():
                    child.stop()


atexit.register(_Child.stop_idle)


def _read_peak_memory(pid: int) -> int:
    """The most memory that a process has had resident, in bytes; 0 where that is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return 0
