"""Columns of international codes, and questions that use the names of codes."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.model.data_model import ModelChoices
from retrieval.kg.readers import read_model
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from tests.retrieval.kg.model.tables import infer
from tests.retrieval.programs.asking import answers

SHOPS = (
    "shop,region,state,country,language,currency,size\nAlder,CH-ZH,CA,CH,de,CHF,XL\nBirch,CH-GE,TX,CH,fr,CHF,XS\n"
    "Cedar,DE-BY,NY,DE,de,EUR,XL\nElm,DE-BE,CA,DE,en,EUR,XS\nFir,JP-13,TX,JP,ja,JPY,XL\n"
)


def test_columns_of_international_codes_have_their_types():
    table = infer(shops_csv=SHOPS)["shops.csv"]
    assert table.code_types == {
        1: "region code", 2: "region code", 3: "country code", 4: "language code", 5: "currency code",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("size", ["XL", "XS", "XL"]),  # no word for a country
        ("country", ["CH", "QQ", "ZZ"]),  # no codes
        ("state", ["on", "off", "on"]),
        ("state", ["CO", "BA", "SA"]),  # provinces of Italy and of Spain
        ("country", ["Chad", "Peru", "Mali"]),
        ("language", ["de", "fr; en", "German"]),
    ],
)
def test_what_no_standard_knows_stays_text(heading, values):
    rows = "".join(f"shop {name},{value}\n" for name, value in zip("ABC", values, strict=True))
    assert infer(shops_csv=f"shop,{heading}\n{rows}")["shops.csv"].code_types == {}


def test_a_person_decides_what_are_codes():
    kinds = [{"table": "shops.csv", "columns": [{"name": "country", "type": "text"},
                                                {"name": "size", "type": "country code"}]}]  # fmt: skip
    table = infer(ModelChoices.from_json({"kinds": kinds}), shops_csv=SHOPS)["shops.csv"]
    assert 3 not in table.code_types
    assert table.code_types[6] == "country code"


def test_the_model_shows_the_types(tmp_path):
    path = tmp_path / "shops.csv"
    path.write_text(SHOPS)
    [kind] = read_model([path]).kinds
    assert [column.type for column in kind.columns][1:4] == ["region code", "region code", "country code"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which shops are in Bayern?", ["Cedar"]),
        ("Which shops are in Germany?", ["Cedar", "Elm"]),
        ("Which shops are in California?", ["Alder", "Elm"]),
        ("How many shops are in Switzerland?", ["2"]),
        ("Which shops speak French?", ["Birch"]),
        ("Which shops are in CH-ZH?", ["Alder"]),
    ],
)
def test_questions_use_the_names_of_codes(question, expected, tmp_path):
    path = tmp_path / "shops.csv"
    path.write_text(SHOPS)
    snapshot, _ = build_from_files([path], tmp_path / "graph", problems=print)
    reader = ProgramReader(snapshot, None, PROGRAMS)
    assert answers(reader, question) == expected
