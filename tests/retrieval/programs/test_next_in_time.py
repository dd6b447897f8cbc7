"""What came next after something, or last before it, where one is asked for; and numbers that nothing reads."""

import pytest

from retrieval.language.question import Question

from .asking import answers, reader_of

PRESIDENTS = [
    (name, relation, value)
    for name, began, ended in (
        ("Kennedy", "1961", "1963"),
        ("Johnson", "1963", "1969"),
        ("Nixon", "1969", "1974"),
        ("Ford", "1974", "1977"),
        ("Carter", "1977", "1981"),
    )
    for relation, value in (("type", "president"), ("took office", began), ("left office", ended))
]
BRIDGES = [
    (name, relation, value)
    for name, opened, length in (
        ("Elm Bridge", "1901-05-01", "120 m"),
        ("Oak Bridge", "1910-06-01", "80 m"),
        ("Ash Bridge", "1925-07-01", "300 m"),
        ("Fir Bridge", "1930-08-01", "95 m"),
    )
    for relation, value in (("type", "bridge"), ("opened", opened), ("length", length))
]


@pytest.fixture(scope="module")
def presidents(tmp_path_factory):
    return reader_of(PRESIDENTS, tmp_path_factory.mktemp("presidents"))


@pytest.fixture(scope="module")
def bridges(tmp_path_factory):
    return reader_of(BRIDGES, tmp_path_factory.mktemp("bridges"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was president after Nixon?", ["Ford"]),
        ("Which president took office before Nixon?", ["Johnson"]),
        ("Who was the president before Ford?", ["Nixon"]),
        ("Which presidents took office after Johnson?", ["Carter", "Ford", "Nixon"]),
    ],
)
def test_presidents(presidents, question, expected):
    assert answers(presidents, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which bridge opened after Elm Bridge?", ["Oak Bridge"]),
        ("Which bridge opened before Fir Bridge?", ["Ash Bridge"]),
        ("Which bridges opened after Elm Bridge?", ["Ash Bridge", "Fir Bridge", "Oak Bridge"]),
        ("Which bridges opened after 1905?", ["Ash Bridge", "Fir Bridge", "Oak Bridge"]),
    ],
)
def test_bridges(bridges, question, expected):
    assert answers(bridges, question) == expected


def test_an_unread_number_leaves_a_low_guess(presidents, bridges):
    assert presidents.read(Question("How many presidents weigh 77 kg?")).confidence <= 0.2
    assert bridges.read(Question("total length of the bridges of 7 towers")).confidence < 0.3
    assert bridges.read(Question("Which 2 bridges are the longest?")).confidence > 0.2
