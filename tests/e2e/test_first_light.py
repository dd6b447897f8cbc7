"""From log-in through upload, training, asking, streaming, stopping, a dropped socket and the run's URL.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import world
from tests.e2e.rest import press_at_rest
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew
from tests.support.tcp_proxy import TcpProxy

pytestmark = pytest.mark.e2e

QUESTION = "which languages are spoken in the films directed by Gus Holt"
ANSWERS = {world.language_of(30), world.language_of(31)}
TRAINING_MS = 300_000


def step_a_wrong_password_is_refused_and_the_right_one_lets_in(page: Page, shot: Any) -> None:
    page.goto("/graphs")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    shot("login-refused")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile("/graphs$"))


def step_upload_names_the_bad_row_and_keeps_the_good_ones(page: Page, tmp_path: Path, shot: Any) -> None:
    graph, asked = world.write(tmp_path)
    page.get_by_role("button", name="Upload").first.click()
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(graph)
    expect(page.get_by_role("region", name="How the files are read")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Lanterns")
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Lanterns")).to_be_visible()
    expect(page.get_by_text("ready", exact=True).first).to_be_visible(timeout=120_000)
    bad_rows = page.get_by_role("region", name="Rows that could not be used")
    expect(bad_rows.locator("tr", has_text="lanterns.tsv")).to_contain_text("3")
    shot("graph-ready")

    page.get_by_role("button", name=re.compile("Upload", re.IGNORECASE)).first.click()
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(asked)
    expect(page.get_by_role("region", name="How the files are read")).to_be_visible()
    press_at_rest(page.get_by_role("dialog").get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text("lantern questions").first).to_be_visible()


def step_a_wrong_file_is_refused_with_the_reason(page: Page, tmp_path: Path, shot: Any) -> None:
    at = page.url
    page.goto("/graphs")
    broken = tmp_path / "broken.tsv.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00garbage")
    page.get_by_role("button", name="Upload").first.click()
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(broken)
    expect(page.get_by_role("region", name="How the files are read")).to_contain_text("broken gzip file")
    expect(page.get_by_role("dialog").get_by_role("button", name="Import", exact=True)).to_be_disabled()
    shot("broken-gzip")
    page.goto(at)


def step_training_is_a_job_that_ends_in_a_checkpoint(page: Page, shot: Any) -> None:
    press_at_rest(page.get_by_role("button", name="Train", exact=True))
    page.get_by_role("dialog").get_by_role("button", name="Start training").click()
    page.get_by_role("button", name=re.compile("^Jobs")).click()
    expect(page.get_by_role("dialog", name="Jobs")).to_contain_text("Lanterns")
    shot("training")
    page.keyboard.press("Escape")
    expect(page.get_by_text("in use", exact=True)).to_be_visible(timeout=TRAINING_MS)
    shot("graph-trained")


def step_asking_streams_paths_and_gives_the_whole_answer_set(page: Page, shot: Any) -> None:
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_role("button", name=re.compile("Graph$")).first.click()
    page.get_by_role("option", name=re.compile("Lanterns")).click()
    page.get_by_role("combobox", name="Question").fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/[0-9a-f-]{36}"))
    answers = page.locator("ol.answers > li")
    expect(answers).to_have_count(len(ANSWERS))
    assert {label.strip() for label in page.locator("ol.answers .answer-label").all_inner_texts()} == ANSWERS
    expect(answers.first).to_contain_text("facts in graph")
    expect(page.locator("section.askbar")).to_contain_text("Gus Holt")
    shot("answered")


def step_a_chain_lights_up_and_says_that_each_hop_is_a_fact(page: Page, shot: Any) -> None:
    chain = page.get_by_role("button", name=re.compile(r"^Chain 1:")).first
    chain.click()
    expect(chain).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(r"chain=0"))
    hops = page.locator("ul.hops > li")
    expect(hops.first).to_contain_text("in graph")
    assert hops.count() == hops.get_by_text("in graph").count()
    shot("chain-lit")


def step_the_run_is_in_the_history_and_at_its_url(page: Page, shot: Any) -> None:
    at = page.url.split("?")[0]
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name=QUESTION).first.click()
    expect(page).to_have_url(re.compile(re.escape(at)))
    page.goto(at)
    expect(page.locator("ol.answers > li")).to_have_count(len(ANSWERS))
    page.goto("/history")
    shot("history")


def _choose_reasoner(page: Page, name: str) -> None:
    page.get_by_role("button", name="Budget, seed, reasoner and settings of the method").click()
    settings = page.get_by_role("dialog", name="How to ask")
    settings.get_by_role("button", name=re.compile("Reasoner$")).click()
    page.get_by_role("option", name=re.compile(f"^{name}")).click()
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(settings.get_by_role("button", name=re.compile("Reasoner$"))).to_be_focused()
    page.keyboard.press("Escape")
    expect(settings).to_be_hidden()


def _ask_the_language_model(page: Page) -> None:
    page.goto("/")
    _choose_reasoner(page, "Language model")
    page.get_by_role("combobox", name="Question").fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".answer-text")).to_contain_text("Thinking about the chains.")


def step_stop_ends_the_run_soon_and_keeps_what_was_found(page: Page, clew: Clew, shot: Any) -> None:
    _ask_the_language_model(page)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Stopped: this result is incomplete")).to_be_visible(timeout=2_000)
    run = clew.api("GET", f"runs/{page.url.rsplit('/', 1)[1].split('?')[0]}")
    assert (run["state"], run["incomplete"]) == ("cancelled", True)
    events = clew.api("GET", f"runs/{run['id']}/events")
    assert any(event["type"] == "path.retrieved" for event in events)
    assert events[-1]["type"] == "run.cancelled"
    shot("stopped")


def step_a_dropped_socket_loses_nothing_and_repeats_nothing(
    page: Page, clew: Clew, network: TcpProxy, shot: Any
) -> None:
    _ask_the_language_model(page)
    network.drop()
    expect(page.get_by_text("Connection lost")).to_be_visible()
    shot("reconnecting")
    network.restore()
    expect(page.locator("ol.answers > li").first).to_be_visible(timeout=60_000)
    run = page.url.rsplit("/", 1)[1].split("?")[0]
    events = clew.api("GET", f"runs/{run}/events")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    said = "".join(event["text"] for event in events if event["type"] == "answer.delta")
    shown = page.locator(".answer-text").inner_text()
    assert shown.count("Thinking") == said.count("Thinking") == 40


def step_a_refresh_in_mid_run_finds_the_run_still_there(page: Page) -> None:
    _ask_the_language_model(page)
    page.reload()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    expect(page.locator(".answer-text")).to_contain_text("Thinking about the chains.")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Stopped: this result is incomplete")).to_be_visible(timeout=2_000)


def step_what_is_not_in_the_graph_gets_a_typed_no_answer(page: Page, shot: Any) -> None:
    _choose_reasoner(page, "Extractive")
    page.get_by_role("combobox", name="Question").fill("where was Zaphod Beeblebrox born")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text(re.compile("Zaphod Beeblebrox.*|names no entity")).first).to_be_visible()
    expect(page.locator("ol.answers > li")).to_have_count(0)
    shot("no-answer")


def step_an_empty_question_is_not_sent(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page).to_have_url(re.compile("/$"))


def step_an_address_that_is_no_page_says_so(page: Page) -> None:
    stray = page.context.new_page()
    answer = stray.goto("/graphs/7/nothing")
    assert answer is not None
    assert answer.status == 404
    expect(stray.get_by_text("There is no such page")).to_be_visible()
    stray.close()


def step_nothing_was_written_to_the_console_as_an_error(console_errors: list[str]) -> None:
    # The wrong password, and the network that was taken away.
    expected = ("401", "net::ERR_", "WebSocket connection to")
    assert [error for error in console_errors if not any(part in error for part in expected)] == []


test_walk = walk(
    step_a_wrong_password_is_refused_and_the_right_one_lets_in,
    step_upload_names_the_bad_row_and_keeps_the_good_ones,
    step_a_wrong_file_is_refused_with_the_reason,
    step_training_is_a_job_that_ends_in_a_checkpoint,
    step_asking_streams_paths_and_gives_the_whole_answer_set,
    step_a_chain_lights_up_and_says_that_each_hop_is_a_fact,
    step_the_run_is_in_the_history_and_at_its_url,
    step_stop_ends_the_run_soon_and_keeps_what_was_found,
    step_a_dropped_socket_loses_nothing_and_repeats_nothing,
    step_a_refresh_in_mid_run_finds_the_run_still_there,
    step_what_is_not_in_the_graph_gets_a_typed_no_answer,
    step_an_empty_question_is_not_sent,
    step_an_address_that_is_no_page_says_so,
    step_nothing_was_written_to_the_console_as_an_error,
)
