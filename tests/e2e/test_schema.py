"""A synonym is added on the schema page of a graph, and the next question uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH = "Airports"
PASSENGERS = {"Oslo": "28,000,000", "Bergen": "6,000,000", "Paris": "70,000,000", "Rome": "40,000,000"}
FACTS = [
    *((airport, "type", "airport") for airport in PASSENGERS),
    *((airport, "pax", number) for airport, number in PASSENGERS.items()),
    ("Oslo", "route", "Bergen"),
    ("Oslo", "route", "Paris"),
    ("Paris", "route", "Rome"),
]
QUESTION = "Which airport has the highest annual traffic?"


def _term(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name, exact=True)


def step_the_schema_lists_kinds_and_relations(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "airports.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/graphs/{made['id']}/schema")
    password = page.get_by_label("Password")
    expect(_term(page, "relation pax").or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    expect(_term(page, "relation pax")).to_contain_text("relation, 4 facts")
    expect(_term(page, "kind airport")).to_contain_text("kind, 4 members")
    expect(_term(page, "relation route")).to_contain_text("Oslo — route → Bergen")
    shot("schema")


def step_a_term_is_described_and_found_again(page: Page, shot: Any) -> None:
    page.get_by_role("button", name="Edit pax").click()
    page.get_by_label("Description").fill("Passengers who use the airport in a year.")
    page.get_by_label("Unit of its values").fill("passengers")
    page.get_by_role("button", name="Save").click()
    expect(_term(page, "relation pax")).to_contain_text("in passengers")
    page.get_by_label("Find a kind, relation or synonym").fill("in a year")
    expect(page.get_by_role("article")).to_have_count(1)


def step_a_synonym_is_added_with_the_keyboard(page: Page, shot: Any) -> None:
    page.get_by_label("Add a synonym of pax").focus()
    page.keyboard.type("annual traffic, route")
    page.keyboard.press("Enter")
    pax = _term(page, "relation pax")
    expect(pax).to_contain_text("Saved: questions use it now")
    expect(pax).to_contain_text("“route” also stands for route: a question with it may mean either.")
    page.get_by_role("button", name="Remove route").click()
    expect(pax).not_to_contain_text("also stands for")
    shot("schema-synonym")


def step_a_phone_and_a_dark_page_show_it_too(page: Page, shot: Any) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(_term(page, "relation pax")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shot("schema-phone-dark")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")


def step_the_next_question_uses_it(page: Page, shot: Any) -> None:
    _term(page, "relation pax").get_by_role("link", name="What is the annual traffic of Bergen?").click()
    box = page.get_by_role("combobox", name="Question")
    expect(box).to_have_value("What is the annual traffic of Bergen?")
    box.fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("Paris, 70,000,000: the largest annual traffic of 4 airports.")).to_be_visible(
        timeout=60_000
    )
    shot("schema-answer")


test_walk = walk(
    step_the_schema_lists_kinds_and_relations,
    step_a_term_is_described_and_found_again,
    step_a_synonym_is_added_with_the_keyboard,
    step_a_phone_and_a_dark_page_show_it_too,
    step_the_next_question_uses_it,
)
