"""The data-model suite: what it expects is well formed, and its figures of a tiny model are exact."""

from __future__ import annotations

import json
from pathlib import Path

from retrieval.kg.model.data_model import Column, DataModel, Kind, Reference
from tests.benchmarks.data_models_files import prepare
from tests.benchmarks.data_models_score import FIGURES, Score, score_model
from tests.benchmarks.data_models_sets import ExpectedSet, Package, find_part, load_sets, parse_set

SHOP = {
    "id": "shop",
    "package": "shop",
    "files": ["orders.csv", "people.csv", "notes.json"],
    "kinds": [
        {"table": "orders", "label": ["order"], "name": [], "key": [""]},
        {"table": "people", "label": ["person", "customer"], "name": [["first", "last"]], "key": ["id"]},
        {"table": "links", "label": [], "name": [], "key": [], "optional": True},
    ],
    "references": ["orders.person -> people.id", "orders.seller -> people.id", "links.to -> people.id"],
    "also": ["orders.city -> *"],
    "types": ["orders.date = date", "people.weight = number"],
    "units": ["people.weight = kg|kilograms"],
}


def make_expected(raw: dict[str, object] = SHOP) -> ExpectedSet:
    return parse_set(raw, {"shop": Package("shop")})


def make_column(name: str, kind: str = "text", unit: str = "") -> Column:
    return Column(name, name, kind, 2, 2, unit=unit)  # type: ignore[arg-type]


def make_kind(table: str, label: str, name: tuple[str, ...], key: str | None, *columns: Column) -> Kind:
    return Kind(table, label, 2, name, key, columns)


def make_reference(table: str, column: str, target: str, target_column: str, *, is_used: bool = True) -> Reference:
    return Reference(table, column, target, target_column, "refers to", 2, 2, is_used=is_used)


def test_a_right_model_has_everything_right():
    model = DataModel(
        (
            make_kind("orders.csv", "Order", (), None, make_column("date", "date")),
            make_kind("people.csv", "customer", ("last", "first"), "id", make_column("weight", "number", "kg")),
        ),
        (
            make_reference("orders.csv", "person", "people.csv", "id"),
            make_reference("orders.csv", "seller", "people.csv", "id"),
            make_reference("orders.csv", "city", "people.csv", "last"),
        ),
    )
    score = score_model(make_expected(), model)
    assert score.misses == []
    assert score.total == {
        "kind": 2, "label": 2, "name": 2, "key": 2, "precision": 2, "recall": 2, "type": 2, "unit": 1,
    }  # fmt: skip
    assert score.right == score.total


def test_each_figure_counts_what_is_wrong():
    model = DataModel(
        (
            make_kind("orders", "orders", ("date",), "date", make_column("date")),
            make_kind("people", "person", ("first",), "id", make_column("weight", "number", "lb")),
        ),
        (
            make_reference("orders", "person", "people", "id"),
            make_reference("orders", "date", "people", "id"),
            make_reference("orders", "amount", "people", "id"),
            make_reference("orders", "seller", "people", "id", is_used=False),
        ),
    )
    score = score_model(make_expected(), model)
    assert {figure: (score.right[figure], score.total[figure]) for figure in FIGURES} == {
        "kind": (2, 2),
        "label": (1, 2),
        "name": (0, 2),
        "key": (1, 2),
        "precision": (1, 3),
        "recall": (1, 2),
        "type": (1, 2),
        "unit": (0, 1),
    }
    assert score.share("name") == 0.0
    assert "recall: orders.seller -> people.id is not there" in score.misses
    assert "name: people by first+last, not 'first'" in score.misses
    assert "type: orders.date is date, not 'text'" in score.misses


def test_a_missing_kind_has_nothing_right_and_no_references_no_precision():
    score = score_model(make_expected(), DataModel())
    assert set(score.right.values()) == {0}
    assert score.total["kind"] == 2
    assert score.share("precision") is None


def test_precision_is_the_mean_over_sets():
    whole = Score()
    for right, wrong in ((1, 0), (0, 9)):
        one = Score()
        for is_right in [True] * right + [False] * wrong:
            one.count("precision", is_right, "")
        whole.add(one)
    assert (whole.share("precision"), whole.total["precision"]) == (0.5, 10)


