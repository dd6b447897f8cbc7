"""An answer is shared: opened without an account, embedded by the allowed site alone, and revoked."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import SHOTS
from tests.e2e.test_programs import FACTS
from tests.e2e.test_webhooks import look
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew
from tests.support.file_server import FileServer

pytestmark = pytest.mark.e2e

QUESTION, FOLLOW_UP = "Which countries are in Africa?", "which of them is the largest?"


def _ask(clew: Clew, graph: int, question: str, follows: str | None = None) -> str:
    run = str(clew.api("POST", "runs", json={"graph": graph, "question": question, "follows": follows})["id"])
    assert [event["type"] for event in clew.events(run)][-1] == "answer.final"
    return run


def step_an_answer_is_shared(page: Page, clew: Clew, elsewhere: FileServer, shot: Any, tmp_path: Path) -> None:
    file = tmp_path / "lands.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        graph = clew.api("POST", "graphs", data={"name": "Lands to share"}, files={"files": content})["graph"]["id"]
    clew.wait_for_quiet()
    run = _ask(clew, graph, FOLLOW_UP, follows=_ask(clew, graph, QUESTION))
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "login" not in url)
    page.goto(f"/runs/{run}")
    page.get_by_role("button", name="Link and export of this run").click()
    page.get_by_role("menuitem", name="Share with a link").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("^Sites that may show it")).fill("*.org")
    dialog.get_by_role("button", name="Create the link").click()
    expect(dialog.get_by_role("alert")).to_contain_text("'*.org' is not a site.")
    dialog.get_by_label(re.compile("^Sites that may show it")).fill(f"http://{elsewhere.host}")
    dialog.get_by_role("radio", name=re.compile("The conversation")).check()
    look(page, shot, "share-form")
    dialog.get_by_role("button", name="Create the link").press("Enter")
    expect(dialog.locator(".token")).to_have_count(2)
    shot("share-link")


def step_it_opens_without_an_account(page: Page, new_page: Callable[[], Page], elsewhere: FileServer) -> None:
    link = page.get_by_role("dialog").locator(".token").first.inner_text().strip()
    stranger = new_page()
    stranger.goto(link)
    expect(stranger).to_have_title(re.compile(FOLLOW_UP, re.IGNORECASE))
    first, last = (stranger.get_by_role("article").nth(place) for place in (0, 1))
    expect(first).to_contain_text("Togo")
    expect(last.locator(".answer-sentence")).to_contain_text("Algeria")
    last.get_by_role("button", name=re.compile("^Chain 1:")).click()
    expect(last.locator(".hops")).to_contain_text("in graph")
    expect(last.locator(".plain-canvas canvas").first).to_be_visible()
    look(stranger, partial(_save, stranger), "shared")
    assert [cookie["name"] for cookie in stranger.context.cookies()] == []
    for scheme, path in (("light", "allowed"), ("dark", "dark")):
        source = link.replace("/shared/", "/embed/") + f"?theme={scheme}"
        frame = f'<!doctype html><h1>A blog</h1><iframe src="{source}" width="600" height="500"></iframe>'
        elsewhere.files[f"/{path}.html"] = frame.encode()
        stranger.goto(f"http://{elsewhere.host}/{path}.html")
        embedded = stranger.frame_locator("iframe")
        expect(embedded.locator(".answer-sentence").last).to_contain_text("Algeria")
        expect(embedded.locator(f'html[data-theme="{scheme}"]')).to_have_count(1)
        _save(stranger, f"embedded-{scheme}")
    other = f"http://localhost:{elsewhere.host.split(':')[1]}/allowed.html"  # the same page of a site that may not
    stranger.goto(other)
    expect(stranger.get_by_role("heading", name="A blog")).to_be_visible()
    stranger.wait_for_timeout(300)
    assert [frame.url for frame in stranger.frames][1:] in (["chrome-error://chromewebdata/"], [""])
    stranger.context.close()


def step_it_is_revoked(page: Page, new_page: Callable[[], Page], shot: Any) -> None:
    link = page.get_by_role("dialog").locator(".token").first.inner_text().strip()
    page.goto("/account")
    card = page.get_by_role("region", name="Shared links")
    row = card.get_by_role("row").nth(1)
    expect(row).to_contain_text(FOLLOW_UP)
    card.scroll_into_view_if_needed()
    look(page, shot, "share-account")
    row.get_by_role("button", name=re.compile("^Revoke")).press("Enter")
    page.get_by_role("alertdialog").get_by_role("button", name="Revoke").click()
    expect(card).to_contain_text("None yet.")
    stranger = new_page()
    stranger.goto(link)
    expect(stranger.get_by_role("heading", name="This link was revoked.")).to_be_visible()
    _save(stranger, "shared-revoked")
    stranger.goto(f"{link}x")
    expect(stranger.get_by_role("heading", name="There is no such link.")).to_be_visible()
    stranger.context.close()


def _save(page: Page, name: str) -> None:
    """Save a picture of a page that is not the fixture's."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


test_sharing = walk(step_an_answer_is_shared, step_it_opens_without_an_account, step_it_is_revoked)
