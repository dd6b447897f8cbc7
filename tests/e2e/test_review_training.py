"""The loop: verdicts brought in and taken out, a method trained from them, compared, promoted, and rolled back.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e import world
from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew

pytestmark = pytest.mark.e2e

GRAPH, SET, QUEUE = "Taught lanterns", "taught questions", "Lessons"
TRAINING_MS = 420_000
ADA = "Ada Quill"
DIRECTED, SPOKEN = [["directed_by", True]], [["directed_by", True], ["in_language", False]]


def _label(question: str, path: list[list[Any]], verdict: str = "accepted", topic: str = ADA) -> dict[str, Any]:
    return {
        "question": question,
        "topic": topic,
        "path": path,
        "source": "analyst",
        "score": 1.0,
        "verdict": verdict,
        "explanation": "",
    }


ASKED = [
    {**row, "split": {5: "dev", 2: "test"}.get(number % 6, "train")} for number, row in enumerate(world.questions())
]
LINES = [
    _label("q0", DIRECTED),
    _label("q0", SPOKEN, "rejected"),
    _label("q999", DIRECTED),
    _label("q1", DIRECTED, topic="Nobody Known"),
    _label("q1", [["shot_in", False]]),
]


def _questions(folder: Path) -> tuple[Path, Path]:
    """The world's files, with every sixth question for testing."""
    graph, asked = world.write(folder)
    asked.write_text("\n".join(map(json.dumps, ASKED)) + "\n", encoding="utf-8")
    return graph, asked


