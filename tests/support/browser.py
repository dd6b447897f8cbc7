"""A Chromium without a screen for measuring, and a page of somebody who is logged in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.conftest import ARGS
from tests.e2e.run import find_chromium
from tests.support.clew import PASSWORD, Clew

WIDE = {"width": 1440, "height": 900}


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium.

    Raises:
        SystemExit: there is none.
    """
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("Set CHROMIUM to the path of a Chromium.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        try:
            yield browser
        finally:
            browser.close()


def open_page(browser: Browser, clew: Clew, **options: Any) -> Page:
    """A page of a browser that was never here before, logged in; ``options`` are those of its context."""
    context = browser.new_context(**{"base_url": clew.url, "viewport": WIDE, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "login" not in url)
    return page
