"""Facts are added, changed and removed in the page, entities are merged, and all of it is undone.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.rest import press_at_rest
from tests.e2e.walks import walk
from tests.support import drawing
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH = "Alpine lakes"
FACTS = [
    *((lake, "type", "lake") for lake in ("Lake Constance", "lake constance", "Chiemsee", "Lake Garda")),
    *((land, "type", "country") for land in ("Germany", "Austria", "Italy")),
    ("Lake Constance", "in country", "Germany"),
    ("lake constance", "in country", "Austria"),
    ("Chiemsee", "in country", "Germany"),
    ("Lake Garda", "in country", "Italy"),
]


def _dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


MIDDLE_OF_LINE = """() => {
  const cy = document.querySelector(".graph-canvas")._cyreg.cy;
  const { x, y } = cy.edges()[0].renderedMidpoint();
  const box = cy.container().getBoundingClientRect();
  return [box.x + x, box.y + y];
}"""


def _edits(page: Page) -> Locator:
    return page.get_by_role("list", name="Log of edits")


def add_a_fact(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "lakes.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        graph = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/graphs/{graph['id']}")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Suggested duplicates")).to_be_visible()
    press_at_rest(page.get_by_role("region", name="Edits").get_by_role("button", name="Add a fact"))
    for label, text in (("Entity", "Lake Lugano"), ("Relation", "in country"), ("Entity or value", "Italy")):
        _dialog(page).get_by_label(label, exact=True).fill(text)
    _dialog(page).get_by_label("Reason").fill("missing")
    _dialog(page).get_by_label("Source").fill("atlas, page 7")
    expect(_dialog(page).get_by_text("1 fact added")).to_be_visible()
    expect(_dialog(page).get_by_text("New to the graph: Lake Lugano")).to_be_visible()
    shot("edits-dialog")
    _dialog(page).get_by_role("button", name="Save").click()
    expect(_edits(page).get_by_text("Add Lake Lugano · in country · Italy")).to_be_visible()
    expect(_edits(page).get_by_text("in use")).to_be_visible(timeout=60_000)
    expect(_edits(page).get_by_text("Source: atlas, page 7")).to_be_visible()


def ask_about_it(page: Page, shot: Any) -> None:
    address = page.url
    page.get_by_role("link", name="Ask this graph").click()
    page.get_by_role("combobox", name="Question").fill("In which country is Lake Lugano?")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    answers = page.get_by_role("region", name="Answers")
    expect(answers.get_by_role("button", name="Italy", exact=True)).to_be_visible(timeout=120_000)
    page.goto(address)


def merge_duplicates(page: Page, shot: Any) -> None:
    duplicates = page.get_by_role("region", name="Suggested duplicates")
    expect(duplicates.get_by_role("listitem")).to_have_count(1)
    duplicates.scroll_into_view_if_needed()
    shot("edits-duplicates")
    press_at_rest(duplicates.get_by_role("button", name="Merge…"))
    expect(_dialog(page).get_by_text("+ Lake Constance · in country · Austria")).to_be_visible()
    _dialog(page).get_by_role("button", name="Save").click()
    expect(duplicates.get_by_text("No two entities")).to_be_visible(timeout=60_000)
    expect(_edits(page).get_by_role("listitem").first).to_contain_text("Merge lake constance into Lake Constance")


def change_a_fact(page: Page, shot: Any) -> None:
    page.get_by_role("combobox", name="Find an entity").fill("Chiemsee")
    page.get_by_role("option", name="Chiemsee").first.click()
    press_at_rest(page.get_by_role("button", name="Edit Chiemsee in country Germany"))
    _dialog(page).get_by_label("Entity or value", exact=True).fill("Austria")
    expect(_dialog(page).get_by_text("1 fact removed, 1 fact added")).to_be_visible()
    _dialog(page).get_by_role("button", name="Cancel").click()
    press_at_rest(page.get_by_role("button", name="Remove Chiemsee in country Germany"))
    expect(_dialog(page).get_by_text("− Chiemsee · in country · Germany")).to_be_visible()
    shot("edits-remove")
    _dialog(page).get_by_role("button", name="Save").click()
    expect(_edits(page).get_by_text("Remove Chiemsee · in country · Germany")).to_be_visible()
    expect(page.get_by_role("button", name="Undo edit 3")).to_be_visible(timeout=60_000)


def undo_all(page: Page, shot: Any) -> None:
    for number in (3, 2, 1):
        press_at_rest(page.get_by_role("button", name=f"Undo edit {number}"))
        expect(page.get_by_role("button", name=f"Undo edit {number}")).to_have_count(0, timeout=60_000)
    expect(_edits(page).get_by_text("undone", exact=True)).to_have_count(3)
    expect(page.get_by_role("region", name="Suggested duplicates").get_by_role("listitem")).to_have_count(1)
    shot("edits-log")
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    _edits(page).scroll_into_view_if_needed()
    shot("edits-phone")


def edit_from_an_answer(page: Page, shot: Any) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    page.get_by_role("link", name="Ask this graph").click()
    page.get_by_role("combobox", name="Question").fill("In which country is Chiemsee?")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    answers = page.get_by_role("region", name="Answers")
    expect(answers.get_by_role("button", name="Germany", exact=True)).to_be_visible(timeout=120_000)
    selected = page.get_by_role("complementary", name="What is selected")
    drawing.read(page)
    page.mouse.click(*page.evaluate(MIDDLE_OF_LINE))
    shot("edits-answer-fact")
    press_at_rest(selected.get_by_role("button", name="Edit Chiemsee in country Germany"))
    _dialog(page).get_by_label("Entity or value", exact=True).fill("Bavaria")
    _dialog(page).get_by_label("Reason").fill("more precise")
    expect(_dialog(page).get_by_text("New to the graph: Bavaria")).to_be_visible()
    _dialog(page).get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"{GRAPH} has a newer version")).to_be_visible(timeout=60_000)
    shot("edits-answer-earlier")
    page.get_by_role("button", name="Ask again").click()
    bavaria = answers.get_by_role("button", name="Bavaria", exact=True)
    expect(bavaria).to_be_visible(timeout=120_000)
    expect(page.get_by_text("has a newer version")).to_have_count(0)
    bavaria.click()
    press_at_rest(selected.get_by_role("button", name="Rename…"))
    expect(_dialog(page).get_by_label("New name")).to_have_value("Bavaria")
    shot("edits-answer-rename")
    _dialog(page).get_by_role("button", name="Cancel").click()


test_edits = walk(add_a_fact, ask_about_it, merge_duplicates, change_a_fact, undo_all, edit_from_an_answer)
