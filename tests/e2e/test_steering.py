"""An agent watched, paused, taken back and sent another way in the browser.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH = "Steered lanterns"
FACTS = [
    ("Paper Moon", "written_by", "Ada Quill"),
    ("Paper Moon", "written_by", "Bo Marsh"),
    ("Red Kite", "directed_by", "Ada Quill"),
    ("Red Kite", "in_language", "Quenya"),
]
QUESTION = "which films were written by Ada Quill"


def step_an_agent_rests_after_its_first_step(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "steered.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/?graph={made['id']}&method=graph-s3")
    box, password = page.get_by_role("combobox", name="Question"), page.get_by_label("Password")
    expect(box.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    page.get_by_role("checkbox", name="step by step").check()
    box.fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    panel = page.get_by_role("region", name="Paused after step 1")
    expect(panel).to_be_visible(timeout=60_000)
    choices = panel.get_by_role("list", name="What could come next").get_by_role("button")
    expect(choices).to_have_count(2)
    expect(choices.first).to_contain_text("policy")
    shot("agent-paused")


def step_a_person_sends_it_another_way_and_takes_that_back(page: Page, shot: Any) -> None:
    page.get_by_role("button", name=re.compile("^Keep ← directed by")).click()
    expect(page.get_by_role("region", name="Paused after step 2")).to_be_visible()
    steps = page.get_by_role("region", name="Steps")
    second = steps.get_by_role("button", name=re.compile("Agent step 2 Keep ← directed by"))
    expect(second).to_contain_text("chosen by a person")
    page.locator("body").press("u")
    expect(page.get_by_role("region", name="Paused after step 1")).to_be_visible()
    expect(steps.get_by_text("(taken back)")).to_have_count(1)
    shot("agent-taken-back")


def step_it_goes_on_after_a_reload_and_answers(page: Page, shot: Any) -> None:
    page.reload()
    panel = page.get_by_role("region", name="Paused after step 1")
    expect(panel).to_be_visible()
    panel.get_by_role("button", name=re.compile("^Keep ← written by")).click()
    panel = page.get_by_role("region", name="Paused after step 2")
    panel.get_by_role("button", name=re.compile("^Finish")).click()
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Paper Moon")
    shot("agent-answered")


def step_a_finished_run_is_taken_up_and_corrections_are_kept(page: Page, clew: Clew, shot: Any) -> None:
    steps = page.get_by_role("region", name="Steps")
    steps.get_by_role("button", name="Open Agent step 2").last.click()
    steps.get_by_role("button", name="Keep ← directed by, 1 fact").click()
    panel = page.get_by_role("region", name="Paused after step 2")
    expect(panel).to_be_visible()
    panel.get_by_role("button", name=re.compile("^Finish")).click()
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Red Kite")
    expect(page.get_by_role("region", name="Answers")).not_to_contain_text("Paper Moon")
    run = page.url.rsplit("/", 1)[-1].split("?")[0]
    rows = [row for row in clew.api("GET", "corrections")["results"] if row["run"] == run]
    assert [row["state"] for row in rows if row["step"] == 2] == ["kept"]
    graph = clew.api("GET", f"runs/{run}")["graph"]
    file = clew.session.get(f"{clew.url}/api/v1/corrections/download", params={"graph": graph}, timeout=60)
    kept = [json.loads(line) for line in file.text.splitlines()]
    assert [(row["answers"], row["actions"][1]) for row in kept] == [
        (["Red Kite"], {"kind": "choose", "relations": [["directed_by", True]]})
    ]
    shot("agent-taken-up")


test_walk = walk(
    step_an_agent_rests_after_its_first_step,
    step_a_person_sends_it_another_way_and_takes_that_back,
    step_it_goes_on_after_a_reload_and_answers,
    step_a_finished_run_is_taken_up_and_corrections_are_kept,
)
