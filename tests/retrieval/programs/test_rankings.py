"""Places, likenesses, what is lacking, and rows that are rows of something; over a small league, no text encoder."""

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result
from tests.retrieval.programs.asking import answers, reader_of

PLAYERS = [
    (name, relation, value)
    for name, country, height, ranking, died in (
        ("Ann Bell", "Wales", "170 cm", "1", ""),
        ("Cora Dunn", "Kenya", "180 cm", "4", "2001"),
        ("Edda Fry", "Kenya", "165 cm", "12", ""),
        ("Gwen Hall", "Chile", "170 cm", "30", "1999"),
    )
    for relation, value in (
        ("type", "player"),
        ("country", country),
        ("height", height),
        ("ranking", ranking),
        ("died", died),
    )
    if value
]
CUPS = [
    (name, relation, value)
    for name, city, winner, prize, start in (
        ("Rome Cup", "Rome", "Ann Bell", "900", "10:00"),
        ("Oslo Cup", "Oslo", "Ann Bell", "500", "14:00"),
        ("Lima Cup", "Lima", "Cora Dunn", "700", "18:30"),
    )
    for relation, value in (
        ("type", "cup"),
        ("played in", city),
        ("winner", winner),
        ("prize", prize),
        ("start time", start),
    )
]
SEATS = [
    (f"entry {number}", relation, value)
    for number, player, seat in ((1, "Ann Bell", "7"), (2, "Edda Fry", "3"))
    for relation, value in (("type", "entry"), ("of player", player), ("seat number", seat))
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    rows = [list(row) for row in (*PLAYERS, *CUPS, *SEATS)]
    snapshot = build_snapshot(TripleTable.from_facts(rows), tmp_path_factory.mktemp("league") / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which player has the best ranking?", {"Ann Bell"}),
        ("Which player has the worst ranking?", {"Gwen Hall"}),
        ("Which players are ranked in the top 10?", {"Ann Bell", "Cora Dunn"}),
        ("Which players are still alive?", {"Ann Bell", "Edda Fry"}),
        ("Who won the Rome Cup?", {"Ann Bell"}),
        ("Which players won more than one cup?", {"Ann Bell"}),
        ("What is the most common country of the players?", {"Kenya"}),
        ("Which players are as tall as Gwen Hall?", {"Ann Bell", "Gwen Hall"}),
        ("Which players are no taller than Ann Bell?", {"Ann Bell", "Edda Fry", "Gwen Hall"}),
        ("Which player is the tallest in Kenya?", {"Cora Dunn"}),
        ("Which cups have a start time after noon?", {"Lima Cup", "Oslo Cup"}),
        ("Where was the Oslo Cup?", {"Oslo"}),
        ("What are the names of the entries?", {"Ann Bell", "Edda Fry"}),
        ("Did Edda Fry win the Lima Cup?", {"no"}),
    ],
)
def test_places_likenesses_and_what_is_lacking_are_read(reader, question, expected):
    found = reader.read(Question(question))
    assert found is not None
    result = found.best.result
    if isinstance(result, np.ndarray):
        assert {reader.snapshot.get_entity_label(node) for node in result.tolist()} == expected
    else:
        assert {format_result(found.executor.columns, found.best.program, result)} == expected


def test_a_number_that_is_not_read_makes_an_answer_unsure(reader):
    read = reader.read(Question("Which players have 17 trophies?"))
    assert read is None or read.confidence < 0.5


def test_comparisons_are_mirrored():
    pairs = {(own, own.mirrored) for own in Comparison}
    assert pairs == {
        (Comparison.LESS, Comparison.MORE),
        (Comparison.MORE, Comparison.LESS),
        (Comparison.AT_MOST, Comparison.AT_LEAST),
        (Comparison.AT_LEAST, Comparison.AT_MOST),
        (Comparison.EQUAL, Comparison.EQUAL),
        (Comparison.NOT_EQUAL, Comparison.NOT_EQUAL),
    }


def test_a_superlative_that_is_a_heading_ranks_by_that_column(tmp_path):
    rows = (("Ada", "7", "300", "9"), ("Bor", "2", "800", "4"), ("Cut", "4", "500", "6"))
    mines = [
        (name, relation, value)
        for name, *values in rows
        for relation, value in zip(("type", "shafts", "deepest", "widest tunnel (m)"), ("mine", *values), strict=True)
    ]
    reader = reader_of(mines, tmp_path)
    assert answers(reader, "Which mine has the deepest shaft?") == ["Bor"]
    assert answers(reader, "the mine with the widest tunnel") == ["Ada"]
    assert answers(reader, "Which mine has the most shafts?") == ["Ada"]
