"""``make run``: every process of Clew under one parent, which starts, watches, restarts and stops them."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from retrieval import environment
from retrieval.errors import ConfigError
from webapp.project import orphans
from webapp.project.env import COMMAND, ROOT, Env

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
WS_MAX_BYTES = 64 * 1024
"""Largest frame of a client; all that they send is a ping."""

STOP_S = 10.0
"""How long children may take to end before they are killed."""

BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""How far two starts are apart at least, the more often a child stopped soon; one that ran longer starts at once."""

STEADY_S = 60.0
"""A child that ran this long before it stopped is one that stopped for the first time."""

TEND_S = 0.5


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
                [sys.executable, "-m", "webapp.project.parent_death", str(os.getpid()), *self.command],
                cwd=ROOT,
                env={**os.environ, **self.environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                umask=0o077,
                start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops all in order
            )
        self.started = time.monotonic()

    def terminate(self) -> None:
        """Ask it to end, if it runs; it ends its own children in order."""
        if self.process is not None:
            self.process.terminate()

    def kill(self) -> None:
        """End it and its children at once, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self._send_group_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> None:
        """Wait until it has ended, then end what it started and left.

        Raises:
            subprocess.TimeoutExpired: it has not ended.
        """
        if self.process is not None:
            self.process.wait(timeout)
            self._send_group_signal(signal.SIGKILL)

    def ensure_running(self, say: Callable[[str], None]) -> None:
        """Start it again if it ended, a little later every time that it ends soon by itself."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is not None:
            self._send_group_signal(signal.SIGKILL)
            code = self.process.returncode
            self.process = None
            # One that a signal ended did not fail: it was killed, and is missed.
            steady = now - self.started >= STEADY_S or code < 0
            self.failures = 0 if steady else self.failures + 1
            self.start_at = max(now, self.started + (BACKOFF_S[0] if steady else self._compute_delay()))
            say(f"The {self.name} stopped (exit {code}); starting it again. Its log: {self.log}")
        if self.process is None and now >= self.start_at:
            try:
                self.start()
            except Exception as error:  # no memory, no disk: both come back
                self.failures += 1
                self.start_at = now + self._compute_delay()
                logger.warning("the %s cannot be started", self.name, exc_info=True)
                say(f"The {self.name} cannot be started now ({error}); trying again.")

    def _compute_delay(self) -> float:
        return BACKOFF_S[min(self.failures, len(BACKOFF_S)) - 1]

    def _send_group_signal(self, number: int) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # all of it is gone
                os.killpg(self.process.pid, number)


class Supervisor:
    """Starts children, restarts those that stop, and ends all of them when told to; never by itself.

    Args:
        children: in the order of starting; they are stopped in the opposite one.
        say: shows a line to the person at the terminal.
        tend: called about twice a second in a thread of its own, to look after what is not a child. It may take
            long, and whatever it raises is said and forgotten.
    """

    def __init__(
        self, children: list[Child], *, say: Callable[[str], None], tend: Callable[[], None] = lambda: None
    ) -> None:
        self.children = children
        self.say = say
        self.tend = tend
        self.stopping = False

    def watch(self) -> None:
        """Until told to stop: start what does not run."""
        tending = threading.Thread(target=self._keep_tending, daemon=True)
        tending.start()
        while not self.stopping:
            self.start_children()
            time.sleep(0.2)
        tending.join(STOP_S)

    def start_children(self) -> None:
        """Start children that do not run, unless they failed just now."""
        for child in self.children:
            try:
                child.ensure_running(self.say)
            except Exception:
                logger.warning("the supervisor goes on", exc_info=True)

    def _keep_tending(self) -> None:
        failures = 0
        while not self.stopping:
            try:
                self._collect_orphans()
                self.tend()
                failures = 0
            except Exception as error:
                failures += 1
                logger.warning("the supervisor goes on", exc_info=True)
                self.say(f"{error} Clew goes on and tries again.")
            self.sleep(TEND_S if not failures else BACKOFF_S[min(failures, len(BACKOFF_S)) - 1])

    def _collect_orphans(self) -> None:
        """As the first process of a container: take leave of those that were left to it, lest they stay as zombies."""
        if os.getpid() != 1:
            return
        with contextlib.suppress(ChildProcessError):
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            child_pids = {child.process.pid for child in self.children if child.process is not None}
            if ended is not None and ended.si_pid not in child_pids:
                os.waitpid(ended.si_pid, os.WNOHANG)

    def sleep(self, seconds: float) -> None:
        """Wait so long, or until told to stop."""
        deadline = time.monotonic() + seconds
        while not self.stopping and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(0.1, left))

    def stop(self) -> None:
        """End all children: politely, then not."""
        self.stopping = True
        for child in reversed(self.children):
            child.terminate()
        deadline = time.monotonic() + STOP_S
        for child in reversed(self.children):
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait(STOP_S)


