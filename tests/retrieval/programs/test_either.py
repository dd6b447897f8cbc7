"""One or the other of two named things, both of them, and relatives that are two sides away."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader

from .asking import answers, reader_of

MEMBERS = """Member,Joined,Town,Job
Desmond Pugh,2013,Ludlow,solicitor
Marcus Odell,2018,Ludlow,plumber
Fiona Bright,2020,Clun,baker
Jess Tranter,2021,Clun,plumber
"""
PLAYS = """Play,Director,Opened,Tickets sold
Blithe Spirit,Desmond Pugh,2022-11-17,228
Hay Fever,Desmond Pugh,2023-03-09,405
Noises Off,Marcus Odell,2023-11-16,0
"""
PARTS = """Play,Part,Played by
Blithe Spirit,Charles,Marcus Odell
Blithe Spirit,Ruth,Fiona Bright
Hay Fever,Judith,Fiona Bright
Hay Fever,David,Desmond Pugh
Noises Off,Lloyd,Desmond Pugh
Noises Off,Dotty,Jess Tranter
"""
FLATS = """Flat,Building,Bedrooms,Rent
Mill 1,Old Mill,2,780
Mill 2,Old Mill,4,990
Yard 1,The Yard,1,640
Yard 2,The Yard,1,650
"""
TENANTS = """Tenant,Flat,Pays by,Pet,Amount paid
Vera Ilic,Mill 1,cash,,780
Omar Farouk,Mill 2,standing order,cat,0
Zofia Nowak,Yard 1,standing order,parrot,640
"""
FAMILY = [
    ("Kate", "has mother", "Susan"),
    ("Susan", "has father", "Harold"),
    ("Dan", "has father", "Leo"),
    ("Leo", "has father", "Harold"),
    ("Leo", "has mother", "Joan"),
    ("Susan", "has mother", "Joan"),
    ("Harold", "has father", "Arthur"),
    ("Harold", "has mother", "Edith"),
    ("Joan", "has father", "Piet"),
    ("Kate", "worked as", "vet"),
]


def tables(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    snapshot, _ = build_from_files(sorted(folder.glob("*.csv")), folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.fixture(scope="module")
def theatre(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("theatre"), members=MEMBERS, plays=PLAYS, parts=PARTS)


@pytest.fixture(scope="module")
def lets(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("lets"), flats=FLATS, tenants=TENANTS)


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    return reader_of(FAMILY, tmp_path_factory.mktemp("family"))


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("who was in both Blithe Spirit and Hay Fever?", ["Fiona Bright"]),
        ("how many parts has Fiona Bright had?", ["2"]),
        ("was Jess Tranter in Blithe Spirit?", ["no"]),
        ("what does the director of Noises Off do for a living?", ["plumber"]),
        (
            "show me everyone from Clun or Ludlow",
            ["Desmond Pugh", "Fiona Bright", "Jess Tranter", "Marcus Odell"],
        ),
    ],
)
def test_parts_that_are_played_are_rows(theatre, question, right):
    assert answers(theatre, question) == right


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("who pays cash or has a cat?", ["Omar Farouk", "Vera Ilic"]),
        ("Who lives in the flat with the most bedrooms?", ["Omar Farouk"]),
        ("has Omar Farouk paid?", ["no"]),
        ("which flats are empty at the moment?", ["Yard 2"]),
        ("has Zofia Nowak paid?", ["yes"]),
        ("show me everybody with a cat or a parrot", ["Omar Farouk", "Zofia Nowak"]),
    ],
)
def test_each_side_of_an_or_is_walked(lets, question, right):
    assert answers(lets, question) == right


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who are Kate's great-grandparents?", ["Arthur", "Edith", "Piet"]),
        ("who are the great grandparents of Dan", ["Arthur", "Edith", "Piet"]),
        ("who are Kate's cousins?", ["Dan"]),
        ("who are the first cousins of Dan?", ["Kate"]),
        ("who are Susan's siblings?", ["Leo"]),
    ],
)
def test_relatives_by_several_steps(family, question, right):
    assert answers(family, question) == right


ABBEYS = [
    ("Alder Abbey", "founded in", "1132"),
    ("Alder Abbey", "closed in", "1538"),
    ("Alder Abbey", "yearly income", "925 pounds"),
    ("Fenny Abbey", "founded in", "1201"),
    ("Fenny Abbey", "closed in", "1536"),
    ("Fenny Abbey", "yearly income", "131 pounds"),
    ("Corve Abbey", "founded in", "1150"),
    ("Corve Abbey", "closed in", "1539"),
    ("Corve Abbey", "yearly income", "310 pounds"),
]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many years did Alder Abbey last?", ["406 years"]),
        ("how long did Fenny Abbey last", ["335 years"]),
    ],
)
def test_years_of_centuries_ago_are_years(tmp_path, question, right):
    assert answers(reader_of(ABBEYS, tmp_path), question) == right
