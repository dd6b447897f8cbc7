"""Start the whole application as a user does (``manage.py up``) and talk to it over HTTP and sockets."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import requests
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a password for tests only"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Clew:
    """A running instance with a home of its own. Use as a context manager.

    ``program`` and ``folder`` are those of a checkout, unless an installed Clew is started.
    """

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    start_timeout: float = 180.0
    program: tuple[str, ...] = (sys.executable, "manage.py")
    folder: Path = ROOT
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    session: requests.Session = field(default_factory=requests.Session)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.home / "up.log"

    def __enter__(self) -> Clew:
        self.home.mkdir(parents=True, exist_ok=True)
        env = {
            **os.environ,
            "CLEW_HOME": str(self.home),
            "CLEW_PORT": str(self.port),
            "CLEW_ADMIN_PASSWORD": PASSWORD,
            **self.env,
        }
        for name in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"):
            env.pop(name, None)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*self.program, "up", *self.options],
                cwd=self.folder,
                env=env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_healthy()
            self.login()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.process = None

    def _wait_until_healthy(self) -> None:
        deadline = time.monotonic() + self.start_timeout
        while time.monotonic() < deadline:
            if self.process is not None and self.process.poll() is not None:
                raise RuntimeError(f"Clew stopped while starting:\n{self.log.read_text()[-4000:]}")
            try:
                answer = requests.get(f"{self.url}/api/v1/session", timeout=2)
                if answer.status_code == 200:
                    return
            except (requests.ConnectionError, requests.Timeout):
                pass
            time.sleep(0.2)
        raise RuntimeError(f"Clew was not healthy in time:\n{self.log.read_text()[-4000:]}")

    def list_processes(self) -> list[psutil.Process]:
        """All its processes."""
        assert self.process is not None, "it is running"
        root = psutil.Process(self.process.pid)
        return [root, *root.children(recursive=True)]

    def measure_processor_time(self) -> float:
        """Seconds of a core that its processes have taken."""
        return sum(sum(process.cpu_times()[:4]) for process in self.list_processes())

    def login(self) -> None:
        """Take an API token and keep it on the session."""
        answer = requests.post(f"{self.url}/api/v1/token", json={"username": "admin", "password": PASSWORD}, timeout=30)
        answer.raise_for_status()
        self.session.headers["Authorization"] = f"Bearer {answer.json()['token']}"

    def api(self, method: str, path: str, **options: Any) -> Any:
        """One API call; the decoded JSON. Raises RuntimeError with the body when it is refused."""
        answer = self.session.request(method, f"{self.url}/api/v1/{path}", timeout=120, **options)
        if not answer.ok:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:2000]}")
        return answer.json() if answer.content else None

    def wait_for_workers(self, timeout: float = 120.0) -> None:
        """Until both an answering and a job worker report."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            workers = self.api("GET", "status")["workers"]
            if workers["answers"] and workers["jobs"]:
                return
            time.sleep(0.5)
        raise RuntimeError(f"no workers after {timeout:.0f} s:\n{self.log.read_text()[-4000:]}")

    def wait_for_job(self, job: int, timeout: float = 1800.0) -> dict[str, Any]:
        """Until the job ended; the job. Raises RuntimeError when it failed or took too long."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            found: dict[str, Any] = self.api("GET", f"jobs/{job}")
            if found["state"] == "done":
                return found
            if found["state"] in {"failed", "cancelled"}:
                raise RuntimeError(f"job {job} {found['state']}: {found['error']}")
            time.sleep(0.5)
        raise RuntimeError(f"job {job} was not done after {timeout:.0f} s")

    def wait_for_quiet(self, timeout: float = 1800.0) -> None:
        """Until no job is queued or running."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if not self.api("GET", "jobs", params={"active": "true"})["results"]:
                return
            time.sleep(0.5)
        raise RuntimeError(f"jobs were still active after {timeout:.0f} s")

    def events(self, run: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """The run's events over the socket, until the server closes after the terminal one."""
        return self._told(f"ws/runs/{run}?after={after}")

    def events_of(self, runs: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The events of several runs over one socket, until the server closes after the last has ended."""
        return self._told("ws/runs?after=" + ",".join(f"{run}:0" for run in runs))

    def _told(self, address: str) -> Iterator[dict[str, Any]]:
        header = {"Authorization": self.session.headers["Authorization"]}
        url = f"ws://127.0.0.1:{self.port}/{address}&together=1"
        with connect(url, additional_headers=header, max_size=2**24, compression=None) as ws:
            for frame in ws:
                yield from json.loads(frame)