ROLES = {
    "web": "web server",
    "answers": "answers worker",
    "jobs": "jobs worker",
    "long": "long jobs worker",
}
"""Children that may run alone, by what a command line calls them."""


def list_children(env: Env, home_id: str, *, host: str = HOST) -> list[Child]:
    """Clew's own processes: the web server, workers that answer, workers for short and for long jobs.

    With ``LLM_BASE_URL=local`` the language model that comes from pip too, unless somebody serves it already.

    Raises:
        ConfigError: that model is wanted and not installed.
    """
    if env.llm is not None and env.llm.base_url == environment.LOCAL_URL and find_spec("llama_cpp") is None:
        raise ConfigError(
            "LLM_BASE_URL is local, and the language model is not installed.",
            hint=environment.LOCAL_INSTALL,
        )
    logs = env.home / "logs"
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "worker.app", "worker", "--loglevel=INFO", "-P", "threads"]
    celery += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    web = [*python, "uvicorn", "webapp.project.asgi:application", "--host", host, "--port", str(env.port)]
    web += ["--lifespan", "off", "--no-access-log"]
    web += ["--http", "webapp.project.connections:HttpProtocol"]
    web += ["--ws", "webapp.project.connections:SocketProtocol", "--ws-max-size", str(WS_MAX_BYTES)]
    web += ["--timeout-graceful-shutdown", "3"]
    # By default whatever comes from this machine is taken for a proxy, and clients would name their own addresses.
    proxies = ",".join(env.trusted_proxies)
    web += ["--forwarded-allow-ips", proxies] if proxies else ["--no-proxy-headers"]
    engine = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    if "OMP_NUM_THREADS" not in os.environ:
        # Threads that wait by spinning take the cores from whoever could use them: on 2 cores one thread
        # trains as fast as two, and leaves a core for asking.
        engine |= {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // 2)), "OMP_WAIT_POLICY": "PASSIVE"}
    # One process computes one answer at a time, however many threads it has; a second thread answers while the first
    # waits for a language model or another server.
    answers = [*celery, "-Q", "answers,warm", "-c", "2", "-n"]
    # Training must not slow down asking, hence the low priority.
    jobs = ["nice", "-n", "10", *celery, "-Q", "jobs", "-c", "4", "-n", "jobs@%h"]
    # Uploads must not wait behind training, nor be slowed down by it.
    long = ["nice", "-n", "15", *celery, "-Q", "long", "-c", "4", "-n", "long@%h"]
    children = [
        Child("web server", web, logs / "web.log"),
        Child("answers worker", [*answers, "answers@%h"], logs / "answers.log", engine),
        *(
            Child(f"answers worker {n}", [*answers, f"answers-{n}@%h"], logs / f"answers-{n}.log", engine)
            for n in range(2, env.answer_processes + 1)
        ),
        Child("jobs worker", jobs, logs / "jobs.log", engine),
        Child("long jobs worker", long, logs / "long-jobs.log", engine),
    ]
    if env.llm is not None and env.llm.base_url == environment.LOCAL_URL and not _is_port_taken(environment.LOCAL_PORT):
        serve = [*python, "retrieval", "serve-model"]
        children.append(Child("language model", ["nice", *serve], logs / "language-model.log"))
    for child in children:
        child.environ = child.environ | orphans.build_environ(home_id, child.name) | {"CLEW_HOME": str(env.home)}
    return children


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
            raise ConfigError(f"Port {port} needs more rights.", hint="Set CLEW_PORT to 1024 or more.") from None
        except OSError:
            raise ConfigError(
                f"Port {port} is taken by another program (perhaps another Clew: http://{HOST}:{port}).",
                hint=f"Stop it, or choose another port: CLEW_PORT=8010 {COMMAND} up",
            ) from None


def _is_port_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def handle_signals(supervisor: Supervisor) -> None:
    """End on Ctrl-C and on SIGTERM."""

    def stop(number: int, frame: Any) -> None:
        supervisor.stopping = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
