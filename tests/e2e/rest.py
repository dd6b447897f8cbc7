"""Pressing what still moves: a button below sections that load, or below a job that has just begun."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

_RESTS = """(element) => new Promise((done) => {
  let place = "", since = 0;
  const look = (now) => {
    const { x, y } = element.getBoundingClientRect();
    if (`${x} ${y}` !== place) { place = `${x} ${y}`; since = now; }
    if (now - since >= 500) done(); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


def press_at_rest(button: Locator) -> None:
    """Press it once it has stayed where it is for half a second."""
    expect(button).to_be_visible()
    button.scroll_into_view_if_needed()
    button.evaluate(_RESTS)
    button.click()
