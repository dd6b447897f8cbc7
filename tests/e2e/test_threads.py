"""A thread of three questions in the browser: the ghost chip, how each was read, and the thread's address.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_programs import FACTS
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH = "Lands of a thread"
FIRST, SECOND, THIRD = (
    "Which countries are in Africa?",
    "which of them is the largest?",
    "and the second largest?",
)


def _ask(page: Page, question: str) -> None:
    page.get_by_role("combobox", name="Question").fill(question)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()


def step_the_first_question_is_answered(page: Page, clew: Clew, tmp_path: Path) -> None:
    file = tmp_path / "lands.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/?graph={made['id']}")
    box, password = page.get_by_role("combobox", name="Question"), page.get_by_label("Password")
    expect(box.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    _ask(page, FIRST)
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Algeria", timeout=60_000)


def step_what_a_follow_up_is_about_stands_beside_the_field(page: Page, shot: Any) -> None:
    page.get_by_role("combobox", name="Question").fill("")
    expect(page.locator(".chip.ghost")).to_contain_text("about: 5 countries that are in Africa")
    shot("thread-chip")
    _ask(page, SECOND)
    expect(page.locator(".read-as")).to_contain_text("Which of these 5 countries is the largest?", timeout=60_000)
    expect(page.locator(".chip.ghost")).to_have_count(0)


def step_the_third_follows_the_second(page: Page, shot: Any) -> None:
    _ask(page, THIRD)
    read = page.locator(".read-as")
    expect(read).to_contain_text("Which of these 5 countries is the second largest?", timeout=60_000)
    turns = page.get_by_role("navigation", name="Thread").get_by_role("listitem")
    expect(turns).to_have_count(3)
    expect(turns.nth(2)).to_contain_text("Congo", timeout=60_000)
    shot("thread")
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    expect(turns.nth(2)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot("thread-phone")
    assert wide is not None
    page.set_viewport_size(wide)
    page.emulate_media(color_scheme="dark")
    shot("thread-dark")
    page.emulate_media(color_scheme="light")


def step_the_thread_has_an_address_and_survives_a_reload(page: Page) -> None:
    page.reload()
    expect(page.locator(".read-as")).to_contain_text("Which of these 5 countries is the second largest?")
    # Its address leads back to where this is, so that only its request says that the way was gone.
    with page.expect_response(re.compile(r"/runs\?(.*&)?page_size=1(&|$)")):
        page.get_by_role("navigation", name="Thread").get_by_role("link", name="Thread").click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]+"))
    expect(page.get_by_role("heading", level=1)).to_have_text(THIRD)


def step_without_the_chip_the_question_stands_alone(page: Page) -> None:
    box = page.get_by_role("combobox", name="Question")
    expect(box).to_have_value(THIRD)  # the run has come
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Congo", timeout=60_000)  # with its answers
    box.fill("")
    page.get_by_role("button", name=re.compile("^Ask without")).click()
    _ask(page, "Which country in Europe has the largest area?")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("France", timeout=60_000)
    expect(page.locator(".read-as")).to_have_count(0)
    expect(page.get_by_role("navigation", name="Thread")).to_have_count(0)


test_a_thread = walk(
    step_the_first_question_is_answered,
    step_what_a_follow_up_is_about_stands_beside_the_field,
    step_the_third_follows_the_second,
    step_the_thread_has_an_address_and_survives_a_reload,
    step_without_the_chip_the_question_stands_alone,
)
