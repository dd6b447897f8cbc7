"""Two methods trained, measured, compared as reports and on one question, in the browser.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e import world
from tests.e2e.rest import press_at_rest
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH, SET = "Paper lanterns", "paper questions"
QUESTION = "which languages are spoken in the films directed by Gus Holt"
ANSWERS = {world.language_of(30), world.language_of(31)}
ASKED = sum(row["split"] == "dev" for row in world.questions())
FIRST, SECOND = "rel-rag-path", "reg-triple"
NAMES = {FIRST: "Relation paths", SECOND: "Refined triples"}
JOB_MS = 120_000


def step_a_graph_with_questions_stands(page: Page, clew: Clew, tmp_path: Any) -> None:
    for report in clew.api("GET", "reports")["results"]:  # of a walk before this one
        clew.api("DELETE", f"reports/{report['id']}")
    graph, asked = world.write(tmp_path)
    with graph.open("rb") as file:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": file})["graph"]
    clew.wait_for_quiet()
    with asked.open("rb") as file:
        form = {"name": SET, "graph": made["id"], "format": "jsonl"}
        clew.api("POST", "question-sets", data=form, files={"file": file})
    page.goto("/experiments")
    heading, password = (
        page.get_by_role("heading", name="Experiments", exact=True),
        page.get_by_label("Password"),
    )
    expect(heading.or_(password)).to_be_visible()
    if password.is_visible():
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    expect(heading).to_be_visible()


def step_the_empty_list_of_experiments_says_what_to_do_first(page: Page, shot: Any) -> None:
    expect(page.get_by_text("No evaluation yet")).to_be_visible()
    expect(page.get_by_role("button", name="Evaluate")).to_have_count(2)
    shot("experiments-empty")


def _choose(dialog: Locator, label: str, option: str) -> None:
    """Pick ``option`` of the list ``label``."""
    dialog.get_by_role("button", name=re.compile(rf"{label}$")).click()
    dialog.page.get_by_role("option", name=re.compile(option)).click()
    expect(dialog.page.get_by_role("listbox")).to_be_hidden()


def _train(page: Page, method: str) -> None:
    press_at_rest(page.get_by_role("button", name="Train", exact=True))
    dialog = page.get_by_role("dialog", name=re.compile("^Train on"))
    _choose(dialog, "Method", method)
    dialog.get_by_text(f"Settings of {method}").click()
    epochs = dialog.get_by_label("epochs", exact=True)
    epochs.fill("0")
    expect(dialog.get_by_text("Must be 1 or more.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Start training")).to_be_disabled()
    epochs.fill("2")
    dialog.get_by_role("button", name="Start training").click()
    expect(dialog).to_be_hidden()


def step_two_methods_are_trained_with_settings_of_their_own(page: Page, clew: Clew, shot: Any) -> None:
    page.get_by_role("link", name="Graphs", exact=True).click()
    page.get_by_role("link", name=GRAPH).click()
    _train(page, FIRST)
    _train(page, SECOND)
    table = page.get_by_role("region", name="Checkpoints").get_by_role("row")
    expect(table.filter(has_text=NAMES[FIRST])).to_be_visible(timeout=JOB_MS)
    expect(table.filter(has_text=NAMES[SECOND])).to_be_visible(timeout=JOB_MS)
    shot("two-checkpoints")
    listed = clew.api("GET", "checkpoints", params={"graph": page.url.rsplit("/", 1)[1]})["results"]
    assert {one["method"]: one["config"]["epochs"] for one in listed} == {FIRST: 2, SECOND: 2}


def step_each_is_evaluated_and_the_report_opens_by_itself(page: Page, shot: Any) -> None:
    graph = page.url
    for method in (FIRST, SECOND):
        page.goto(graph)
        page.get_by_role("button", name=re.compile(f"^Evaluate {method}")).click()
        dialog = page.get_by_role("dialog", name="Evaluate")
        expect(dialog.get_by_role("button", name=re.compile("Split$"))).to_contain_text("dev")
        dialog.get_by_role("button", name="Start evaluation").click()
        expect(page).to_have_url(re.compile(r"/experiments/\d+$"))
        expect(page.get_by_role("heading", name=f"{NAMES[method]} on {SET}, dev")).to_be_visible()
        expect(page.get_by_role("region", name="Metrics")).to_be_visible(timeout=JOB_MS)
    shot("report")


def step_the_report_says_what_the_server_measured(page: Page, clew: Clew) -> None:
    report = clew.api("GET", f"reports/{page.url.rsplit('/', 1)[1]}")
    assert (report["method"], report["n"]) == (SECOND, ASKED)
    shown = page.get_by_role("region", name="Metrics").get_by_role("row").filter(has_text="Hit@1")
    low, high = report["intervals"]["hit_at_1"]
    expect(shown).to_contain_text(f"{report['metrics']['hit_at_1']:.3f}")
    expect(shown).to_contain_text(f"{low:.3f} – {high:.3f}")


def step_its_questions_are_filtered_searched_and_asked_again(page: Page, clew: Clew, shot: Any) -> None:
    report = page.url
    checkpoint = clew.api("GET", f"reports/{report.rsplit('/', 1)[1]}")["checkpoint"]
    questions = page.get_by_role("region", name="Questions")
    questions.get_by_role("button", name=re.compile("Outcome$")).click()
    page.get_by_role("option", name="All questions").click()
    expect(questions.get_by_text(f"{ASKED} of {ASKED}")).to_be_visible()
    questions.get_by_role("searchbox").fill("name the movies made by")
    wanted = [row for row in world.questions() if row["split"] == "dev" and "movies made" in str(row["question"])]
    expect(questions.get_by_text(f"{len(wanted)} of {ASKED}")).to_be_visible()
    shot("report-questions")
    questions.get_by_role("link", name="Ask this question").first.click()
    expect(page.get_by_role("combobox", name="Question")).to_have_value(str(wanted[0]["question"]))
    expect(page).to_have_url(re.compile(rf"method={SECOND}&checkpoint={checkpoint}"))
    page.goto(report)


def step_two_reports_are_compared_with_what_was_gained_and_lost(page: Page, clew: Clew, shot: Any) -> None:
    page.get_by_role("link", name="Experiments", exact=True).first.click()
    for method in (FIRST, SECOND):
        # Each training left two reports with linked topics; these are those of the checkpoints asked for.
        name = re.compile(rf"^Compare {NAMES[method]} [0-9a-f]{{8}} on {SET}, dev, topics given, started ")
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Compare 2 reports").click()
    expect(page).to_have_url(re.compile(r"/experiments/compare\?ids=\d+%2C\d+|ids=\d+,\d+"))
    ids = re.findall(r"\d+", page.url.split("ids=")[1].replace("%2C", ","))
    found = clew.api("GET", "reports/compare", params={"ids": ",".join(ids)})
    (pair,) = found["pairs"]
    expect(page.get_by_text(f"{pair['gained']} gained")).to_be_visible()
    expect(page.get_by_text(f"{pair['lost']} lost")).to_be_visible()
    first, second = (report["metrics"]["hit"] for report in found["reports"])
    row = page.get_by_role("region", name="Metrics").get_by_role("row", name=re.compile(r"^Hit [^@]"))
    expect(row).to_contain_text(f"{abs(second - first):.3f}")
    shot("reports-compared")


def step_reports_of_different_questions_are_refused_with_the_difference(page: Page, clew: Clew) -> None:
    reports = clew.api("GET", "reports")["results"]
    form = {
        "graph": reports[0]["graph"],
        "question_set": reports[0]["question_set"],
        "split": "train",
        "limit": 2,
    }
    other = clew.api("POST", "reports", json={**form, "method": FIRST})["report"]
    clew.wait_for_quiet()
    page.goto(f"/experiments/compare?ids={reports[0]['id']},{other['id']}")
    expect(page.get_by_role("alert")).to_contain_text("split")
    page.get_by_role("link", name="Choose others").click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)


def step_two_methods_on_one_question_share_a_drawing(page: Page, clew: Clew, shot: Any) -> None:
    graph = clew.api("GET", "reports")["results"][0]["graph"]
    page.goto(f"/?graph={graph}")
    page.get_by_role("combobox", name="Question").fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Compare methods on this question").click()
    dialog = page.get_by_role("dialog", name="Compare methods on this question")
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(2)
    dialog.get_by_role("button", name="Ask all 2").click()
    expect(page).to_have_url(re.compile("/compare/[0-9a-f-]{36}"))
    runs = page.get_by_role("region", name="Methods").get_by_role("row")
    for method in (FIRST, SECOND):
        expect(runs.filter(has_text=NAMES[method])).to_contain_text("done", timeout=60_000)
    answers = page.get_by_role("region", name="Answers").get_by_role("row")
    for answer in ANSWERS:
        expect(answers.filter(has_text=answer)).to_be_visible()
    shot("methods-compared")

    drawing = page.get_by_role("application")
    drawn = drawing.get_attribute("aria-label")
    toggle = page.get_by_role("button", name=re.compile(f"^{NAMES[SECOND]}"))
    page.locator("h1").click()
    page.keyboard.press("2")
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(drawing).not_to_have_attribute("aria-label", str(drawn))
    expect(page).to_have_url(re.compile("off=2"))
    page.reload()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("2")
    expect(drawing).to_have_attribute("aria-label", str(drawn))


def step_the_method_asked_is_kept_in_the_address(page: Page, clew: Clew) -> None:
    graph = clew.api("GET", "reports")["results"][0]["graph"]
    # What was trained is a candidate until it is promoted.
    for name in (SECOND, FIRST):  # the one promoted last answers by itself
        (trained,) = clew.api("GET", "checkpoints", params={"graph": graph, "method": name})["results"]
        clew.api("POST", f"checkpoints/{trained['id']}/promote")
    page.goto(f"/?graph={graph}")
    box = page.get_by_role("combobox", name="Question")
    box.fill(QUESTION)
    page.keyboard.press("Escape")
    method = page.locator(".askbar").get_by_role("button", name=re.compile("Method$"))
    automatic = clew.api("GET", f"graphs/{graph}")["checkpoint"]["method"]
    names = {**NAMES, automatic: "Automatic"}
    for url in (SECOND, FIRST, SECOND):
        option = page.get_by_role("option", name=re.compile(names[url]))
        method.click()
        option.click()
        expect(page).to_have_url(re.compile(f"method={url}$"))
        expect(box).to_have_value(QUESTION)
    page.reload()
    expect(method).to_contain_text(names[SECOND])
    box.fill(QUESTION)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("ol.answers > li")).to_have_count(len(ANSWERS))
    checkpoints = clew.api("GET", "checkpoints", params={"graph": graph, "method": SECOND})["results"]
    answers = page.get_by_role("region", name="Answers")
    expect(answers).to_contain_text(NAMES[SECOND])
    expect(answers).to_contain_text(checkpoints[0]["fingerprint"][:10])


def step_stop_all_stops_every_method(page: Page, clew: Clew, shot: Any) -> None:
    graph = clew.api("GET", "reports")["results"][0]["graph"]
    methods = [{"method": FIRST}, {"method": SECOND}]
    body = {"graph": graph, "question": QUESTION, "methods": methods, "reasoner": "llm"}
    group = clew.api("POST", "comparisons", json=body)
    page.goto(f"/compare/{group['id']}")
    page.get_by_role("button", name="Stop all").click()
    runs = page.get_by_role("region", name="Methods").get_by_role("row")
    for method in (FIRST, SECOND):
        expect(runs.filter(has_text=NAMES[method])).to_contain_text("stopped")
    shot("methods-stopped")
    states = {run["state"] for run in clew.api("GET", f"comparisons/{group['id']}")["runs"]}
    assert states == {"cancelled"}


def step_the_palette_knows_reports(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("^Ask, or go to")).fill(f"{NAMES[SECOND]} ")
    page.get_by_role("option", name=re.compile(rf"{NAMES[SECOND]} .*on {SET}")).first.click()
    expect(page.get_by_role("heading", name=f"{NAMES[SECOND]} on {SET}")).to_be_visible()


def step_no_page_wrote_an_error_to_the_console(console_errors: list[str]) -> None:
    expected = ("401", "400")  # the log-in and the refused comparison
    assert [error for error in console_errors if not any(part in error for part in expected)] == []


test_walk = walk(
    step_a_graph_with_questions_stands,
    step_the_empty_list_of_experiments_says_what_to_do_first,
    step_two_methods_are_trained_with_settings_of_their_own,
    step_each_is_evaluated_and_the_report_opens_by_itself,
    step_the_report_says_what_the_server_measured,
    step_its_questions_are_filtered_searched_and_asked_again,
    step_two_reports_are_compared_with_what_was_gained_and_lost,
    step_reports_of_different_questions_are_refused_with_the_difference,
    step_two_methods_on_one_question_share_a_drawing,
    step_the_method_asked_is_kept_in_the_address,
    step_stop_all_stops_every_method,
    step_the_palette_knows_reports,
    step_no_page_wrote_an_error_to_the_console,
)