def test_kinds_are_matched_by_sheet_by_array_by_label_or_as_the_only_ones():
    raw = SHOP | {"references": [], "also": [], "types": [], "units": []}
    model = DataModel(
        (make_kind("shop.xlsx/orders", "x", (), None), make_kind("persons", "Person", ("first", "last"), "id"))
    )
    assert score_model(make_expected(raw), model).right["kind"] == 2
    only = raw | {"kinds": SHOP["kinds"][:1]}  # type: ignore[index]
    assert score_model(make_expected(only), DataModel((make_kind("2024", "x", (), None),))).right["name"] == 1


def test_a_first_column_without_heading_names_things():
    raw = SHOP | {
        "kinds": [{"table": "cars", "label": [], "name": ["#1"], "key": ["", "#1"]}],
        "references": [], "also": [], "types": [], "units": [],
    }  # fmt: skip
    model = DataModel((make_kind("cars", "car", ("Column 1",), None, make_column("Column 1"), make_column("mpg")),))
    score = score_model(make_expected(raw), model)
    assert (score.right["name"], score.right["key"], score.total["label"]) == (1, 1, 0)


def test_sets_stand_in_their_part_with_unique_ids_and_a_third_or_more_in_each():
    sets = load_sets()
    held = [one for one in sets if find_part(one.id) == "held"]
    assert len({one.id for one in sets}) == len(sets)
    assert 0.3 < len(held) / len(sets) < 0.6


def test_files_are_cut_and_otherwise_stay_as_they_are(tmp_path: Path):
    home = write_shop(tmp_path)
    paths = prepare(parse_set(SHOP | {"rows": 2}, {"shop": Package("shop")}), home, make_folder(tmp_path, "cut"))
    assert [path.name for path in paths] == ["orders.csv", "people.csv", "notes.json"]
    assert paths[0].read_bytes() == b'id,  person\n1,"a\nb"\n2, x\n'
    assert json.loads(paths[2].read_text()) == {"about": "notes", "rows": [{"a": 1, "b": 2}, {"a": 2, "b": 3}]}


def test_the_same_rows_are_broken_each_time(tmp_path: Path):
    home = write_shop(tmp_path)
    once, again = (
        prepare(make_expected(), home, make_folder(tmp_path, name), 0.5)[1].read_text() for name in ("once", "again")
    )
    whole = (home / "shop" / "people.csv").read_text()
    assert once == again
    assert once.splitlines()[0] == whole.splitlines()[0]
    changed = [line for line, other in zip(once.splitlines(), whole.splitlines(), strict=True) if line != other]
    assert 20 <= len(changed) <= 80


def test_decimals_have_commas_between_semicolons(tmp_path: Path):
    home = write_shop(tmp_path)
    raw = SHOP | {"files": ["people.csv"], "form": "semicolons"}
    (path,) = prepare(make_expected(raw), home, make_folder(tmp_path, "form"))
    assert path.read_text().splitlines()[:2] == ["id;first;last;weight", "0;Ann;Smith 0;0,5"]


def write_shop(folder: Path) -> Path:
    home = make_folder(folder, "home")
    shop = make_folder(home, "shop")
    (shop / "orders.csv").write_bytes(b'id,  person\n1,"a\nb"\n2, x\n3, y\n')
    people = "".join(f"{number},Ann,Smith {number},{number}.5\n" for number in range(100))
    (shop / "people.csv").write_text(f"id,first,last,weight\n{people}")
    (shop / "notes.json").write_text(
        json.dumps({"about": "notes", "rows": [{"a": number, "b": number + 1} for number in (1, 2, 3)]})
    )
    return home


def make_folder(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir()
    return path


def test_what_stands_inside_objects_is_not_inferred():
    raw = {**SHOP, "kinds": SHOP["kinds"][:2], "references": [], "also": []}  # type: ignore[index]
    model = DataModel(
        (
            make_kind("shop.json/people.json", "person", ("last", "first"), "id"),
            make_kind("shop.json/phones.json", "phone", (), None),
            make_kind("orders.csv", "order", (), None),
        ),
        (
            make_reference("shop.json/phones.json", "person_id", "shop.json/people.json", "id"),
            make_reference("shop.json/people.json", "phones", "shop.json/phones.json", "id"),
            make_reference("shop.json/phones.json", "maker", "shop.json/people.json", "id"),
            make_reference("orders.csv", "person_id", "shop.json/people.json", "id"),
        ),
    )
    score = score_model(make_expected(raw), model)
    assert (score.right["precision"], score.total["precision"]) == (0, 2)
