"""``make run``: every process of Clew under one parent, which starts, watches, restarts and stops them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.errors import ConfigError
from webapp.project.env import ROOT, Env

HOST = "127.0.0.1"
STOP_S = 10.0
"""How long children may take to end before they are killed."""

BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
STEADY_S = 60.0
"""A child that ran this long before it stopped starts again without delay."""


@dataclass(slots=True)
class Child:
    """One process that must run."""

    name: str
    command: list[str]
    log: Path
    environ: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    start_at: float = 0.0

    def start(self) -> None:
        """Start it, its output going to its log."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env={**os.environ, **self.environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops all in order
            )
        self.started = time.monotonic()

    def signal(self, number: int) -> None:
        """Send a signal to it and its children, if it runs."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, number)


class Supervisor:
    """Starts children, restarts those that stop, and ends all of them when told to.

    Args:
        children: in the order of starting; they are stopped in the opposite one.
        say: shows a line to the person at the terminal.
        tend: called about every two seconds, to look after what is not a child.
    """

    def __init__(
        self, children: list[Child], *, say: Callable[[str], None], tend: Callable[[], None] = lambda: None
    ) -> None:
        self.children = children
        self.say = say
        self.tend = tend
        self.stopping = False

    def start(self) -> None:
        """Start all."""
        for child in self.children:
            child.start()

    def watch(self) -> None:
        """Until told to stop: restart what ended."""
        tended = time.monotonic()
        while not self.stopping:
            self.look()
            if time.monotonic() - tended >= 2:
                self.tend()
                tended = time.monotonic()
            time.sleep(0.2)

    def look(self) -> None:
        """Restart children that ended, each a little later every time it fails soon."""
        now = time.monotonic()
        for child in self.children:
            if child.process is not None and child.process.poll() is not None:
                steady = now - child.started >= STEADY_S
                child.failures = 0 if steady else child.failures + 1
                delay = 0.0 if steady else BACKOFF_S[min(child.failures, len(BACKOFF_S)) - 1]
                child.start_at = now + delay
                code = child.process.returncode
                self.say(f"The {child.name} stopped (exit {code}); starting it again. Its log: {child.log}")
                child.process = None
            if child.process is None and now >= child.start_at:
                child.start()

    def stop(self) -> None:
        """End all children: politely, then not."""
        self.stopping = True
        for child in reversed(self.children):
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_S
        for child in reversed(self.children):
            if child.process is None:
                continue
            try:
                child.process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.signal(signal.SIGKILL)
                child.process.wait()


def processes(env: Env) -> list[Child]:
    """Clew's own processes: the web server, a worker that answers, a worker for long jobs."""
    logs = env.home / "logs"
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "worker.app", "worker", "--loglevel=INFO", "-P", "threads"]
    celery += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    web = [*python, "uvicorn", "webapp.project.asgi:application", "--host", HOST, "--port", str(env.port)]
    web += ["--lifespan", "off", "--no-access-log", "--ws", "websockets-sansio"]
    web += ["--timeout-graceful-shutdown", "3"]
    engine = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    if "OMP_NUM_THREADS" not in os.environ:
        # Threads that wait by spinning take the cores from whoever could use them: on 2 cores one thread
        # trains as fast as two, and leaves a core for asking.
        engine |= {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // 2)), "OMP_WAIT_POLICY": "PASSIVE"}
    return [
        Child("web server", web, logs / "web.log"),
        Child(
            "answers worker",
            [*celery, "-Q", "answers", "-c", "2", "-n", "answers@%h"],
            logs / "answers.log",
            engine,
        ),
        Child(
            "jobs worker",  # training must not slow down asking, hence the low priority
            ["nice", "-n", "10", *celery, "-Q", "jobs", "-c", "3", "-n", "jobs@%h"],
            logs / "jobs.log",
            engine,
        ),
    ]


def require_free_port(port: int) -> None:
    """Check that nobody listens on the port.

    Raises:
        ConfigError: somebody does, or the port needs more rights.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise ConfigError(
                f"Port {port} needs more rights.", hint="Set CLEW_PORT to 1024 or more."
            ) from None
        except OSError:
            raise ConfigError(
                f"Port {port} is taken by another program (perhaps Clew runs already: http://{HOST}:{port}).",
                hint="Stop it, or choose another port: CLEW_PORT=8010 make run",
            ) from None


def handle_signals(supervisor: Supervisor) -> None:
    """End on Ctrl-C and on SIGTERM."""

    def stop(number: int, frame: Any) -> None:
        supervisor.stopping = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
