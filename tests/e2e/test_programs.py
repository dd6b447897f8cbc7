"""A question that no path answers, worked out in steps in the browser; a step is changed and run again.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH = "Lands"
AREAS = {
    "Algeria": ("Africa", "2381741 km2"),
    "Congo": ("Africa", "2344858 km2"),
    "Sudan": ("Africa", "1886068 km2"),
    "Chad": ("Africa", "1284000 km2"),
    "Togo": ("Africa", "56785 km2"),
    "France": ("Europe", "543940 km2"),
    "Spain": ("Europe", "505990 km2"),
}
FACTS = [
    *((land, "type", "country") for land in AREAS),
    *((land, "continent", continent) for land, (continent, _) in AREAS.items()),
    *((land, "area", area) for land, (_, area) in AREAS.items()),
    ("Africa", "type", "continent"),
    ("Europe", "type", "continent"),
]
LARGEST = "Which country in Africa has the largest area?"
COUNTED = "How many countries are in Africa?"


CYTOSCAPE = "document.querySelector('.graph-canvas')?._cyreg?.cy"
#: Pairs of labels that lie over each other, of those that are drawn.
OVERLAPS = """() => {
  const cy = document.querySelector('.graph-canvas')._cyreg.cy;
  const options = { includeNodes: false, includeEdges: false, includeOverlays: false };
  const drawn = cy.elements().filter(
    (one) => !one.hasClass('quiet') && one.style('label') && parseFloat(one.style('text-opacity')) > 0,
  ).map((one) => ({ label: one.data('label'), box: one.boundingBox(options) }));
  return drawn.flatMap(({ label, box: a }, at) => drawn.slice(at + 1).filter(({ box: b }) =>
    a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2).map((other) => [label, other.label]));
}"""


def _ask(page: Page, question: str) -> None:
    page.get_by_role("combobox", name="Question").fill(question)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()


def _panel(page: Page) -> Locator:
    return page.get_by_role("region", name="How it was worked out")


def _steps(page: Page) -> list[str]:
    """The steps with what each kept."""
    expect(_panel(page)).to_be_visible(timeout=60_000)
    lines = _panel(page).locator(".program-say").all()
    return [" ".join(line.inner_text().split()) for line in lines]


def step_a_ranking_is_worked_out_in_steps(page: Page, clew: Clew, tmp_path: Path, shot: Any) -> None:
    file = tmp_path / "lands.tsv"
    file.write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": content})["graph"]
    clew.wait_for_quiet()
    page.goto(f"/?graph={made['id']}")
    box, password = page.get_by_role("combobox", name="Question"), page.get_by_label("Password")
    expect(box.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    _ask(page, LARGEST)
    assert _steps(page) == [
        "1 countries 7 kept",
        "2 in Africa (continent) 5 kept",
        "3 the one with the largest area 1 kept",
    ]
    expect(_panel(page)).to_contain_text(re.compile("(high|medium) confidence"))
    answers = page.get_by_role("region", name="Answers")
    expect(answers.get_by_role("button", name="Algeria 2,381,741 km²")).to_be_visible()
    expect(answers).to_contain_text("Algeria, 2,381,741 km²: the largest area of 5 countries in Africa.")
    answers.get_by_text("3 runners-up").click()
    expect(answers.get_by_role("list", name="Runners-up").get_by_role("listitem")).to_have_text(
        ["Congo2,344,858 km²", "Sudan1,886,068 km²", "Chad1,284,000 km²"]
    )
    shot("program-ranking")


def _picture(page: Page) -> dict[str, tuple[int, int]]:
    """Where each entity of the drawing lies, once it has been drawn."""
    places = f"{CYTOSCAPE}?.nodes().map(one => [one.data('label'), one.position('x'), one.position('y')]) ?? []"
    at: list[tuple[str, float, float]] = []
    for _ in range(60):
        before, at = at, page.evaluate(places)
        if at and at == before:
            break
        page.wait_for_timeout(500)
    return {label: (round(x), round(y)) for label, x, y in at}


def step_the_same_address_gives_the_same_picture(page: Page, shot: Any) -> None:
    before = _picture(page)
    assert {"Algeria", "Africa"} <= set(before)
    page.reload()
    assert _picture(page) == before
    assert page.evaluate(OVERLAPS) == []
    find = page.get_by_role("searchbox", name="Search in the graph")
    find.fill("Africa")
    expect(page.locator(".graph-search")).to_contain_text("1 of 1")
    find.press("Escape")
    page.keyboard.press("e")
    expect(page.get_by_role("application")).not_to_have_attribute(
        "aria-label", re.compile(f"^Drawing of {len(before)} ")
    )
    more = _picture(page)
    assert {label: more[label] for label in before} == before
    assert page.evaluate(OVERLAPS) == []
    shot("program-expanded")
    page.keyboard.press("z")


def step_a_click_on_an_answer_opens_what_is_known_of_it(page: Page, shot: Any) -> None:
    page.get_by_role("button", name="Algeria 2,381,741 km²").click()
    card = page.get_by_role("complementary", name="What is selected")
    expect(card.get_by_role("heading", name="Algeria")).to_be_visible()
    expect(card.get_by_role("list", name="Facts by relation").get_by_role("listitem")).to_have_text(
        [re.compile("area1$"), re.compile("continent1$"), re.compile("type1$")]
    )
    expect(page).to_have_url(re.compile(r"[?&]node=\d+.*chain=0|chain=0.*node=\d+"))
    page.reload()
    expect(card.get_by_role("heading", name="Algeria")).to_be_visible()
    shot("program-inspector")
    card.get_by_role("button", name="Close").click()
    expect(card).to_be_hidden()


def step_a_step_lists_and_lights_what_it_kept(page: Page, shot: Any) -> None:
    _panel(page).get_by_role("button", name=re.compile("^countries 7")).click()
    kept = _panel(page).get_by_role("list", name="Kept by step 1")
    expect(kept.get_by_role("listitem")).to_have_text(sorted(AREAS))
    page.keyboard.press("ArrowDown")
    kept = _panel(page).get_by_role("list", name="Kept by step 2")
    expect(kept.get_by_role("listitem")).to_have_text(sorted(set(AREAS) - {"France", "Spain"}))
    expect(page).to_have_url(re.compile(r"[?&]part=1"))
    shot("program-step")


def step_the_smallest_is_asked_for_instead(page: Page, clew: Clew, shot: Any) -> None:
    before = page.url.rsplit("/", 1)[-1].split("?")[0]
    _panel(page).get_by_role("button", name="Change step 3: the one with the largest area").click()
    _panel(page).get_by_role("button", name=re.compile("Order$")).click()
    page.get_by_role("option", name="smallest or earliest").click()
    place = _panel(page).get_by_label("Place")
    place.fill("0")
    expect(_panel(page).get_by_text("Type a whole number from 1.")).to_be_visible()
    place.fill("2")
    shot("program-edit")
    _panel(page).get_by_role("button", name="Run again").click()
    expect(_panel(page)).to_contain_text("read by a person", timeout=60_000)
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Chad")
    assert _steps(page)[-1] == "3 the one with the second smallest area 1 kept"
    run = clew.api("GET", f"runs/{page.url.rsplit('/', 1)[-1].split('?')[0]}")
    assert run["corrects"] == before
    assert (run["program"]["largest"], run["program"]["rank"]) == (False, 2)


def step_a_step_that_keeps_nothing_is_named(page: Page, shot: Any) -> None:
    _panel(page).get_by_role("button", name=re.compile("^Change step 2")).click()
    _panel(page).get_by_role("button", name=re.compile("^Walk continent the other way")).click()
    _panel(page).get_by_role("button", name="Run again").click()
    expect(_panel(page)).to_contain_text("Step 2 kept nothing", timeout=60_000)
    assert _steps(page)[1].endswith("0 kept")
    expect(page.get_by_role("heading", name="A step kept nothing")).to_be_visible()
    shot("program-nothing")


def step_a_count_opens_what_was_counted(page: Page, shot: Any) -> None:
    _ask(page, COUNTED)
    answers = page.get_by_role("region", name="Answers")
    answers.get_by_text("The 5 that were counted").click(timeout=60_000)
    expect(answers.get_by_role("list", name="The 5 that were counted").get_by_role("listitem")).to_have_text(
        sorted(set(AREAS) - {"France", "Spain"})
    )
    shot("program-count")


test_walk = walk(
    step_a_ranking_is_worked_out_in_steps,
    step_the_same_address_gives_the_same_picture,
    step_a_click_on_an_answer_opens_what_is_known_of_it,
    step_a_step_lists_and_lights_what_it_kept,
    step_the_smallest_is_asked_for_instead,
    step_a_step_that_keeps_nothing_is_named,
    step_a_count_opens_what_was_counted,
)
