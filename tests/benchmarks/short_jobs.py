"""How long a small upload takes while a large graph is indexed, and while it trains itself."""

from __future__ import annotations

import io
import tempfile
import time
from pathlib import Path
from typing import Any

import openpyxl

from retrieval.demo import FACTS
from tests.benchmarks import child
from tests.benchmarks.report import Section
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks short_jobs"
LARGE, ROWS, TEXT_BYTES = 60_000, 300, 38_000
GOAL = "as alone"


def measure() -> list[Section]:
    """Upload a text and a workbook alone, beside the indexing of a large graph, and beside its self-training."""
    section = Section(
        "Small uploads",
        COMMAND,
        f"Seconds from the upload of a text of {TEXT_BYTES // 1000} kB and of a workbook of {ROWS} rows until its "
        f"graph can be asked; the long jobs are of a graph of {LARGE:,} people. No demo graph.",
        head=("beside", "text (s)", "workbook (s)", "goal"),
    )
    with tempfile.TemporaryDirectory() as home, Clew(Path(home), options=("--no-demo",)) as clew:
        clew.wait_for_workers()
        section.add("load of the machine before (1 min)", child.load())
        _add(section, clew, "nothing")
        _upload(clew, "Large", "people.csv", _people())
        for kind in ("index", "self-train"):
            if _wait_until_running(clew, kind):
                _add(section, clew, kind)
    return [section]


def _add(section: Section, clew: Clew, beside: str) -> None:
    text = _time_upload(clew, f"Text beside {beside}", "report.txt", _text())
    book = _time_upload(clew, f"Workbook beside {beside}", "staff.xlsx", _workbook())
    running = ", ".join(sorted(job["kind"] for job in _active(clew) if job["state"] == "running"))
    section.add(f"{beside} (running at the end: {running or 'nothing'})", f"{text:.1f}", f"{book:.1f}", GOAL)
    print(section.rows[-1], flush=True)


def _time_upload(clew: Clew, name: str, file: str, data: bytes) -> float:
    begun = time.monotonic()
    job = _upload(clew, name, file, data)
    clew.wait_for_job(job, 900)
    return time.monotonic() - begun


def _upload(clew: Clew, name: str, file: str, data: bytes) -> int:
    made = clew.api("POST", "graphs", data={"name": name}, files={"files": (file, data)})
    return int(made["job"]["id"])


def _active(clew: Clew) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = clew.api("GET", "jobs", params={"active": "true"})["results"]
    return jobs


def _wait_until_running(clew: Clew, kind: str, timeout: float = 900.0) -> bool:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if any(job["kind"] == kind and job["state"] == "running" for job in _active(clew)):
            return True
        time.sleep(0.2)
    return False


def _people() -> bytes:
    rows = (f"Person {i},Town {i % 900},Person {i * 7 % LARGE},{1900 + i % 100}\n" for i in range(LARGE))
    return ("name,lives in,mother,born in\n" + "".join(rows)).encode()


def _text() -> bytes:
    facts = (row for file in FACTS for row in file.read_text("utf8").splitlines())
    return "".join(row.replace("\t", " ") + ".\n\n" for row in facts).encode()[:TEXT_BYTES]


def _workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    sheet.append(("name", "department", "manager", "salary"))
    for i in range(ROWS):
        sheet.append((f"Worker {i}", f"Department {i % 12}", f"Worker {i // 10}", 2000 + i))
    book.save(out)
    return out.getvalue()
