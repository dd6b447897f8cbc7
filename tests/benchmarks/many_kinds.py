"""The pages of a graph of 200 small tables, in Chromium: until they show, until a kind is found, and scrolling."""

from __future__ import annotations

import os
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.benchmarks import child
from tests.benchmarks.report import Section
from tests.support.browser import open_browser, open_page
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks many_kinds"
ABOUT = (
    "200 CSV files in a zip, of 20 rows and five columns; each but the first refers to another. Seconds from opening a "
    "page (the dialog: from choosing the file) until it shows kinds, and from typing a kind until it alone is listed."
)
HEAD = ("page", "shown (s)", "filtered (s)", "a turn of the wheel (ms)", "elements")
TABLES, ROWS = 200, 20
#: Milliseconds that anything may take before the measurement is given up.
PATIENCE_MS = 120_000
_TURNS = 20
WANTED = "jasper jetty permit"
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_FIRST = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbour", "indigo", "jasper")
_SECOND = ("anchor", "bridge", "canal", "dock", "engine", "forge", "gate", "hall", "island", "jetty")
_THIRD = ("record", "permit")


def write_tables(archive: Path) -> None:
    """200 tables in a zip; each has a name, a number, a date, a place and the name of a row of an earlier table."""
    kinds = [f"{a} {b} {c}" for c in _THIRD for a in _FIRST for b in _SECOND][:TABLES]
    tables = {}
    for number, kind in enumerate(kinds):
        earlier = kinds[number // 3] if number else ""
        reference = earlier or "remark"
        rows = [
            f"{kind.title()} {_write_letters(row)},{100 + 7 * row},{1950 + row}-03-0{1 + row % 9},Town {row % 6},"
            + (f"{earlier.title()} {_write_letters(row * 3 % ROWS)}" if earlier else "old")
            for row in range(ROWS)
        ]
        tables[f"{kind.replace(' ', '_')}s.csv"] = "\n".join([f"name,length (m),opened,town,{reference}", *rows]) + "\n"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in tables.items():
            opened.writestr(name, text)


def _write_letters(number: int) -> str:
    return chr(ord("A") + number % 26) * 2


def measure() -> list[Section]:
    """One table."""
    expect.set_options(timeout=PATIENCE_MS)
    section = Section("A graph of 200 kinds", COMMAND, ABOUT, head=HEAD, theme="Speed and size")
    section.add("load of the machine before (1 min)", child.load())
    with (
        tempfile.TemporaryDirectory() as home,
        open_browser() as browser,
        Clew(Path(home) / "clew", env={"CLEW_SELF_TRAINING": "0"}, options=("--no-demo",)) as clew,
    ):
        clew.wait_for_workers()
        write_tables(Path(home) / "tables.zip")
        for page in _open_pages(browser, clew, Path(home) / "tables.zip"):
            figures = _measure_list(page)
            section.add(page.name, *figures)
            print(section.rows[-1], flush=True)
    return [section]


@dataclass
class OpenPage:
    """A page that lists kinds.

    Attributes:
        name: of the page.
        page: where it is open.
        shown: the seconds until it showed kinds.
        items: its kinds.
        field: in which a kind is looked for.
    """

    name: str
    page: Page
    shown: float
    items: Locator
    field: Locator


def _open_pages(browser: Browser, clew: Clew, archive: Path) -> Iterator[OpenPage]:
    page = open_page(browser, clew)
    page.set_default_timeout(PATIENCE_MS)
    page.goto("/graphs")
    page.get_by_role("button", name="Upload a graph").first.click()
    dialog = page.get_by_role("dialog")
    shown = _time(lambda: dialog.locator("input[type=file]").set_input_files(archive), dialog.locator(".model-kind"))
    yield OpenPage("upload dialog", page, shown, dialog.locator(".model-kind"), dialog.get_by_role("searchbox"))
    dialog.get_by_label("Name", exact=True).fill("Many kinds")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="Ask this graph").wait_for()
    graph = page.url.rsplit("/", 1)[-1]
    clew.wait_for_quiet()
    terms = page.locator(".term")
    yield OpenPage(
        "schema", page, _time(lambda: page.goto(f"/graphs/{graph}/schema"), terms), terms, page.get_by_role("searchbox")
    )
    shown = _time(lambda: page.goto(f"/graphs/{graph}"), page.locator(".schema"))
    _save(page, "graph page")
    section = page.locator("details", has=page.get_by_text("Data model", exact=True))
    kinds = section.locator(".model-kind")
    opened = _time(section.locator("summary").first.click, kinds)
    yield OpenPage("graph page and its data model", page, shown + opened, kinds, section.get_by_role("searchbox"))


def _time(act: Callable[[], object], until: Locator) -> float:
    started = time.monotonic()
    act()
    until.first.wait_for()
    until.page.evaluate(_PAINTED)
    return time.monotonic() - started


def _measure_list(opened: OpenPage) -> tuple[str, ...]:
    """Seconds until shown, until filtered and to scroll, and how many elements the page has."""
    page = opened.page
    _save(page, opened.name)
    elements = page.evaluate("() => document.querySelectorAll('*').length")
    filtered = _time_filter(opened)
    opened.items.first.hover()
    started = time.monotonic()
    for _ in range(_TURNS):
        page.mouse.wheel(0, 400)
        page.evaluate(_PAINTED)
    scrolled = (time.monotonic() - started) / _TURNS
    return f"{opened.shown:.1f}", f"{filtered:.2f}", f"{1000 * scrolled:.0f}", f"{elements:,}"


def _time_filter(opened: OpenPage) -> float:
    started = time.monotonic()
    opened.field.fill(WANTED)
    expect(opened.items).to_have_count(1)
    took = time.monotonic() - started
    opened.field.fill("")
    expect(opened.items.nth(1)).to_be_visible()
    return took


def _save(page: Page, name: str) -> None:
    """Save a screenshot where ``CLEW_SHOTS`` names a folder."""
    if folder := os.environ.get("CLEW_SHOTS"):
        page.screenshot(path=Path(folder) / f"many-{name.replace(' ', '-')}.png")
