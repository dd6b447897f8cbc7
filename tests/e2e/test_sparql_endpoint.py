"""A graph that stays in a SPARQL endpoint, in the browser.

The steps are one walk through the application: they are one test and share one page. It makes the
browser log failed requests, and is logged in by whoever came before: files that look at either come before it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD
from tests.support.sparql_server import SparqlServer

pytestmark = pytest.mark.e2e


def step_an_endpoint_is_connected_when_it_answers(page: Page, films: SparqlServer, shot: Any) -> None:
    page.goto("/graphs")
    heading = page.get_by_role("heading", name="Graphs", exact=True)
    password = page.get_by_label("Password")
    expect(heading.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Connect a SPARQL endpoint").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Remote films")
    address, connect = dialog.get_by_label("Address"), dialog.get_by_role("button", name="Check and connect")
    address.fill("http://10.0.0.1/sparql")
    connect.click()
    expect(dialog.get_by_role("alert")).to_contain_text("Graphs may not be asked at http://10.0.0.1")
    address.fill(films.url)
    films.broken = ("200 OK", b"<html>welcome</html>")
    connect.click()
    expect(dialog.get_by_role("alert")).to_contain_text("did not answer with SPARQL results")
    films.broken = None
    connect.click()
    expect(page.get_by_role("heading", name="Remote films")).to_be_visible()
    expect(page.get_by_role("region", name="SPARQL endpoint")).to_contain_text(films.url)
    expect(page.get_by_role("region", name="What needs an import")).to_be_visible()
    expect(page.get_by_role("region", name="Versions")).to_have_count(0)
    shot("endpoint")


def step_one_looks_around_in_it_by_whole_names(page: Page, shot: Any) -> None:
    around = page.get_by_role("region", name="Explore")
    around.get_by_role("combobox", name="Find an entity").fill("gus")
    expect(around).to_contain_text("No entity is called “gus”, spelt like that.")
    around.get_by_role("combobox", name="Find an entity").fill("gus holt")
    around.get_by_role("option", name=re.compile("^Gus Holt")).click()
    facts = around.get_by_role("list").first.get_by_role("listitem")
    expect(facts).to_have_text(
        [
            "Gus Holt → born in → Tromso",
            "Low Tide → directed by → Gus Holt",
            "The Paper Lantern → directed by → Gus Holt",
        ]
    )
    facts.get_by_role("button", name="The Paper Lantern").click()
    expect(around.get_by_role("heading", name="The Paper Lantern")).to_be_visible()
    expect(around).to_contain_text("The Paper Lantern → release year → 1931")
    shot("endpoint-around")


def step_a_question_is_answered_by_what_is_pulled(page: Page, films: SparqlServer, shot: Any) -> None:
    page.get_by_role("link", name="Ask this graph").click()
    page.locator(".askbar").get_by_role("button", name=re.compile("Method$")).click()
    expect(page.get_by_role("option")).to_have_count(1)  # others that need no index are behind the gear
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Question").fill("who directed The Paper Lantern")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    answers = page.get_by_role("region", name="Answers")
    expect(answers).to_contain_text("Gus Holt", timeout=60_000)
    expect(answers).to_contain_text("facts in graph")
    expect(answers.get_by_role("button", name=re.compile("wrong", re.IGNORECASE))).to_have_count(0)
    steps = page.get_by_role("region", name="Steps")
    expect(steps).to_contain_text("Subgraph pulled")
    expect(page.locator("dl.facts")).to_contain_text(f"endpoint{films.url}")
    expect(page.locator("dl.facts")).to_contain_text(re.compile(r"pulled .* by \d+ quer"))
    shot("endpoint-run")


def step_a_node_of_its_drawing_is_expanded_by_a_query(page: Page) -> None:
    drawing = page.get_by_role("application")
    before = re.search(r"\d+", drawing.get_attribute("aria-label") or "")
    assert before is not None
    find = page.get_by_role("searchbox", name="Search in the graph")
    find.fill("Tromso")
    expect(page.locator(".graph-search")).to_contain_text("none here")  # no fact of the answer
    find.fill("Gus Holt")
    expect(page.locator(".graph-search")).to_contain_text("1 of 1")
    find.press("Escape")
    page.keyboard.press("e")
    expect(drawing).to_have_attribute("aria-label", re.compile(f"^Drawing of {int(before[0]) + 2} entities"))
    find.fill("Tromso")
    expect(page.locator(".graph-search")).to_contain_text("1 of 1")
    find.press("Escape")


def step_a_count_is_computed_by_the_endpoint(page: Page, shot: Any) -> None:
    question = page.get_by_role("combobox", name="Question")
    question.fill("how many films did Gus Holt direct")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    answers = page.get_by_role("region", name="Answers")
    worked = page.get_by_role("region", name="How it was worked out")
    expect(worked).to_contain_text("count them", timeout=60_000)
    expect(answers).to_contain_text("2")
    shot("endpoint-program")
    worked.get_by_role("button", name=re.compile("^Copy")).click()
    expect(page.get_by_role("menuitem", name="Copy as SPARQL")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Copy as Cypher")).to_have_count(0)
    page.keyboard.press("Escape")


def step_an_endpoint_that_is_away_fails_the_run_and_is_asked_again(page: Page, films: SparqlServer, shot: Any) -> None:
    films.broken = ("503 Service Unavailable", b"under repair")
    page.get_by_role("combobox", name="Question").fill("who directed Low Tide")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    failed = page.get_by_role("alert").filter(has_text="answered 503")
    expect(failed).to_be_visible(timeout=60_000)
    shot("endpoint-away")
    films.broken = None
    failed.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Gus Holt", timeout=60_000)


test_walk = walk(
    step_an_endpoint_is_connected_when_it_answers,
    step_one_looks_around_in_it_by_whole_names,
    step_a_question_is_answered_by_what_is_pulled,
    step_a_node_of_its_drawing_is_expanded_by_a_query,
    step_a_count_is_computed_by_the_endpoint,
    step_an_endpoint_that_is_away_fails_the_run_and_is_asked_again,
)
