"""Graphs brought, corrected, changed, taken back and kept from others, and people who come and go.

The steps are one walk through the application: they are one test and share one page.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect

from tests.e2e.walks import walk
from tests.support.clew import PASSWORD, Clew
from tests.support.file_server import FileServer
from tests.support.tcp_proxy import TcpProxy

pytestmark = pytest.mark.e2e

NAME = "Rivers"
MB = 1_000_000
SLOW = 400_000
"""Bytes a second, so that a file of some MB is on its way long enough to be paused."""

HEADER = "country,river,how"
FACTS = [
    ("Nile", "flows through", "Egypt"),
    ("Nile", "flows through", "Sudan"),
    ("Rhine", "flows through", "Germany"),
    ("Rhine", "rises in", "Switzerland"),
    ("Danube", "rises in", "Germany"),
]


def _rivers(folder: Path) -> Path:
    """Five facts, said over and over, two lines that are no facts, and columns in an order of their own."""
    rows = [f"{country},{river},{how}" for river, how, country in FACTS]
    path = folder / "rivers.csv"
    again = 6 * MB // sum(len(row) + 1 for row in rows)
    path.write_text("\n".join([HEADER, *rows, "too", "few", *rows * again]) + "\n")
    assert path.stat().st_size > 5 * MB
    return path


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _rivers(tmp_path_factory.mktemp("rivers"))


def _context(browser: Browser, network: TcpProxy) -> BrowserContext:
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{network.port}",
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
    )
    context.set_default_timeout(30_000)
    return context


def _log_in(page: Page, name: str, password: str) -> None:
    page.goto("/login")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


@pytest.fixture(scope="module")
def admin(browser: Browser, network: TcpProxy) -> Iterator[Page]:
    """The administrator's page; nothing may go wrong on it unsaid."""
    context = _context(browser, network)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    _log_in(page, "admin", PASSWORD)
    expect(page.get_by_role("combobox", name="Question")).to_be_visible()
    yield page
    context.close()
    assert errors == []


@pytest.fixture(scope="module")
def other(browser: Browser, network: TcpProxy) -> Iterator[Page]:
    """The page of somebody else."""
    context = _context(browser, network)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def speed(admin: Page) -> Callable[[int], None]:
    """``speed(n)``: the page sends n bytes a second at most; -1 for as fast as it goes."""
    session = admin.context.new_cdp_session(admin)
    session.send("Network.enable")

    def limit(upload: int) -> None:
        limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": upload}
        session.send("Network.emulateNetworkConditions", limits)

    return limit


def _choose(page: Page, file: Path) -> Locator:
    """Choose a file in the dialog; its row."""
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(file)
    return dialog.get_by_role("list", name="Files").get_by_role("listitem").filter(has_text=file.name)


def _pick(page: Page, label: str, option: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=re.compile(f"{label}$")).click()
    page.get_by_role("option", name=option, exact=True).click()
    expect(page.get_by_role("listbox")).to_be_hidden()


def _graph(clew: Clew) -> Any:
    return next(one for one in clew.api("GET", "graphs")["results"] if one["name"] == NAME)


def _version(page: Page, number: int) -> Locator:
    versions = page.get_by_role("region", name="Versions")
    return versions.get_by_role("row").filter(has=page.get_by_text(f"v{number}", exact=True))


def step_an_upload_is_paused_outlives_a_reload_and_goes_on(
    admin: Page, rivers: Path, clew: Clew, speed: Callable[[int], None]
) -> None:
    admin.goto("/graphs?upload=1")
    speed(SLOW)
    row = _choose(admin, rivers)
    expect(row).to_contain_text(re.compile(r"[1-9][\d.]* MB of 6\.0 MB"))
    row.get_by_role("button", name="Pause rivers.csv").click()
    expect(row).to_contain_text("paused")
    admin.reload()
    begun = admin.get_by_role("dialog").get_by_text(re.compile(r"^[\d.]+ [kM]B of 6\.0 MB"))
    expect(begun).to_be_visible()
    (kept,) = clew.api("GET", "uploads")["results"]
    assert 0 < kept["offset"] < kept["length"] == rivers.stat().st_size

    offsets: list[int] = []

    def seen(request: Request) -> None:
        if request.method == "PATCH":
            offsets.append(int(request.headers["upload-offset"]))

    admin.on("request", seen)
    speed(-1)
    expect(_choose(admin, rivers)).to_contain_text("sent")
    admin.remove_listener("request", seen)
    assert offsets[0] == kept["offset"]
    (whole,) = clew.api("GET", "uploads")["results"]
    assert (whole["id"], whole["complete"]) == (kept["id"], True)


