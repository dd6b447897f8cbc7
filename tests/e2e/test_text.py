"""Text and attributes of a graph, and language models, in the browser.

The tests of this module are one walk through the application: they run in order and share one page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

KEY = "sk-never-shown-again"
PASSAGES = [
    {
        "id": "p1",
        "title": "The Paper Lantern",
        "text": "The Paper Lantern is a film. It was directed by Gus Holt. Gus Holt was born in Tromso.",
        "triples": [["The Paper Lantern", "directed by", "Gus Holt"], ["Gus Holt", "born in", "Tromso"]],
    },
    {
        "id": "p2",
        "title": "Tromso",
        "text": "Tromso is a city in Norway. It lies on an island.",
        "triples": [["Tromso", "located in", "Norway"]],
    },
    {"id": "p3", "title": "Lanterns", "text": "A lantern gives light. Some are of paper.", "triples": []},
]


def test_documents_become_a_graph_whose_passages_can_be_read(page: Page, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "lantern_passages.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in PASSAGES) + "\n")
    page.goto("/graphs")
    heading, password = page.get_by_role("heading", name="Graphs"), page.get_by_label("Password")
    expect(heading.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Upload a graph").first.click()
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="lantern passages")).to_be_visible()
    passages = page.get_by_role("region", name="Passages")
    expect(passages.get_by_role("listitem")).to_have_count(len(PASSAGES), timeout=120_000)
    passages.get_by_role("searchbox").fill("island")
    expect(passages.get_by_role("listitem")).to_have_count(1)
    passages.get_by_role("button", name=re.compile("^Tromso")).click()
    opened = page.get_by_role("dialog")
    expect(opened).to_contain_text(str(PASSAGES[1]["text"]))
    expect(opened.get_by_role("listitem")).to_have_text(["Tromso → located in Norway"])
    expect(page).to_have_url(re.compile(r"passage=1$"))
    shot("passage")
    opened.get_by_role("button", name="Close").click()


def test_steps_of_an_agent_fold_open_and_its_passages_are_listed(page: Page, clew: Clew, shot: Any) -> None:
    graph = page.url
    clew.wait_for_quiet()
    page.get_by_role("link", name="Ask this graph").click()
    page.locator(".askbar").get_by_role("button", name=re.compile("Method$")).click()
    page.get_by_role("option", name=re.compile("^Step by step")).click()
    expect(page.locator(".askbar-standing")).to_have_text("needs no training")
    page.get_by_role("combobox", name="Question").fill("where was Gus Holt born")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    steps = page.get_by_role("region", name="Steps")
    steps.get_by_role("button", name="Open Agent step 1").click(timeout=60_000)
    first = steps.get_by_role("listitem").filter(has=page.get_by_role("button", name="Fold Agent step 1"))
    expect(first).to_contain_text("Gus Holt → born in Tromso")
    expect(first.locator("dt", has_text="Stands at").locator("xpath=..")).to_contain_text("Gus Holt")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Tromso")
    expect(page.get_by_role("region", name="Passages")).to_contain_text("The Paper Lantern")
    shot("agent-steps")
    page.goto(graph)


def test_an_answer_from_the_text_leads_to_its_sentence(page: Page, shot: Any) -> None:
    graph = page.url
    page.get_by_role("link", name="Ask this graph").click()
    page.locator(".askbar").get_by_role("button", name=re.compile("Method$")).click()
    page.get_by_role("option", name=re.compile("^Passages")).click()
    page.get_by_role("combobox", name="Question").fill("where was Gus Holt born")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    cited = page.get_by_role("button", name=re.compile("^Sentence cited for .*, in passage 1$")).first
    cited.click(timeout=60_000)
    sentence = page.locator("mark.on")
    expect(sentence).to_be_focused()
    expect(sentence).to_contain_text("Gus Holt was born in Tromso.")
    expect(page).to_have_url(re.compile(r"cite=0\.\d+\.\d+$"))
    shot("citation")
    page.reload()
    expect(page.locator("mark.on")).to_contain_text("Gus Holt was born in Tromso.")
    page.goto(graph)


def test_a_graph_can_be_built_from_the_text_with_the_default_model(page: Page, clew: Clew) -> None:
    page.get_by_role("button", name="Build a graph").click()
    dialog = page.get_by_role("dialog")
    (default,) = [m["name"] for m in clew.api("GET", "language-models")["results"] if m["default"]]
    expect(dialog.get_by_role("button", name=re.compile("Language model$"))).to_contain_text(default)
    dialog.get_by_label("At most, tokens").fill("none")
    expect(dialog.get_by_role("button", name="Start reading")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()


def test_a_language_model_is_added_and_its_key_never_shown_again(
    page: Page, clew: Clew, llm: Any, shot: Any
) -> None:
    page.get_by_role("button", name=re.compile("^You:")).click()
    page.get_by_role("menuitem", name="Language models").click()
    expect(page.get_by_text("from the environment")).to_be_visible()
    page.get_by_role("button", name="Add a language model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_text("This is needed.")).to_have_count(2)
    for label, text in (("Name", "Second"), ("Model", "second-model"), ("Address", llm.url), ("Key", KEY)):
        dialog.get_by_label(label, exact=True).fill(text)
    dialog.get_by_role("button", name="Add", exact=True).click()
    row = page.get_by_role("row").filter(has_text="second-model")
    expect(row).to_contain_text("key stored")
    row.get_by_role("button", name="More for Second").click()
    page.get_by_role("menuitem", name="Change").click()
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("")
    shot("language-model")
    dialog.get_by_role("button", name="Cancel").click()
    assert KEY not in page.content()
    assert KEY not in json.dumps(clew.api("GET", "language-models"))


def test_its_test_shows_the_real_reply(page: Page, llm: Any, shot: Any) -> None:
    before = len(llm.requests)
    page.get_by_role("button", name="Test Second").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Ask it").click()
    expect(dialog.locator(".reply")).to_contain_text("Thinking about the chains.", timeout=60_000)
    assert [request["model"] for request in llm.requests[before:]] == ["second-model"]
    shot("language-model-test")
    dialog.get_by_role("button", name="Close").click()


def test_deleting_it_leaves_the_one_of_the_environment(page: Page, clew: Clew) -> None:
    page.get_by_role("button", name="More for Second").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("second-model")).to_have_count(0)
    assert [m["source"] for m in clew.api("GET", "language-models")["results"]] == ["environment"]
