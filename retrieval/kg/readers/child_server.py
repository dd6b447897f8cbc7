"""The child process of :mod:`.child_process`: takes calls until nobody sends any more."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from retrieval.errors import ClewError
from retrieval.kg.readers.child_process import IDLE_S, ORPHAN_S, PARENT_S, Limits

#: A function may report from several threads.
_sending = threading.Lock()


def serve() -> None:
    """Take calls until nobody sends any more. What a parser prints goes to the log of errors."""
    parent = os.getppid()
    # Signals that go to all processes of a service end the parent in order, and it ends this one.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    import retrieval.kg.readers.graph_preview  # noqa: F401, PLC0415 - while nobody waits

    calls = sys.stdin.buffer
    with selectors.DefaultSelector() as ready:
        ready.register(calls, selectors.EVENT_READ)
        while ready.select(IDLE_S):
            head = calls.read(8)
            if len(head) < 8:
                return
            request = calls.read(int.from_bytes(head, "big"))
            _send(out, "begun", None)
            _answer(out, request)


def _watch_parent(parent: int) -> None:
    """End when the parent has; an alarm that native code cannot put off follows."""
    while os.getppid() == parent:
        signal.alarm(ORPHAN_S)
        time.sleep(PARENT_S)
    os._exit(1)


def _answer(out: IO[bytes], request: bytes) -> None:
    """Serve one call."""
    import traceback  # noqa: PLC0415 - the parent needs it not

    try:
        function, args, kwargs, names, limits, folder = pickle.loads(request)
        tempfile.tempdir = folder
        _set_limits(limits)
        senders = {name: _make_sender(out, name) for name in names}
        kind, value = "done", function(*args, **senders, **kwargs)
    except (ClewError, OSError) as error:
        error.__cause__ = error.__context__ = error.__traceback__ = None
        kind, value = "raised", error
    except MemoryError:
        kind, value = "memory", None
    except BaseException:
        kind, value = "broke", traceback.format_exc()
    try:
        _send(out, kind, value)
    except MemoryError:
        _send(out, "memory", None)


def _set_limits(limits: Limits) -> None:
    """Set the limits of the next call. Mapped files and what is only reserved do not count as memory."""
    import resource  # noqa: PLC0415 - not on every system

    endless = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory or endless, endless))
    spent = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(spent.ru_utime + spent.ru_stime + limits.seconds * (os.cpu_count() or 1)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds if limits.seconds else endless, endless))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _make_sender(out: IO[bytes], name: str) -> Callable[[Any], None]:
    return lambda value: _send(out, "told", (name, value))


def _send(out: IO[bytes], kind: str, value: Any) -> None:
    data = pickle.dumps((kind, value))
    data = len(data).to_bytes(8, "big") + data
    with _sending:
        view = memoryview(data)
        while view:
            view = view[out.write(view) :]
