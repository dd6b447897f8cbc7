"""Numbers of each of some things, of some of the rows behind them alone; over sales, and over pupils and tests."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.steps import list_ranked_values

from .asking import answers

SALES = """Sale,Shop,Region,Product,Date,Profit,Freight
S-1,Anker,North,Lamp,2020-03-01,50,5
S-2,Anker,North,Desk,2021-04-11,10,120
S-3,Birke,South,Lamp,2020-05-02,20,130
S-4,Birke,South,Chair,2021-06-09,90,8
S-5,Clou,South,Lamp,2021-07-21,15,140
S-6,Clou,South,Desk,2020-01-30,5,20
"""
TESTS = """Test,Pupil,Class,Sex,Points,Year
T1,Ann,4a,girl,12,2018
T2,Ben,4a,boy,8,2018
T3,Cid,4b,boy,15,2018
T4,Ann,4a,girl,18,2019
T5,Ben,4a,boy,6,2019
T6,Cid,4b,boy,9,2019
T7,Dov,4b,boy,3,2019
"""


def read_table(name, text, folder):
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    snapshot, _ = build_from_files([folder / f"{name}.csv"], folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    return read_table("sales", SALES, tmp_path_factory.mktemp("sales"))


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    return read_table("tests", TESTS, tmp_path_factory.mktemp("tests"))


def read_values(reader, question):
    found = reader.read(Question(question))
    label = reader.snapshot.get_entity_label
    return {label(node): value for node, value in list_ranked_values(found.executor, found.best.program)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which region had the highest profit in 2020?", ["North"]),
        ("Which region had the highest profit in 2021?", ["South"]),
        ("Which shop made the lowest total profit in 2021?", ["Anker"]),
        ("In 2021, which product had the highest profit?", ["Chair"]),
        ("total profit in 2021", ["115"]),
        ("What was the average profit in 2020?", ["25"]),
    ],
)
def test_sales_of_a_year(sales, question, expected):
    assert answers(sales, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("total profit per region in 2020", {"North": 50, "South": 25}),
        ("total profit by region in 2021", {"North": 10, "South": 105}),
        ("total profit of lamps per region", {"North": 50, "South": 35}),
        ("How many sales over 100 freight did each shop have?", {"Anker": 1, "Birke": 1, "Clou": 1}),
        ("number of sales per shop in 2020", {"Anker": 1, "Birke": 1, "Clou": 1}),
    ],
)
def test_sales_of_each(sales, question, expected):
    assert read_values(sales, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("average points of boys per class", {"4a": 7, "4b": 9}),
        ("average points per class in 2018", {"4a": 10, "4b": 15}),
        ("total points of each pupil in 2019", {"Ann": 18, "Ben": 6, "Cid": 9, "Dov": 3}),
    ],
)
def test_points_of_each(points, question, expected):
    assert read_values(points, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which class had the highest average points in 2018?", ["4b"]),
        ("Which class had the highest average points in 2019?", ["4a"]),
        ("Which pupil had the most points in 2018?", ["Cid"]),
    ],
)
def test_points_of_a_year(points, question, expected):
    assert answers(points, question) == expected


def test_mere_years_are_no_months(points):
    assert answers(points, "total points per year") == ["2018", "2019"]
    assert answers(points, "total points per month") == ["71"]


def test_a_number_that_was_calculated_has_no_periods(tmp_path):
    people = read_table("people", "Person,Born\nAnn Lee,1980\nBen Lee,1985\nCid Orr,1990\n", tmp_path)
    assert answers(people, "how many years older is Ann Lee than Ben Lee by year of birth") == ["5 years"]