def step_an_upload_that_is_stopped_leaves_nothing(
    admin: Page, tmp_path: Path, clew: Clew, speed: Callable[[int], None]
) -> None:
    unwanted = tmp_path / "unwanted.tsv"
    unwanted.write_text("a\tb\tc\n" * 400_000)
    speed(SLOW)
    row = _choose(admin, unwanted)
    expect(row).to_contain_text(re.compile(r"[1-9]\d* kB of 2\.4 MB|MB of 2\.4 MB"))
    row.get_by_role("button", name="Stop and remove unwanted.tsv").click()
    expect(row).to_have_count(0)
    speed(-1)
    expect(admin.get_by_role("dialog").get_by_text("rivers.csv").first).to_be_visible()
    admin.wait_for_timeout(500)
    assert [one["name"] for one in clew.api("GET", "uploads")["results"]] == ["rivers.csv"]


def step_columns_are_corrected_before_the_import(admin: Page, clew: Clew) -> None:
    dialog = admin.get_by_role("dialog")
    rows = dialog.get_by_role("region", name="First rows of rivers.csv")
    expect(rows.get_by_role("row").nth(1)).to_have_text("countryriverhow")
    _pick(admin, "First line", "The names of the columns")
    for role, column in (("Head", "river"), ("Relation", "how"), ("Tail", "country")):
        _pick(admin, f"{role} is in", column)
    expect(rows.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["Nile", "flows through", "Egypt"])
    dialog.get_by_label("Name", exact=True).fill(NAME)
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(admin.get_by_role("heading", name=NAME)).to_be_visible()
    expect(admin.get_by_text("ready", exact=True).first).to_be_visible(timeout=60_000)
    graph = _graph(clew)
    assert (graph["entities"], graph["relations"], graph["triples"], graph["problems"]) == (7, 2, 5, 2)
    named = {row["name"] for row in clew.api("GET", f"graphs/{graph['id']}/relations")}
    assert named == {"flows through", "rises in"}


def step_bad_rows_are_named_and_come_as_a_file(admin: Page) -> None:
    bad = admin.get_by_role("region", name="Rows that could not be used")
    expect(bad.get_by_role("row").nth(1)).to_contain_text("rivers.csv")
    with admin.expect_download() as waiting:
        bad.get_by_role("button", name="Download as CSV").click()
    with waiting.value.path().open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["file"], row["line"], row["text"]) for row in rows] == [
        ("rivers.csv", "7", "too"),
        ("rivers.csv", "8", "few"),
    ]


def step_facts_are_added_compared_and_taken_back(admin: Page, tmp_path: Path, clew: Clew) -> None:
    more = tmp_path / "more.tsv"
    more.write_text("Danube\tflows through\tAustria\nNile\tflows through\tEgypt\n")
    admin.get_by_role("button", name="Add, replace or remove").click()
    expect(_choose(admin, more)).to_contain_text("sent")
    admin.get_by_role("dialog").get_by_role("button", name="Create the next version").click()
    expect(_version(admin, 2)).to_contain_text("in use", timeout=60_000)
    _version(admin, 2).get_by_role("button", name="What changed").click()
    changed = admin.get_by_role("dialog", name="What changed in v2")
    expect(changed).to_contain_text("5 facts in both")
    expect(changed.get_by_role("listitem")).to_have_text(["Danube → flows through Austria"])
    admin.keyboard.press("Escape")
    _version(admin, 1).get_by_role("button", name="Use this one").click()
    expect(_version(admin, 1)).to_contain_text("in use")
    assert _graph(clew)["triples"] == 5


def step_a_deleted_version_comes_back(admin: Page) -> None:
    _version(admin, 2).get_by_role("button", name="Delete version 2").click()
    admin.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(_version(admin, 2)).to_have_count(0)
    at = admin.url
    admin.goto("/graphs")
    admin.get_by_role("button", name=f"Restore {NAME}, version 2").click()
    expect(admin.get_by_role("region", name="Deleted")).to_have_count(0)
    admin.goto(at)
    expect(_version(admin, 2)).to_be_visible()


def step_deleting_a_graph_asks_for_its_name_and_can_be_undone(admin: Page) -> None:
    admin.get_by_role("button", name="Delete", exact=True).first.click()
    asked = admin.get_by_role("alertdialog")
    expect(asked).to_contain_text("2 versions")
    delete = asked.get_by_role("button", name="Delete the graph")
    asked.get_by_role("textbox").fill("River")
    expect(delete).to_be_disabled()
    asked.get_by_role("textbox").fill(NAME)
    delete.click()
    expect(admin).to_have_url(re.compile("/graphs$"))
    expect(admin.get_by_role("link", name=NAME, exact=True)).to_have_count(0)
    admin.get_by_role("button", name=f"Restore {NAME}").click()
    expect(admin.get_by_role("link", name=NAME, exact=True)).to_be_visible()


