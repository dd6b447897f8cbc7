"""An analyst who judges while the page is reloaded, the network is lost, tabs are switched and the graph is deleted.

Everything that was entered is kept in a list of its own, and compared with what the server recorded.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.e2e import world
from tests.support.clew import PASSWORD, ROOT, Clew
from tests.support.tcp_proxy import TcpProxy
from webapp.project.embedded import ServerLayout

ANALYST, GRAPH = "ivy", "Lanterns that come and go"
KINDS = {"1": "rational", "2": "not-rational", "3": "unsure"}
PATIENCE_S = 90.0
"""How long a judgement may take to reach the server."""


@dataclass(frozen=True)
class Entry:
    """What the analyst entered about an item."""

    item: int
    kinds: tuple[str, ...]
    comment: str


@dataclass
class Material:
    """A graph, its label set, and queues made of it as they are needed."""

    clew: Clew
    graph: int
    plan: dict[str, Any]

    @classmethod
    def make(cls, clew: Clew, folder: Path) -> Material:
        """Import the graph and label its questions."""
        graph, asked = world.write(folder)
        with graph.open("rb") as file:
            form = {"name": GRAPH, "visibility": "public"}
            made = clew.api("POST", "graphs", data=form, files={"files": file})["graph"]
        clew.wait_for_quiet()
        with asked.open("rb") as file:
            form = {"name": "lantern questions", "graph": made["id"], "format": "jsonl"}
            questions = clew.api("POST", "question-sets", data=form, files={"file": file})
        of = {"graph": made["id"], "question_set": questions["id"]}
        labels = clew.api("POST", "label-sets", json={**of, "strategy": "shortest-path"})["label_set"]["id"]
        clew.wait_for_quiet()
        return cls(clew, made["id"], {**of, "label_sets": [labels], "ordering": "sequential"})

    def make_queue(self) -> int:
        """A queue that is filled."""
        row = self.clew.api("POST", "review/queues", json=self.plan)["queue"]
        self.clew.wait_for_quiet()
        return int(row["id"])

    def delete_graph(self) -> None:
        self.clew.api("DELETE", f"graphs/{self.graph}", params={"confirm": GRAPH})

    def restore_graph(self) -> None:
        self.clew.api("POST", f"trash/{self.graph}/restore")


def make_analyst(clew: Clew) -> None:
    """An account that may judge, made as an administrator of the machine makes it, unless there is one."""
    layout = ServerLayout(clew.home)
    env = {
        **os.environ,
        "CLEW_HOME": str(clew.home),
        "DATABASE_URL": layout.database_url,
        "REDIS_URL": layout.redis_url,
        "DJANGO_SETTINGS_MODULE": "webapp.project.settings",
    }
    code = (
        "from webapp.accounts.models import User\n"
        f"if not User.objects.filter(username={ANALYST!r}).exists():\n"
        f"    User.objects.create_user({ANALYST!r}, password={PASSWORD!r}, role='analyst')"
    )
    subprocess.run([sys.executable, "manage.py", "shell", "-c", code], cwd=ROOT, env=env, check=True)


@dataclass
class ReviewWalk:
    """One analyst with two tabs of one browser."""

    material: Material
    network: TcpProxy
    pages: tuple[Page, Page]
    queue: int
    rng: random.Random
    made: list[Entry] = field(default_factory=list)
    lost: list[tuple[str, Entry, str]] = field(default_factory=list)

    @classmethod
    def begin(cls, material: Material, network: TcpProxy, browser: Browser, seed: int) -> ReviewWalk:
        """Log in and open both tabs."""
        context = browser.new_context(
            base_url=f"http://127.0.0.1:{network.port}",
            viewport={"width": 1440, "height": 900},
            reduced_motion="reduce",
        )
        pages = context.new_page(), context.new_page()
        for page in pages:
            page.set_default_timeout(PATIENCE_S * 1000)
        pages[0].goto("/login")
        pages[0].get_by_label("Name").fill(ANALYST)
        pages[0].get_by_label("Password").fill(PASSWORD)
        pages[0].get_by_role("button", name="Log in").click()
        expect(pages[0].get_by_role("combobox", name="Question")).to_be_visible()
        return cls(material, network, pages, material.make_queue(), random.Random(seed))

    def close(self) -> None:
        """Close both tabs."""
        self.pages[0].context.close()

    def step(self, name: str = "") -> None:
        """Judge one item, with a disturbance of that name, or one that is drawn."""
        name = name or self.rng.choice(sorted(DISTURBANCES))
        page, other = self.rng.sample(self.pages, 2)
        entry = self._enter(page)
        try:
            entry = DISTURBANCES[name](self, page, other, entry)
        except AssertionError as error:
            self.lost.append((name, entry, self._traces(page, entry, str(error)[:500])))
            return
        finally:
            self.network.restore()
        self.made.append(entry)
        if not self._is_recorded(entry):
            self.lost.append((name, entry, self._traces(page, entry, "it was not recorded in time")))

    def _traces(self, page: Page, entry: Entry, trouble: str) -> str:
        """What can be seen of an entry that seems lost: at the server, in the browser and on the page."""
        kept = page.evaluate("JSON.stringify(localStorage)")
        shown = page.locator("main").aria_snapshot()[:3000]
        return f"{trouble}; the server has {self._events(entry)}, the browser {kept}; the page shows:\n{shown}"

    def _enter(self, page: Page) -> Entry:
        """Open the next item and enter a verdict on each path and a comment, without sending them."""
        while True:
            page.goto(f"/review/{self.queue}")
            left = page.get_by_text(re.compile(r"\d+ (path|paths) to judge|Ready to submit"))
            nothing = page.get_by_role("heading", name="Nothing is left for you here")
            expect(left.or_(nothing)).to_be_visible()
            if left.is_visible():
                break
            self.queue = self.material.make_queue()
        page.wait_for_url(re.compile(r"item=\d+"))
        item = int(re.findall(r"item=(\d+)", page.url)[0])
        count = len(self.material.clew.api("GET", f"review/items/{item}")["candidates"])
        keys = [self.rng.choice("123") for _ in range(count)]
        page.keyboard.type("".join(keys))
        entry = Entry(item, tuple(KINDS[key] for key in keys), f"remark {self.rng.random():.6f}")
        self.comment(page, entry.comment)
        self.expect_entered(page, entry)
        return entry

    def comment(self, page: Page, text: str) -> None:
        """Write the comment on the question."""
        box = page.get_by_label("Comment on the question")
        box.fill(text)
        box.press("Escape")

    def expect_entered(self, page: Page, entry: Entry) -> None:
        """The page shows what was entered, ready to be sent."""
        expect(page.get_by_label("Comment on the question")).to_have_value(entry.comment)
        expect(page.get_by_text("Ready to submit")).to_be_visible()

    def send(self, page: Page) -> None:
        """Submit by the key."""
        page.locator("body").press("Enter")

    def _is_recorded(self, entry: Entry) -> bool:
        """Whether the server recorded exactly what was entered, in time."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            kinds = {"submitted", "replaced"}
            newest = next((row for row in self._events(entry) if row["kind"] in kinds), None)
            if newest and (newest["comment"], tuple(one["kind"] for one in newest["verdicts"])) == (
                entry.comment,
                entry.kinds,
            ):
                return True
            time.sleep(0.3)
        return False

    def _events(self, entry: Entry) -> list[dict[str, Any]]:
        """What the server recorded of the item, newest first."""
        path = f"review/queues/{self.queue}/events"
        found = self.material.clew.api("GET", path, params={"item": entry.item})
        return list(found["results"])


