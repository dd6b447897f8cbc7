"""Values are the same however they are spelt, and names are left alone."""

import pytest

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.metrics.scores import Scored
from retrieval.metrics.values import is_same_value, is_value, match_answers


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
    assert is_same_value(one, other)
    assert is_same_value(other, one)


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
    assert not is_same_value(one, other)
    assert not is_same_value(other, one)


def test_what_is_a_value():
    texts = ["12", "12 km", "1922-02-28", "yes", "Germany", "7 Samurai", "Yesterday"]
    assert [text for text in texts if is_value(text)] == ["12", "12 km", "1922-02-28", "yes"]


def test_predicted_values_take_the_name_of_the_right_one():
    predicted = [Scored("1,500", 0.9), Scored("2.50 km", 0.8), Scored("Köln", 0.7), Scored("1500.2", 0.6)]
    found = match_answers(predicted, ["1500", "2500 m", "Koln"], normalize_name)
    assert [(item.answer, item.score) for item in found] == [
        ("1500", 0.9), ("2500 m", 0.8), ("koln", 0.7), ("1500", 0.6),
    ]  # fmt: skip


def test_names_stay_names():
    assert match_answers([Scored("True", 1.0)], ["Yes", "Genesis"], normalize_name)[0].answer == "true"
    assert match_answers([Scored("True", 1.0)], ["Yes"], normalize_name)[0].answer == "yes"
    assert match_answers([Scored("1984", 1.0)], ["1985", "Brazil"], normalize_name)[0].answer == "1984"