def step_an_import_that_failed_is_tried_again(admin: Page, elsewhere: FileServer) -> None:
    admin.goto("/graphs?upload=1")
    dialog = admin.get_by_role("dialog")
    elsewhere.files["/lakes.tsv"] = b"Lake Victoria\tlies in\tUganda\n"
    dialog.get_by_text("From a path on the server, or an address").click()
    dialog.get_by_label("Path or address").fill(f"http://{elsewhere.host}/lakes.tsv")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("region", name="First rows of lakes.tsv")).to_be_visible()
    dialog.get_by_label("Name", exact=True).fill("Lakes")
    served = elsewhere.files.pop("/lakes.tsv")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(admin.get_by_text("import failed")).to_be_visible(timeout=60_000)
    expect(admin.get_by_text(re.compile("404")).first).to_be_visible()
    elsewhere.files["/lakes.tsv"] = served
    admin.get_by_role("button", name="Try again: Import Lakes").first.click()
    expect(admin.get_by_text("ready", exact=True).first).to_be_visible(timeout=60_000)


def step_a_person_is_made_and_chooses_a_password(admin: Page, other: Page) -> None:
    admin.goto("/people")
    admin.get_by_role("button", name="New person").click()
    dialog = admin.get_by_role("dialog")
    dialog.get_by_label("User name").fill("eve")
    dialog.get_by_role("radio", name=re.compile("^Analyst")).check()
    dialog.get_by_role("button", name="Create the account").click()
    password = dialog.locator(".token").inner_text()
    dialog.get_by_role("button", name="Done").click()
    expect(admin.get_by_role("row", name=re.compile("^eve"))).to_contain_text("not logged in yet")
    _log_in(other, "eve", password)
    expect(other.get_by_role("heading", name="Choose a password")).to_be_visible()
    other.get_by_label("Temporary password").fill(password)
    other.get_by_label("New password", exact=True).fill(PASSWORD)
    other.get_by_label("New password again").fill(PASSWORD)
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_role("combobox", name="Question")).to_be_visible()


def step_a_private_graph_is_not_seen_by_others(admin: Page, other: Page, clew: Clew) -> None:
    graph = _graph(clew)["id"]
    other.goto("/graphs")
    expect(other.get_by_role("heading", name="Graphs", exact=True)).to_be_visible()
    expect(other.get_by_role("link", name=NAME, exact=True)).to_have_count(0)
    for one in clew.api("GET", "graphs")["results"]:
        clew.api("PATCH", f"graphs/{one['id']}", json={"visibility": "public"})
    other.reload()
    expect(other.get_by_role("link", name=NAME, exact=True)).to_be_visible()
    admin.goto(f"/graphs/{graph}")
    admin.get_by_role("button", name=re.compile("Who may see it")).click()
    admin.get_by_role("option", name=re.compile("^Its owner")).click()
    expect(admin.get_by_role("button", name=re.compile("^Its owner"))).to_be_visible()
    other.reload()
    expect(other.get_by_role("link", name="Lakes", exact=True)).to_be_visible()
    expect(other.get_by_role("link", name=NAME, exact=True)).to_have_count(0)
    other.goto(f"/graphs/{graph}")
    expect(other.get_by_text("This graph does not exist")).to_be_visible()


def step_who_is_deactivated_is_out_at_once(admin: Page, other: Page) -> None:
    other.goto("/graphs")
    expect(other.get_by_role("link", name="Lakes", exact=True)).to_be_visible()
    admin.goto("/people")
    admin.get_by_role("button", name="Change eve").click()
    dialog = admin.get_by_role("dialog")
    dialog.get_by_role("button", name="Deactivate").click()
    dialog.get_by_role("button", name="Deactivate now").click()
    expect(dialog.get_by_role("button", name="Reactivate")).to_be_visible()
    expect(other.get_by_role("button", name="Log in")).to_be_visible()


test_walk = walk(
    step_an_upload_is_paused_outlives_a_reload_and_goes_on,
    step_an_upload_that_is_stopped_leaves_nothing,
    step_columns_are_corrected_before_the_import,
    step_bad_rows_are_named_and_come_as_a_file,
    step_facts_are_added_compared_and_taken_back,
    step_a_deleted_version_comes_back,
    step_deleting_a_graph_asks_for_its_name_and_can_be_undone,
    step_an_import_that_failed_is_tried_again,
    step_a_person_is_made_and_chooses_a_password,
    step_a_private_graph_is_not_seen_by_others,
    step_who_is_deactivated_is_out_at_once,
)
