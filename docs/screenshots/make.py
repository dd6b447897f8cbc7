"""Makes the pictures of the README again, from a running Clew with the demo graph:

    CHROMIUM=/usr/bin/chromium CLEW_ADMIN_PASSWORD=... python docs/screenshots/make.py http://127.0.0.1:8000

Needs Pillow besides what the tests need.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
QUESTION = "Which languages are spoken in the countries that border Switzerland?"
WIDTH, HEIGHT = 1280, 800
FILM_WIDTH = 960
STEP_MS, READ_MS = 350, 2500


def entered(browser: Browser, address: str, scheme: str) -> Page:
    """A page of somebody who has logged in."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Password").fill(os.environ["CLEW_ADMIN_PASSWORD"])
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("combobox", name="Question").wait_for()
    return page


def asked(page: Page) -> str:
    """The address of a run of the question that has its answers."""
    page.get_by_role("combobox", name="Question").fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/runs/*")
    page.locator("ol.answers > li").first.wait_for()
    return page.url.split("?")[0]


def shot(page: Page, address: str) -> Image.Image:
    """What the page at the address looks like."""
    page.goto(address)
    page.locator(".graph-canvas canvas").first.wait_for()
    page.wait_for_timeout(1500)  # the drawing and its labels
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def film(page: Page, run: str) -> None:
    """The run step by step, its answers, and one of them looked at."""
    steps = page.locator(".timeline .tick-mark").count()
    shown = sorted({1, 2, 3, 4, 6, 9, steps - 2})
    frames = [shot(page, f"{run}?step={step}") for step in shown]
    frames.append(shot(page, run))
    page.locator("ol.answers .answer-label").first.click()
    frames.append(shot(page, page.url))
    size = (FILM_WIDTH, HEIGHT * FILM_WIDTH // WIDTH)
    small = [frame.resize(size, Image.Resampling.LANCZOS).quantize(96, dither=Image.Dither.NONE) for frame in frames]
    times = [STEP_MS] * len(shown) + [READ_MS, READ_MS]
    small[0].save(HERE / "ask.gif", save_all=True, append_images=small[1:], duration=times, loop=0, optimize=True)


def main(address: str) -> None:
    """All pictures, of the Clew at the address."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"],
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for scheme in ("light", "dark"):
            page = entered(browser, address, scheme)
            run = asked(page)
            shot(page, run).save(HERE / f"ask-{scheme}.png", optimize=True)
            if scheme == "light":
                film(page, run)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
