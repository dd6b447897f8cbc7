"""Fixtures of the tests of sources: a file server that may be asked, a database, an endpoint, and imports in place."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import psycopg
import pytest

import worker.app
from tests.support.file_server import FileServer
from tests.support.sparql_server import SparqlServer
from webapp.jobs.models import Job, JobState
from webapp.sources import outcomes
from webapp.sources.models import Refresh
from worker import imports

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
CITIES = b"city,country\nParis,France\nRome,Italy\n"
CAPITALS = """
@prefix : <http://capitals.test/> .
:paris :capital_of :france . :rome :capital_of :italy . :oslo :capital_of :norway . :riga :capital_of :latvia .
"""


@pytest.fixture
def allow(settings):
    """``allow(hosts=..., databases=..., paths=...)`` says what the operator allows."""

    def change(*, hosts=(), databases=(), paths=()):
        settings.CLEW = replace(
            settings.CLEW, import_hosts=tuple(hosts), import_databases=tuple(databases), import_paths=tuple(paths)
        )

    return change


@pytest.fixture
def web(allow):
    """A host whose files may be imported."""
    with FileServer() as server:
        allow(hosts=[server.host])
        server.files["/cities.csv"] = CITIES
        yield server


@pytest.fixture
def capitals(allow):
    """A SPARQL endpoint that may be queried."""
    with SparqlServer(CAPITALS) as server:
        allow(hosts=[server.url.split("/")[2]])
        yield server


@pytest.fixture
def database(servers, allow):
    """The address of a database with a table of films, and a role that has a password."""
    layout = servers.layout
    with psycopg.connect(layout.database_url, autocommit=True) as sql:
        sql.execute("DROP TABLE IF EXISTS films")
        sql.execute("CREATE TABLE films (title text, director text, released date, seen boolean, tags jsonb)")
        sql.execute(
            "INSERT INTO films VALUES ('Low Tide', 'Gus Holt', '1931-02-03', true, '[\"sea\"]'),"
            " ('The Lantern', 'Gus Holt', NULL, false, NULL)"
        )
        sql.execute("DROP ROLE IF EXISTS film_reader")
        sql.execute("CREATE ROLE film_reader LOGIN PASSWORD 'pass word'")
        sql.execute("GRANT ALL ON films TO film_reader")
    allow(databases=[str(layout.postgres_sockets)])
    yield f"postgresql://film_reader:pass%20word@/clew?host={layout.postgres_sockets}"
    with psycopg.connect(layout.database_url, autocommit=True) as sql:
        sql.execute("DROP TABLE films; DROP ROLE film_reader")


@pytest.fixture
def sql(servers, database):
    """``sql(statement)`` runs it in the database."""

    def run(statement):
        with psycopg.connect(servers.layout.database_url, autocommit=True) as connection:
            return connection.execute(statement)

    return run


def call(client, graph, rest="", method="post", **body):
    """A request about the source of a graph."""
    return getattr(client, method)(f"/api/v1/graphs/{graph.pk}/source{rest}", body or None, format="json")


@pytest.fixture
def source(api, owned_graph):
    """``source(rest, method=..., **body)`` is a request of the owner about the source of the graph."""
    return partial(call, api("analyst"), owned_graph)


@pytest.fixture
def work(owned_graph):
    """``work()`` does the queued imports of the graph in place, and returns the last one."""

    def run():
        for key in Job.objects.filter(graph=owned_graph, kind="import", state=JobState.QUEUED).values_list(
            "pk", flat=True
        ):
            imports.import_graph(key)
        owned_graph.refresh_from_db()
        return Job.objects.filter(graph=owned_graph, kind="import").order_by("pk").last()

    return run


@pytest.fixture
def refresh(source, work):
    """``refresh()`` reads the source of the graph by hand, and returns what came of it."""

    def run():
        answer = source("/refresh")
        assert answer.status_code == 202, answer.content
        work()
        outcomes.look_after_refreshes(NOW)
        return Refresh.objects.latest("pk")

    return run


__all__ = ["worker"]
