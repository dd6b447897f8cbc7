"""So many times a price, a share in percent, and how far two values of one thing are apart."""

import pytest

from .asking import answers, reader_of

SHOP = [
    (name, relation, value)
    for name, kind, price, cost, maker in (
        ("Cutting blade", "blade", "£1.25", "£0.70", "Hale"),
        ("Inner tube", "tube", "£7.50", "£4.00", "Hale"),
        ("Saddle", "seat", "£30.00", "£21.00", "Brook"),
        ("Bell", "bell", "£4.00", "£1.50", "Brook"),
    )
    for relation, value in (
        ("type", "product"), ("sort", kind), ("sale price", price), ("cost price", cost), ("made by", maker),
    )
] + [
    (name, relation, value)
    for name, guest, arrived, left, total, paid in (
        ("B1", "Tanaka", "2024-03-28", "2024-04-02", "£500", "£120"),
        ("B2", "Ito", "2021-12-30", "2024-01-02", "£400", "£400"),
        ("B3", "Moreau", "2023-06-01", "2023-06-04", "£300", "£50"),
        ("B4", "Moreau", "2023-09-01", "2023-09-11", "£700", "£100"),
    )
    for relation, value in (
        ("type", "booking"), ("guest", guest), ("arrival", arrived), ("departure", left), ("total price", total),
        ("deposit paid", paid),
    )
] + [
    ("Ada Rule", "type", "person"), ("Ada Rule", "date of birth", "1898-02-09"),
    ("Ada Rule", "date of marriage", "1922-09-16"), ("Ada Rule", "date of death", "1977-06-24"),
]  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return reader_of(SHOP, tmp_path_factory.mktemp("shop"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the sale price of 6 cutting blades?", "£7.5"),
        ("what would five saddles cost at sale price", "£150"),
        ("What percentage of the products are made by Hale?", "50%"),
        ("What % of the products are made by Hale?", "50%"),
        ("what share of the bookings have a total price over £450", "50%"),
        ("How many nights did Tanaka stay?", "5 days"),
        ("How many days between the arrival and the departure of Ito?", "733 days"),
        ("how much does Tanaka still owe", "£380"),
        ("How much does Moreau still owe us?", "£850"),
        ("how much profit do we make on a Saddle", "£9"),
        ("How old was Ada Rule on her wedding day?", "24 years"),
        ("How many years was Ada Rule married before she died?", "54 years"),
        ("How many days lie between the first and the last arrival of Moreau?", "92 days"),
    ],
)
def test_what_is_calculated(reader, question, answer):
    assert answers(reader, question) == [answer]


def test_a_number_that_is_compared_multiplies_nothing(reader):
    assert answers(reader, "Which products have a sale price of more than 6?") == ["Inner tube", "Saddle"]


LESSONS = [
    (name, relation, value)
    for name, horse, pupil in (("Lesson 1", "Comet", "Ana Reis"), ("Lesson 2", "Sable", "Ben Osei"))
    for relation, value in (("type", "lesson"), ("horse", horse), ("pupil", pupil))
] + [(name, "type", kind) for name, kind in (("Comet", "horse"), ("Sable", "horse"), ("Ana Reis", "pupil"),
                                             ("Ben Osei", "pupil"))]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Has Ben Osei ridden Sable?", "yes"),
        ("Has Ana Reis ridden Sable?", "no"),
        ("Did Ben Osei have a lesson on Sable?", "yes"),
        ("Is Comet a lesson?", "no"),
        ("Is Comet a horse?", "yes"),
    ],
)
def test_yes_or_no_of_two_things_is_asked_of_what_joins_them(tmp_path, question, answer):
    assert answers(reader_of(LESSONS, tmp_path), question) == [answer]
