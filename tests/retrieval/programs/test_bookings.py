"""What small firms keep: hires and jobs with two dates, first names, numbers of rows, short headings."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.operations import Entities, walk
from retrieval.programs.reader import ProgramReader

from .asking import answers, reader_of

HIRES = """Hire no,Tool,Hirer,out,due,returned,fee
101,Big drill,Lucy Park,2023-12-28,2024-01-02,2024-01-03,20
102,Sander,Tom Reeve,2024-03-01,2024-03-08,2024-03-07,35
103,Big drill,Tom Reeve,2024-04-02,2024-04-08,2024-04-08,40
104,Tile saw,Lucy Park,2024-05-10,2024-05-12,2024-05-14,15
105,Sander,Ada Moss,2024-06-01,2024-06-02,2024-06-02,10
"""
JOBS = """Job#,Customer,Descr.,Dept,Who,Hrs,Paid on
3001,7,replace garboard plank,WOOD,Wenna,8,2024-02-01
3002,9,yearly service,ENG,Jago,3,
3003,7,replace garboard plank,WOOD,Petroc,6,2024-03-01
3004,8,rewire lights,ELEC,Wenna,4,
3005,9,osmosis repair,HULL,Jago,11,2024-04-01
"""
CUSTOMERS = """cust_no,name,village
7,Mrs Alder,Stoke
8,Mr Birch,Wick
9,Dr Cole,Stoke
"""


def read(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    snapshot, _ = build_from_files(sorted(folder.glob("*.csv")), folder / "graph", problems=pytest.fail)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.fixture(scope="module")
def hires(tmp_path_factory):
    return read(tmp_path_factory.mktemp("hires"), hires=HIRES)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which hires came back late", ["hire 101", "hire 104"]),
        ("how many hires were returned late", ["2"]),
        ("hires that were back on time", ["hire 102", "hire 103", "hire 105"]),
        ("longest hire", ["hire 101", "hire 102", "hire 103"]),
        ("which hire was the shortest", ["hire 105"]),
        ("average hire", ["4.6 days"]),
        ("how many hires has lucy had", ["2"]),
        ("how many hires per tool", ["Big drill", "Sander", "Tile saw"]),
    ],
)
def test_two_dates_tell_how_long_and_how_late(hires, question, expected):
    assert answers(hires, question) == expected


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return read(tmp_path_factory.mktemp("yard"), jobs=JOBS, customers=CUSTOMERS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who did job 3002", ["Jago"]),
        ("how many hours was job 3004", ["4"]),
        ("whats job 3004 about", ["rewire lights"]),
        ("what did we do on job 3002", ["yearly service"]),
        ("how many engine jobs", ["1"]),
        ("how many electrical jobs", ["1"]),
        ("how many jobs per department", ["ELEC", "ENG", "HULL", "WOOD"]),
        ("how many jobs are there per village", ["Stoke", "Wick"]),
        ("jobs for mrs alder", ["job 3001", "job 3003"]),
    ],
)
def test_short_headings_and_numbers_of_rows(yard, question, expected):
    assert answers(yard, question) == expected


MILLS = [
    (name, relation, value)
    for name, village, sails in (
        ("Six Sisters", "Wick", "6"), ("Old Crow", "Stoke", "4"), ("White Lady", "Wick", "5"),
        ("Tolt Tower", "Stoke", "5"),
    )
    for relation, value in (("type", "Windmill"), ("located in", village), ("number of sails", sails))
] + [("Wick", "county", "Essmoor"), ("Stoke", "county", "Norling")]  # fmt: skip


@pytest.fixture(scope="module")
def mills(tmp_path_factory):
    return reader_of(MILLS, tmp_path_factory.mktemp("mills"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which mills have more than 4 sails", ["Six Sisters", "Tolt Tower", "White Lady"]),
        ("number of mills per county", ["Essmoor", "Norling"]),
        ("where is tolt", ["Stoke"]),
        ("has white lady got 5 sails", ["yes"]),
    ],
)
def test_kinds_by_the_end_of_their_word(mills, question, expected):
    assert answers(mills, question) == expected


MAINTENANCE = """Ticket,Customer,Cost
2301,7,40
2302,9,65
2303,7,20
2304,8,35
2305,9,10
"""


def test_a_noun_that_no_table_is_called_by_is_what_rows_are_called(tmp_path):
    reader = read(tmp_path, maintenance=MAINTENANCE, customers=CUSTOMERS)
    found = reader.read(Question("how many callouts has mrs alder had"))
    label = reader.snapshot.get_entity_label
    named = {label(node) for part in walk(found.best.program) if isinstance(part, Entities) for node in part.ids}
    assert (found.best.result, named) == (2.0, {"Mrs Alder", "ticket"})
