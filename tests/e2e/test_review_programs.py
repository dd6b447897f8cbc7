"""Programs judged in the browser: right and wrong by keys, a step changed, run, and added as a candidate.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.test_programs import COUNTED, FACTS, LARGEST
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

AFRICANS = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["Africa"]},
    "relation": {"name": "continent", "inverse": True},
}
ASKED = [
    {"id": "most", "question": LARGEST, "answers": ["Algeria"], "split": "train"},
    {
        "id": "many",
        "question": COUNTED,
        "answers": ["5"],
        "program": {"op": "Count", "source": AFRICANS},
        "split": "train",
    },
]


def _question(page: Page, text: str) -> Locator:
    return page.get_by_role("region", name="Question").get_by_role("heading", name=text, exact=True)


def _rows(page: Page) -> Locator:
    return page.locator(".candidate")


def step_a_queue_of_programs_is_made(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file, asked = tmp_path / "judged-lands.tsv", tmp_path / "judged-lands.jsonl"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    asked.write_text("".join(json.dumps(one) + "\n" for one in ASKED))
    with file.open("rb") as content:
        graph = clew.api("POST", "graphs", data={"name": "Judged lands"}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    with asked.open("rb") as content:
        clew.api(
            "POST",
            "question-sets",
            data={"name": "Land questions", "graph": graph["id"]},
            files={"file": content},
        )
    page.goto("/review")
    password = page.get_by_label("Password")
    new = page.get_by_role("button", name="New queue").first
    expect(new.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(new).to_be_visible()
    new.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("What is judged$")).click()
    page.get_by_role("option", name=re.compile("^Programs")).click()
    if not dialog.get_by_role("button", name=re.compile("Judged lands")).is_visible():
        dialog.get_by_role("button", name=re.compile("Graph$")).click()
        page.get_by_role("option", name="Judged lands").click()
    dialog.get_by_role("button", name=re.compile("Order$")).click()
    page.get_by_role("option", name=re.compile("^As the questions come")).click()
    shot("review-programs-new")
    dialog.get_by_role("button", name="Make the queue").click()
    clew.wait_for_quiet()
    page.get_by_role("link", name="Programs of Land questions").first.click()
    expect(_question(page, LARGEST)).to_be_visible()
    expect(_rows(page).first).to_contain_text("largest area")
    expect(_rows(page).first.locator(".program-say")).to_have_count(3)
    expect(_rows(page).first).to_contain_text("gives Algeria, 1 of 1 right")
    shot("review-programs")


def step_a_step_is_changed_run_and_added(page: Page, shot: Any) -> None:
    before = _rows(page).count()
    page.keyboard.press("e")
    editor = page.get_by_role("group", name="Change this program")
    expect(editor.get_by_role("button", name="Add as a candidate")).to_be_disabled()
    editor.get_by_role("button", name=re.compile("^Change step 3")).click()
    editor.get_by_role("button", name=re.compile("Order$")).click()
    page.get_by_role("option", name="smallest or earliest").click()
    editor.get_by_role("button", name="Run", exact=True).click()
    expect(editor).to_contain_text("✗ Togo")
    expect(editor).to_contain_text("○ Algeria")
    shot("review-programs-edited")
    editor.get_by_role("button", name="Add as a candidate").click()
    expect(_rows(page)).to_have_count(before + 1)
    expect(_rows(page).last).to_contain_text("changed from program 1")


def step_right_and_wrong_by_keys(page: Page, clew: Clew, shot: Any) -> None:
    new = _rows(page).last
    expect(new.locator(".badge.good")).to_contain_text("Right")
    new.click()
    page.keyboard.press("2")
    expect(new.locator(".badge.bad").first).to_contain_text("Wrong")
    _rows(page).first.click(position={"x": 6, "y": 6})  # beside its steps, which Enter would press
    page.keyboard.press("1")
    page.keyboard.press("x")
    expect(page.get_by_role("region", name="Question")).to_contain_text("Ready to submit")
    shot("review-programs-judged")
    page.keyboard.press("Enter")
    expect(_question(page, COUNTED)).to_be_visible()
    expect(_rows(page).first).to_contain_text("given 1.00")
    page.keyboard.press("n")
    missing = page.get_by_role("group", name="Add a missing program")
    missing.get_by_label("The question in other words").fill("How many countries are in Europe?")
    missing.get_by_role("button", name="Read it").click()
    expect(missing).to_contain_text("✗ 2")
    shot("review-programs-missing")
    page.keyboard.press("Escape")
    queue = next(one for one in clew.api("GET", "review/queues")["results"] if one["kind"] == "programs")
    assert queue["progress"] == {"open": 1, "done": 1, "broken": 0, "mine": 1}


def step_narrow_and_dark(page: Page, shot: Any) -> None:
    page.emulate_media(color_scheme="dark")
    shot("review-programs-dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    shot("review-programs-narrow")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


test_review_of_programs = walk(
    step_a_queue_of_programs_is_made,
    step_a_step_is_changed_run_and_added,
    step_right_and_wrong_by_keys,
    step_narrow_and_dark,
)
