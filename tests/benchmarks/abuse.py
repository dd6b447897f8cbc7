"""How soon others are answered while one client floods the server in one of several ways."""

from __future__ import annotations

import multiprocessing
import queue
import random
import socket
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import requests

from retrieval.metrics.scores import compute_quantile
from tests.benchmarks import child
from tests.benchmarks.kills import import_lanterns
from tests.benchmarks.report import Section
from tests.e2e import world
from tests.support.clew import PASSWORD, Clew
from tests.support.raw_clients import count_open

COMMAND = "python -m tests.benchmarks abuse"
EVERY_S, ALONE_S, LEAST_S, MOST_S = 0.05, 10.0, 10.0, 30.0
HALF_SENT, SOCKETS, PASSWORDS, SCHEMAS, WHY_NOTS, QUESTIONS, LENGTH = 1500, 541, 200, 20, 200, 100, 2000
GOAL = "p95 <= 100 ms"
HALF = b"GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-Half: "
VIEWER = "a viewer's password"
SETTINGS = {"CLEW_SELF_TRAINING": "0"}


def measure() -> list[Section]:
    """Start Clew in a fresh home, and abuse it."""
    section = Section(
        "Abuse by one client",
        COMMAND,
        f"`GET /api/v1/session` of a logged-in person every {EVERY_S * 1000:g} ms, alone and while somebody else "
        "does what the row says. The application as `manage.py up` starts it; times from the client, all on the "
        "same cores.",
        head=("meanwhile", "median / p95 / longest (ms)", "what came of it", "goal"),
    )
    with tempfile.TemporaryDirectory() as home, Clew(Path(home), SETTINGS, ("--no-demo",)) as clew:
        clew.wait_for_workers()
        flood = Flood(clew, Path(home))
        section.add("load of the machine before (1 min)", child.load())
        person = _log_in(clew)
        section.add("nothing", _figures(_ask(clew, person, lambda: None)[0]))
        print(section.rows[-1], flush=True)
        for name, abuse in flood.list_abuses():
            times, outcome = _ask(clew, person, abuse)
            section.add(name, _figures(times), outcome or "", GOAL)
            print(section.rows[-1], flush=True)
            flood.stop_work()
    return [section]


def _figures(times: list[float]) -> str:
    return " / ".join(f"{1000 * compute_quantile(times, q):.0f}" for q in (0.5, 0.95, 1.0))


def _ask(clew: Clew, person: requests.Session, abuse: Callable[[], str | None]) -> tuple[list[float], str | None]:
    """Time answers while the abuse goes on in another process, and what that says of itself."""
    context = multiprocessing.get_context("fork")
    outcome = context.Queue()
    process = context.Process(target=lambda: outcome.put(abuse()), daemon=True)
    times: list[float] = []
    began = time.monotonic()
    process.start()
    while time.monotonic() - began < (MOST_S if process.is_alive() else LEAST_S):
        asked = time.monotonic()
        with suppress(requests.RequestException):  # counted with the time that it took
            person.get(f"{clew.url}/api/v1/session", timeout=60).raise_for_status()
        times.append(time.monotonic() - asked)
        time.sleep(EVERY_S)
    try:
        return times, outcome.get(timeout=120)
    except queue.Empty:
        process.kill()
        return times, "not done two minutes later"


def _log_in(clew: Clew) -> requests.Session:
    session = requests.Session()
    csrf = session.get(f"{clew.url}/api/v1/session", timeout=30).json()["csrf"]
    answer = session.post(
        f"{clew.url}/api/v1/session",
        json={"username": "admin", "password": PASSWORD},
        headers={"X-CSRFToken": csrf},
        timeout=30,
    )
    answer.raise_for_status()
    return session


