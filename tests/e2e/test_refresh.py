"""A file that is served elsewhere is read again, in the browser: what changed is shown, and what went wrong."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew
from tests.support.file_server import FileServer

pytestmark = pytest.mark.e2e

LAKES = b"lake,country\nLake Geneva,Switzerland\nLake Como,Italy\n"


def step_a_source_is_set_and_tried(page: Page, clew: Clew, elsewhere: FileServer, shot: Any) -> None:
    elsewhere.files["/lakes.csv"] = LAKES
    made = clew.api("POST", "graphs", json={"name": "Served lakes", "sources": [f"http://{elsewhere.host}/lakes.csv"]})
    clew.wait_for_job(made["job"]["id"])
    page.goto(f"/graphs/{made['graph']['id']}")
    heading, password = page.get_by_role("heading", name="Served lakes"), page.get_by_label("Password")
    expect(heading.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    card = page.get_by_role("region", name="Source", exact=True)
    expect(card).to_contain_text("None is set.")
    card.get_by_role("button", name="Set a source").click()
    dialog = page.get_by_role("dialog")
    address, test = dialog.get_by_label("Addresses, one per line"), dialog.get_by_role("button", name="Test connection")
    address.fill("http://10.0.0.1/lakes.csv")
    test.click()
    expect(dialog.get_by_role("alert")).to_contain_text("Files may not be imported from http://10.0.0.1")
    address.fill(f"http://{elsewhere.host}/lakes.csv")
    test.click()
    expect(dialog).to_contain_text("Lake Geneva,Switzerland")
    expect(dialog).to_contain_text("with the data model of the current version")
    dialog.get_by_role("button", name=re.compile("Read it again")).click()
    page.get_by_role("option", name="Every day").click()
    dialog.get_by_label("Time (UTC)").fill("05:45")
    shot("source-form")
    dialog.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("every day at 05:45 UTC")
    expect(dialog).to_have_count(0)


def step_what_changed_becomes_the_next_version(page: Page, elsewhere: FileServer, shot: Any) -> None:
    card = page.get_by_role("region", name="Source", exact=True)
    elsewhere.files["/lakes.csv"] = LAKES + b"Lake Garda,Italy\n"
    card.get_by_role("button", name="Refresh now").press("Enter")
    row = card.get_by_role("row").nth(1)
    expect(row).to_contain_text("new version v2", timeout=60_000)
    row.get_by_role("button", name="What changed").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Lake Garda → country Italy")
    shot("source-diff")
    page.keyboard.press("Escape")


def step_a_source_that_is_gone_leaves_the_graph_as_it_is(page: Page, elsewhere: FileServer, shot: Any) -> None:
    card = page.get_by_role("region", name="Source", exact=True)
    del elsewhere.files["/lakes.csv"]
    card.get_by_role("button", name="Refresh now").click()
    expect(page.get_by_text(re.compile("The last refresh failed: .* answers 404"))).to_be_visible(timeout=60_000)
    expect(card.get_by_role("row").nth(1)).to_contain_text("failed")
    expect(page.get_by_text(re.compile("Version 2 stays in use"))).to_be_visible()
    card.scroll_into_view_if_needed()
    shot("source-failed")
    _look(page, shot)


def _look(page: Page, shot: Any) -> None:
    """Take pictures of the card in the dark and on a phone."""
    if not os.environ.get("CLEW_SHOTS"):
        return
    card = page.get_by_role("region", name="Source", exact=True)
    page.emulate_media(color_scheme="dark")
    card.scroll_into_view_if_needed()
    shot("source-dark")
    page.set_viewport_size({"width": 390, "height": 844})
    card.scroll_into_view_if_needed()
    shot("source-phone")
    card.get_by_role("button", name="Change", exact=True).click()
    shot("source-form-phone")


test_refresh = walk(
    step_a_source_is_set_and_tried,
    step_what_changed_becomes_the_next_version,
    step_a_source_that_is_gone_leaves_the_graph_as_it_is,
)
