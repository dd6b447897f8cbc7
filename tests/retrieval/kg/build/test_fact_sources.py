"""Every fact of a snapshot names the file and row that state it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from openpyxl import Workbook

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.build.from_table import build_snapshot
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.build.versions import merge, remove_facts
from retrieval.kg.readers import read_graph
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable

ORDERS = "order id,customer,freight,via\n10248,VINET,32.4,air\n10249,TOMSP,11.6,sea\n10250,VINET,65.8,air\n"
CUSTOMERS = "customer,company name,city\nVINET,Vins et alcools,Reims\nTOMSP,Toms Spezialitaeten,Muenster\n"


def build(folder: Path, files: dict[str, str], base: Snapshot | None = None, **limits: int) -> Snapshot:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    out = folder / f"graph-{len(list(folder.iterdir()))}"
    return build_from_files([folder / name for name in files], out, problems=pytest.fail, base=base, **limits)[0]


def list_sources(graph: Snapshot) -> dict[tuple[str, str, str], tuple[str, int | None] | None]:
    listed = {}
    for fact in range(graph.num_triples):
        source = graph.get_fact_source(fact)
        ends = (graph.get_entity_label(int(ids[fact])) for ids in (graph.heads, graph.tails))
        head, tail = ends
        listed[head, graph.get_relation_name(int(graph.relations[fact])), tail] = source and (source.name, source.row)
    return listed


def test_facts_of_joined_tables_name_the_row_that_states_them(tmp_path: Path) -> None:
    sources = list_sources(build(tmp_path, {"orders.csv": ORDERS, "customers.csv": CUSTOMERS}))

    assert {fact: source for fact, source in sources.items() if fact[1] in ("customer", "freight", "city")} == {
        ("Toms Spezialitaeten", "city", "Muenster"): ("customers.csv", 3),
        ("Toms Spezialitaeten", "customer", "TOMSP"): ("customers.csv", 3),
        ("Vins et alcools", "city", "Reims"): ("customers.csv", 2),
        ("Vins et alcools", "customer", "VINET"): ("customers.csv", 2),
        ("order 10248", "customer", "Vins et alcools"): ("orders.csv", 2),
        ("order 10249", "customer", "Toms Spezialitaeten"): ("orders.csv", 3),
        ("order 10250", "customer", "Vins et alcools"): ("orders.csv", 4),
        ("order 10248", "freight", "32.4"): ("orders.csv", 2),
        ("order 10249", "freight", "11.6"): ("orders.csv", 3),
        ("order 10250", "freight", "65.8"): ("orders.csv", 4),
    }


def test_rows_of_a_sheet_are_those_that_its_program_shows(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Staff"
    rows = [["Staff of 2024"], [], ["name", "city"], ["Ann", "Oslo"], [], ["Bob\nJunior", "Rome"], ["Cid", "Lima"]]
    for row in rows:
        sheet.append(row)
    book.save(tmp_path / "staff.xlsx")

    graph, _ = build_from_files(tmp_path / "staff.xlsx", tmp_path / "graph", problems=pytest.fail)

    assert {fact[2]: source for fact, source in list_sources(graph).items() if fact[1] == "city"} == {
        "Oslo": ("staff.xlsx/Staff.csv", 4),
        "Rome": ("staff.xlsx/Staff.csv", 6),
        "Lima": ("staff.xlsx/Staff.csv", 7),
    }


@pytest.mark.parametrize("memory", [8, 1 << 20])
def test_lines_of_triples_are_counted_over_blank_bad_and_repeated_ones(tmp_path: Path, memory: int) -> None:
    plain, blank = "Ann\tknows\tBob\nBob\tknows\tCid\nAnn\tknows\tBob\n", "\nDan\tknows\t Eve\n\nEve\tknows\tDan\n"

    graph = build(tmp_path, {"plain.tsv": plain, "blank.tsv": blank}, memory=memory)

    assert list_sources(graph) == {
        ("Ann", "knows", "Bob"): ("plain.tsv", 1),
        ("Bob", "knows", "Cid"): ("plain.tsv", 2),
        ("Dan", "knows", "Eve"): ("blank.tsv", 2),
        ("Eve", "knows", "Dan"): ("blank.tsv", 4),
    }


def test_renaming_by_ids_keeps_the_lines(tmp_path: Path) -> None:
    graph = build(tmp_path, {"facts.tsv": "c1\tname\tAlgorithms\nc2\tname\tLogic\nc1\tneeds\tc2\n"})

    assert list_sources(graph) == {
        ("Algorithms", "node id", "c1"): ("facts.tsv", 1),
        ("Logic", "node id", "c2"): ("facts.tsv", 2),
        ("Algorithms", "needs", "Logic"): ("facts.tsv", 3),
    }


def test_statements_of_n_triples_have_lines_and_those_of_turtle_have_a_file(tmp_path: Path) -> None:
    facts = [
        f"<http://x/{head}> <http://x/knows> <http://x/{tail}> .\n" for head, tail in (("Ann", "Bob"), ("Bob", "Cid"))
    ]
    lines = f"# people\n{facts[0]}\n{facts[1]}"
    turtle = "@prefix x: <http://x/> .\nx:Cid x:knows x:Dan .\n"

    assert list_sources(build(tmp_path, {"people.nt": lines, "more.ttl": turtle})) == {
        ("Ann", "http://x/knows", "Bob"): ("people.nt", 2),
        ("Bob", "http://x/knows", "Cid"): ("people.nt", 4),
        ("Cid", "http://x/knows", "Dan"): ("more.ttl", None),
    }


def test_items_of_json_rows_of_databases_and_edges_of_graphs_are_counted(tmp_path: Path) -> None:
    people = [{"name": "Ann", "city": "Oslo"}, {"name": "Bob", "city": "Rome"}]
    edges = "source,relation,target\nAnn,knows,Bob\nBob,knows,Ann\n"
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database, database:
        database.execute("CREATE TABLE shops (name TEXT, town TEXT)")
        database.executemany("INSERT INTO shops VALUES (?, ?)", [("Corner\nshop", "Lima"), ("Bakery", "Quito")])
    (tmp_path / "people.json").write_text(json.dumps(people))
    (tmp_path / "edges.csv").write_text(edges)

    def read(name: str) -> dict[tuple[str, str, str], tuple[str, int | None] | None]:
        graph, _ = build_from_files(tmp_path / name, tmp_path / f"graph of {name}", problems=pytest.fail)
        return {fact: source for fact, source in list_sources(graph).items() if fact[1] in ("city", "town", "knows")}

    assert read("people.json") == {
        ("Ann", "city", "Oslo"): ("people.json", 1),
        ("Bob", "city", "Rome"): ("people.json", 2),
    }
    assert read("edges.csv") == {("Ann", "knows", "Bob"): ("edges.csv", 2), ("Bob", "knows", "Ann"): ("edges.csv", 3)}
    assert set(read("shop.sqlite").values()) == {
        ("shop.sqlite/shops.csv", 1), ("shop.sqlite/shops.csv", 2)
    }  # fmt: skip


def test_sources_do_not_change_the_hash_and_survive_a_rebuild(tmp_path: Path) -> None:
    graph = build(tmp_path, {"orders.csv": ORDERS, "customers.csv": CUSTOMERS})
    table = read_graph([tmp_path / "orders.csv", tmp_path / "customers.csv"], problems=pytest.fail)
    bare = TripleTable(table.facts, nodes=table.nodes, node_attributes=table.node_attributes)

    unlocated = build_snapshot(bare, tmp_path / "bare")
    again = build_snapshot(convert_to_table(graph), tmp_path / "again")

    assert unlocated.fact_sources is None
    assert unlocated.get_fact_source(0) is None
    assert unlocated.hash == graph.hash == again.hash
    assert list_sources(again) == list_sources(graph)


def test_a_version_keeps_sources_and_a_fact_that_is_stated_again_has_its_newest(tmp_path: Path) -> None:
    first = build(tmp_path, {"old.tsv": "Ann\tknows\tBob\nBob\tknows\tCid\n"})

    second = build(tmp_path, {"new.tsv": "Dan\tknows\tEve\nBob\tknows\tCid\n"}, base=first)
    third = build_snapshot(remove_facts(second, TripleTable.from_facts([("Dan", "knows", "Eve")])), tmp_path / "third")

    assert list_sources(second) == {
        ("Ann", "knows", "Bob"): ("old.tsv", 1),
        ("Bob", "knows", "Cid"): ("new.tsv", 2),
        ("Dan", "knows", "Eve"): ("new.tsv", 1),
    }
    assert list_sources(third) == {
        ("Ann", "knows", "Bob"): ("old.tsv", 1),
        ("Bob", "knows", "Cid"): ("new.tsv", 2),
    }


def test_a_person_is_the_source_of_an_edit(tmp_path: Path) -> None:
    base = build(tmp_path, {"people.csv": "name,city\nAnn,Oslo\nBob,Rome\n"})
    edit = TripleTable.from_facts([("Ann", "knows", "Bob")], sources=("edit:12",))

    edited = build_snapshot(merge(base, edit), tmp_path / "edited")

    sources = list_sources(edited)
    assert sources["Ann", "knows", "Bob"] == ("edit:12", None)
    assert sources["Ann", "city", "Oslo"] == ("people.csv", 2)
    fact = next(fact for fact in range(edited.num_triples) if sources[list(sources)[fact]] == ("edit:12", None))
    source = edited.get_fact_source(fact)
    assert source is not None
    assert source.edit == 12


def test_a_version_of_a_graph_without_sources_has_those_that_are_new(tmp_path: Path) -> None:
    base = build_snapshot(TripleTable.from_facts([("Ann", "knows", "Bob")]), tmp_path / "base")

    assert list_sources(build(tmp_path, {"new.tsv": "Bob\tknows\tCid\n"}, base=base)) == {
        ("Ann", "knows", "Bob"): None,
        ("Bob", "knows", "Cid"): ("new.tsv", 1),
    }
