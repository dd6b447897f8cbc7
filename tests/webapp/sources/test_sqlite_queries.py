"""A query of an SQLite database as the source of a graph."""

import sqlite3
from contextlib import closing

import pytest

from webapp.graphs import versions
from webapp.sources import databases
from webapp.sources.connections import Connection
from webapp.sources.models import SourceKind


@pytest.fixture
def films(tmp_path, allow):
    """The path of a database of films that may be read."""
    path = tmp_path / "films.db"
    with closing(sqlite3.connect(path)) as sql:
        sql.executescript(
            "CREATE TABLE films (id INTEGER PRIMARY KEY, title, director, year);"
            "INSERT INTO films (title, director, year) VALUES ('Low Tide', 'Gus Holt', 1931), ('Lantern', NULL, 1932);"
            "CREATE VIEW old AS SELECT title, upper(director) AS director FROM films WHERE year < 1932;"
        )
    allow(paths=[tmp_path])
    return path


@pytest.fixture
def change(films):
    """``change(statement)`` runs it in the database."""

    def run(statement):
        with closing(sqlite3.connect(films)) as sql, sql:
            sql.execute(statement)

    return run


def test_rows_of_a_query_become_facts(source, refresh, films, change, owned_graph):
    query = "SELECT title, director FROM films ORDER BY id;"
    made = source(kind="sqlite", addresses=[str(films)], query=query, file_name="films.csv")
    assert made.status_code == 201, made.content
    assert source("/check").json()["sample"] == "title · director\nLow Tide · Gus Holt\nLantern · "
    assert refresh().outcome == "changed"
    assert refresh().outcome == "unchanged"
    change("INSERT INTO films (title, director) VALUES ('Harbour', 'Ida Moe')")
    assert refresh().outcome == "changed"
    rows = {row.version: row for row in owned_graph.snapshots.all()}
    added = versions.compare_versions(rows[2], rows[3])["added_sample"]
    assert ("Harbour", "director", "Ida Moe") in [tuple(fact) for fact in added]


def test_what_waits_in_the_write_ahead_log_is_read(source, refresh, films):
    query = "SELECT title, director FROM films ORDER BY id"
    source(kind="sqlite", addresses=[str(films)], query=query)
    with closing(sqlite3.connect(films)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        assert refresh().outcome == "changed"
        writer.execute("INSERT INTO films (title) VALUES ('Harbour')")
        writer.commit()
        assert refresh().outcome == "changed"
        assert refresh().outcome == "unchanged"


def test_a_database_at_an_address_is_copied_first(source, refresh, films, web):
    web.files["/films.db"] = films.read_bytes()
    assert (
        source(kind="sqlite", addresses=[f"http://{web.host}/films.db"], query="SELECT * FROM old").status_code == 201
    )
    assert source("/check").json()["sample"] == "title · director\nLow Tide · GUS HOLT"
    source("", "patch", query="SELECT title, director FROM films")
    assert refresh().outcome == "changed"
    web.requests.clear()
    assert refresh().outcome == "unchanged"
    assert web.requests == ["HEAD /films.db"]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("DELETE FROM films RETURNING title", ("invalid", "not authorized")),
        ("SELECT 1; DELETE FROM films", ("invalid", "one statement")),
        ("ATTACH '/etc/passwd' AS other", ("invalid", "not authorized")),
        ("SELECT load_extension('x')", ("invalid", "not authorized")),
        ("PRAGMA table_list", ("invalid", "not authorized")),
        ("SELECT budget FROM films", ("invalid", "no such column")),
        ("SELECT title AS a, director AS a FROM films", ("invalid", "Several columns are called a")),
        ("SELECT title FROM films WHERE false", ("empty_source", "no rows")),
        ("SELECT zeroblob(1000000000) AS blob", ("bad_source", "too big")),
    ],
)
def test_queries_that_write_or_return_nothing_fail_and_leave_everything(source, refresh, films, query, error):
    before = films.read_bytes()
    assert source(kind="sqlite", addresses=[str(films)], query=query).status_code == 201
    made = refresh()
    code, words = error
    assert (made.outcome, made.error_code, words in made.error_message) == ("failed", code, True), made.error_message
    assert (made.graph.snapshot.version, made.graph.state, films.read_bytes()) == (1, "ready", before)


def test_files_that_are_no_database_are_refused(source, films, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing to see here, and nothing to query either" * 9)
    source(kind="sqlite", addresses=[str(tmp_path / "notes.txt")], query="SELECT 1 AS n FROM films")
    assert "file is not a database" in source("/check").json()["error"]["message"]
    outside = source("", "patch", addresses=["/etc/passwd"])
    assert outside.json()["error"]["code"] == "not_allowed"


def test_a_query_without_end_is_interrupted(films):
    query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS i FROM n"
    connection = Connection(SourceKind.SQLITE, (str(films),), query)
    with pytest.raises(databases.SourceError, match="interrupted"):
        databases.sample_rows(connection, most=5, timeout=0.2)
