"""What people ask of one table of their own: the order of its rows, its dates and footnotes, and what is the same."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.table import ROW
from retrieval.language.words import read
from retrieval.pretrained import PROGRAMS
from retrieval.programs.constructions.row_order import parse_row_order
from retrieval.programs.reader import ProgramReader

from .asking import answers

RIDES = """#,Ride,Park,Opened,"Height
ft (m)",Cost,Place
1,Night Owl,Elm Park,12 May 1985,120 (37),"7,500[2]",1st
2,Wild Goat,Oak Park,3 June 1979,90 (27),"9,100",3rd
3,Sea Snake,Ash Park,14 June 2001,210 (64),"8,000[3]",2nd
4,Red Baron,Elm Park,1 July 1987,75 (23),"6,400","5th, family"
5,Blue Moon,Fir Park,30 May 1999,101 (31),"5,200",4th
Total,Total,Total,,,"36,200",
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rides")
    (folder / "rides.csv").write_text(RIDES, encoding="utf-8")
    snapshot, _ = build_from_files(folder / "rides.csv", folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which ride is listed before Sea Snake?", ["Wild Goat"]),
        ("What ride comes after Night Owl?", ["Wild Goat"]),
        ("What is the next ride after Red Baron?", ["Blue Moon"]),
        ("What is listed above Fir Park?", ["Elm Park"]),
        ("Which park is directly below Oak Park?", ["Ash Park"]),
        ("What park is after Elm Park?", ["Fir Park"]),  # behind all of its rows
        ("Which ride is previous to Wild Goat?", ["Night Owl"]),
        ("What is the last ride listed?", ["Blue Moon"]),
        ("What park is at the top of the table?", ["Elm Park"]),
        ("Which ride is the tallest?", ["Sea Snake"]),
        ("Which ride has the highest cost?", ["Wild Goat"]),
        ("Which ride opened first?", ["Wild Goat"]),
        ("How many rides opened in the 1980s?", ["2"]),
        ("How many rides are listed in 1999?", ["1"]),
        ("Which ride is in the same park as Night Owl?", ["Red Baron"]),
        ("How many rides are there?", ["5"]),
        ("How many times is Elm Park listed?", ["2"]),
    ],
)
def test_a_table_is_asked(reader, question, expected):
    assert answers(reader, question) == expected


def test_the_order_is_kept_and_means_nothing_else(reader):
    schema = reader.parser.schema
    assert schema.snapshot.get_relation_label(schema.listing) == ROW
    assert schema.listing not in schema.value_relations
    assert "row" not in schema.by_stem


@pytest.mark.parametrize(
    "question",
    [
        "Which rides opened after Night Owl?",
        "Which rides are above 100 feet?",
        "What was built before 1990?",
        "What is above 100 m?",
        "Which ride opened last?",
    ],
)
def test_comparisons_are_no_questions_of_order(question):
    assert parse_row_order(read(question)) is None


def test_nothing_comes_after_the_last(reader):
    assert answers(reader, "What ride is listed after Blue Moon?") == []


def test_of_several_tables_no_order_is_kept(tmp_path):
    for name in ("rides.csv", "parks.csv"):
        (tmp_path / name).write_text(f"Name,Size\nA {name},1\nB {name},2\n", encoding="utf-8")
    files = [tmp_path / "rides.csv", tmp_path / "parks.csv"]
    snapshot, _ = build_from_files(files, tmp_path / "graph", problems=lambda _: None)
    assert ROW not in {snapshot.get_relation_label(r) for r in range(snapshot.num_relations)}
