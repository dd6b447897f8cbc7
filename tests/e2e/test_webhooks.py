"""A webhook is made, tried, watched failing and turned on again; a real worker sends to a real server."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.test_looks import find_violations
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.e2e

SIZES: dict[str, ViewportSize] = {
    "wide": {"width": 1440, "height": 900},
    "narrow": {"width": 390, "height": 844},
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def look(page: Page, shot: Any, name: str) -> None:
    """What is shown obeys the rules of accessibility and fits, wide and narrow, light and dark."""
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert find_violations(page) == [], (name, size, scheme)
            shot(f"{name}-{size}-{scheme}")
    page.set_viewport_size(SIZES["wide"])
    page.emulate_media(color_scheme="light")


def step_a_webhook_is_made_with_the_keyboard(page: Page, receiver: WebhookReceiver, shot: Any) -> None:
    page.goto("/account")
    heading, password = page.get_by_role("heading", name="Your account"), page.get_by_label("Password", exact=True)
    expect(heading.or_(password).first).to_be_visible()
    if page.get_by_role("button", name="Log in").is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(lambda url: "login" not in url)
        page.goto("/account")
    card = page.get_by_role("region", name="Webhooks")
    expect(card).to_contain_text("None yet.")
    card.scroll_into_view_if_needed()
    shot("webhooks-none")
    card.get_by_role("button", name="New webhook").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address").press_sequentially("http://10.0.0.1/clew")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("Webhooks may not be sent to http://10.0.0.1")
    look(page, shot, "webhooks-form")
    dialog.get_by_label("Address").fill(receiver.url)
    dialog.get_by_role("checkbox", name=re.compile("Answer changed")).press("Space")
    dialog.get_by_role("button", name="Create the webhook").press("Enter")
    token = dialog.locator(".token")
    expect(token).to_contain_text("whsec_")
    receiver.secret = token.inner_text().strip()
    look(page, shot, "webhooks-secret")
    page.keyboard.press("Escape")
    expect(card.get_by_role("row").nth(1)).to_contain_text("Job ended, Answer changed")


def step_a_test_arrives_and_what_failed_is_sent_again(page: Page, receiver: WebhookReceiver, shot: Any) -> None:
    card = page.get_by_role("region", name="Webhooks")
    card.get_by_role("button", name=re.compile("^Log of")).press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing was sent yet.")
    dialog.get_by_role("button", name="Send a test event").click()
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("delivered")
    receiver.answers, receiver.body = [500], b"The disk of the receiver is full."
    dialog.get_by_role("button", name="Send a test event").click()
    row = dialog.get_by_role("row").nth(1)
    expect(row).to_contain_text("The server answered 500.")
    row.locator("summary").click()
    expect(row).to_contain_text("The disk of the receiver is full.")
    look(page, shot, "webhooks-log")
    row.get_by_role("button", name=re.compile("^Send (now|again): webhook.test")).click()
    expect(row).to_contain_text("delivered")
    assert {event["type"] for event in receiver.events} == {"webhook.test"}
    assert len(receiver.events) > len({event["id"] for event in receiver.events}) == 2  # repeats keep their id


def step_one_that_fails_for_good_is_turned_off_and_the_bar_says_so(
    page: Page, receiver: WebhookReceiver, shot: Any
) -> None:
    receiver.answers = [410]
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Send a test event").click()
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("failed")
    page.keyboard.press("Escape")
    page.reload()
    card = page.get_by_role("region", name="Webhooks")
    expect(card).to_contain_text("turned off")
    expect(page.get_by_role("button", name=re.compile("1 webhook turned off"))).to_be_visible()
    card.scroll_into_view_if_needed()
    look(page, shot, "webhooks-off")
    card.get_by_role("button", name=re.compile("^More for")).press("Enter")
    page.get_by_role("menuitem", name="Turn on").press("Enter")
    expect(card.get_by_text("on", exact=True)).to_be_visible()
    card.get_by_role("button", name=re.compile("^More for")).click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(card).to_contain_text("None yet.")


test_webhooks = walk(
    step_a_webhook_is_made_with_the_keyboard,
    step_a_test_arrives_and_what_failed_is_sent_again,
    step_one_that_fails_for_good_is_turned_off_and_the_bar_says_so,
)
