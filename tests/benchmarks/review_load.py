"""Fifty analysts at once on a queue of 100,000 items, and a web server that is killed while they work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psycopg

from retrieval.metrics.scores import compute_quantile
from tests.benchmarks.report import Section
from tests.support.analysts import Analyst, Team, fits
from tests.support.clew import ROOT, Clew
from webapp.project.layout import ServerLayout

ANALYSTS, ITEMS, JUDGED, OVERLAP = 50, 100_000, 2, 3
THINK = (1.0, 3.0)
"""Pause before each submission, seconds: people who press a key or two and look at the next."""

MEASURED_S, FLOOD_S, KILLS, BETWEEN_KILLS_S = 60.0, 20.0, 3, 10.0
EVERY_S = 2.0
COMMAND = "python -m tests.benchmarks review_load"


def measure() -> list[Section]:
    """Start Clew in a fresh home, fill its database, and let analysts work."""
    section = Section(
        "Fifty reviewers at once",
        COMMAND,
        f"{ANALYSTS} reviewers, each with a connection of their own and {THINK[0]:g} to {THINK[1]:g} s before each "
        f"submission, on a queue of {ITEMS:,} items with {JUDGED * ITEMS:,} submissions, where each item needs one "
        "more opinion. The application as `manage.py up` starts it; times from the client, on the same cores. Then "
        f"the web server is killed (SIGKILL) {KILLS} times while they work almost without a pause; they resend what "
        "was not acknowledged.",
    )
    with tempfile.TemporaryDirectory() as home, Clew(Path(home), options=("--no-demo",)) as clew:
        clew.wait_for_workers()
        made = _rows(clew)
        section.add("load of the machine before (1, 5 min)", " / ".join(Path("/proc/loadavg").read_text().split()[:2]))
        _calm(clew, made, section)
        said: dict[str, Any] = {}
        _work(clew, made, section, said)
        _flood(clew, made, section, said)
        _killed(clew, made, section, said)
        _check(clew, made, section, said)
    return [section]


def _rows(clew: Clew) -> dict[str, Any]:
    env = {**os.environ, "CLEW_HOME": str(clew.home), "CLEW_PORT": str(clew.port)}
    env["DJANGO_SETTINGS_MODULE"] = "webapp.project.settings"
    for name in ("DATABASE_URL", "REDIS_URL"):
        env.pop(name, None)
    numbers = {"items": ITEMS, "analysts": ANALYSTS, "overlap": OVERLAP, "judged": JUDGED}
    options = [word for name, n in numbers.items() for word in (f"--{name}", str(n))]
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.review_rows", *options],
        cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _team(clew: Clew, made: dict[str, Any], think: tuple[float, float]) -> Team:
    return Team(
        [
            Analyst(clew.url, token, made["queue"], fits(0.5), 0.1, seed, think)
            for seed, token in enumerate(made["tokens"])
        ]
    )


def _statistics(clew: Clew, made: dict[str, Any]) -> float:
    """How long the figures of the queue take, ms."""
    began = time.perf_counter()
    clew.api("GET", f"review/queues/{made['queue']}/statistics")
    return (time.perf_counter() - began) * 1000


def _times(values: list[float]) -> str:
    return f"{compute_quantile(values, 0.5):.0f} / {compute_quantile(values, 0.95):.0f} ms"


def _calm(clew: Clew, made: dict[str, Any], section: Section) -> None:
    times = [_statistics(clew, made) for _ in range(20)]
    section.add("statistics of the queue, nobody at work, p50 / p95", _times(times), "<= 300 ms")


def _work(clew: Clew, made: dict[str, Any], section: Section, said: dict[str, Any]) -> None:
    with _team(clew, made, THINK) as team:
        time.sleep(THINK[1] + 1)  # all have begun
        for one in team.analysts:
            one.waits.clear()
        ends, figures = time.monotonic() + MEASURED_S, []
        while time.monotonic() < ends:
            figures.append(_statistics(clew, made))
            time.sleep(EVERY_S)
        waits = team.waits()
        load = Path("/proc/loadavg").read_text().split()[0]
    said |= team.said()
    section.add("submissions a second", f"{len(waits) / MEASURED_S:.0f}")
    section.add("submit to next, p50 / p95", _times(waits), "p95 <= 150 ms")
    section.add("statistics of the queue meanwhile, p50 / p95", _times(figures), "<= 300 ms")
    section.add("load of the machine at the end of that (1 min)", load)


def _flood(clew: Clew, made: dict[str, Any], section: Section, said: dict[str, Any]) -> None:
    before, web = _cpu(), _web(clew.port)
    with _team(clew, made, (0.0, 0.0)) as team:
        time.sleep(FLOOD_S)
        waits = team.waits()
    spent = {process: seconds - before.get(process, 0.0) for process, seconds in _cpu().items()}
    said |= team.said()
    database = sum(seconds for (_, parent), seconds in spent.items() if parent == _postmaster(clew.home))
    server = sum(seconds for (pid, _), seconds in spent.items() if pid == web)
    section.add(
        "processor time for a submission and the next item: web server, database",
        f"{server / len(waits) * 1000:.1f} ms, {database / len(waits) * 1000:.1f} ms",
    )
    section.add("without a pause: submissions a second", f"{len(waits) / FLOOD_S:.0f}")
    section.add("without a pause: submit to next, p50 / p95", _times(waits))


def _killed(clew: Clew, made: dict[str, Any], section: Section, said: dict[str, Any]) -> None:
    with _team(clew, made, (0.0, 0.2)) as team:
        for _ in range(KILLS):
            time.sleep(BETWEEN_KILLS_S)
            os.kill(_web(clew.port), signal.SIGKILL)
        done = threading.Event()
        done.wait(BETWEEN_KILLS_S)
        _until_answered(clew)
    said |= team.said()
    resent = sum(one.resent for one in team.analysts)
    section.add(f"submissions sent again after {KILLS} kills", f"{resent:,}")


def _until_answered(clew: Clew) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            clew.api("GET", "session")
        except (OSError, RuntimeError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def _cpu() -> dict[tuple[int, int], float]:
    """By process and parent, the processor time so far, seconds."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        ticks = int(fields[11]) + int(fields[12])
        found[int(file.parent.name), int(fields[1])] = ticks / os.sysconf("SC_CLK_TCK")
    return found


