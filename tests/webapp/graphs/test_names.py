"""Readers see the names of entities in their language, and labels still say which entity is meant."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from channels.layers import channel_layers
from django.conf import settings
from django.test import Client

from retrieval.events import AnswerFinal, QuestionLinked
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.results import Answer
from retrieval.types import LinkedEntity, Node, Usage
from tests.conftest import TINY
from tests.support.sockets import Socket
from webapp.answers import log, services
from webapp.graphs import files, progress
from webapp.graphs.names import remove_names
from webapp.project.asgi import application

NAMES = [
    ("Germany", "de", "Deutschland", 0),
    ("Germany", "en", "Germany", 0),
    ("Germany", "de", "BRD", 1),
    ("Berlin", "pt-BR", "Berlim", 0),
    ("Switzerland", "de", "Schweiz", 0),
]


@pytest.fixture
def graph(tiny_graph: Any) -> Any:
    """The tiny graph with names in languages."""
    names = pl.DataFrame(NAMES, schema=["label", "language", "name", "rank"], orient="row")
    table = replace(TripleTable.from_facts(TINY), names=names)
    built = build_snapshot(table, files.ensure_local_path(files.build_snapshot_name(tiny_graph.pk, 2)))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    tiny_graph.refresh_from_db()
    return tiny_graph


@pytest.fixture
def run(graph: Any, users: dict[str, Any]) -> Any:
    """A run that was answered with Berlin."""
    made = services.create_run(graph=graph, ask=services.Ask("Capital of Germany?"), user=users["viewer"])
    label = graph_label(graph)
    germany, berlin = Node(label("Germany"), "Germany"), Node(label("Berlin"), "Berlin")
    linked = QuestionLinked((LinkedEntity(germany, "Germany", 11, 18, 1.0, "exact"),), (), 1.0)
    answers = (Answer("Berlin", 0.9, berlin),)
    final = AnswerFinal(answers, None, "", (), Usage(), 1.0, "The capital of Germany is Berlin.")
    log.append(made.pk, after=0, events=[linked, final])
    return made


def graph_label(graph: Any) -> Any:
    from webapp.graphs.snapshots import open_current

    return open_current(graph).find_entity


def get(client: Any, path: str, language: str | None = None) -> Any:
    headers = {"HTTP_ACCEPT_LANGUAGE": language} if language else {}
    answer = client.get(f"/api/v1/{path}", **headers)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize(
    ("language", "name"),
    [
        (None, None),
        ("en-GB,en;q=0.9", None),
        ("de-AT,de;q=0.9,en;q=0.8", "Deutschland"),
        ("DE", "Deutschland"),
        ("fr, de;q=0.3", "Deutschland"),
        ("d e;q=x", None),
    ],
)
def test_a_search_shows_the_name_in_the_language(api: Any, graph: Any, language: str | None, name: str | None) -> None:
    rows = get(api(), f"graphs/{graph.pk}/entities?q=germany", language)
    assert (rows[0]["label"], rows[0].get("name")) == ("Germany", name)


def test_a_search_finds_names_of_every_language(api: Any, graph: Any) -> None:
    assert [
        get(api(), f"graphs/{graph.pk}/entities?q={text}")[0]["label"] for text in ("schweiz", "brd", "berlim")
    ] == [
        *("Switzerland", "Germany", "Berlin"),
    ]


def test_a_chosen_language_goes_before_that_of_the_browser(api: Any, graph: Any) -> None:
    client = api()
    client.cookies["names_language"] = "pt"
    rows = get(client, f"graphs/{graph.pk}/entities?q=berlin", "de")
    assert (rows[0]["label"], rows[0]["name"]) == ("Berlin", "Berlim")


def test_neighbours_and_pictures_have_names(api: Any, graph: Any) -> None:
    entity = graph_label(graph)("Germany")
    found = get(api(), f"graphs/{graph.pk}/neighbours?entity={entity}", "de")
    assert found["node"]["name"] == "Deutschland"
    assert found["node"]["names"] == [
        {"language": "de", "name": "Deutschland", "is_main": True},
        {"language": "de", "name": "BRD", "is_main": False},
        {"language": "en", "name": "Germany", "is_main": True},
    ]
    ends = {end["label"]: end.get("name") for hop in found["hops"] for end in (hop["source"], hop["target"])}
    assert (ends["Germany"], ends["Berlin"], ends["Switzerland"]) == ("Deutschland", None, "Schweiz")
    picture = get(api(), f"graphs/{graph.pk}/picture?entities={entity}", "de")
    assert [node["name"] for node in picture["nodes"]] == ["Deutschland"]


def test_a_graph_lists_its_languages(api: Any, graph: Any) -> None:
    assert get(api(), f"graphs/{graph.pk}")["languages"] == [
        {"tag": "de", "count": 2},
        {"tag": "en", "count": 1},
        {"tag": "pt-BR", "count": 1},
    ]


def test_the_events_of_a_run_have_names_and_keep_labels(api: Any, run: Any) -> None:
    linked, final = get(api("viewer"), f"runs/{run.pk}/events", "pt-BR,de")
    assert linked["entities"][0]["entity"] | {"id": 0} == {
        **{"id": 0, "label": "Germany", "kind": "entity", "name": "Deutschland"},
    }
    assert (final["answers"][0]["label"], final["answers"][0]["name"]) == ("Berlin", "Berlim")
    assert final["sentence"] == "The capital of Deutschland is Berlim."
    assert get(api("viewer"), f"runs/{run.pk}/events", "en")[1]["sentence"] == "The capital of Germany is Berlin."


@pytest.mark.django_db(transaction=True)
def test_the_socket_of_a_run_has_names(run: Any, users: dict[str, Any]) -> None:
    channel_layers.backends.clear()
    client = Client()
    client.force_login(users["viewer"])
    session = client.cookies[settings.SESSION_COOKIE_NAME].value

    async def read() -> list[dict[str, Any]]:
        cookies = f"{settings.SESSION_COOKIE_NAME}={session}; names_language=de"
        headers = [(b"origin", b"http://localhost"), (b"cookie", cookies.encode()), (b"accept-language", b"fr")]
        connection = Socket(application, f"/ws/runs/{run.pk}", headers)
        assert await connection.connect()
        events = [await connection.receive_json() for _ in range(2)]
        await connection.disconnect()
        return events

    linked, final = asyncio.run(read())
    assert linked["entities"][0]["entity"]["name"] == "Deutschland"
    assert final["sentence"] == "The capital of Deutschland is Berlin."


def test_names_are_removed_of_what_a_page_sends_back() -> None:
    action = {"kind": "explore", "entities": [{"id": 1, "label": "Germany", "kind": "entity", "name": "Deutschland"}]}
    step = {"name": "capital", "label": "capital", "inverse": False}
    assert remove_names({**action, "relations": [step]}) == {
        "kind": "explore",
        "entities": [{"id": 1, "label": "Germany", "kind": "entity"}],
        "relations": [step],
    }
