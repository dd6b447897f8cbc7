"""What the drawing of a run looks like and how it moves, measured in Chromium.

Fifty runs over the demo graph are drawn twice and expanded; then runs with 2,000 nodes and 5,000 edges, and with
10,000 nodes and 20,000 edges, are panned.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.report import Section
from tests.e2e.conftest import ARGS
from tests.e2e.run import find_chromium
from tests.support import drawing, made_runs
from tests.support.clew import PASSWORD, ROOT, Clew

COMMAND = "python -m tests.benchmarks canvas"
ABOUT = (
    "The first fifty test questions of the demo, in a shuffled order, that name an entity of it, drawn twice in "
    "Chromium (1440 by 900, no GPU), one node of each expanded."
)
RUNS = 50
SEED = 7
PAN_SECONDS = 3.0
PAINTS = 5
SETTLED_MS = 2_500
SIZES = ((2_000, 5_000), (10_000, 20_000))
_COUNT = """() => {
  const times = []; let on = true;
  const tick = (at) => { times.push(at); if (on) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  window.counted = () => { on = false; return times; };
}"""
_LCP = """() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
  .observe({ type: "largest-contentful-paint", buffered: true }))"""


def measure() -> list[Section]:
    """Both tables."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("Set CHROMIUM to the path of a Chromium.")
    with (
        tempfile.TemporaryDirectory() as home,
        sync_playwright() as playwright,
        Clew(Path(home) / "clew", env={"CLEW_SELF_TRAINING": "0"}) as clew,
    ):
        clew.wait_for_workers()
        clew.wait_for_quiet()
        graph = clew.api("GET", "graphs")["results"][0]["id"]
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        try:
            runs = _ask(clew, graph)
            rows = [*_drawn(_page(browser, clew), runs), *_paint(browser, clew, runs[0])]
            moved = [_panned(_page(browser, clew), runs[0], *size) for size in SIZES]
        finally:
            browser.close()
    head = (
        *("nodes, edges", "drawn in s", "frames/s while panning"),
        *("ten steps of the wheel in s", "pointer over twenty places in s", "of topic and answers named"),
    )
    return [
        Section("Drawing of a run", COMMAND, ABOUT, rows),
        Section("Large drawings", COMMAND, "A made run, shown whole, then panned for three seconds.", moved, head),
    ]


def _ask(clew: Clew, graph: int) -> list[str]:
    rows = [json.loads(line) for line in (ROOT / "retrieval/demo/questions/test.jsonl").open(encoding="utf-8")]
    random.Random(SEED).shuffle(rows)
    runs: list[str] = []
    for row in rows:
        run = str(clew.api("POST", "runs", json={"graph": graph, "question": row["question"]})["id"])
        # Of a question that names nothing in the graph there is nothing to draw.
        if any(event["type"] == "question.linked" and event["entities"] for event in clew.events(run)):
            runs.append(run)
        if len(runs) == RUNS:
            break
    return runs


def _page(browser: Browser, clew: Clew) -> Page:
    context = browser.new_context(base_url=clew.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "login" not in url)
    return page


def _drawn(page: Page, runs: list[str]) -> list[tuple[str, ...]]:
    told = dict.fromkeys(("drawn", "same", "overlaps", "unnamed", "cut", "repeated", "expanded", "moved"), 0)
    wide, high = [], []
    for run in runs:
        page.goto(f"/runs/{run}")
        first = drawing.read(page)
        page.reload()
        same = drawing.read(page)
        page.locator(".graph-focus").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("e")
        grown = drawing.read(page)
        page.keyboard.press("Escape")
        before, after = first.places(), grown.places()
        told["drawn"] += 1
        told["same"] += same.places() == before
        told["overlaps"] += len(first.overlaps()) + len(grown.overlaps())
        told["unnamed"] += len(first.unlabelled())
        told["cut"] += len(first.cut())
        told["repeated"] += first.repeated()
        told["expanded"] += len(after) > len(before)
        told["moved"] += sum(after[node] != place for node, place in before.items() if node in after)
        if len(first.nodes) > 4:
            wide.append(first.used()[0])
            high.append(first.used()[1])
    return [
        ("runs drawn", str(told["drawn"]), "50"),
        ("the same picture at a second load", f"{told['same']} of {told['drawn']}", "all"),
        (
            "overlapping names of topics, answers and path nodes, before and after expanding",
            str(told["overlaps"]),
            "0",
        ),
        ("topics and answers without a name", str(told["unnamed"]), "0"),
        ("names that go beyond the canvas", str(told["cut"]), "0"),
        ("names of relations beyond one a fan", str(told["repeated"]), "0"),
        (f"nodes that moved when {told['expanded']} were expanded", str(told["moved"]), "0"),
        (
            "width and height used, of drawings of more than four nodes (mean)",
            f"{statistics.mean(wide):.2f}, {statistics.mean(high):.2f}",
            "",
        ),
    ]