class Flood:
    """The abuses, each of a viewer or of nobody."""

    def __init__(self, clew: Clew, home: Path) -> None:
        self.clew = clew
        self.graph = import_lanterns(clew, home)
        clew.api("PATCH", f"graphs/{self.graph}", json={"visibility": "public"})
        made = clew.api("POST", "users", json={"username": "greedy", "role": "viewer"})
        session = requests.Session()
        csrf = session.get(f"{clew.url}/api/v1/session", timeout=30).json()["csrf"]
        for address, body in (
            ("session", {"username": "greedy", "password": made["password"]}),
            ("session/password", {"old_password": made["password"], "new_password": VIEWER}),
        ):
            url = f"{clew.url}/api/v1/{address}"
            answer = session.post(url, json=body, headers={"X-CSRFToken": csrf}, timeout=30)
            answer.raise_for_status()
            csrf = answer.json()["csrf"]
        token = requests.post(f"{clew.url}/api/v1/token", json={"username": "greedy", "password": VIEWER}, timeout=30)
        self.header = {"Authorization": f"Bearer {token.json()['token']}"}
        self.run = self._answered_run()

    def list_abuses(self) -> list[tuple[str, Callable[[], str | None]]]:
        """Return each abuse by its name."""
        odd = random.Random(7)
        question = "".join(chr(odd.randrange(0x21, 0x3000)) for _ in range(LENGTH))
        ask = {"graph": self.graph, "question": question}
        why = {"name": world.DIRECTORS[1]}
        wrong = {"username": "admin", "password": "wrong"}
        return [
            (f"{HALF_SENT:,} half-sent requests of nobody", self._send_halves),
            (f"{SOCKETS} idle sockets of one viewer", self._open_sockets),
            (f"{PASSWORDS} wrong passwords", partial(self._post, "token", wrong, PASSWORDS, {})),
            (
                f"{SCHEMAS} calls of the schema",
                partial(self._call, "GET", "schema", None, SCHEMAS, self.header),
            ),
            (
                f"{WHY_NOTS} why-not requests of one viewer",
                partial(self._post, f"runs/{self.run}/why-not", why, WHY_NOTS, self.header),
            ),
            (
                f"{QUESTIONS} questions of {LENGTH:,} odd characters of one viewer",
                partial(self._post, "runs", ask, QUESTIONS, self.header),
            ),
        ]

    def stop_work(self) -> None:
        """Stop what the viewer's requests have left in the queues."""
        for state in ("queued", "running"):
            page = requests.get(
                f"{self.clew.url}/api/v1/runs",
                params={"state": state, "page_size": 200},
                headers=self.header,
                timeout=120,
            )
            for run in page.json().get("results", []):
                url = f"{self.clew.url}/api/v1/runs/{run['id']}/cancel"
                requests.post(url, headers=self.header, timeout=120)

    def _answered_run(self) -> str:
        body = {"graph": self.graph, "question": f"who directed {world.DIRECTORS[0]}"}
        run = requests.post(f"{self.clew.url}/api/v1/runs", json=body, headers=self.header, timeout=60).json()
        while True:
            url = f"{self.clew.url}/api/v1/runs/{run['id']}"
            if requests.get(url, headers=self.header, timeout=60).json()["state"] not in (
                "queued",
                "running",
            ):
                return str(run["id"])
            time.sleep(0.2)

    def _post(self, path: str, body: Any, count: int, headers: dict[str, str]) -> str:
        return self._call("POST", path, body, count, headers)

    def _call(self, method: str, path: str, body: Any, count: int, headers: dict[str, str]) -> str:
        def call(_: int) -> int:
            url = f"{self.clew.url}/api/v1/{path}"
            with suppress(requests.RequestException):
                return requests.request(method, url, json=body, headers=headers, timeout=300).status_code
            return 0

        began = time.monotonic()
        with ThreadPoolExecutor(min(count, 50)) as pool:
            codes = list(pool.map(call, range(count)))
        counts = ", ".join(f"{codes.count(code)} x {code or 'broken off'}" for code in sorted(set(codes)))
        return f"{counts} in {time.monotonic() - began:.0f} s"

    def _send_halves(self) -> str:
        with ExitStack() as stack:
            clients = [self._connect(stack, HALF) for _ in range(HALF_SENT)]
            time.sleep(LEAST_S)
            return f"{count_open(clients)} open after {LEAST_S:g} s"

    def _open_sockets(self) -> str:
        head = (
            "GET /ws/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Authorization: {self.header['Authorization']}\r\n\r\n"
        )
        with ExitStack() as stack:
            clients = [self._connect(stack, head.encode()) for _ in range(SOCKETS)]
            time.sleep(LEAST_S)
            return f"{count_open(clients)} open after {LEAST_S:g} s"

    def _connect(self, stack: ExitStack, data: bytes) -> socket.socket:
        client = stack.enter_context(socket.create_connection(("127.0.0.1", self.clew.port), timeout=60))
        with suppress(ConnectionError):
            client.sendall(data)
        return client