Disturbance = Callable[[ReviewWalk, Page, Page, Entry], Entry]


def _none(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    walk.send(page)
    return entry


def _reload(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    page.reload()
    walk.expect_entered(page, entry)
    walk.send(page)
    return entry


def _part_of_queue(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    parts = page.get_by_role("navigation", name="Parts of this queue")
    parts.get_by_role("link", name="Activity").click()
    parts.get_by_role("link", name="Judge", exact=True).click()
    walk.expect_entered(page, entry)
    walk.send(page)
    return entry


def _second_tab(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    other.goto(f"/review/{walk.queue}?item={entry.item}")
    walk.expect_entered(other, entry)
    changed = Entry(entry.item, entry.kinds, f"{entry.comment}, from the other tab")
    walk.comment(other, changed.comment)
    walk.expect_entered(page, changed)
    walk.send(page)
    return changed


def _second_tab_opens_while_typing(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    other.goto(f"/review/{walk.queue}?item={entry.item}")
    changed = Entry(entry.item, entry.kinds, f"{entry.comment}, typed while the other tab opens it again")
    other.evaluate("setTimeout(() => location.reload(), 50)")
    box = page.get_by_label("Comment on the question")
    box.clear()
    box.press_sequentially(changed.comment, delay=12)
    box.press("Escape")
    walk.expect_entered(page, changed)
    walk.send(page)
    return changed


def _send_without_network(walk: ReviewWalk, page: Page) -> None:
    walk.network.drop()
    walk.send(page)
    expect(page.get_by_text("could not be sent")).to_be_visible()
    walk.network.restore()


def _network_lost_while_sending(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    _send_without_network(walk, page)
    return entry


def _left_while_sending(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    walk.send(page)
    page.goto("/")
    return entry


def _network_lost_and_left(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    _send_without_network(walk, page)
    page.goto("/")
    return entry


def _network_lost_and_reload(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    _send_without_network(walk, page)
    page.reload()
    return entry


def _network_lost_while_typing(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    walk.network.drop()
    changed = Entry(entry.item, entry.kinds, f"{entry.comment}, offline")
    walk.comment(page, changed.comment)
    walk.network.restore()
    page.reload()
    walk.expect_entered(page, changed)
    walk.send(page)
    return changed


def _graph_deleted_while_sending(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    walk.material.delete_graph()
    try:
        walk.send(page)
        expect(page.get_by_text("could not be sent")).to_be_visible()
    finally:
        walk.material.restore_graph()
    return entry


def _graph_deleted_while_typing(walk: ReviewWalk, page: Page, other: Page, entry: Entry) -> Entry:
    walk.material.delete_graph()
    try:
        changed = Entry(entry.item, entry.kinds, f"{entry.comment}, deleted")
        walk.comment(page, changed.comment)
    finally:
        walk.material.restore_graph()
    page.reload()
    walk.expect_entered(page, changed)
    walk.send(page)
    return changed


DISTURBANCES: dict[str, Disturbance] = {
    "none": _none,
    "reload": _reload,
    "part of queue": _part_of_queue,
    "second tab": _second_tab,
    "second tab opens while typing": _second_tab_opens_while_typing,
    "left while sending": _left_while_sending,
    "network lost and left": _network_lost_and_left,
    "network lost while sending": _network_lost_while_sending,
    "network lost and reload": _network_lost_and_reload,
    "network lost while typing": _network_lost_while_typing,
    "graph deleted while sending": _graph_deleted_while_sending,
    "graph deleted while typing": _graph_deleted_while_typing,
}