def _paint(browser: Browser, clew: Clew, run: str) -> list[tuple[str, ...]]:
    signed_in = _page(browser, clew).context.storage_state()
    pages = (("logging in", "/login", None), ("asking", "/", signed_in), ("a run", f"/runs/{run}", signed_in))
    return [
        (
            f"largest contentful paint, nothing cached (median of {PAINTS}): {name}",
            f"{statistics.median(_painted(browser, clew, path, state) for _ in range(PAINTS)):.0f} ms",
            "<= 1,000 ms",
        )
        for name, path, state in pages
    ]


def _painted(browser: Browser, clew: Clew, path: str, state: Any) -> float:
    context = browser.new_context(base_url=clew.url, viewport={"width": 1440, "height": 900}, storage_state=state)
    page = context.new_page()
    page.goto(path)
    # A later and larger picture, if one comes, comes within this.
    page.wait_for_timeout(SETTLED_MS)
    took = float(page.evaluate(_LCP))
    context.close()
    return took


def _panned(page: Page, run: str, nodes: int, edges: int) -> tuple[str, ...]:
    made_runs.show(page, run, made_runs.large(nodes, edges))
    drawing.read(page)
    page.get_by_role("button", name="explored").click()
    page.get_by_role("button", name="all", exact=True).click()
    started = time.monotonic()
    page.wait_for_function(
        "(n) => document.querySelector('.graph-canvas')._cyreg.cy.nodes().length"
        " + Number(document.querySelector('.graph-backdrop')?.dataset.dots ?? 0) >= n",
        arg=nodes,
        timeout=120_000,
    )
    shown = drawing.read(page)
    took = time.monotonic() - started
    main = [node for node in shown.nodes if node["role"] in {"topic", "answer"}]
    named = len(main) - len(shown.unlabelled())
    hovered = _seconds(page, lambda x, y, i: page.mouse.move(x - 200 + 15 * i, y + 100 + 5 * i), 20)
    frames = _frames(page)
    zoomed = _seconds(page, lambda x, y, i: page.mouse.wheel(0, 40), 10)
    return (
        *(f"{nodes:,}, {edges:,}", f"{took:.1f}", f"{frames:.0f}"),
        *(f"{zoomed:.1f}", f"{hovered:.1f}", f"{named} of {len(main)}"),
    )


def _middle(page: Page) -> tuple[float, float]:
    box: Any = page.locator(".graph-canvas").bounding_box()
    return box["x"] + box["width"] / 2 + 13, box["y"] + 17


def _seconds(page: Page, act: Callable[[float, float, int], None], times: int) -> float:
    """How long the page takes to do something so often, with the picture after it."""
    x, y = _middle(page)
    started = time.monotonic()
    for i in range(times):
        act(x, y, i)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.monotonic() - started


def _frames(page: Page) -> float:
    x, y = _middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 20)
    page.wait_for_timeout(500)
    page.evaluate(_COUNT)
    started, step = time.monotonic(), 0
    while time.monotonic() - started < PAN_SECONDS:
        step += 1
        page.mouse.move(x + 150 * math.sin(step / 12), y + 100 * (1 - math.cos(step / 12)))
    times = page.evaluate("() => window.counted()")
    page.mouse.up()
    return float(1000 * (len(times) - 1) / (times[-1] - times[0]))
