"""Paths judged by keys alone, taken back and said again, edited, and decided where two analysts disagree.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e import world
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, ROOT, Clew
from tests.support.tcp_proxy import TcpProxy
from webapp.project.embedded import ServerLayout

pytestmark = pytest.mark.e2e

GRAPH, SET, QUEUE = "Judged lanterns", "judged questions", "Lantern paths"
ANN, BOB = "ann", "bob"
MAKE = f"""
from webapp.accounts.models import User
for name in ({ANN!r}, {BOB!r}):
    User.objects.create_user(name, password={PASSWORD!r}, role="analyst")
"""
FIRST = "which films did Ada Quill direct"
SECOND = "name the movies made by Ada Quill"
LANGUAGES = "which languages are spoken in the films directed by Ada Quill"


def _make_analysts(clew: Clew) -> None:
    """Two accounts that may judge, made as an administrator of the machine makes them."""
    layout = ServerLayout(clew.home)
    env = {
        **os.environ,
        "CLEW_HOME": str(clew.home),
        "DATABASE_URL": layout.database_url,
        "REDIS_URL": layout.redis_url,
        "DJANGO_SETTINGS_MODULE": "webapp.project.settings",
    }
    subprocess.run([sys.executable, "manage.py", "shell", "-c", MAKE], cwd=ROOT, env=env, check=True)


def _log_in(page: Page, name: str) -> None:
    page.goto("/login")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("combobox", name="Question")).to_be_visible()


def _events(clew: Clew, queue: int, number: int) -> list[dict[str, Any]]:
    """The events of the queue, newest first, once there are so many: the page goes on before it has sent the last."""
    deadline = time.monotonic() + 30
    while True:
        found: list[dict[str, Any]] = clew.api("GET", f"review/queues/{queue}/events")["results"]
        if len(found) >= number or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def _question(page: Page, text: str) -> Locator:
    return page.get_by_role("region", name="Question").get_by_role("heading", name=text, exact=True)


@pytest.fixture(scope="module")
def queue(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> int:
    """A queue of label sets by two strategies, in the order of the questions, two analysts a question."""
    graph, asked = world.write(tmp_path_factory.mktemp("judged"))
    with graph.open("rb") as file:
        made = clew.api("POST", "graphs", data={"name": GRAPH, "visibility": "public"}, files={"files": file})["graph"]
    clew.wait_for_quiet()
    with asked.open("rb") as file:
        form = {"name": SET, "graph": made["id"], "format": "jsonl"}
        questions = clew.api("POST", "question-sets", data=form, files={"file": file})
    of = {"graph": made["id"], "question_set": questions["id"]}
    sets = [
        clew.api("POST", "label-sets", json={**of, "strategy": one})["label_set"]["id"]
        for one in ("answer-set", "shortest-path")
    ]
    clew.wait_for_quiet()
    plan = {"name": QUEUE, "label_sets": sets, "ordering": "sequential", "overlap": 2}
    row = clew.api("POST", "review/queues", json={**of, **plan})["queue"]
    clew.wait_for_quiet()
    _make_analysts(clew)
    return int(row["id"])


@pytest.fixture(scope="module")
def ann(browser: Browser, network: TcpProxy, queue: int) -> Any:
    """The page of the first analyst."""
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{network.port}",
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    _log_in(page, ANN)
    yield page
    context.close()


@pytest.fixture(scope="module")
def bob(browser: Browser, network: TcpProxy, queue: int) -> Any:
    """The page of the second analyst."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{network.port}", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(30_000)
    _log_in(page, BOB)
    yield page
    context.close()


def step_questions_are_judged_by_keys_alone(ann: Page, clew: Clew, queue: int) -> None:
    ann.goto("/review")
    ann.get_by_role("link", name=QUEUE).click()
    expect(_question(ann, FIRST)).to_be_visible()
    expect(ann.get_by_text("1 path to judge")).to_be_visible()
    ann.keyboard.press("1")
    expect(ann.get_by_text("Ready to submit")).to_be_visible()
    ann.keyboard.press("Enter")
    expect(_question(ann, SECOND)).to_be_visible()
    ann.keyboard.type("2r3")
    expect(ann.get_by_role("button", name="too wide", pressed=True)).to_be_visible()
    ann.keyboard.press("Escape")
    ann.keyboard.press("Enter")
    expect(_question(ann, "who directed The 1th Lantern")).to_be_visible()
    said = [
        (one["question"], one["verdicts"][0]["kind"], one["verdicts"][0]["reasons"]) for one in _events(clew, queue, 2)
    ]
    assert said == [(SECOND, "not-rational", ["too-wide"]), (FIRST, "rational", [])]


