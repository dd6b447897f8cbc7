"""Text and attributes of a graph, and language models, in the browser. Each test stands alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.rest import press_at_rest
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


@pytest.fixture
def page(new_page: Callable[[], Page]) -> Iterator[Page]:
    """A page of the test's own, logged in."""
    page = new_page()
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name=re.compile("^You:"))).to_be_visible()
    yield page
    page.context.close()


@pytest.fixture(scope="module", autouse=True)
def console_errors() -> None:
    """Pages of these tests come and go."""


def _passages(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("\n".join(json.dumps(row) for row in PASSAGES) + "\n")
    return file


@pytest.fixture(scope="module")
def graph(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a graph with passages that can be asked."""
    with _passages(tmp_path_factory.mktemp("told"), "told.jsonl").open("rb") as file:
        made = clew.api("POST", "graphs", data={"name": "Told passages"}, files={"files": file})["graph"]
    clew.wait_for_quiet()
    return f"/graphs/{made['id']}"


def _ask(page: Page, method: str) -> None:
    page.get_by_role("link", name="Ask this graph").click()
    page.locator(".askbar").get_by_role("button", name=re.compile("Method$")).click()
    page.get_by_role("option", name=re.compile(f"^{method}")).click()
    page.get_by_role("combobox", name="Question").fill("where was Gus Holt born")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/"))


def test_documents_become_a_graph_whose_passages_can_be_read(page: Page, tmp_path: Path, shot: Any) -> None:
    file = _passages(tmp_path, "lantern_passages.jsonl")
    page.goto("/graphs")
    page.get_by_role("button", name="Upload a graph").first.click()
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(file)
    press_at_rest(page.get_by_role("dialog").get_by_role("button", name="Import", exact=True))
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


def test_steps_of_an_agent_fold_open_and_its_passages_are_listed(page: Page, graph: str, shot: Any) -> None:
    page.goto(graph)
    _ask(page, "Step by step")
    expect(page.locator(".askbar-checkpoint")).to_have_text("needs no training")
    steps = page.get_by_role("region", name="Steps")
    steps.get_by_role("button", name="Open Agent step 1").click(timeout=60_000)
    first = steps.get_by_role("listitem").filter(has=page.get_by_role("button", name="Fold Agent step 1"))
    expect(first).to_contain_text("Gus Holt → born in Tromso")
    expect(first.locator("dt", has_text="Stands at").locator("xpath=..")).to_contain_text("Gus Holt")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Tromso")
    expect(page.get_by_role("region", name="Passages")).to_contain_text("The Paper Lantern")
    shot("agent-steps")


def test_an_answer_from_the_text_leads_to_its_sentence(page: Page, graph: str, shot: Any) -> None:
    page.goto(graph)
    _ask(page, "Passages")
    cited = page.get_by_role("button", name=re.compile("^Sentence cited for .*, in passage 1$")).first
    cited.click(timeout=60_000)
    sentence = page.locator("mark.on")
    expect(sentence).to_be_focused()
    expect(sentence).to_contain_text("Gus Holt was born in Tromso.")
    expect(page).to_have_url(re.compile(r"cite=0\.\d+\.\d+$"))
    shot("citation")
    page.reload()
    expect(page.locator("mark.on")).to_contain_text("Gus Holt was born in Tromso.")


def test_an_example_question_of_the_passages_is_asked_by_a_click(page: Page, graph: str, shot: Any) -> None:
    page.goto(f"/?graph={graph.rsplit('/', 1)[-1]}")
    examples = page.locator(".examples").get_by_role("button")
    expect(examples.first).to_be_visible()
    assert "Where was Gus Holt born?" in examples.all_inner_texts()
    shot("passage-examples")
    examples.filter(has_text="Where was Gus Holt born?").click()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.get_by_role("combobox", name="Question")).to_have_value("Where was Gus Holt born?")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Tromso", timeout=60_000)


def test_a_click_on_ask_is_not_lost_while_the_graphs_are_looked_up(page: Page, graph: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/api/v1/graphs\?"), hold)
    page.goto(graph)
    _ask(page, "Step by step")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Tromso", timeout=60_000)
    assert held
    page.unroute_all(behavior="ignoreErrors")


def test_a_graph_can_be_built_from_the_text_with_the_default_model(page: Page, clew: Clew, graph: str) -> None:
    page.goto(graph)
    page.get_by_role("button", name="Build a graph").click()
    dialog = page.get_by_role("dialog")
    (default,) = [m["name"] for m in clew.api("GET", "language-models")["results"] if m["default"]]
    expect(dialog.get_by_role("button", name=re.compile("Language model$"))).to_contain_text(default)
    dialog.get_by_label("Token limit").fill("none")
    expect(dialog.get_by_role("button", name="Start reading")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()


@pytest.fixture
def models(page: Page, clew: Clew) -> Iterator[Page]:
    """The page of language models; what was added there goes again."""
    page.get_by_role("button", name=re.compile("^You:")).click()
    page.get_by_role("menuitem", name="Language models").click()
    expect(page.get_by_text("from the environment")).to_be_visible()
    yield page
    for one in clew.api("GET", "language-models")["results"]:
        if one["name"] == "Second":
            clew.api("DELETE", f"language-models/{one['id']}")


def _add(page: Page, llm: Any) -> None:
    page.get_by_role("button", name="Add a language model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_text("This is needed.")).to_have_count(2)
    for label, text in (("Name", "Second"), ("Model", "second-model"), ("Address", llm.url), ("Key", KEY)):
        dialog.get_by_label(label, exact=True).fill(text)
    dialog.get_by_role("button", name="Add", exact=True).click()


def test_a_language_model_is_added_and_its_key_never_shown_again(models: Page, clew: Clew, llm: Any, shot: Any) -> None:
    page = models
    _add(page, llm)
    dialog = page.get_by_role("dialog")
    row = page.get_by_role("row").filter(has_text="second-model")
    expect(row).to_contain_text("key stored")
    row.get_by_role("button", name="More for Second").click()
    page.get_by_role("menuitem", name="Change").click()
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("")
    shot("language-model")
    dialog.get_by_role("button", name="Cancel").click()
    assert KEY not in page.content()
    assert KEY not in json.dumps(clew.api("GET", "language-models"))


def test_its_test_shows_the_real_reply(models: Page, llm: Any, shot: Any) -> None:
    page = models
    _add(page, llm)
    before = len(llm.requests)
    page.get_by_role("button", name="Test Second").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Ask it").click()
    expect(dialog.locator(".reply")).to_contain_text("Thinking about the chains.", timeout=60_000)
    assert [request["model"] for request in llm.requests[before:]] == ["second-model"]
    shot("language-model-test")
    dialog.get_by_role("button", name="Close").click()


def test_deleting_it_leaves_the_one_of_the_environment(models: Page, clew: Clew, llm: Any) -> None:
    page = models
    _add(page, llm)
    page.get_by_role("button", name="More for Second").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("second-model")).to_have_count(0)
    assert [m["source"] for m in clew.api("GET", "language-models")["results"]] == ["environment"]
