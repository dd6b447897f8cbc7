"""What pages look like, measured: accessibility, the drawing of a run, and runs with names that break lesser pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.world import facts
from tests.support import drawing, made_runs
from tests.support.clew import PASSWORD, ROOT, Clew

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
RUN_AXE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")} ${node.html.slice(0, 120)}`))"""


@pytest.fixture(scope="module")
def graph(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> int:
    """A graph of films that can be asked."""
    file = tmp_path_factory.mktemp("looks") / "films.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in facts()), encoding="utf-8")
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": "Looks"}, files={"files": content})
    clew.wait_for_quiet()
    return int(made["graph"]["id"])


@pytest.fixture(scope="module")
def run(clew: Clew, graph: int) -> str:
    """A run over it that has answers."""
    asked = clew.api("POST", "runs", json={"graph": graph, "question": "which films did Gus Holt direct"})
    assert list(clew.events(asked["id"]))[-1]["type"] == "answer.final"
    return str(asked["id"])


@pytest.fixture(scope="module")
def page(new_page: Callable[[], Page]) -> Iterator[Page]:
    """A page whose person is logged in."""
    page = new_page()
    page.goto("/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "login" not in url)
    yield page
    page.context.close()


def _compared(clew: Clew, graph: int) -> str:
    """A comparison of two methods."""
    methods = [{"method": "rel-rag-path"}, {"method": "inses"}]
    asked = {"graph": graph, "question": "which films did Gus Holt direct", "methods": methods}
    return str(clew.api("POST", "comparisons", json=asked)["id"])


@pytest.fixture(scope="module")
def made(clew: Clew, graph: int, run: str, places: int, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The pages of what people make of a graph, each with something on it."""
    file = tmp_path_factory.mktemp("looks") / "asked.jsonl"
    topic, answer = "Gus Holt", clew.api("GET", f"runs/{run}")["answers"][0]
    asked = {"question": "which films did Gus Holt direct", "topic_entities": [topic], "answers": [answer]}
    split = [{**asked, "id": f"q{n}", "split": name} for n, name in enumerate(("test", "train"))]
    file.write_text("".join(json.dumps(one) + "\n" for one in split), encoding="utf-8")
    with file.open("rb") as content:
        body = {"name": "Asked", "graph": graph}
        questions = clew.api("POST", "question-sets", data=body, files={"file": content})["id"]
    of = {"graph": graph, "question_set": questions, "split": "test"}
    reports = [
        clew.api("POST", "reports", json={**of, "method": one})["report"]["id"] for one in ("rel-rag-path", "inses")
    ]
    variants = [{"name": "Relation paths", "method": "rel-rag-path", "trained": False}]
    sets = [{"question_set": questions}]
    plan = {"name": "Untrained", "sets": sets, "variants": variants}
    study = clew.api("POST", "studies", json=plan)["study"]["id"]
    node = clew.api("GET", f"graphs/{graph}/entities", params={"q": answer})[0]["id"]
    doubt = {"id": str(uuid4()), "kind": "answer-wrong", "answer": node}
    queue = clew.api("POST", f"runs/{run}/flag", json=doubt)["queue"]
    test = clew.api("POST", f"graphs/{graph}/tests", json={"run": run})["tests"][0]["id"]
    tried = clew.api("POST", f"graphs/{graph}/tests/ask", json={})["id"]
    steps = {"graph": graph, "question_set": questions, "name": "Walks", "match": 0.1, "astray": 0.5}
    walked = clew.api("POST", "trajectory-sets", json=steps)["trajectory_set"]["id"]
    clew.wait_for_quiet()
    return [
        f"/compare/{_compared(clew, graph)}",
        *(f"/threads/{_thread(clew, graph, run)}", f"/across/{_across(clew, graph, places)}"),
        *(f"/experiments/{reports[0]}", f"/experiments/compare?ids={reports[0]},{reports[1]}"),
        *(f"/studies/{study}", f"/leaderboard?set={questions}", f"/tests/{test}"),
        *(f"/test-rounds/{tried}", f"/experiments/trajectories/{walked}"),
        *(f"/review/{queue}{part}" for part in ("", "/disagreements", "/training", "/events")),
    ]


@pytest.fixture(scope="module")
def places(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> int:
    """A graph whose entities have coordinates and share facts."""
    rows = [("Lille", 50.63, 3.07), ("Lyon", 45.76, 4.84), ("Nantes", 47.22, -1.55), ("Metz", 49.12, 6.18)]
    file = tmp_path_factory.mktemp("looks") / "towns.csv"
    lines = [f"{name},{latitude},{longitude},France" for name, latitude, longitude in rows]
    file.write_text("\n".join(["name,latitude,longitude,country", *lines]), encoding="utf-8")
    with file.open("rb") as content:
        made = clew.api("POST", "graphs", data={"name": "Towns"}, files={"files": content})
    clew.wait_for_quiet()
    return int(made["graph"]["id"])


def _thread(clew: Clew, graph: int, run: str) -> str:
    """The thread of a question and its follow-up."""
    asked = {"graph": graph, "question": "which languages are they in", "follows": run}
    follow = clew.api("POST", "runs", json=asked)
    assert list(clew.events(follow["id"]))[-1]["type"] == "answer.final"
    return str(follow["thread"])


def _across(clew: Clew, *graphs: int) -> str:
    """A question that was asked of several graphs, one of which answers it."""
    asked = {"graphs": graphs, "question": "which films did Gus Holt direct"}
    whole = clew.api("POST", "across", json=asked)
    for one in whole["graphs"]:
        assert list(clew.events(one["run"]["id"]))[-1]["type"] == "answer.final"
    return str(whole["id"])


@contextmanager
def _looked_at(page: Page, look: str) -> Iterator[Page]:
    """A page of somebody who is logged in, on another screen."""
    browser = page.context.browser
    assert browser is not None
    seen = browser.new_context(
        base_url="/".join(page.url.split("/", 3)[:3]),
        storage_state=page.context.storage_state(),
        reduced_motion="reduce",
        **LOOKS[look],
    )
    try:
        yield seen.new_page()
    finally:
        seen.close()


def find_violations(page: Page) -> list[str]:
    """What axe finds on a page as it stands, and whether it is wider than its window."""
    page.wait_for_timeout(300)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN_AXE)
    wide = page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    return [*found, *(["wider than the window"] if wide else [])]


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_violates_a_rule_of_axe(page: Page, graph: int, run: str, made: list[str], look: str) -> None:
    addresses = [
        *(
            "/",
            f"/runs/{run}",
            f"/runs/{run}?chain=0",
            f"/graphs/{graph}",
            f"/graphs/{graph}/explore",
        ),
        *(
            f"/graphs/{graph}/tests",
            "/graphs",
            "/graphs?upload=1",
            "/graphs?storage=1",
            "/history",
            "/review",
        ),
        *("/review?new=1", "/experiments", "/studies", "/studies/new", "/leaderboard", "/watched", "/models"),
        *(
            "/account",
            "/people",
            "/nowhere",
            "/studies/999",
            "/experiments/999",
            "/graphs/999",
            "/threads/none",
        ),
        *made,
    ]
    wrong: dict[str, list[str]] = {}
    with _looked_at(page, look) as looked:
        for address in addresses:
            looked.goto(address)
            expect(looked.locator("h1").first).to_be_attached()
            found = find_violations(looked)
            if found:
                wrong[address] = found
    assert wrong == {}, json.dumps(wrong, indent=1)


@pytest.mark.parametrize("look", LOOKS)
def test_no_menu_and_no_dialog_of_a_drawing_violates_a_rule_of_axe(
    page: Page, clew: Clew, places: int, run: str, look: str
) -> None:
    ids = [clew.api("GET", f"graphs/{places}/entities", params={"q": q})[0]["id"] for q in ("Lille", "Lyon")]
    wrong: dict[str, list[str]] = {}

    with _looked_at(page, look) as looked:

        def see(what: str) -> None:
            found = find_violations(looked)
            if found:
                wrong[what] = found

        def menu(name: str, of: str) -> None:
            looked.get_by_role("button", name=name, exact=True).first.click()
            see(f"{of}: {name}")
            looked.keyboard.press("Escape")

        looked.goto(f"/graphs/{places}/explore?show={ids[0]}.{ids[1]}&node={ids[0]}")
        expect(looked.locator(".graph-count")).to_contain_text("2 entities")
        see("explore")
        for name in ("Filter", "Layout", "Share what is shown"):
            menu(name, "explore")
        looked.get_by_role("button", name="Layout").click()
        looked.get_by_role("menuitem", name="On a map, by coordinates").click()
        drawn = drawing.read(looked)
        north, south = (next(one for one in drawn.nodes if one["label"] == name) for name in ("Lille", "Lyon"))
        assert north["seen"][1] < south["seen"][1]
        assert north["seen"][0] < south["seen"][0]
        see("explore: map")
        looked.get_by_role("button", name="Pin", exact=True).click()
        see("explore: pinned")
        looked.get_by_role("button", name="Find similar").click()
        expect(looked.get_by_role("dialog")).to_contain_text("Nantes")
        see("explore: similar")
        looked.keyboard.press("Escape")
        looked.get_by_role("button", name="Select with a lasso").click()
        see("explore: lasso")

        looked.goto(f"/runs/{run}" + ("?view=graph" if look == "phone" else ""))
        drawing.read(looked)
        for name in ("Filter", "Layout", "Export the graph"):
            menu(name, "run")
        looked.locator(".graph-focus").focus()
        looked.keyboard.press("ArrowRight")
        looked.keyboard.press("i")
        see("run: pinned")
        looked.keyboard.press("Enter")
        expect(looked.get_by_role("menu")).to_be_visible()
        see("run: menu of an entity")
        looked.keyboard.press("Escape")
        looked.get_by_role("button", name="Select with a lasso").click()
        see("run: lasso")
    assert wrong == {}, json.dumps(wrong, indent=1)


def test_the_same_address_gives_the_same_picture_and_expanding_moves_nothing(page: Page, run: str) -> None:
    page.goto(f"/runs/{run}")
    first = drawing.read(page)
    page.reload()
    again = drawing.read(page)
    assert again.places() == first.places()
    assert len(first.nodes) == 6
    assert (first.overlaps(), first.unlabelled(), first.cut(), first.repeated()) == ([], [], [], 0)
    page.locator(".graph-focus").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    expect(page.locator(".graph-count")).not_to_contain_text("6 nodes")
    grown = drawing.read(page)
    assert {key: place for key, place in grown.places().items() if key in first.places()} == first.places()
    assert grown.overlaps() == []
    # More kinds than fit in a line of the legend take from the canvas' height, not from who reads it.
    page.evaluate("() => { document.querySelector('.legend').style.paddingBottom = '30px'; }")
    lower = drawing.read(page)
    assert lower.height == grown.height - 25
    assert lower.places() == grown.places()


ODD = [
    "x" * 5_000,
    "<img src=x onerror=window.broken=1><b>bold</b>",
    "القدس الشريف עיר",
    "👩‍🚀🪐 emoji 🏳️‍🌈",
    "two\nlines\tand\u202ea turn",
    "",
]


def test_odd_names_are_drawn_and_listed_as_they_are(page: Page, run: str) -> None:
    topic = made_runs.node(0, ODD[0])
    odd = [made_runs.node(i, name) for i, name in enumerate(ODD[1:], 1)]
    evidence = [made_runs.hop(topic, "leads_to", one) for one in odd]
    made_runs.show(page, run, made_runs.events(ODD[1], topic, evidence, odd))
    shown = drawing.read(page)
    assert len(shown.nodes) == len(ODD)
    assert shown.overlaps() == []
    assert shown.cut() == []
    assert page.evaluate("() => window.broken") is None
    expect(page.locator("ol.answers > li")).to_have_count(len(odd))
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.unroute_all()


def test_two_hundred_answers_are_all_named(page: Page, run: str) -> None:
    topic = made_runs.node(0, "Africa")
    answers = [made_runs.node(i, f"Country number {i}") for i in range(1, 201)]
    evidence = [made_runs.hop(topic, "continent", one) for one in answers]
    made_runs.show(page, run, made_runs.events("Which?", topic, evidence, answers))
    drawing.read(page)
    page.get_by_role("button", name="show more").click()
    shown = drawing.read(page)
    assert len(shown.nodes) == 201
    assert (shown.overlaps(), shown.unlabelled(), shown.repeated()) == ([], [], 0)


def test_a_run_without_an_answer_says_so_and_draws_what_was_found(page: Page, run: str) -> None:
    topic, other = made_runs.node(0, "Africa"), made_runs.node(1, "Asia")
    found = [made_runs.hop(topic, "near", other)]
    made_runs.show(page, run, made_runs.events("Which?", topic, [], [], explored=found))
    expect(page.get_by_text("No path leads to an answer.").first).to_be_visible()
    assert [node["label"] for node in drawing.read(page).nodes] == ["Africa", "Asia"]


def test_axe_is_there() -> None:
    assert Path(AXE).stat().st_size > 100_000
