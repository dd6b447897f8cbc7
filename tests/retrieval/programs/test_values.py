"""Literals as typed values."""

import math

import pytest

from retrieval.kg.values import compute_month_day, compute_year_fraction, find_unit, parse, parse_counted


@pytest.mark.parametrize(
    ("text", "value", "kind", "dimension"),
    [
        ("8849 m", 8849.0, "number", "length"),
        ("1,234,567", 1234567.0, "number", ""),
        ("1.5 million", 1.5e6, "number", ""),
        ("$1,500", 1500.0, "number", "money"),
        ("3 hours", 180.0, "number", "duration"),
        ("30 min", 30.0, "number", "duration"),
        ("7 km²", 7e6, "number", "area"),
        ("120 GB", 120e9, "number", "data"),
        ("1 GiB", 2.0**30, "number", "data"),
        ("90 km/h", 25.0, "number", "speed"),
        ("3 MW", 3e6, "number", "power"),
        ("21 °C", 21.0, "number", "temperature"),
        ("2.4 GHz", 2.4e9, "number", "frequency"),
        ("-3", -3.0, "number", ""),
        ("1980", 1980.0, "number", ""),
        ("10:00", 600.0, "time", ""),
        ("10am", 600.0, "time", ""),
        ("12 pm", 720.0, "time", ""),
        ("2015-01-01", 2015.0, "date", ""),
        ("31/12/2015", 2015 + 364 / 365, "date", ""),
        ("2 January 2015", 2015 + 1 / 365, "date", ""),
        ("August 8, 1986", compute_year_fraction(1986, 8, 8), "date", ""),
        ("02-Oct-23", compute_year_fraction(2023, 10, 2), "date", ""),
        ("Oct-23", compute_year_fraction(2023, 10), "date", ""),
        ("Oct 1874", compute_year_fraction(1874, 10), "date", ""),
        ("31.12.23", compute_year_fraction(2023, 12, 31), "date", ""),
        ("3/5/99", compute_year_fraction(1999, 3, 5), "date", ""),
        ("16.01.2023 12:00", compute_year_fraction(2023, 1, 16, 720), "date", ""),
        ("Mon 3 June 2024", compute_year_fraction(2024, 6, 3), "date", ""),
        ("abt 1874", 1874.0, "number", ""),
        ("~40", 40.0, "number", ""),
        ("0,11", 0.11, "number", ""),
        ("1.857,12 €", 1857.12, "number", "money"),
        ("1.234.567", 1234567.0, "number", ""),
        ("1,234", 1234.0, "number", ""),
        ("-£3.50", -3.5, "number", "money"),
        ("£3.2m", 3.2e6, "number", "money"),
        ("£28.50 per kg", 28.5, "number", "money"),
        ("£12/h", 12.0, "number", "money"),
        ("2 kilos", 2.0, "number", "mass"),
        ("3h 20m", 200.0, "number", "duration"),
        ("1h30", 90.0, "number", "duration"),
        ("5 ft 10 in", 1.778, "number", "length"),
    ],
)
def test_numbers_dates_and_times_are_read(text, value, kind, dimension):
    found = parse(text)
    assert found is not None
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.kind, found.dimension) == (kind, dimension)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "flight 798",
        "3 Jane Cottage",
        "12 Angry Men",
        "25:00",
        "2015-13-01",
        "1 furlong",
        "-",
        "1e999",
        "10.20.0.1",
        "1.2.23",
        "23-10-12",
        "Sun 12",
        "After 12",
        "£3.2x",
        "12,13,14",
        "C 12",
    ],
)
def test_names_with_digits_are_no_values(text):
    assert parse(text) is None


def test_a_day_without_a_year_has_no_value_but_its_day():
    found = parse("jan 2")
    assert found is not None
    assert found.month_day == (1, 2)
    assert math.isnan(found.value)


def test_days_of_years_are_told_apart():
    for month, day in ((1, 1), (2, 28), (3, 1), (12, 31)):
        assert compute_month_day(compute_year_fraction(2015, month, day)) == (month, day)
    assert compute_month_day(compute_year_fraction(2016, 2, 29)) == (2, 29)


def test_units_are_known_as_people_spell_them():
    assert find_unit("sq. ft") == find_unit("square feet") == ("area", 0.09290304)
    assert find_unit("Kilometers") == ("length", 1000.0)
    assert find_unit("parsec") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("320 pages", (320.0, "pages")),
        ("1,200 words", (1200.0, "words")),
        ("12 Main Street", None),
        ("7 km", None),
        ("3 May", None),
        ("pages", None),
    ],
)
def test_a_number_may_count_what_no_unit_is_called(text, found):
    assert parse_counted(text) == found