def step_undo_goes_back_across_questions_and_redo_on_again(ann: Page, clew: Clew, queue: int) -> None:
    ann.keyboard.press("Control+z")
    expect(_question(ann, SECOND)).to_be_visible()
    expect(ann.get_by_text("Ready to submit")).to_be_visible()
    ann.keyboard.press("Control+z")
    expect(_question(ann, FIRST)).to_be_visible()
    ann.keyboard.press("Control+Shift+z")
    expect(_question(ann, SECOND)).to_be_visible()
    ann.keyboard.press("Enter")
    expect(_question(ann, "who directed The 1th Lantern")).to_be_visible()
    kinds = [one["kind"] for one in _events(clew, queue, 6)]
    assert kinds == ["submitted", "redone", "undone", "undone", "submitted", "submitted"]


def step_a_path_is_edited_hop_by_hop(ann: Page, clew: Clew, queue: int, shot: Any) -> None:
    rows = clew.api("GET", f"review/queues/{queue}/items", params={"q": LANGUAGES})["results"]
    ann.goto(f"/review/{queue}?item={rows[0]['id']}")
    expect(_question(ann, LANGUAGES)).to_be_visible()
    ann.keyboard.press("e")
    editor = ann.get_by_role("group", name="Edit a path")
    expect(editor.get_by_role("button", name="Hop 2: in language", exact=True)).to_have_class(re.compile("on"))
    expect(editor.get_by_text("This is path 1 already.")).to_be_visible()
    ann.keyboard.press("Backspace")
    expect(editor.get_by_text("reaches 5, 0 of them right")).to_be_visible()
    ann.keyboard.press("Control+Enter")
    expect(ann.get_by_text("added by ann")).to_be_visible()
    expect(ann.get_by_text("changed from path 1")).to_be_visible()
    shot("review-edited")
    ann.keyboard.press("k")
    ann.keyboard.type("1")
    ann.keyboard.press("Enter")
    expect(_question(ann, LANGUAGES)).to_be_hidden()
    item = clew.api("GET", f"review/items/{rows[0]['id']}")
    assert [(one["path"], one["author"]) for one in item["candidates"]] == [
        ([["directed_by", True], ["in_language", False]], None),
        ([["directed_by", True]], ANN),
    ]


def step_the_second_analyst_sees_nothing_of_the_first_and_disagrees(bob: Page, queue: int) -> None:
    bob.goto(f"/review/{queue}")
    expect(_question(bob, FIRST)).to_be_visible()
    expect(bob.get_by_role("region", name="Question")).not_to_contain_text(ANN)
    bob.keyboard.type("1")
    bob.keyboard.press("Enter")
    expect(_question(bob, SECOND)).to_be_visible()
    bob.keyboard.type("1")
    bob.keyboard.press("Enter")
    expect(_question(bob, "who directed The 1th Lantern")).to_be_visible()


def step_a_third_decides_side_by_side_and_accepts_the_rest(page: Page, clew: Clew, queue: int, shot: Any) -> None:
    page.goto(f"/review/{queue}/disagreements")
    question, password = _question(page, SECOND), page.get_by_label("Password")
    expect(question.or_(password)).to_be_visible()
    if password.is_visible():
        page.get_by_label("Name").fill("admin")
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    expect(question).to_be_visible()
    said = page.get_by_role("list", name="What analysts said of it").get_by_role("listitem")
    expect(said).to_have_text([re.compile("ann.*Not rational.*too wide"), re.compile("bob.*Rational")])
    shot("review-disagreement")
    page.get_by_role("button", name="Accept all unanimous").click()
    expect(page.get_by_text("1 question accepted as all analysts say.")).to_be_visible()
    page.locator("body").press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    page.get_by_role("button", name="Take it back").click()
    expect(question).to_be_visible()
    page.locator("body").press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    page.get_by_role("button", name="Show what is decided").click()
    page.get_by_role("button", name="Undo the decision").click()
    expect(page.get_by_role("button", name="Decide", exact=True)).to_be_visible()
    page.locator("body").press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo the decision")).to_be_visible()
    labels = clew.session.get(f"{clew.url}/api/v1/review/queues/{queue}/export", timeout=60).text
    assert labels.count('"verdict": "accepted"') + labels.count('"verdict":"accepted"') >= 2
    page.get_by_role("button", name="Agreement and people").click()
    dialog = page.get_by_role("dialog", name="Agreement and people")
    expect(dialog.get_by_role("row", name="ann and bob")).to_contain_text("50%")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Activity").click()
    expect(page.get_by_text("admin decided")).to_have_count(3)
    expect(page.get_by_text("admin took the decision back of")).to_have_count(2)
    shot("review-events")


test_walk = walk(
    step_questions_are_judged_by_keys_alone,
    step_undo_goes_back_across_questions_and_redo_on_again,
    step_a_path_is_edited_hop_by_hop,
    step_the_second_analyst_sees_nothing_of_the_first_and_disagrees,
    step_a_third_decides_side_by_side_and_accepts_the_rest,
)
