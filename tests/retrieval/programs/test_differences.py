"""How far two things are apart, wherever they are named; and what several things come to together."""

import pytest

from .asking import answers, reader_of

PERFUMES = [
    (name, relation, value)
    for name, price, launched, weight, maker in (
        ("Petra Dawn", "230", "2019-03-01", "120", "Tanabe"),
        ("Sel Blanc", "135", "2019-03-25", "90", "Tanabe"),
        ("Souk Nocturne", "260", "2004-06-30", "150", "Orsini"),
    )
    for relation, value in (
        ("type", "perfume"), ("price eur", price), ("launched on", launched), ("weight (g)", weight),
        ("made by", maker),
    )
] + [
    (name, relation, value)
    for name, founded, staff in (("Tanabe", "1921", "14"), ("Orsini", "1847", "6"))
    for relation, value in (("type", "house"), ("founding year", founded), ("staff", staff))
]  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return reader_of(PERFUMES, tmp_path_factory.mktemp("perfumes"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the price difference between Petra Dawn and Sel Blanc?", "95"),
        ("price differnce between Petra Dawn and Sel Blanc", "95"),
        ("How many years after Orsini was Tanabe founded?", "74 years"),
        ("How many days are there between Petra Dawn and Sel Blanc?", "24 days"),
        ("How much more does Petra Dawn cost than Sel Blanc?", "95"),
        ("how many grams more does Souk Nocturne weigh than Sel Blanc", "60"),
    ],
)
def test_two_things_are_so_far_apart_wherever_they_are_named(reader, question, answer):
    assert answers(reader, question) == [answer]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the weight of all perfumes together", "360"),
        ("How many staff do all the houses have together?", "20"),
        ("how much is the price of the perfumes made by Tanabe in total", "365"),
    ],
)
def test_what_several_things_have_together_is_added_up(reader, question, answer):
    assert answers(reader, question) == [answer]


def test_what_each_of_them_has_is_not_added_up(reader):
    assert answers(reader, "what is the weight of all perfumes") == ["120", "150", "90"]
