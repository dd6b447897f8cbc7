"""A graph with names in three languages: shown in the one that the reader chooses, asked in any of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

RIVERS = """@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:r1 a :River ; rdfs:label "Danube"@en, "Donau"@de, "Duna"@hu ; :mouth :s1 ; :capital :c1 .
:r2 a :River ; rdfs:label "Rhine"@en, "Rhein"@de, "Rajna"@hu ; :mouth :s2 .
:s1 a :Sea ; rdfs:label "Black Sea"@en, "Schwarzes Meer"@de, "Fekete-tenger"@hu .
:s2 a :Sea ; rdfs:label "North Sea"@en, "Nordsee"@de, "Északi-tenger"@hu .
:c1 a :City ; rdfs:label "Vienna"@en, "Wien"@de, "Bécs"@hu .
"""


@pytest.fixture(scope="module")
def page(new_page: Callable[[], Page]) -> Iterator[Page]:
    """A page of the test's own, logged in."""
    page = new_page()
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name=re.compile("^You:"))).to_be_visible()
    yield page
    page.context.close()


def _ask(page: Page, question: str) -> None:
    box = page.get_by_role("combobox", name="Question")
    box.fill(question)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()


def step_the_names_are_shown_in_the_language_that_is_chosen(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "rivers.ttl"
    file.write_text(RIVERS, encoding="utf-8")
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": "Rivers"}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/graphs/{made['id']}")
    page.get_by_role("button", name=re.compile("Names shown in")).click()
    page.get_by_role("option", name=re.compile("German")).click()
    around = page.get_by_role("region", name="Explore")
    around.get_by_role("combobox", name="Find an entity").fill("Danube")
    around.get_by_role("option", name=re.compile("^Donau")).click()
    expect(around.get_by_role("list").first.get_by_role("listitem")).to_have_text(
        ["Donau → capital → Wien", "Donau → mouth → Schwarzes Meer", "Donau → type → River"]
    )
    shot("languages")


def step_a_question_names_it_in_one_language(page: Page, shot: Any) -> None:
    page.get_by_role("link", name="Ask this graph").click()
    _ask(page, "What is the mouth of the Duna?")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Schwarzes Meer", timeout=60_000)
    shot("languages-answer")


def step_and_in_another(page: Page) -> None:
    _ask(page, "What is the mouth of the Rhine?")
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Nordsee", timeout=60_000)


test_walk = walk(
    step_the_names_are_shown_in_the_language_that_is_chosen,
    step_a_question_names_it_in_one_language,
    step_and_in_another,
)
