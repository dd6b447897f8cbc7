"""What two columns come to: a price times a quantity, an end less a beginning; over small tables and a family."""

import pytest

from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import Fold, Having, Key
from retrieval.programs.algebra.program_json import from_json, to_json
from retrieval.programs.rendering.wording import Wording

from .asking import answers, reader_of

COURSES = [
    (name, relation, value)
    for name, teacher, places, booked, price in (
        ("Penguin Club", "Ann Bell", "8", "8", "245"),
        ("Snow Foxes", "Ann Bell", "10", "9", "265"),
        ("Powder Day", "Ben Kato", "6", "2", "90"),
    )
    for relation, value in (
        ("type", "course"),
        ("instructor", teacher),
        ("max pupils", places),
        ("booked", booked),
        ("price per pupil", price),
    )
]
BATCHES = [
    (name, relation, value)
    for name, farm, milk, wheels, weight in (
        ("B-1", "Alm", "100", "4", "2.5"),
        ("B-2", "Tal", "50", "2", "8"),
    )
    for relation, value in (
        ("type", "batch"),
        ("farm", farm),
        ("milk used (l)", milk),
        ("wheels", wheels),
        ("weight per wheel (kg)", weight),
    )
]
FARMS = [
    (name, relation, value)
    for name, price in (("Alm", "0.5"), ("Tal", "0.8"))
    for relation, value in (("type", "farm"), ("milk price per litre", price))
]
STALL = [
    (name, relation, value)
    for name, price, left in (
        ("Sage", "3.00", "7"),
        ("Mint", "2.00", "10"),
        ("Moss", "", "4"),
        ("Fern", "6.50", "0"),
    )
    for relation, value in (("type", "plant"), ("price per pot", price), ("pots left", left))
    if value
] + [
    (name, relation, value)
    for name, plant, customer, pots in (
        ("O-1", "Sage", "Kim Doyle", "2"),
        ("O-2", "Mint", "Kim Doyle", "5"),
        ("O-3", "Sage", "Ravi Shah", "1"),
        ("O-4", "Moss", "Ravi Shah", "9"),
    )
    for relation, value in (("type", "order"), ("plant", plant), ("customer", customer), ("pots", pots))
]
FAMILY = [
    (name, relation, value)
    for name, born, died in (
        ("Karl Reuss", "1900-05-10", "1928-05-09"),
        ("Ida Reuss", "1890-01-01", "1970-06-01"),
        ("Otto Lind", "1920-03-03", "1930-03-04"),
    )
    for relation, value in (("date of birth", born), ("date of death", died))
] + [
    ("Eva Lind", "date of birth", "1950-01-01"),
    ("Karl Reuss", "occupation", "farmer"),
    ("Otto Lind", "occupation", "farmer"),
    ("Ida Reuss", "occupation", "weaver"),
]


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    return reader_of(COURSES, tmp_path_factory.mktemp("courses"))


@pytest.fixture(scope="module")
def stall(tmp_path_factory):
    return reader_of(STALL, tmp_path_factory.mktemp("stall"))


@pytest.fixture(scope="module")
def cellar(tmp_path_factory):
    return reader_of([*BATCHES, *FARMS], tmp_path_factory.mktemp("cellar"))


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    return reader_of(FAMILY, tmp_path_factory.mktemp("family"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the revenue of Snow Foxes?", ["2,385"]),
        ("What is the total revenue?", ["4,525"]),
        ("Which course has the highest revenue?", ["Snow Foxes"]),
        ("How many places are left on Powder Day?", ["4"]),
        ("Is Penguin Club full?", ["yes"]),
        ("Is Powder Day full?", ["no"]),
        ("What is the price per pupil of Snow Foxes?", ["265"]),
    ],
)
def test_revenue_and_places_left(courses, question, expected):
    assert answers(courses, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is my whole stock worth?", ["41"]),
        ("How much did Kim Doyle spend?", ["16"]),
        ("How much did Ravi Shah spend?", ["3"]),  # nothing says what moss costs
        ("total revenue per plant", ["Mint", "Sage"]),
        ("Which plant brought in the most money?", ["Mint"]),
    ],
)
def test_what_is_there_and_what_was_sold(stall, question, expected):
    assert answers(stall, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How old was Karl Reuss when he died?", ["27 years"]),
        ("How old was Otto Lind at his death?", ["10 years"]),
        ("Who lived the longest?", ["Ida Reuss"]),
        ("Who died youngest?", ["Otto Lind"]),
        ("Which farmer lived longest?", ["Karl Reuss"]),
        ("average age at death of the farmers", ["18.9997 years"]),
    ],
)
def test_ages_at_death(family, question, expected):
    assert answers(family, question) == expected


def test_what_a_rate_is_of_may_be_said_of_something_else(cellar):
    computed = cellar.parser.schema.measures.computed
    label = cellar.snapshot.get_relation_label
    found = {(label(own.key.path[0]), tuple(map(label, own.key.times))) for own in computed.products}
    assert found == {
        ("milk used (l)", ("farm", "milk price per litre")),
        ("wheels", ("weight per wheel (kg)",)),
    }


def test_a_sum_of_rates_is_of_all_that_they_are_of(cellar):
    assert answers(cellar, "total weight of batch B-1") == ["10"]


def test_keys_of_two_paths_as_json_and_in_words(cellar):
    find = cellar.snapshot.find_relation
    milk, farm, price = find("milk used (l)"), find("farm"), find("milk price per litre")
    program = Fold(Folding.SUM, Having(milk), Key((milk,), times=(farm, price)))
    assert from_json(to_json(program)) is program
    assert cellar.parser._executor.run(program) == pytest.approx(100 * 0.5 + 50 * 0.8)
    assert Wording(cellar.parser.columns).describe_key(program.key) == ("milk used (l) × farm's milk price per litre")


def test_a_key_is_not_counted_and_multiplied():
    key = {"op": "Key", "path": [1], "counted": True, "times": [2]}
    with pytest.raises(ValueError, match="a key is counted, or multiplied, or something is taken from it"):
        from_json({"op": "KeyOf", "source": {"op": "Entities", "ids": [1]}, "key": key})