def _postmaster(home: Path) -> int:
    return int((ServerLayout(home).pgdata / "postmaster.pid").read_text().split("\n", 1)[0])


def _web(port: int) -> int:
    """The process that listens."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if "uvicorn" in words and str(port) in words:
            return int(file.parent.name)
    raise RuntimeError("the web process was not found")


def _check(clew: Clew, made: dict[str, Any], section: Section, said: dict[str, Any]) -> None:
    """Compare what was acknowledged with what the database holds, exactly."""
    queue = made["queue"]
    with psycopg.connect(ServerLayout(clew.home).database_url) as sql:
        kept: dict[str, tuple[int, dict[int, str]]] = {}
        for key, item, candidate, kind in sql.execute(
            "SELECT s.id::text, s.item_id, v.candidate_id, v.kind FROM review_submission s "
            "JOIN review_verdict v ON v.submission_id = s.id "
            "WHERE s.queue_id = %s AND s.at > now() - interval '12 hours'",
            [queue],
        ):
            kept.setdefault(key, (item, {}))[1][candidate] = kind
        counts = dict(
            sql.execute(
                "SELECT 'over', count(*) FROM (SELECT item_id FROM review_standing WHERE queue_id = %(q)s "
                "  GROUP BY item_id HAVING count(*) > %(n)s) AS more "
                "UNION ALL SELECT 'differ', count(*) FROM review_item i WHERE queue_id = %(q)s AND submitted <> "
                "  (SELECT count(*) FROM review_standing t WHERE t.item_id = i.id) "
                "UNION ALL SELECT 'events', count(*) FROM review_submission WHERE queue_id = %(q)s "
                "UNION ALL SELECT 'standing', count(*) FROM review_standing WHERE queue_id = %(q)s",
                {"q": queue, "n": OVERLAP},
            ).fetchall()
        )
    figures = clew.api("GET", f"review/queues/{queue}/statistics")
    judged = sum(one["judged"] for one in figures["people"])
    lost = sum(key not in kept or kept[key] != value for key, value in said.items())
    section.add("acknowledged submissions", f"{len(said):,}")
    section.add("of them lost or changed", f"{lost:,}", "0")
    section.add("kept without having been acknowledged", f"{len(kept.keys() - said.keys()):,}", "0")
    section.add(f"items judged more than {OVERLAP} times", f"{counts['over']:,}", "0")
    section.add("items whose count is not what stands", f"{counts['differ']:,}", "0")
    expected = JUDGED * ITEMS + len(said)
    exact = (counts["events"], counts["standing"], judged) == (expected, expected, expected)
    section.add(
        "events, standing opinions, and the sum over people in the statistics",
        f"{counts['events']:,}, {counts['standing']:,}, {judged:,}", f"{expected:,} each",
    )  # fmt: skip
    if lost or counts["over"] or counts["differ"] or not exact or kept.keys() - said.keys():
        print("SOMETHING WAS LOST OR DOUBLED", flush=True)
