"""Records of several kinds in one list, things with id and type, objects by their key, features of maps."""

import json

import pytest

from retrieval.kg.readers import read_model


@pytest.fixture
def infer(tmp_path):
    """The model of files of JSON: by kind its key, and references as (kind, column, target)."""

    def write(**files):
        paths = []
        for name, value in files.items():
            paths.append(tmp_path / f"{name}.json")
            paths[-1].write_text(json.dumps(value), encoding="utf-8")
        model = read_model(paths, names={path: path.name for path in paths})
        labels = {kind.table: kind.label for kind in model.kinds}
        kinds = {kind.label: (kind.count, kind.name, kind.key) for kind in model.kinds}
        return kinds, {(labels[r.table], r.column, labels[r.target]) for r in model.references}

    return write


def test_records_of_several_models_are_a_table_each(infer):
    bands = [{"model": "shop.band", "pk": n, "fields": {"name": f"Band {'ABC'[n - 1]}"}} for n in (1, 2, 3)]
    discs = [
        {"model": "shop.disc", "pk": n, "fields": {"title": f"Disc {'PQRS'[n - 1]}", "band": 1 + n % 3, "price": n}}
        for n in (1, 2, 3, 4)
    ]
    kinds, references = infer(dump=[*bands, *discs])
    assert kinds == {"band": (3, ("name",), "pk"), "disc": (4, ("title",), "pk")}
    assert references == {("disc", "band", "band")}


def test_a_few_broken_records_are_a_kind_of_their_own(infer):
    bands = [{"model": "shop.band", "pk": n, "fields": {"name": f"Band {'ABCDEFGHI'[n - 1]}"}} for n in range(1, 10)]
    discs = [
        {"model": "shop.disc", "pk": n, "fields": {"title": f"Disc {chr(64 + n)}", "band": 1 + n % 9, "price": n}}
        for n in range(1, 20)
    ]
    kinds, references = infer(dump=[*bands, {"pk": 40}, *discs, {"pk": 41, "model": {"title": "Disc Z"}}])
    assert kinds["band"] == (9, ("name",), "pk")
    assert kinds["disc"] == (19, ("title",), "pk")
    assert kinds["other"][0] == 2
    assert ("disc", "band", "band") in references


def test_rows_of_the_same_keys_are_one_kind_whatever_their_type(infer):
    rows = [{"type": kind, "name": f"{kind} {mark}", "height": 3} for kind in ("oak", "elm") for mark in "abc"]
    assert set(infer(trees=rows)[0]) == {"tree"}


def test_things_with_id_type_and_name_are_joined_by_their_ids(infer):
    areas = [{"id": mark, "name": {"en": f"Area {mark[0]}", "fr": f"Zone {mark[0]}"}} for mark in ("north", "south")]
    courts = [
        {"id": "court-0", "type": "high", "name": {"en": "Court A"}, "area": "north"},
        {"id": "court-1", "type": "local", "name": {"en": "Court B"}, "area": "south", "court": "court-0"},
        {"id": "court-2", "type": "local", "name": {"en": "Court C"}, "area": "north", "court": "court-0"},
    ]
    kinds, references = infer(areas=areas, courts=courts)
    assert kinds["court"] == (3, ("name en",), "id")
    assert references == {("court", "area", "area"), ("court", "court", "court")}


def test_objects_by_key_keep_the_key_beside_their_name(infer):
    licences = {f"MIT-{n}": {"name": f"Licence {'ABC'[n]}", "free": True} for n in range(3)}
    kinds, _ = infer(licences=licences)
    assert kinds == {"licence": (3, ("name",), "id")}


def test_of_some_keys_nothing_may_be_known(infer):
    types = {"text/a": {}, "text/b": {"source": "x", "open": True}, "text/c": {"source": "y"}}
    kinds, _ = infer(media=types)
    assert [(count, name) for count, name, _ in kinds.values()] == [(3, ("name",))]


def test_features_keep_their_ids(infer):
    features = [{"type": "Feature", "id": f"q{n}", "properties": {"place": f"Bay {'ABC'[n]}"},
                 "geometry": {"type": "Point", "coordinates": [n, 2]}} for n in range(3)]  # fmt: skip
    kinds, _ = infer(quakes={"type": "FeatureCollection", "features": features})
    assert kinds["quake"][2] == "id"