@pytest.fixture(scope="module")
def queue(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A queue of shortest paths, in the order of the questions, and a checkpoint that is in use."""
    graph, asked = _questions(tmp_path_factory.mktemp("taught"))
    with graph.open("rb") as file:
        made = clew.api("POST", "graphs", data={"name": GRAPH}, files={"files": file})["graph"]
    clew.wait_for_quiet()
    with asked.open("rb") as file:
        form = {"name": SET, "graph": made["id"], "format": "jsonl"}
        questions = clew.api("POST", "question-sets", data=form, files={"file": file})
    of = {"graph": made["id"], "question_set": questions["id"]}
    labels = clew.api("POST", "label-sets", json={**of, "strategy": "shortest-path"})["label_set"]["id"]
    first = {"method": "rel-rag-path", "question_set": questions["id"], "config": {"epochs": 1}}
    clew.api("POST", f"graphs/{made['id']}/train", json=first)
    clew.wait_for_quiet()
    (trained,) = clew.api("GET", "checkpoints", params={"graph": made["id"]})["results"]
    clew.api("POST", f"checkpoints/{trained['id']}/promote")
    plan = {"name": QUEUE, "label_sets": [labels], "ordering": "sequential"}
    row: dict[str, Any] = clew.api("POST", "review/queues", json={**of, **plan})["queue"]
    clew.wait_for_quiet()
    return row


@pytest.fixture(scope="module")
def admin(page: Page, queue: dict[str, Any]) -> Page:
    """The shared page at the queue, logged in."""
    page.goto(f"/review/{queue['id']}")
    question, password = page.get_by_role("region", name="Question"), page.get_by_label("Password")
    expect(question.or_(password)).to_be_visible()
    if password.is_visible():
        page.get_by_label("Name").fill("admin")
        password.fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
    expect(question).to_be_visible()
    return page


def _import(page: Page, file: Path) -> Locator:
    page.get_by_role("button", name="Import and export").click()
    page.get_by_role("menuitem", name="Import verdicts…").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Import verdicts into"))
    expect(dialog.get_by_text("went in.")).to_be_visible()
    return dialog


def _export(page: Page, act: str, folder: Path) -> Path:
    page.get_by_role("button", name="Import and export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=act).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def step_an_import_names_what_it_cannot_use_and_is_taken_back(
    admin: Page, clew: Clew, queue: dict[str, Any], tmp_path: Path, shot: Any
) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)) + "\nno json\n", encoding="utf-8")
    for _ in range(2):
        dialog = _import(admin, file)
        expect(dialog.get_by_text("2 verdicts from 6 lines went in.")).to_be_visible()
        rows = dialog.locator("tbody tr")
        expect(rows).to_have_text(
            [
                re.compile("^3There is no question q999 in this queue."),
                re.compile("^4The graph has no entity Nobody Known."),
                re.compile("^5The graph has no relation shot_in."),
                re.compile("^6This is not a label"),
            ]
        )
        shot("review-import")
        dialog.get_by_role("button", name="Take it back").click()
        expect(dialog.get_by_text("Taken back: 1 question as before.")).to_be_visible()
        dialog.get_by_role("button", name="Done").click()
        assert clew.api("GET", f"review/queues/{queue['id']}")["progress"]["done"] == 0
    _import(admin, file).get_by_role("button", name="Done").click()
    assert clew.api("GET", f"review/queues/{queue['id']}")["progress"]["done"] == 1


def step_what_is_taken_out_goes_in_again_and_adds_nothing(admin: Page, tmp_path: Path) -> None:
    labels = _export(admin, "Labels (JSONL)", tmp_path)
    said = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    assert [(one["question"], one["path"], one["verdict"]) for one in said] == [
        ("q0", DIRECTED, "accepted"),
        ("q0", SPOKEN, "rejected"),
    ]
    table = _export(admin, "Every verdict (CSV)", tmp_path)
    with table.open(encoding="utf-8", newline="") as file:
        rows = [(row["question_id"], row["path"], row["verdict"]) for row in csv.DictReader(file)]
    assert rows == [("q0", "^directed_by", "rational"), ("q0", "^directed_by / in_language", "not-rational")]
    for path in (labels, table):
        dialog = _import(admin, path)
        expect(dialog.get_by_text("0 verdicts from 2 lines went in.")).to_be_visible()
        expect(dialog.get_by_text("All of it was there already.")).to_be_visible()
        dialog.get_by_role("button", name="Done").click()


def step_a_training_is_compared_question_by_question(admin: Page, clew: Clew, queue: dict[str, Any], shot: Any) -> None:
    admin.get_by_role("link", name="Training", exact=True).click()
    expect(admin.get_by_text("Nothing has been trained from this queue yet")).to_be_visible()
    admin.get_by_role("button", name="Train from this queue").click()
    dialog = admin.get_by_role("dialog", name=f"Train from {QUEUE}")
    expect(dialog.get_by_label("Compare with the checkpoint in use")).to_be_checked()
    dialog.get_by_role("button", name="Start training").click()
    row = admin.get_by_role("row", name=re.compile("^Relation paths"))
    expect(row).to_contain_text("by admin")
    admin.reload()
    compared = row.get_by_role("link", name="Question by question")
    expect(compared).to_be_visible(timeout=TRAINING_MS)
    expect(row).to_contain_text("1 path accepted, 1 path rejected")
    shot("review-trained")
    (listed,) = clew.api("GET", f"review/queues/{queue['id']}/trainings")["results"]
    compared.click()
    expect(admin.get_by_role("heading", name="Compare reports")).to_be_visible()
    tests = sum(row["split"] == "test" for row in ASKED)
    expect(admin.get_by_text(f"{SET}, test · {tests} questions")).to_be_visible()
    table = admin.get_by_role("region", name="Metrics")
    expect(table.get_by_role("link", name=re.compile("^Relation paths "))).to_have_count(2)
    expect(table).to_contain_text(listed["checkpoint"]["fingerprint"][:8])
    expect(admin.get_by_text("Questions that changed")).to_be_visible()
    shot("review-compared")
    admin.go_back()


def step_the_checkpoint_is_promoted_and_rolled_back(admin: Page, clew: Clew, queue: dict[str, Any]) -> None:
    def used() -> dict[str, bool]:
        found = clew.api("GET", "checkpoints", params={"graph": queue["graph"]})["results"]
        return {one["fingerprint"]: one["in_use"] for one in found}

    (listed,) = clew.api("GET", f"review/queues/{queue['id']}/trainings")["results"]
    new = listed["checkpoint"]["fingerprint"]
    row = admin.get_by_role("row", name=re.compile("^Relation paths"))
    assert [used()[new], len(used())] == [False, 2]
    row.get_by_role("button", name="Promote").click()
    expect(row.get_by_text("in use", exact=True)).to_be_visible()
    assert used()[new]
    row.get_by_role("button", name="Roll back").click()
    expect(row.get_by_role("button", name="Promote")).to_be_visible()
    assert [used()[new], sum(used().values())] == [False, 1]
    done = clew.api("GET", f"graphs/{queue['graph']}/promotions")["results"]
    assert [one["kind"] for one in done] == ["rolled-back", "promoted", "promoted"]


def step_a_deleted_queue_comes_back_with_everything(admin: Page, clew: Clew, queue: dict[str, Any], shot: Any) -> None:
    admin.goto("/review")
    link = admin.get_by_role("link", name=QUEUE, exact=True)
    for way in ("Undo", f"Restore {QUEUE}"):
        admin.get_by_role("button", name=f"Actions on {QUEUE}").click()
        admin.get_by_role("menuitem", name="Delete…").click()
        dialog = admin.get_by_role("alertdialog", name=f"Delete {QUEUE}?")
        expect(dialog.get_by_role("button", name="Delete the queue")).to_be_disabled()
        dialog.get_by_label(f"Type the name of the queue: {QUEUE}").fill(QUEUE)
        shot("review-delete")
        dialog.get_by_role("button", name="Delete the queue").click()
        expect(link).to_be_hidden()
        expect(admin.get_by_role("heading", name="Deleted")).to_be_visible()
        shot("review-deleted")
        admin.get_by_role("button", name=way).click()
        expect(link).to_be_visible()
        expect(admin.get_by_text(f"{QUEUE} was restored.").first).to_be_visible()
    assert clew.api("GET", f"review/queues/{queue['id']}")["progress"]["done"] == 1
    assert len(clew.api("GET", f"review/queues/{queue['id']}/trainings")["results"]) == 1


test_walk = walk(
    step_an_import_names_what_it_cannot_use_and_is_taken_back,
    step_what_is_taken_out_goes_in_again_and_adds_nothing,
    step_a_training_is_compared_question_by_question,
    step_the_checkpoint_is_promoted_and_rolled_back,
    step_a_deleted_queue_comes_back_with_everything,
)
