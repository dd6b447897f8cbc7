"""Questions for tables: several columns, numbers of periods, shares, what two columns come to; over goods and lands."""

import numpy as np
import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.reader import ProgramReader

GOODS = """Item,Shelf,Maker,Price (eur),Weight (kg),Cost
Rice,Grain,Alm,3,2,1
Oats,Grain,Bek,2,1,1.5
Flour,Grain,Alm,2.5,0.5,1
Salt,Spice,Bek,1,0.5,0.2
Pepper,Spice,Alm,6,0.25,3
"""
SALES = """Sale,Item,Buyer,Sold on,Pieces
S1,Rice,Ann,2020-01-05,2
S2,Rice,Ben,2020-01-20,1
S3,Salt,Ann,2020-03-02,5
S4,Oats,Ann,2021-03-09,4
"""
LANDS = """Country,Continent,Population,Area km2,Joined
Chad,Africa,17000000,1000000,1960-09-20
Mali,Africa,22000000,1000000,1960-09-28
Peru,America,34000000,2000000,1945-10-31
Chile,America,19000000,500000,1945-10-24
"""
LAKES = """Lake,Lies in,Depth
Chad Lake,Chad,11
Titicaca,Peru,281
Junin,Peru,12
Llanquihue,Chile,317
"""


def read_tables(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    files = [folder / f"{name}.csv" for name in texts]
    snapshot, _ = build_from_files(files, folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.fixture(scope="module")
def goods(tmp_path_factory):
    return read_tables(tmp_path_factory.mktemp("goods"), items=GOODS, sales=SALES)


@pytest.fixture(scope="module")
def lands(tmp_path_factory):
    return read_tables(tmp_path_factory.mktemp("lands"), countries=LANDS, lakes=LAKES)


def read_rows(reader, question):
    """The rows of a question's table: names joined by commas, numbers rounded."""
    found = reader.read(Question(question))
    rows, label = found.best.result, reader.snapshot.get_entity_label
    assert isinstance(rows, Rows), found.best.program
    assert found.confidence > 0.5
    shown = []
    for row in range(len(rows)):
        cells = []
        for cell in rows.columns:
            number = float(cell.numbers[row])
            names = [] if cell.nodes is None else [label(node) for node in cell.nodes.get_nodes(row).tolist()]
            cells.append(",".join(sorted(names)) if names else None if np.isnan(number) else round(number, 3))
        shown.append(tuple(cells))
    return shown


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of items and average price by shelf", [("Grain", 3, 2.5), ("Spice", 2, 3.5)]),
        ("minimum and maximum price per shelf", [("Grain", 2, 3), ("Spice", 1, 6)]),
        ("the lowest, highest and average price of each maker", [("Alm", 2.5, 6, 3.833), ("Bek", 1, 2, 1.5)]),
        (
            "for each shelf the lightest and the heaviest item",
            [("Grain", "Flour", "Rice"), ("Spice", "Pepper", "Salt")],
        ),
        (
            "For every maker, the cheapest and most expensive item",
            [("Alm", "Flour", "Pepper"), ("Bek", "Salt", "Oats")],
        ),
        ("makers with more than 2 items and their average price", [("Alm", 3.833)]),
        ("makers with more than 1 item, with names and numbers", [("Alm", 3), ("Bek", 2)]),
        (
            "number of items and average price by shelf sorted by average price in descending order",
            [("Spice", 2, 3.5), ("Grain", 3, 2.5)],
        ),
    ],
)
def test_several_columns(goods, question, expected):
    assert read_rows(goods, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of countries and total population per continent", [("Africa", 2, 39e6), ("America", 2, 53e6)]),
        ("for each continent the largest and the smallest country", None),
        ("the deepest and the shallowest lake of each country", None),
    ],
)
def test_several_columns_of_lands(lands, question, expected):
    rows = read_rows(lands, question)
    assert expected is None or rows == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("sales per month in 2020", [2, 1]),
        ("number of sales each year", [3, 1]),
        ("total pieces per year", [8, 4]),
        ("monthly pieces in 2020", [3, 5]),
    ],
)
def test_periods(goods, question, expected):
    assert [row[-1] for row in read_rows(goods, question)] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many countries joined each year", [2, 2]),
        ("number of countries per year", [2, 2]),
        ("total population by year", [53e6, 39e6]),
    ],
)
def test_periods_of_lands(lands, question, expected):
    assert [row[-1] for row in read_rows(lands, question)] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("share of each shelf in the number of items", [("Grain", 3, 0.6), ("Spice", 2, 0.4)]),
        ("percentage of items per maker", [("Alm", 3, 0.6), ("Bek", 2, 0.4)]),
        ("what share of the items does each maker have", [("Alm", 3, 0.6), ("Bek", 2, 0.4)]),
    ],
)
def test_shares(goods, question, expected):
    assert read_rows(goods, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("price per kilo of the items on shelf Spice", [("Pepper", 6, 0.25, 24), ("Salt", 1, 0.5, 2)]),
        ("price divided by weight of the spice items", [("Pepper", 6, 0.25, 24), ("Salt", 1, 0.5, 2)]),
        ("difference between price and cost of each item of Bek", [("Oats", 2, 1.5, 0.5), ("Salt", 1, 0.2, 0.8)]),
    ],
)
def test_two_columns_come_to(goods, question, expected):
    assert read_rows(goods, question) == expected


def test_population_density(lands):
    rows = read_rows(lands, "population density of each country")
    assert [(row[0], row[-1]) for row in rows] == [("Chad", 17), ("Chile", 38), ("Mali", 22), ("Peru", 17)]
    assert [row[0] for row in read_rows(lands, "which country has the highest population density")] == ["Chile"]
    of_continents = read_rows(lands, "population density by continent")
    assert [(row[0], row[-1]) for row in of_continents] == [("Africa", 19.5), ("America", 21.2)]
