"""SQLite databases: tables that refer to each other, and what is left out of them."""

import gzip
import sqlite3
import zipfile
from contextlib import closing

import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers import read_graph, read_preview, sqlite_tables

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, photo BLOB);
INSERT INTO customers VALUES (1, 'Ann Lee', 'Oslo', x'00ff'), (2, 'Bob', NULL, x'00');
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, amount REAL);
INSERT INTO orders VALUES (1, 1, 12.5), (2, 2, 30.0), (3, 1, 7);
CREATE TABLE empty (id INTEGER, name TEXT);
CREATE VIEW rich AS SELECT name FROM customers;
CREATE TRIGGER grow AFTER INSERT ON orders BEGIN DELETE FROM customers; END;
"""


@pytest.fixture
def database(tmp_path):
    def write(script, name="shop.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript(script)
        return tmp_path / name

    return write


def read(path):
    problems = []
    table = read_graph(path, problems=problems.append)
    assert problems == []
    return table


def test_each_table_is_a_table_and_refers_to_the_others(database):
    table = read(database(SHOP))
    assert [(report.name, report.format, report.rows) for report in table.reports] == [
        ("shop.db/customers.csv", "table", 2),
        ("shop.db/orders.csv", "table", 3),
    ]
    assert set(table.node_attributes.rows()) - {(f"order {n}", "id", str(n)) for n in (1, 2, 3)} == {
        ("Ann Lee", "type", "customer"),
        ("Ann Lee", "id", "1"),
        ("Ann Lee", "city", "Oslo"),
        ("Bob", "type", "customer"),
        ("Bob", "id", "2"),
        ("order 1", "type", "order"),
        ("order 1", "customer", "Ann Lee"),
        ("order 1", "amount", "12.5"),
        ("order 2", "type", "order"),
        ("order 2", "customer", "Bob"),
        ("order 2", "amount", "30"),
        ("order 3", "type", "order"),
        ("order 3", "customer", "Ann Lee"),
        ("order 3", "amount", "7"),
    }


def test_a_database_is_not_changed_by_reading(database):
    path = database("PRAGMA journal_mode=WAL;" + SHOP)
    before = path.read_bytes()
    read(path)
    assert path.read_bytes() == before
    assert sorted(other.name for other in path.parent.iterdir()) == ["shop.db"]


@pytest.mark.parametrize("packed", ["gzip", "zip"])
def test_a_database_may_be_packed(database, packed):
    path = database(SHOP)
    other = path.with_name(f"shop.{packed}")
    if packed == "gzip":
        other.write_bytes(gzip.compress(path.read_bytes()))
    else:
        with zipfile.ZipFile(other, "w") as archive:
            archive.write(path, "data/shop.db")
    assert ("order 3", "customer", "Ann Lee") in read(other).node_attributes.rows()
    assert read_preview(other).rows[0] == ("Ann Lee", "type", "customer")


def test_a_preview_shows_the_first_table_and_names_all(database):
    shown = read_preview(database(SHOP))
    assert (shown.format, shown.header_cells) == ("table", ("id", "name", "city", "photo"))
    assert [name for name, _ in shown.members] == ["customers.csv", "orders.csv"]


def test_tables_of_facts_and_of_edges_are_read_as_such(database):
    facts = "CREATE TABLE f (head, relation, tail); INSERT INTO f VALUES ('Ann', 'knows', 'Bob');"
    assert read(database(facts, "facts.db")).facts.rows() == [("Ann", "knows", "Bob")]
    graph = (
        "CREATE TABLE nodes (id, name, type); INSERT INTO nodes VALUES (1, 'Ann', 'Person'), (2, 'Bob', 'Person');"
        "CREATE TABLE edges (source, target, relation); INSERT INTO edges VALUES (1, 2, 'knows');"
    )
    table = read(database(graph, "graph.db"))
    assert table.facts.rows() == [("Ann", "knows", "Bob")]
    assert ("Bob", "type", "Person") in table.node_attributes.rows()


def test_ids_of_tables_without_edges_are_their_own(database):
    script = (
        "CREATE TABLE ships (id, name, type); INSERT INTO ships VALUES (1, 'Fram', 'schooner'), (2, 'Gjoa', 'sloop');"
        "CREATE TABLE ports (id, name, type); INSERT INTO ports VALUES (1, 'Oslo', 'sea'), (2, 'Bodo', 'sea');"
    )
    said = set(read(database(script)).node_attributes.rows())
    assert {("Fram", "ship type", "schooner"), ("Oslo", "port type", "sea")} <= said


def test_nothing_that_is_stored_is_executed(database):
    script = (
        "CREATE TABLE t (name TEXT, year INTEGER, shout TEXT GENERATED ALWAYS AS (upper(name)) VIRTUAL);"
        "INSERT INTO t (name, year) VALUES ('Jaws', 1975), ('Hook', 1991);"
        "CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('shark');"
    )
    table = read(database(script, "films.db"))
    assert [report.name for report in table.reports] == ["films.db/t.csv"]
    assert {key for _, key, _ in table.node_attributes.rows()} == {"year", "row in table"}  # "t" names no kind


@pytest.mark.parametrize("broken", [slice(None, 5000), slice(None, 100)])
def test_a_broken_database_is_refused(database, broken):
    path = database(SHOP)
    path.write_bytes(path.read_bytes()[broken])
    with pytest.raises(SourceError, match=r"shop\.db is an SQLite database that cannot be read") as error:
        read_graph(path, problems=print)
    assert "broken or encrypted" in (error.value.hint or "")
    assert read_preview(path).refused


def test_an_encrypted_database_is_refused(tmp_path):
    path = tmp_path / "shop.sqlite"
    path.write_bytes(bytes(range(256)) * 16)
    with pytest.raises(SourceError, match="is a binary file") as error:
        read_graph(path, problems=print)
    assert "Decrypt it" in (error.value.hint or "")


def test_rows_of_more_than_a_file_can_hold_are_refused(database, monkeypatch):
    monkeypatch.setattr(sqlite_tables, "EASY", 0)
    monkeypatch.setattr(sqlite_tables, "RATIO", 0.001)
    with pytest.raises(SourceError, match="as a bomb does"):
        read_graph(database(SHOP), problems=print)


def test_a_database_without_rows_is_refused(database):
    with pytest.raises(EmptySourceError, match=r"shop\.db holds no table"):
        read_graph(database("CREATE TABLE t (a)"), problems=print)
