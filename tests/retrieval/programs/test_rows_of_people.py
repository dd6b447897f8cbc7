"""Rows without names that are about people, and values that are initials: fees, shifts, and the sex of nurses."""

import pytest

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.linking.encoder import load
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers

NURSES = "nurse_id,name,sex\n1,Ida Boll,F\n2,Rolf Maas,M\n3,Una Prys,F\n4,Kai Thorn,M\n5,Mae Lind,F\n"
FEES = "nurse_id,amount,paid_on\n1,210,2024-01-04\n1,340,2024-02-04\n2,150,2024-01-09\n3,280,2024-03-01\n"
WARDS = "ward_id,ward\n1,Maple\n2,Cedar\n"
HEADS = "nurse_id,ward_id,since\n1,1,2020-02-01\n2,1,2022-05-01\n3,2,2021-09-01\n"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    folder = tmp_path_factory.mktemp("clinic")
    tables = {"nurses": NURSES, "fees": FEES, "wards": WARDS, "ward_managers": HEADS}
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    build_from_files([folder / f"{name}.csv" for name in tables], folder / "graph", problems=pytest.fail)
    return ProgramReader(snapshots.open(folder / "graph"), load().encode, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the highest fee?", ["340"]),
        ("What is the lowest fee of Ida Boll?", ["210"]),
        ("Who has the highest fee?", ["Ida Boll"]),
        ("Who has managed Maple?", ["Ida Boll", "Rolf Maas"]),
        ("How many nurses are female?", ["3"]),
        ("How many of the nurses are women?", ["3"]),
        ("Which nurses are male?", ["Kai Thorn", "Rolf Maas"]),
    ],
)
def test_rows_stand_for_their_number_and_their_person(clinic, question, expected):
    assert answers(clinic, question) == expected


def test_an_initial_says_nothing_of_words_that_are_not_near_to_its_relation(clinic):
    assert answers(clinic, "Which nurses are fluent?") != ["Ida Boll", "Mae Lind", "Una Prys"]


GRANTS = """patron,subject,awardee,year,nationality
Otto Falk,Botany,Ida Boll,2001,Norwegian
Otto Falk,Botany,Rolf Maas,2003,Dutch
Otto Falk,Optics,Una Prys,2004,Norwegian
Mae Lind,Botany,Kai Thorn,2002,Finnish
Mae Lind,Optics,Ida Boll,2006,Norwegian
Mae Lind,Optics,Jon Reed,2007,Dutch
"""


@pytest.fixture(scope="module")
def grants(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    folder = tmp_path_factory.mktemp("grants")
    (folder / "grants.csv").write_text(GRANTS)
    build_from_files([folder / "grants.csv"], folder / "graph", problems=pytest.fail)
    return ProgramReader(snapshots.open(folder / "graph"), load().encode, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who got a grant in Optics?", ["Ida Boll", "Jon Reed", "Una Prys"]),
        ("Who was Mae Lind's awardee in Botany?", ["Kai Thorn"]),
        ("Which patron supported Una Prys?", ["Otto Falk"]),
        ("How many people got a grant?", ["5"]),
        ("How many grants are there in Botany?", ["3"]),
        ("Which awardees were there after 2003?", ["Ida Boll", "Jon Reed", "Una Prys"]),
        ("How many awardees were there before 2004?", ["3"]),
        ("Which Norwegians got a grant after 2003?", ["Ida Boll", "Una Prys"]),
        ("Which Dutch grants were there after 2003?", ["grant 6"]),
    ],
)
def test_people_of_rows_are_asked_for(grants, question, expected):
    assert answers(grants, question) == expected
