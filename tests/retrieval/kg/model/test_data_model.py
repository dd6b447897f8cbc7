"""The data model of files: what a person is shown, what becomes of corrections, and what is kept."""

import json

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.model.data_model import Column, DataModel, Kind, ModelWarning, Reference
from retrieval.kg.model.storage import load_model
from retrieval.kg.readers import ReadOptions, read_model
from retrieval.kg.table import ROW

CUSTOMERS = "id,company name,Depth (m),city\nALF,Alfreds,4,Berlin\nANA,Emparedados,5,Mexico\n"
ORDERS = "no,customer id,paid\n1,ALF,yes\n2,ALF,no\n3,ANA,yes\n4,ANA,no,extra\n5,XYZ,no\n"
GRAPH = """<graphml><key id="d" for="node" attr.name="desc"/><key id="t" for="node" attr.name="type"/>
<graph edgedefault="directed"><node id="1"><data key="t">airport</data><data key="d">Denver Airport</data></node>
<node id="2"><data key="t">airport</data><data key="d">Austin Airport</data></node>
<edge source="1" target="2" label="route"/></graph></graphml>"""


def write(tmp_path, **files):
    paths = []
    for name, text in files.items():
        path = tmp_path / name.replace("__", ".")
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def list_facts(snapshot):
    hops = map(snapshot.get_hop, range(snapshot.num_triples))
    return {(hop.source.label, hop.step.label, hop.target.label) for hop in hops if hop.step.label != ROW}


def test_a_person_sees_kinds_references_and_what_is_wrong(tmp_path):
    model = read_model(write(tmp_path, customers__csv=CUSTOMERS, orders__csv=ORDERS))
    assert model.kinds[0] == Kind(
        table="customers.csv",
        label="customer",
        count=2,
        name=("company name",),
        key="id",
        columns=(
            Column("id", "id", "text", 2, 2, ("ALF", "ANA")),
            Column("company name", "company name", "text", 2, 2, ("Alfreds", "Emparedados")),
            Column("Depth (m)", "depth (m)", "number", 2, 2, ("4", "5"), "m"),
            Column("city", "city", "text", 2, 2, ("Berlin", "Mexico")),
        ),
        name_candidates=("company name", "id"),
        examples=(
            "Alfreds is a customer: id ALF, depth (m) 4, city Berlin, 2 orders.",
            "Emparedados is a customer: id ANA, depth (m) 5, city Mexico, 1 order.",
        ),
    )
    assert model.references == (
        Reference("orders.csv", "customer id", "customers.csv", "id", "customer", 3, 4, ("XYZ",)),
    )
    assert model.warnings == (
        ModelWarning(
            "orders.csv",
            "1 of 5 rows of orders.csv cannot be used: 4 columns found, the header has 3.",
            ((5, "4,ANA,no,extra"),),
        ),
        ModelWarning("orders.csv", "1 of 4 values of customer id is not in customers.csv: XYZ."),
    )


def test_corrections_become_the_graph_and_are_kept(tmp_path):
    paths = write(tmp_path, customers__csv=CUSTOMERS, orders__csv=ORDERS)
    chosen = {
        "kinds": [
            {
                "table": "customers.csv",
                "label": "client",
                "name": ["city"],
                "columns": [
                    {"name": "company name", "label": "firm"},
                    {"name": "Depth (m)", "is_ignored": True},
                    {"name": "id", "unit": "kg"},
                ],
            }
        ]
    }
    snapshot, _ = build_from_files(paths, tmp_path / "graph", ReadOptions(model=chosen), problems=lambda problem: None)
    facts = list_facts(snapshot)
    assert {fact for fact in facts if fact[0] == "Berlin"} == {
        ("Berlin", "type", "client"), ("Berlin", "firm", "Alfreds"), ("Berlin", "id (kg)", "ALF"),
    }  # fmt: skip
    assert ("order 1", "customer", "Berlin") in facts
    kept = load_model(tmp_path / "graph")
    assert isinstance(kept, DataModel)
    assert (kept.kinds[0].label, kept.kinds[0].name) == ("client", ("city",))
    # A kept model is a set of choices that makes the same graph.
    again, _ = build_from_files(
        paths,
        tmp_path / "again",
        ReadOptions(model=json.loads(json.dumps(kept.to_json()))),
        problems=lambda problem: None,
    )
    assert again.hash == snapshot.hash


def test_nodes_without_names_are_called_by_the_attribute_that_names_them(tmp_path):
    paths = write(tmp_path, air__graphml=GRAPH)
    model = read_model(paths)
    assert [(kind.table, kind.label, kind.count, kind.name) for kind in model.kinds] == [
        ("air.graphml: airport", "airport", 2, ("desc",))
    ]
    snapshot, _ = build_from_files(paths, tmp_path / "graph", problems=lambda problem: None)
    assert ("Denver Airport", "route", "Austin Airport") in list_facts(snapshot)
    chosen = ReadOptions(model={"kinds": [{"table": "air.graphml: airport", "name": []}]})
    by_id, _ = build_from_files(paths, tmp_path / "ids", chosen, problems=lambda problem: None)
    assert ("1", "route", "2") in list_facts(by_id)


def test_a_list_can_be_taken_apart_or_left_whole(tmp_path):
    paths = write(tmp_path, dishes__csv="name,allergens\nRye,gluten / rye\nOat,oat\n")
    chosen = {"kinds": [{"table": "dishes.csv", "columns": [{"name": "allergens", "type": "list"}]}]}
    snapshot, _ = build_from_files(paths, tmp_path / "g", ReadOptions(model=chosen), problems=lambda problem: None)
    assert {fact for fact in list_facts(snapshot) if fact[1] == "allergens"} == {
        ("Rye", "allergens", "gluten"), ("Rye", "allergens", "rye"), ("Oat", "allergens", "oat"),
    }  # fmt: skip


def test_a_kept_model_does_not_split_what_json_lists(tmp_path):
    rows = [{"name": "A", "capital": ["Washington, D.C."]}, {"name": "B", "capital": ["La Paz", "Sucre"]}]
    paths = write(tmp_path, states__json=json.dumps([*rows, {"name": "C", "capital": "Kota, Old"}]))
    kept = read_model(paths).to_json()
    assert kept["kinds"][0]["columns"][1]["type"] == "list"
    snapshot, _ = build_from_files(paths, tmp_path / "g", ReadOptions(model=kept), problems=lambda problem: None)
    assert {fact for fact in list_facts(snapshot) if fact[1] == "capital"} == {
        ("A", "capital", "Washington, D.C."), ("B", "capital", "La Paz"), ("B", "capital", "Sucre"),
        ("C", "capital", "Kota, Old"),
    }  # fmt: skip


def test_files_of_facts_have_no_kinds(tmp_path):
    assert read_model(write(tmp_path, facts__tsv="Paris\tcapital of\tFrance\nRome\tcapital of\tItaly\n")) == DataModel()
