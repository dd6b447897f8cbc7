"""Tables whose rows have no name: what is asked for is a value of theirs, such as their year."""

import pytest

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build import build_snapshot
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import ValueKind
from retrieval.linking.encoder import load
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Constant
from retrieval.programs.algebra.units import convert_constant
from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers

TABLES = {
    "203": "Year of census,Ships registered,Sailors,Wrecks\n"
    "1861,74,2010,3\n1871,61,1870,9\n1881,85,2310,4\n1891,52,1640,7\n1901,47,1210,1\n1911,40,980,2\n",
    "204": "Season,Division,Goals,Coach\n1998,Second,41,Ida Boll\n1999,Second,38,Rolf Maas\n2000,First,55,Ida Boll\n"
    "2001,First,29,Una Prys\n2002,Second,61,Una Prys\n2003,First,44,Rolf Maas\n",
    "205": "Held,Visitors,Stalls\n2021-03-04,120,8\n2021-04-11,340,9\n2021-05-02,95,4\n2021-06-19,210,7\n",
    "harbour": "Date,Sky,Ships,Depth\n2021-12-30,fog,4,3.1\n2021-12-31,cloud,7,3.4\n2022-01-01,fog,2,2.8\n"
    "2022-01-02,sun,9,3.9\n2022-01-03,fog,6,3.0\n2022-01-04,drizzle,5,2.5\n",
    "quarries": "Site,Year,Output\nAlmar,2001,30\nAlmar,2002,34\nAlmar,2003,12\nAlmar,2004,41\nBrenn,2001,55\n"
    "Brenn,2002,50\nBrenn,2003,58\nBrenn,2004,47\nCosta,2001,20\nCosta,2002,21\nCosta,2003,37\nCosta,2004,29\n",
}


@pytest.fixture(scope="module", params=sorted(TABLES))
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ProgramReader]:
    folder = tmp_path_factory.mktemp("table")
    (folder / f"{request.param}.csv").write_text(TABLES[request.param])
    build_from_files([folder / f"{request.param}.csv"], folder / "graph", problems=pytest.fail)
    return request.param, ProgramReader(snapshots.open(folder / "graph"), load().encode, PROGRAMS)


EXPECTED = {
    "203": [
        ("Which year had the most ships registered?", ["1881"]),
        ("In what year were the fewest ships registered?", ["1911"]),
        ("Which year had more ships registered, 1871 or 1891?", ["1871"]),
        ("Were more ships registered in 1861 or 1871?", ["1861"]),
        ("Which years had more than 2,000 sailors?", ["1861", "1881"]),
        ("How many years had more than 2,000 sailors?", ["2"]),
    ],
    "204": [
        ("Which season had the most goals?", ["2002"]),
        ("Which season had the fewest goals?", ["2001"]),
        ("Which year had the most goals?", ["2002"]),
    ],
    "205": [
        ("Which date had the most visitors?", ["2021-04-11"]),
        ("Which date had the fewest stalls?", ["2021-05-02"]),
    ],
    "harbour": [
        ("Which day had the most ships?", ["2022-01-02"]),
        ("Which days had fewer than 5 ships?", ["2021-12-30", "2022-01-01"]),
        ("How many days had more than 5 ships?", ["3"]),
        ("How many foggy days were there?", ["3"]),
        ("How many foggy days were there in 2022?", ["2"]),
        ("How many drizzly days were there?", ["1"]),
        ("How many sunny days were there?", ["1"]),
    ],
    "quarries": [
        ("Which quarry had the highest output?", ["Brenn"]),
        ("Which quarries had an output above 35?", ["Almar", "Brenn", "Costa"]),
        ("How many quarries are there?", ["3"]),
        ("How many quarries had an output above 40?", ["2"]),
        ("When was Almar's output lowest?", ["2003"]),
        ("What was the output of Costa in 2003?", ["37"]),
    ],
}


def test_a_question_for_a_year_or_date_is_answered_with_that_of_a_row(reader):
    table, programs = reader
    for question, expected in EXPECTED[table]:
        assert answers(programs, question) == expected, question


def test_a_question_for_the_rows_themselves_is_answered_with_rows(tmp_path):
    (tmp_path / "orders.csv").write_text(
        "order_id,customer,total,year\n1,Ann,20,2010\n2,Bob,95,2011\n3,Ann,40,2011\n4,Cy,70,2010\n5,Cy,15,2012\n"
    )
    build_from_files([tmp_path / "orders.csv"], tmp_path / "graph", problems=pytest.fail)
    programs = ProgramReader(snapshots.open(tmp_path / "graph"), load().encode, PROGRAMS)
    assert answers(programs, "Which order has the highest total?") == ["order 2"]


def test_a_people_is_of_its_country_however_a_table_writes_it(tmp_path):
    (tmp_path / "ferries.csv").write_text(
        "Ferry,Flag,Seats,Launched\nElva,USA,120,1994-05-01\nOrrin,UK,80,1999-02-11\nTessa,USA,60,2001-07-30\n"
        "Milo,Norway,200,1988-10-02\nWren,UK,40,2010-03-15\n"
    )
    build_from_files([tmp_path / "ferries.csv"], tmp_path / "graph", problems=pytest.fail)
    programs = ProgramReader(snapshots.open(tmp_path / "graph"), load().encode, PROGRAMS)
    assert answers(programs, "Which American ferries are there?") == ["Elva", "Tessa"]
    assert answers(programs, "How many British ferries are there?") == ["2"]
    # Smaller numbers than a hundred are no year of a launch.
    assert answers(programs, "Which ferries have over 70?") == ["Elva", "Milo", "Orrin"]


def test_dates_before_the_year_one_are_compared(tmp_path):
    facts = [
        ["Aldun", "founded", "-0500-03-01"],
        ["Brema", "founded", "-0320-06-01"],
        ["Coros", "founded", "0610-01-02"],
    ]
    columns = Columns(build_snapshot(TripleTable.from_facts(facts), tmp_path / "graph"))
    early = Constant(-450.0, ValueKind.NUMBER)
    assert convert_constant(columns, early, 0) == early
