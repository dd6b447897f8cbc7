"""Data models of files that are ambiguous, incomplete, circular, large or mixed."""

import pytest

from retrieval.kg.readers import ReadOptions, read_graph, read_model


def write(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return [folder / name.replace("__", ".") for name in texts]


def list_facts(paths, **options):
    table = read_graph(paths, ReadOptions(**options), problems=lambda _: None)
    return set(table.node_attributes.rows())


def list_references(model):
    return [(one.column, one.target, one.matched, one.filled) for one in model.references if one.is_used]


def test_of_two_equally_good_names_the_first_is_taken_and_the_other_offered(tmp_path):
    rows = "name,title\n" + "".join(f"{a} Lake,{a} Water\n" for a in ("Red", "Blue", "Deep", "Long", "Old", "New"))
    [kind] = read_model(write(tmp_path, lakes__csv=rows)).kinds
    assert (kind.name, kind.name_candidates) == (("name",), ("name", "title"))
    [chosen] = read_model(
        [tmp_path / "lakes.csv"], ReadOptions(model={"kinds": [{"table": "lakes.csv", "name": ["title"]}]})
    ).kinds
    assert (chosen.name, chosen.examples[0]) == (("title",), "Red Water is a lake: name Red Lake.")


def test_a_key_with_gaps_keeps_its_references_and_says_what_is_missing(tmp_path):
    makers = "id,maker\n" + "".join(f"{n if n % 10 else ''},Maker {chr(64 + n)}\n" for n in range(1, 21))
    parts = "part,maker id\n" + "".join(f"Part {chr(64 + n)},{n}\n" for n in range(1, 21))
    model = read_model(write(tmp_path, makers__csv=makers, parts__csv=parts))
    assert list_references(model) == [("maker id", "makers.csv", 18, 20)]
    assert "2 of 20 values of maker id are not in makers.csv: 10, 20." in [one.message for one in model.warnings]
    facts = list_facts([tmp_path / "makers.csv", tmp_path / "parts.csv"])
    assert ("Part C", "maker", "Maker C") in facts
    assert ("Part J", "maker", "maker 10") in facts


def test_references_to_a_file_that_is_missing_stay_values(tmp_path):
    model = read_model(write(tmp_path, parts__csv="part,maker id\nBolt,1\nNut,2\nCap,1\n"))
    assert model.references == ()
    assert ("Bolt", "maker id", "1") in list_facts([tmp_path / "parts.csv"])


def test_tables_that_refer_to_each_other_in_a_circle(tmp_path):
    paths = write(
        tmp_path,
        teams__csv="id,team,captain id\n1,Reds,11\n2,Blues,12\n",
        players__csv="id,player,team id,coach id\n11,Ann Lee,1,21\n12,Bo Ek,2,22\n",
        coaches__csv="id,coach,team id\n21,Cy Dow,1\n22,Di Fox,2\n",
    )
    chosen = {
        "references": [{"table": "teams.csv", "column": "captain id", "target": "players.csv", "target_column": "id"}]
    }
    model = read_model(paths, ReadOptions(model=chosen))
    assert {(one.table, one.target) for one in model.references} == {
        ("teams.csv", "players.csv"),
        ("players.csv", "teams.csv"),
        ("players.csv", "coaches.csv"),
        ("coaches.csv", "teams.csv"),
    }
    facts = list_facts(paths, model=chosen)
    assert {("Reds", "captain", "Ann Lee"), ("Ann Lee", "team", "Reds"), ("Cy Dow", "team", "Reds")} <= facts


def test_a_column_that_is_a_name_here_and_a_code_there(tmp_path):
    paths = write(
        tmp_path,
        countries__csv="code,country\nFR,France\nIT,Italy\nDE,Germany\n",
        cities__csv="city,country\nParis,France\nRome,Italy\nBonn,Germany\n",
        airports__csv="airport,country\nOrly,FR\nLinate,IT\nTegel,DE\n",
    )
    assert {(one.table, one.target_column, one.matched) for one in read_model(paths).references} == {
        ("cities.csv", "country", 3),
        ("airports.csv", "code", 3),
    }
    assert {("Paris", "country", "France"), ("Orly", "country", "France")} <= list_facts(paths)


def test_five_hundred_columns(tmp_path):
    header = ",".join(["name", *(f"measure {n}" for n in range(499))])
    rows = "".join(",".join([f"Site {chr(65 + r)}", *(str(r + n) for n in range(499))]) + "\n" for r in range(20))
    [kind] = read_model(write(tmp_path, sites__csv=f"{header}\n{rows}")).kinds
    assert (len(kind.columns), kind.name) == (500, ("name",))
    ignored = [{"name": f"measure {n}", "is_ignored": True} for n in range(499)]
    facts = list_facts([tmp_path / "sites.csv"], model={"kinds": [{"table": "sites.csv", "columns": ignored}]})
    assert {key for _, key, _ in facts} == {"type", "row in table"}


def test_languages_mixed_in_headings_and_values(tmp_path):
    paths = write(
        tmp_path,
        städte__csv="Name,Einwohner,国\nMünchen,1500000,ドイツ\nΑθήνα,660000,ギリシャ\nМосква,13000000,ロシア\n",
        länder__csv="国,Hauptstadt\nドイツ,Berlin\nギリシャ,Αθήνα\nロシア,Москва\n",
    )
    model = read_model(paths)
    assert model.kinds[0].name == ("Name",)
    facts = list_facts(paths)
    assert ("Αθήνα", "国", "ギリシャ") in facts
    assert ("ロシア", "Hauptstadt", "Москва") in facts


def test_kinds_of_one_label_stay_two_tables(tmp_path):
    paths = write(tmp_path, a__csv="name,depth\nVo,4\nMa,9\n", b__csv="name,height\nAlm,40\nBex,90\n")
    model = {"kinds": [{"table": "a.csv", "label": "place"}, {"table": "b.csv", "label": "place"}]}
    assert [(kind.table, kind.label) for kind in read_model(paths, ReadOptions(model=model)).kinds] == [
        ("a.csv", "place"),
        ("b.csv", "place"),
    ]
    facts = list_facts(paths, model=model)
    assert {("Vo", "type", "place"), ("Alm", "type", "place"), ("Vo", "depth", "4"), ("Alm", "height", "40")} <= facts


def test_the_model_of_another_graph_changes_nothing(tmp_path):
    paths = write(tmp_path, lakes__csv="name,depth\nVo,4\nMa,9\n")
    other = {
        "kinds": [{"table": "films.csv", "label": "movie", "name": ["title"], "columns": [{"name": "title"}]}],
        "references": [{"table": "films.csv", "column": "by", "target": "people.csv", "target_column": "id"}],
    }
    assert read_model(paths, ReadOptions(model=other)) == read_model(paths)


@pytest.mark.parametrize("bad", ["x7", "", "40"], ids=["no number", "empty", "twice"])
def test_a_broken_number_does_not_unname_the_other_rows(tmp_path, bad):
    rows = "order id,amount\n" + "".join(f"{n},{n * 2}\n" for n in range(100, 130)) + f"{bad},7\n"
    [kind] = read_model(write(tmp_path, orders__csv=rows)).kinds
    assert kind.name == ("order id",)
    assert ("order 100", "amount", "200") in list_facts([tmp_path / "orders.csv"])
