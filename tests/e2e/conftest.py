"""One running Clew, one slow language model and one browser page for the whole browser test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.support.clew import Clew
from tests.support.file_server import FileServer
from tests.support.llm_server import LLMServer
from tests.support.sparql_server import SparqlServer
from tests.support.tcp_proxy import TcpProxy
from tests.support.webhook_receiver import WebhookReceiver

expect.set_options(timeout=30_000)  # what is asserted is what comes, not how soon
SHOTS = os.environ.get("CLEW_SHOTS")
FILMS = """
@prefix : <http://films.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:lantern rdfs:label "The Paper Lantern"@en ; :directed_by :holt ; :release_year 1931 .
:tide rdfs:label "Low Tide"@en ; :directed_by :holt .
:holt rdfs:label "Gus Holt"@en ; :born_in :tromso .
:tromso rdfs:label "Tromso"@en ; :lies_in :norway .
:norway rdfs:label "Norway"@en .
"""
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def slow_reply(request: dict[str, Any]) -> str:
    """Words for long enough that a person can press Stop, then one answer that the chains hold."""
    return "Thinking about the chains. " * 40 + "\nans: Klingon"


@pytest.fixture(scope="session")
def llm() -> Iterator[LLMServer]:
    with LLMServer(slow_reply, delay=0.1) as server:
        yield server


@pytest.fixture(scope="session")
def films() -> Iterator[SparqlServer]:
    """A SPARQL endpoint that the operator allows to ask."""
    with SparqlServer(FILMS) as server:
        yield server


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[FileServer]:
    """A host that files may be imported from."""
    with FileServer() as server:
        yield server


@pytest.fixture(scope="session")
def receiver() -> Iterator[WebhookReceiver]:
    """A host that webhooks may be sent to."""
    with WebhookReceiver() as server:
        yield server


@pytest.fixture(scope="session")
def clew(
    llm: LLMServer,
    films: SparqlServer,
    elsewhere: FileServer,
    receiver: WebhookReceiver,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Clew]:
    home = tmp_path_factory.mktemp("clew")
    env = {"LLM_BASE_URL": llm.url, "LLM_MODEL": "slow-test-model", "LLM_API_KEY": "unused"}
    env["CLEW_IMPORT_HOSTS"] = f"{films.url.split('/')[2]},{elsewhere.host},{receiver.host}"
    # The demo graph trains for minutes when it is loaded, and these tests bring graphs of their own.
    with Clew(home, env=env, options=("--no-demo",)) as running:
        running.wait_for_workers()
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def network(clew: Clew) -> Iterator[TcpProxy]:
    """What lies between the browser and the server."""
    with TcpProxy(clew.port) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def new_page(browser: Browser, network: TcpProxy) -> Callable[[], Page]:
    """``new_page()`` is a page of a browser that was never here before; whoever made it closes its context."""

    def made() -> Page:
        context = browser.new_context(
            base_url=f"http://127.0.0.1:{network.port}",
            viewport={"width": 1440, "height": 900},
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        return page

    return made


@pytest.fixture(scope="module")
def page(new_page: Callable[[], Page]) -> Iterator[Page]:
    """The page of a module."""
    page = new_page()
    yield page
    page.context.close()


@pytest.fixture
def shot(page: Page) -> Any:
    """``shot("name")`` saves a screenshot when CLEW_SHOTS names a folder."""

    def take(name: str) -> None:
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(SHOTS) / f"{name}.png")

    return take


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Beside a failure: where the page was and what it said, for one that happens once in many runs."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if call.when == "call" and report.failed and page is not None:
        said = page.locator("body").aria_snapshot(timeout=5_000)
        report.sections.append(("What the page showed", f"{page.url}\n{said}"))
    return report


@pytest.fixture(scope="module", autouse=True)
def console_errors(page: Page) -> list[str]:
    """What the page wrote to its console as an error, and uncaught exceptions."""
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(f"{message.text} {message.location['url']}")

    page.on("console", heard)
    page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
    return errors
