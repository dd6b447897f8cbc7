"""A relation of a finished graph is renamed in its page, without an upload, and asked for by its new name."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

BOATS = "boat,skipper,length\nGull,Ann Lee,12\nTern,Bo Ek,9\nSkua,Cy Dow,15\nLoon,Di Fox,11\n"


def test_a_relation_is_renamed_and_asked_for(clew: Clew, page: Page) -> None:
    made = clew.api("POST", "graphs", data={"name": "Boats"}, files={"files": ("boats.csv", BOATS)})
    clew.wait_for_job(made["job"]["id"])
    graph = made["graph"]["id"]
    page.goto("/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).not_to_have_url(re.compile("/login"))
    page.goto(f"/graphs/{graph}")
    page.get_by_text("Data model", exact=True).click()
    page.get_by_role("button", name="Change the data model").click()
    dialog = page.get_by_role("dialog")
    relation = dialog.get_by_label("Relation of skipper")
    relation.fill("sailed by")
    relation.press("Enter")
    expect(dialog.get_by_text("Gull is a boat: sailed by Ann Lee, length 12.")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(dialog.get_by_text("Gull is a boat: skipper Ann Lee, length 12.")).to_be_visible()
    dialog.get_by_role("button", name="Redo").click()
    expect(dialog.get_by_text("Relation of skipper (boat): sailed by")).to_be_visible()
    dialog.get_by_role("button", name="Create the next version").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("row").filter(has_text="Data model of version 1 changed")).to_contain_text("in use")
    run = clew.api("POST", "runs", json={"graph": graph, "question": "Which boat is sailed by Bo Ek?"})["id"]
    assert list(clew.events(run))[-1]["type"] == "answer.final"
    assert clew.api("GET", f"runs/{run}")["answers"] == ["Tern"]
