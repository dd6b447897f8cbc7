"""Values, lists, nouns and verbs as sentences write them."""

import pytest

from retrieval.programs.rendering.sentences.grammar import (
    add_indefinite_article,
    conjugate_plural,
    make_singular,
    write_predicate,
)
from retrieval.programs.rendering.sentences.values import (
    Measure,
    format_in_unit,
    format_label,
    round_decimals,
    split_measure,
    write_list,
)


def test_values_are_written_as_people_do() -> None:
    written = {
        **{"505990 km2": "505,990 km²", "2003-11-20": "20 November 2003", "1984": "1984", "27200000": "27,200,000"},
        **{"6,650 km": "6,650 km", "Bern": "Bern", "2003-13-45": "2003-13-45", "12345.5": "12,345.5"},
    }
    assert {text: format_label(text) for text in written} == written


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        ("4.5", "gbp", "£4.50"),
        ("560", "eur", "€560"),
        ("-12.345", "usd", "-$12.35"),
        ("43,937.91", "gbp", "£43,937.91"),
        ("100", "sek", "kr\u00a0100"),
        ("30", "m", "30 m"),
        ("12", "km2", "12 km²"),
        ("yes", "gbp", "yes"),
        ("£3", "gbp", "£3"),
        ("27200000", "", "27,200,000"),
    ],
)
def test_numbers_take_the_unit_of_their_column(value: str, unit: str, written: str) -> None:
    assert format_in_unit(value, unit) == written


def test_heads_of_columns_are_nouns_with_units() -> None:
    heads = {
        "price (gbp)": Measure("price", "gbp"),
        "rent eur": Measure("rent", "eur"),
        "DOWNTIME MIN": Measure("downtime", "MIN"),
        "length in metres": Measure("length", "metres"),
        "vitamin c": Measure("vitamin c"),
        "built (year)": Measure("built"),
    }
    assert {head: split_measure(head) for head in heads} == heads


def test_lists_name_the_first_of_many() -> None:
    names = ["a", "b", "c", "d", "e"]
    lists = ["", "a", "a and b", "a, b and c", "a, b, c and d", "a, b, c and 2 others"]
    assert [write_list(names[:count]) for count in range(6)] == lists
    assert write_list(["حلب", "دمشق"]) == "\u2068حلب\u2069 and \u2068دمشق\u2069"


def test_averages_have_two_decimals() -> None:
    assert [round_decimals(text) for text in ("60.125", "8,505.4 m", "3.2", "12.1534 years")] == [
        *("60.13", "8,505.4 m", "3.2", "12.15 years"),
    ]


def test_nouns_have_a_singular_and_an_article() -> None:
    nouns = {
        **{"countries": "country", "people": "person", "volcanoes": "volcano", "churches": "church"},
        **{"TV series": "TV series", "points of interest": "point of interest", "essays or poems": "essay or poem"},
    }
    assert {noun: make_singular(noun) for noun in nouns} == nouns
    assert [add_indefinite_article(noun) for noun in ("island", "status", "seats")] == [
        "an island",
        "a status",
        "seats",
    ]


def test_verbs_agree_with_how_many_there_are() -> None:
    assert [conjugate_plural(verb) for verb in ("lives in", "carries", "has", "teaches")] == [
        *("live in", "carry", "have", "teach"),
    ]
    labels = (
        "directed by",
        "is part of",
        "born in",
        "served at",
        "works at",
        "member of",
        "captain of",
        "represented a party in",
    )
    assert [write_predicate(label, several=False) for label in labels] == [
        *("is directed by", "is part of", "was born in", "served at", "works at", "is a member of"),
        *("is the captain of", "represented a party in"),
    ]
    assert [write_predicate(label, several=True) for label in labels[:6]] == [
        *("are directed by", "are part of", "were born in", "served at", "work at", "are members of"),
    ]
