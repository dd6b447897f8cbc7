"""Who did what no relation says, what stands in one row, and how things are: first questions over a climbing wall."""

import numpy as np
import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader

from .asking import answers, reader_of

ROUTES = """Route,Wall,Setter,Height (m),Status
Slow Burn,Cave,Pavel Novak,18,up
Tea Break,Slab,Mo Achebe,10,stripped
Lemon Drop,Slab,Pavel Novak,14,up
Dry Spell,Cave,Ines Duarte,12,up
"""
MEMBERS = """Member,Joined,Monthly fee (£),Town
Tess Albright,2022-05-01,48,Otley
Rory Dunne,2023-01-15,32,Leeds
Keiko Sato,2023-09-09,48,Leeds
"""
ASCENTS = """Date,Member,Route,Tries,Sent
2024-02-18,Rory Dunne,Lemon Drop,6,no
2024-03-10,Keiko Sato,Slow Burn,4,yes
2024-03-12,Tess Albright,Slow Burn,5,yes
2024-03-16,Tess Albright,Lemon Drop,1,yes
2024-03-20,Keiko Sato,Dry Spell,2,no
"""


def encode(texts):
    """The same vector for a verb and what it makes: what is climbed is an ascent."""
    alike = {"climbed": 0, "ascent": 0, "ascents": 0}
    vectors = np.zeros((len(texts), 1024), np.float32)
    for row, text in enumerate(texts):
        vectors[row, alike.get(text, 1 + sum(map(ord, text)) % 1023)] = 1.0
    return vectors


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wall")
    for name, text in (("routes", ROUTES), ("members", MEMBERS), ("ascents", ASCENTS)):
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    snapshot, _ = build_from_files(sorted(folder.glob("*.csv")), folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, encode, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("who has climbed Slow Burn", ["Keiko Sato", "Tess Albright"]),
        ("who set Slow Burn", ["Pavel Novak"]),
        ("how many tries did it take Tess to do Slow Burn", ["5"]),
        ("has Tess sent Lemon Drop?", ["yes"]),
        ("did Rory send Lemon Drop", ["no"]),
        ("is Tea Break still up?", ["no"]),
        ("is Slow Burn still up?", ["yes"]),
        ("which route has never been touched", ["Tea Break"]),
        ("which routes have never been entered in an ascent", ["Tea Break"]),
        ("which routes are still up", ["Dry Spell", "Lemon Drop", "Slow Burn"]),
        ("how much do the members pay in total each month", ["128"]),
    ],
)
def test_first_questions(reader, question, right):
    assert answers(reader, question) == right


def test_what_is_asked_of_each_month_is_no_fee_of_each(reader):
    assert reader.read(Question("how many ascents were there each month")).confidence == 0.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which customer placed the most orders?", ["Ann Ray"]),
        ("Who placed the most orders?", ["Ann Ray"]),
        ("How many placed orders are there?", ["2"]),
        ("How many orders are placed?", ["2"]),
    ],
)
def test_a_verb_that_is_a_state_too_is_one_only_where_it_says_how_something_is(tmp_path, question, expected):
    tables = {
        "customers": "id,name\n1,Ann Ray\n2,Bob Lee\n3,Cy Dow\n",
        "orders": "id,customer_id,status\n1,1,shipped\n2,1,shipped\n3,2,placed\n4,1,shipped\n5,2,placed\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
    snapshot, _ = build_from_files([tmp_path / f"{name}.csv" for name in tables], tmp_path / "s", problems=pytest.fail)
    assert answers(ProgramReader(snapshot, None, PROGRAMS), question) == expected


def test_the_verb_behind_the_subject_of_do_names_nothing(tmp_path):
    facts = [("Orbital", "operator", "Ares"), ("Meteor", "operator", "Ares"), ("Comet", "operator", "Zeno")]
    facts += [("Comet", "site", "Launch Pad"), ("Meteor", "site", "Sea"), ("Orbital", "site", "Sea")]
    facts += [(rocket, "type", "rocket") for rocket in ("Orbital", "Meteor", "Comet")]
    reader = reader_of(facts, tmp_path)
    assert answers(reader, "How many rockets did Ares launch?") == ["2"]
    assert answers(reader, "Which rockets did Zeno launch?") == ["Comet"]
