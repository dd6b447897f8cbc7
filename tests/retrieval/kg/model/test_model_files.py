"""Data models beside the files that they are about, the keys that databases declare, and kinds inside tables."""

import sqlite3
import zipfile
from contextlib import closing

import pytest

from retrieval.errors import ConfigError, EmptySourceError
from retrieval.kg.model.forms import FILES, write_model
from retrieval.kg.readers import ReadOptions, read_graph, read_model, read_preview

ORDERS = "id,client,total_eur\n1,A1,5\n2,A2,7\n3,A1,9\n"
CLIENTS = "no,firm\nA1,Alm\nA2,Bex\n"
CHOSEN = {
    "kinds": [
        {"table": "orders.csv", "label": "purchase", "columns": [{"name": "total_eur", "label": "sum", "unit": "EUR"}]},
        {"table": "clients.csv", "name": ["firm"], "key": "no"},
    ],
    "references": [
        {
            "table": "orders.csv",
            "column": "client",
            "target": "clients.csv",
            "target_column": "no",
            "label": "bought by",
        }
    ],
}


def write(folder, **texts):
    paths = []
    for name, text in texts.items():
        path = folder / name.replace("__", ".").replace("_metadata", "-metadata")
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def read(paths, **options):
    problems = []
    table = read_graph(paths, ReadOptions(**options), problems=problems.append)
    facts = {row for row in table.node_attributes.rows() if row[0].startswith("purchase 1")}
    return facts, [problem.message for problem in problems]


@pytest.mark.parametrize("form", ["json", "csvw", "rml"])
def test_a_model_beside_the_data_is_used_and_is_no_data(tmp_path, form):
    paths = write(tmp_path, orders__csv=ORDERS, clients__csv=CLIENTS)
    model = tmp_path / FILES[form][0]
    model.write_text(write_model(CHOSEN, form), encoding="utf-8")
    expected = {
        ("purchase 1", "type", "purchase"),
        ("purchase 1", "id", "1"),
        ("purchase 1", "bought by", "Alm"),
        ("purchase 1", "sum (EUR)", "5"),
    }
    facts, problems = read([*paths, model])
    assert problems == []
    assert {fact for fact in facts if fact[1] != "id"} == {fact for fact in expected if fact[1] != "id"}
    assert [kind.table for kind in read_model([*paths, model]).kinds] == ["orders.csv", "clients.csv"]
    preview = read_preview(model)
    assert (preview.format, preview.refused, preview.rows) == ("", False, ())
    assert preview.notes == ("This is a data model: it says how the other files are read, and is not read for facts.",)
    # What a person chooses stands above the file.
    facts, _ = read([*paths, model], model={"kinds": [{"table": "orders.csv", "label": "order"}]})
    assert facts == set()


def test_a_model_in_an_archive_is_about_the_tables_in_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("data/orders.csv", ORDERS)
        archive.writestr("data/clients.csv", CLIENTS)
        archive.writestr("csv-metadata.json", write_model(CHOSEN, "csvw"))
    facts, problems = read([tmp_path / "all.zip"])
    assert ("purchase 1", "bought by", "Alm") in facts
    assert problems == []


def test_a_model_of_other_tables_is_said_and_changes_nothing(tmp_path):
    [model] = write(tmp_path, csv_metadata__json=write_model(CHOSEN, "csvw"))
    paths = write(tmp_path, lakes__csv="name,depth\nVo,4\nMa,9\n")
    expected = "The data model csv-metadata.json is about orders.csv, clients.csv, which is not here."
    inferred = read_model([*paths, model])
    assert [warning.message for warning in inferred.warnings] == [expected]
    assert inferred.kinds == read_model(paths).kinds
    assert read([*paths, model])[1] == [expected]


def test_a_model_without_data_or_one_that_does_not_fit_is_an_error(tmp_path):
    paths = write(tmp_path, data_model__json=write_model(CHOSEN, "json"))
    with pytest.raises(EmptySourceError, match="is a data model, and there are no files"):
        read(paths)
    paths += write(tmp_path, orders__csv="a,b\nc,d\n", clients__csv=CLIENTS)
    with pytest.raises(ConfigError, match=r"which orders\.csv does not have"):
        read(paths)


def test_keys_and_references_that_a_database_declares_are_sure(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.executescript(
            """
            CREATE TABLE people (zz TEXT PRIMARY KEY, name TEXT, code TEXT);
            INSERT INTO people VALUES ('7', 'Ann Lee', 'x1'), ('8', 'Bo Ek', 'x2');
            CREATE TABLE things (id INTEGER PRIMARY KEY, title TEXT, qq TEXT REFERENCES People, a INT, b INT,
              FOREIGN KEY (a, b) REFERENCES pairs (a, b));
            INSERT INTO things VALUES (1, 'Red box', '7', 1, 2), (2, 'Blue box', '9', 1, 2);
            CREATE TABLE pairs (a INT, b INT, note TEXT, PRIMARY KEY (a, b));
            INSERT INTO pairs VALUES (1, 2, 'far'), (2, 3, 'near');
            """
        )
    model = read_model([tmp_path / "shop.db"])
    assert {kind.table: kind.key for kind in model.kinds}["shop.db/people.csv"] == "zz"
    [reference] = [one for one in model.references if one.column == "qq"]
    assert (reference.target, reference.target_column, reference.matched, reference.filled) == (
        "shop.db/people.csv",
        "zz",
        1,
        2,
    )
    assert "1 of 2 values of qq is not in shop.db/people.csv: 9." in [warning.message for warning in model.warnings]
    assert [name for name, _ in read_preview(tmp_path / "shop.db").members] == ["people.csv", "things.csv", "pairs.csv"]


def test_a_kind_inside_a_table_is_renamed_switched_off_and_on_again(tmp_path):
    rows = "order no,Customer ID,Customer Name,amount\n" + "".join(
        f"{n},C{n % 3},{('Ann Lee', 'Bo Ek', 'Cy Dow')[n % 3]},{n}\n" for n in range(9)
    )
    paths = write(tmp_path, orders__csv=rows)
    place = {
        "table": "orders.csv",
        "column": "Customer ID",
        "target": "orders.csv: customer",
        "target_column": "Customer ID",
    }
    assert [kind.label for kind in read_model(paths).kinds] == ["order", "customer"]
    off = read_model(paths, ReadOptions(model={"references": [{**place, "is_used": False}]}))
    assert [kind.label for kind in off.kinds] == ["order"]
    assert [(one.target, one.is_used) for one in off.references] == [("orders.csv: customer", False)]
    on = read_model(paths, ReadOptions(model={**off.to_json(), "references": [{**place, "is_used": True}]}))
    assert [kind.label for kind in on.kinds] == ["order", "customer"]
    named = {"kinds": [{"table": "orders.csv: customer", "label": "buyer"}]}
    renamed = read_model(paths, ReadOptions(model=named)).kinds[1]
    assert (renamed.label, renamed.examples[0]) == ("buyer", "Ann Lee is a buyer: customer ID C0.")
    table = read_graph(paths, ReadOptions(model=named), problems=print)
    assert ("Ann Lee", "type", "buyer") in table.node_attributes.rows()
