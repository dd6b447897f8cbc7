"""Every process of Clew killed in turn while thirty people ask; how long until all of them are answered again."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
import requests

from tests.benchmarks.report import Section
from tests.e2e import world
from tests.support.clew import Clew
from webapp.project import orphans
from webapp.project.embedded import Servers
from webapp.project.layout import ServerLayout
from webapp.project.server import Server

ASKERS, KILLS = 30, 4
THINK_S, POLL_S = 1.0, 0.3
BETWEEN_S = 5.0
"""How long all are answered before the next kill."""

STUCK_S = 60.0
WITHIN_S = 15.0
GIVE_UP_S = 180.0
ENDED = ("done", "failed", "cancelled")
COMMAND = "python -m tests.benchmarks kills"


@dataclass
class Asker:
    """One person, who asks, waits for the answer, and asks again; a server that is away is tried again."""

    clew: Clew
    graph: int
    stop: threading.Event
    session: requests.Session = field(default_factory=requests.Session)
    answered: float = 0.0
    """When the last answered question was asked."""
    refused: int = 0

    def __post_init__(self) -> None:
        self.session.headers.update(self.clew.session.headers)

    def work(self) -> None:
        """Until told to stop."""
        number = 0
        while not self.stop.is_set():
            director = world.DIRECTORS[number % len(world.DIRECTORS)]
            number += 1
            asked = time.monotonic()
            run = self._call("POST", "runs", {"graph": self.graph, "question": f"who directed {director}"})
            if run is not None and self._wait(run) == "done":
                self.answered = asked
            self.stop.wait(THINK_S)

    def _wait(self, run: str) -> str | None:
        while not self.stop.is_set():
            state = self._call("GET", f"runs/{run}")
            if state in ENDED:
                return state
            self.stop.wait(POLL_S)
        return None

    def _call(self, method: str, path: str, body: Any = None) -> str | None:
        """The run's id, or its state; None when it was refused."""
        try:
            answer = self.session.request(method, f"{self.clew.url}/api/v1/{path}", json=body, timeout=20)
        except requests.RequestException:
            self.refused += 1
            return None
        if answer.status_code == 503 and method == "POST":
            return answer.json().get("run")
        if not answer.ok:
            self.refused += 1
            return None
        found: dict[str, str] = answer.json()
        return found["id"] if method == "POST" else found["state"]


def measure() -> list[Section]:
    """Start Clew in a fresh home, let people ask, and kill."""
    section = Section(
        "Killed processes",
        COMMAND,
        f"{ASKERS} people ask a graph of {len(world.facts())} facts, {THINK_S:g} s after each answer, while every "
        f"process of the application is killed (SIGKILL) {KILLS} times. Times are from the kill until each person "
        "has had an answer to a question asked after it.",
        head=("killed", "all answered again after (s)", "goal (s)"),
    )
    with tempfile.TemporaryDirectory() as home, Clew(Path(home), options=("--no-demo",)) as clew:
        clew.wait_for_workers()
        graph = import_lanterns(clew, Path(home))
        section.add("load of the machine before (1, 5 min)", " / ".join(Path("/proc/loadavg").read_text().split()[:2]))
        stop = threading.Event()
        askers = [Asker(clew, graph, stop) for _ in range(ASKERS)]
        threads = [threading.Thread(target=asker.work, daemon=True) for asker in askers]
        for thread in threads:
            thread.start()
        for name in _parts(clew):
            times = [_kill(clew, name, askers) for _ in range(KILLS)]
            cells = ", ".join("never" if took is None else f"{took:.1f}" for took in times)
            section.add(name, cells, f"{WITHIN_S:g}")
            print(name, cells, flush=True)
        _results(clew, askers, stop, section)
        for thread in threads:
            thread.join(30)
        section.add("the supervisor lives", "no" if _ended(clew) else "yes", "yes")
    return [section]


def import_lanterns(clew: Clew, home: Path) -> int:
    """Import the graph of :mod:`tests.e2e.world`, and return its id."""
    folder = home / "world"
    folder.mkdir()
    file, _ = world.write(folder)
    with file.open("rb") as data:
        made = clew.api("POST", "graphs", data={"name": "Lanterns"}, files={"files": data})
    clew.wait_for_quiet()
    return int(made["graph"]["id"] if "graph" in made else made["id"])


def _parts(clew: Clew) -> list[str]:
    servers = [server.name for server in Servers(clew.home).servers]
    return [*servers, *sorted(set(orphans.find(_home_id(clew)).values()))]


def _home_id(clew: Clew) -> str:
    return str(json.loads((clew.home / "identity").read_text())["id"])


def _processes(clew: Clew, name: str) -> list[psutil.Process]:
    servers: dict[str, Server] = {server.name: server for server in Servers(clew.home).servers}
    if name in servers:
        return [p for p in servers[name].list_processes() if servers[name].is_head(p)]
    return [p for p, part in orphans.find(_home_id(clew)).items() if part == name]


def _ended(clew: Clew) -> bool:
    return clew.process is None or clew.process.poll() is not None


def _all_since(askers: list[Asker], moment: float) -> float | None:
    """Seconds from a moment until each has had a question answered that was asked after it."""
    while any(asker.answered < moment for asker in askers):
        if time.monotonic() - moment > GIVE_UP_S:
            return None
        time.sleep(0.05)
    return time.monotonic() - moment


def _kill(clew: Clew, name: str, askers: list[Asker]) -> float | None:
    _all_since(askers, time.monotonic() + BETWEEN_S)
    found = _processes(clew, name)
    if not found:
        raise RuntimeError(f"no {name} to kill:\n{clew.log.read_text()[-2000:]}")
    moment = time.monotonic()
    for process in found:
        process.kill()
    return _all_since(askers, moment)


def _results(clew: Clew, askers: list[Asker], stop: threading.Event, section: Section) -> None:
    stop.set()
    deadline = time.monotonic() + STUCK_S
    while (states := _states(clew))["queued"] + states["running"] and time.monotonic() < deadline:
        time.sleep(1.0)
    section.add("runs asked", f"{sum(states.values()):,}")
    section.add("runs that failed", f"{states['failed']:,}")
    section.add("requests refused or broken off", f"{sum(asker.refused for asker in askers):,}")
    section.add(f"runs stuck {STUCK_S:g} s after the last question", f"{states['queued'] + states['running']:,}", "0")


def _states(clew: Clew) -> Counter[str]:
    """How many runs are in each state."""
    with psycopg.connect(ServerLayout(clew.home).database_url) as sql:
        return Counter(dict(sql.execute("SELECT state, count(*) FROM answers_run GROUP BY state").fetchall()))
