"""How long people wait for two things besides an answer: that a run has stopped, and that four methods are compared."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from tests.benchmarks.report import Section
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks waiting"
ABOUT = "The demo graph, asked over HTTP. Methods without a checkpoint are asked untrained; all were asked once before."
QUESTION = "Which languages are spoken in the countries that border Switzerland?"
LONG_QUESTION = (
    "Which actors starred in films by directors who were born in the capitals of the neighbours of Germany?"
)
METHODS = ("rel-rag-path", "reg-triple", "reg-path", "inses")
STOPS, COMPARED = 40, 9
ENDS = frozenset({"answer.final", "run.failed", "run.cancelled"})


def measure() -> list[Section]:
    """One table."""
    with (
        tempfile.TemporaryDirectory() as home,
        Clew(Path(home) / "clew", env={"CLEW_SELF_TRAINING": "0"}) as clew,
    ):
        clew.wait_for_workers()
        clew.wait_for_quiet()
        return [of(clew, clew.api("GET", "graphs")["results"][0]["id"])]


def of(clew: Clew, graph: int) -> Section:
    """The figures of a graph in a running instance."""
    section = Section("Waiting", COMMAND, ABOUT)
    took = sorted(filter(None, (_stopped(clew, graph, i) for i in range(STOPS))))
    place = max(0, round(0.95 * len(took)) - 1)
    section.add(
        f"stop to stopped, p95 of {len(took)} runs that were still going on",
        f"{took[place]:.2f} s",
        "<= 0.5 s",
    )
    alone = {method: [_asked(clew, graph, method) for _ in range(COMPARED + 1)][1:] for method in METHODS}
    together = [_compared(clew, graph) for _ in range(COMPARED)]
    slowest = max(statistics.median(times) for times in alone.values())
    section.add("the slowest of four methods alone (median)", f"{slowest:.2f} s")
    section.add("the four compared (median)", f"{statistics.median(together):.2f} s")
    section.add("ratio", f"{statistics.median(together) / slowest:.2f}", "<= 1.3")
    return section


def _stopped(clew: Clew, graph: int, number: int) -> float | None:
    """Seconds from Stop to the event that says so; None where the answer came first."""
    body = {"graph": graph, "question": LONG_QUESTION, "method": "inses", "budget": 400, "seed": number}
    run = str(clew.api("POST", "runs", json=body)["id"])
    began = None
    for event in clew.events(run):
        if began is None:
            began = time.monotonic()
            clew.api("POST", f"runs/{run}/cancel")
        if event["type"] == "run.cancelled":
            return time.monotonic() - began
    return None


def _asked(clew: Clew, graph: int, method: str) -> float:
    began = time.monotonic()
    run = str(clew.api("POST", "runs", json={"graph": graph, "question": QUESTION, "method": method})["id"])
    assert any(event["type"] in ENDS for event in clew.events(run))
    return time.monotonic() - began


def _compared(clew: Clew, graph: int) -> float:
    began = time.monotonic()
    body = {"graph": graph, "question": QUESTION, "methods": [{"method": method} for method in METHODS]}
    compared = clew.api("POST", "comparisons", json=body)
    for run in compared["runs"]:
        assert any(event["type"] in ENDS for event in clew.events(str(run["id"])))
    return time.monotonic() - began
