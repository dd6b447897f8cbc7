"""How long people wait for two things besides an answer: that a run has stopped, and that four methods are compared."""

from __future__ import annotations

import statistics
import tempfile
import time
from http import HTTPStatus
from pathlib import Path

from tests.benchmarks.report import Section
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks waiting"
ABOUT = "The demo graph, asked over HTTP. Methods without a checkpoint are asked untrained; all were asked once before."
QUESTION = "Which languages are spoken in the countries that border {}?"
LONG_QUESTION = "Which actors starred in films by directors who were born in the capitals of the neighbours of Germany?"
METHODS = ("rel-rag-path", "reg-triple", "reg-path", "inses")
ALONE = (
    *("Poland", "Chad", "Brazil", "India", "Turkey", "Spain", "Kenya", "Mali"),
    *("Peru", "Laos", "Ghana", "Sudan", "Gabon", "Zambia", "Jordan", "Latvia"),
)
COMPARED = (
    *("Italy", "Egypt", "Austria", "Niger", "Bolivia", "Nepal", "Iran", "France"),
    *("Uganda", "Senegal", "Chile", "Thailand", "Togo", "Angola", "Malawi", "Ireland"),
)
"""Countries asked about, each once by each method: what was read is remembered for a while. One of the first is asked
about, then one of the second, so that what else the machine does falls on both."""

WARM_UP = 4
"""Rounds that are not counted: each of the two processes that answer opens what it has not had yet."""

STOPS = 40
ENDS = frozenset({"answer.final", "run.failed", "run.cancelled"})


def measure() -> list[Section]:
    """One table."""
    with (
        tempfile.TemporaryDirectory() as home,
        Clew(Path(home) / "clew", env={"CLEW_SELF_TRAINING": "0"}) as clew,
    ):
        clew.wait_for_workers()
        while not (graphs := clew.api("GET", "graphs")["results"]):
            time.sleep(0.5)
        clew.wait_for_quiet()
        return [of(clew, graphs[0]["id"])]


def of(clew: Clew, graph: int) -> Section:
    """The figures of a graph in a running instance."""
    section = Section("Stopping and comparing", COMMAND, ABOUT)
    took = sorted(filter(None, (_stopped(clew, graph, i) for i in range(STOPS))))
    place = max(0, round(0.95 * len(took)) - 1)
    section.add(
        f"stop to stopped, p95 of {len(took)} runs that were still going on",
        f"{took[place]:.2f} s",
        "<= 0.5 s",
    )
    alone: dict[str, list[float]] = {method: [] for method in METHODS}
    together = []
    for one, other in zip(ALONE, COMPARED, strict=True):
        for method, times in alone.items():
            times.append(_asked(clew, graph, method, one))
        together.append(_compared(clew, graph, other))
    together = together[WARM_UP:]
    slowest = max(statistics.median(times[WARM_UP:]) for times in alone.values())
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
            answer = clew.session.post(f"{clew.url}/api/v1/runs/{run}/cancel", timeout=120)
            if answer.status_code == HTTPStatus.CONFLICT:  # the answer was there already
                return None
            answer.raise_for_status()
        if event["type"] == "run.cancelled":
            return time.monotonic() - began
    return None


def _asked(clew: Clew, graph: int, method: str, place: str) -> float:
    began = time.monotonic()
    body = {"graph": graph, "question": QUESTION.format(place), "method": method}
    run = str(clew.api("POST", "runs", json=body)["id"])
    assert any(event["type"] in ENDS for event in clew.events(run))
    return time.monotonic() - began


def _compared(clew: Clew, graph: int, place: str) -> float:
    """Seconds until the last of them has ended; all are watched over one socket, as by the browser."""
    began = time.monotonic()
    methods = [{"method": method} for method in METHODS]
    compared = clew.api(
        "POST", "comparisons", json={"graph": graph, "question": QUESTION.format(place), "methods": methods}
    )
    events = clew.stream_endpoint_events(run["id"] for run in compared["runs"])
    assert sum(event["type"] in ENDS for event in events) == len(METHODS)
    return time.monotonic() - began
