"""Values are the same however they are spelt, and names are left alone."""

import pytest

from retrieval.kg.snapshot.labels import normalise
from retrieval.metrics.scores import Scored
from retrieval.metrics.values import aligned, is_value, same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234,567", "1234567"),
        ("1 234 567", "1234567.0"),
        ("12.5 million", "12,500,000"),
        ("357,022 km²", "357022"),
        ("357,022 km²", "357022 square kilometres"),
        ("2 h", "120 min"),
        ("10 km", "6.21 miles"),
        ("3.1416", "3.1415"),
        ("$5", "5"),
        ("40%", "40"),
        ("0", "0.0"),
        ("-3", "−3"),
        ("28 February 1922", "1922-02-28"),
        ("February 28, 1922", "1922-02-28T00:00:00Z"),
        ("12 May", "May 12"),
        ("3:30 pm", "15:30"),
        ("Yes", "true"),
        ("no.", "False"),
    ],
)
def test_the_same_value(one, other):
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1984", "1985"),
        ("100,001", "100,002"),
        ("3.1416", "3.15"),
        ("5 km", "5 kg"),
        ("5 km", "5 miles"),
        ("1922-02-28", "1922-03-01"),
        ("12 May", "13 May"),
        ("1922", "1922-01-01"),
        ("yes", "no"),
        ("yes", "1"),
        ("Germany", "Germany"),
        ("7 Samurai", "7"),
        ("", ""),
    ],
)
def test_another_value_or_a_name(one, other):
    assert not same(one, other)
    assert not same(other, one)


def test_what_is_a_value():
    texts = ["12", "12 km", "1922-02-28", "yes", "Germany", "7 Samurai", "Yesterday"]
    assert [text for text in texts if is_value(text)] == ["12", "12 km", "1922-02-28", "yes"]


def test_predicted_values_take_the_name_of_the_right_one():
    predicted = [Scored("1,500", 0.9), Scored("2.50 km", 0.8), Scored("Köln", 0.7), Scored("1500.2", 0.6)]
    found = aligned(predicted, ["1500", "2500 m", "Koln"], normalise)
    assert [(item.answer, item.score) for item in found] == [
        ("1500", 0.9), ("2500 m", 0.8), ("koln", 0.7), ("1500", 0.6),
    ]  # fmt: skip


def test_names_stay_names():
    assert aligned([Scored("True", 1.0)], ["Yes", "Genesis"], normalise)[0].answer == "true"
    assert aligned([Scored("True", 1.0)], ["Yes"], normalise)[0].answer == "yes"
    assert aligned([Scored("1984", 1.0)], ["1985", "Brazil"], normalise)[0].answer == "1984"
