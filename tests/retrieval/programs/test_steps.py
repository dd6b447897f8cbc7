"""Programs in steps of plain English, and values as people write them."""

import math
from pathlib import Path

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.programs.algebra.columns import Columns, ValueType
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Exists,
    Filter,
    Fold,
    Having,
    KeyOf,
    Operation,
    Program,
    Top,
    Walk,
)
from retrieval.programs.rendering.formatting import format_result, format_value
from retrieval.programs.rendering.steps import DescribedStep, describe_program, describe_steps, list_ranked_values
from retrieval.programs.rendering.wording import format_ordinal, join_names, make_plural

from .land import Land, build, programs

SENTENCES = {
    "entities": "Chad and Egypt",
    "nothing": "nothing",
    "countries": "countries",
    "capital of Egypt": "capital of Egypt",
    "countries in Africa": "countries → continent Africa",
    "whose capital has a coast": "has coast → with this capital",
    "what is a language": "languages",
    "in Europe or speaking Arabic": "continent Europe or language Arabic",
    "in Africa without Arabic": "countries → continent Africa → not language Arabic",
    "with a capital, not Egypt": "countries → not Egypt → has capital",
    "over 50 million": "countries → population > 50 million",
    "at most 18 million": "countries → population ≤ 18,000,000",
    "exactly 18 million": "countries → population = 18,000,000",
    "not 18 million": "countries → population ≠ 18,000,000",
    "more than Kenya": "countries → Kenya's population → population > 55,000,000",
    "at least France's": "countries → population of France → population ≥ 68,000,000",
    "with two languages": "countries → at least 2 languages",
    "without a language": "countries → no languages",
    "rivers below 4000 km": "countries → river length < 4,000 km",
    "rivers below 4000 km together": "countries → total river length < 4,000 km",
    "capital 110 mi from the coast": "countries → capital's coast = 177.0278 km",
    "independent in 1960": "countries → independence = 1960",
    "independent after 1960": "countries → independence > 1960",
    "independent on a day": "countries → independence = 1960-04-27",
    "independent by a day": "countries → independence ≤ 1960-04-27",
    "independent on 12 December": "countries → independence = 12 December",
    "first independence on 28 February": "countries → earliest independence = 28 February",
    "first independence in 1963": "countries → earliest independence = 1963",
    "opening before 9": "has opens → opens < 09:00",
    "named with an a": "countries → name contains “A”",
    "speaking Ara...": "countries → language starts with “ara”",
    "in a continent on -pe": "countries → continent ends with “PE”",
    "largest in Africa": "countries → continent Africa → largest population",
    "second largest": "countries → continent Africa → second largest population",
    "smallest, shared": "countries → continent Africa → smallest population",
    "ninth largest": "countries → continent Africa → ninth largest population",
    "three largest, shared": "countries → continent Africa → 3 largest population",
    "two from the second": "countries → 2 largest population from the second on",
    "two from the ninth": "countries → 2 largest population from the ninth on",
    "most languages": "countries → most languages",
    "fewest countries": "languages → countries → continent Africa → fewest of these with this language",
    "first independent": "countries → earliest independence",
    "longest river on average": "countries → largest average river length",
    "second largest of the two largest": "countries → 2 largest population → second largest population",
    "of the largest or Togo the first": (
        "countries → continent Africa → largest population → or Togo → earliest independence"
    ),
    "of each continent, the largest": "countries → largest population of each continent",
    "of each continent, the second": "countries → second largest population of each continent",
    "of each continent, two smallest": "countries → 2 smallest population of each continent",
    "of each continent, two from the second": ("countries → 2 largest population from the second on of each continent"),
    "of each continent, the ninth": "countries → ninth largest population of each continent",
    "all but the largest": "countries → continent Africa → largest population → without these",
    "largest that has a capital": "countries → largest population → has capital",
    "language of the largest": "countries → continent Africa → largest population → language",
    "how many": "countries → continent Africa → count",
    "how many of none": "countries → not countries → count",
    "population of Egypt": "Egypt's population",
    "population of Africa": "Africa's population",
    "population of many": "countries → continent Africa → population",
    "rivers of Egypt": "Egypt's smallest river length",
    "population of the largest": "countries → largest population → population",
    "sum": "countries → continent Africa → total population",
    "average": "countries → continent Africa → average population",
    "least": "countries → continent Africa → smallest population",
    "most": "countries → largest capital's coast",
    "average number of languages": "countries → average number of languages",
    "people and rivers": "countries → continent Africa → total population × river length",
    "most people by rivers": ("continents → largest total population × river length of things with this continent"),
    "longest by its capital's coast": "countries → largest river length − capital's coast",
    "longer by 1000 km than its capital's coast": "countries → river length − capital's coast > 1,000 km",
    "sum of nothing": "nothing → total population",
    "average of nothing": "nothing → average population",
    "difference": "Kenya's population → Egypt's population → difference",
    "both together": "Kenya's population → Egypt's population → sum",
    "three times": "Kenya's population → times 3",
    "how many times as many": "Egypt's population → Kenya's population → divided by 55,000,000",
    "people of each": (
        "countries → continent Africa → total population → countries → continent Africa → count → divided by 4"
    ),
    "divided by nothing": "Egypt's population → nothing → count → divided by 0",
    "share": "countries → continent Africa → count → countries → count → share",
    "days": "Kenya's independence → Egypt's independence → days",
    "are there any": "countries → continent Africa → population > 100,000,000 → any?",
    "is there none": "countries → Paris → any?",
    "more people than": "Egypt's population → Kenya's population → >?",
    "as many people as": "Chad's population → Togo's population → =?",
    "unlike": "Egypt's population → ≠?",
    "more of none": "Africa's population → Kenya's population → >?",
    "more countries than": "countries → continent Africa → count → >?",
}
LAST: dict[str, tuple[str, int, str]] = {
    "entities": ("Chad and Egypt", 2, ""),
    "nothing": ("nothing", 0, ""),
    "countries": ("countries", 5, ""),
    "capital of Egypt": ("the capital of Egypt", 1, ""),
    "countries in Africa": ("in Africa (continent)", 4, ""),
    "whose capital has a coast": ("those whose capital is one of these", 2, ""),
    "what is a language": ("languages", 2, ""),
    "in Europe or speaking Arabic": ("those in Europe (continent) or those whose language is Arabic", 3, ""),
    "in Africa without Arabic": ("leave out those whose language is Arabic", 2, ""),
    "with a capital, not Egypt": ("that have a capital", 1, ""),
    "over 50 million": ("with population > 50 million", 3, ""),
    "at most 18 million": ("with population ≤ 18,000,000", 2, ""),
    "exactly 18 million": ("with population = 18,000,000", 2, ""),
    "not 18 million": ("with population ≠ 18,000,000", 3, ""),
    "more than Kenya": ("with population > 55,000,000", 2, ""),
    "at least France's": ("with population ≥ 68,000,000", 2, ""),
    "with two languages": ("with at least 2 languages", 1, ""),
    "without a language": ("with no languages", 1, ""),
    "rivers below 4000 km": ("with river length < 4,000 km", 2, ""),
    "rivers below 4000 km together": ("with total river length < 4,000 km", 1, ""),
    "capital 110 mi from the coast": ("with capital's coast = 177.0278 km", 1, ""),
    "independent in 1960": ("with independence = 1960", 2, ""),
    "independent after 1960": ("with independence > 1960", 1, ""),
    "independent on a day": ("with independence = 1960-04-27", 1, ""),
    "independent by a day": ("with independence ≤ 1960-04-27", 2, ""),
    "independent on 12 December": ("with independence = 12 December", 1, ""),
    "first independence on 28 February": ("with earliest independence = 28 February", 1, ""),
    "first independence in 1963": ("with earliest independence = 1963", 1, ""),
    "opening before 9": ("with opens < 09:00", 1, ""),
    "named with an a": ("whose name contains “A”", 3, ""),
    "speaking Ara...": ("whose language starts with “ara”", 2, ""),
    "in a continent on -pe": ("whose continent ends with “PE”", 1, ""),
    "largest in Africa": ("the one with the largest population", 1, ""),
    "second largest": ("the one with the second largest population", 1, ""),
    "smallest, shared": ("those with the smallest population", 2, ""),
    "ninth largest": ("the one with the ninth largest population", 0, ""),
    "three largest, shared": ("the 3 with the largest population", 4, ""),
    "two from the second": ("the 2 with the largest population from the second on", 2, ""),
    "two from the ninth": ("the 2 with the largest population from the ninth on", 0, ""),
    "most languages": ("the one with the most languages", 1, ""),
    "fewest countries": ("those with the fewest of these with this language", 2, ""),
    "first independent": ("the one with the earliest independence", 1, ""),
    "longest river on average": ("the one with the largest average river length", 1, ""),
    "second largest of the two largest": ("the one with the second largest population", 1, ""),
    "of the largest or Togo the first": ("the one with the earliest independence", 1, ""),
    "of each continent, the largest": ("of each continent the one with the largest population", 2, ""),
    "of each continent, the second": ("of each continent the one with the second largest population", 1, ""),
    "of each continent, two smallest": ("of each continent the 2 with the smallest population", 3, ""),
    "of each continent, two from the second": (
        "of each continent the 2 with the largest population from the second on",
        3,
        "",
    ),
    "of each continent, the ninth": ("of each continent the one with the ninth largest population", 0, ""),
    "all but the largest": ("leave these out of those before", 3, ""),
    "largest that has a capital": ("that have a capital", 1, ""),
    "language of the largest": ("their language", 1, ""),
    "how many": ("count them", 0, "4"),
    "how many of none": ("count them", 0, "0"),
    "population of Egypt": ("the population of Egypt", 0, "110,000,000"),
    "population of Africa": ("the population of Africa", 0, ""),
    "population of many": ("its population", 0, ""),
    "rivers of Egypt": ("the smallest river length of Egypt", 0, "1.5 km"),
    "population of the largest": ("its population", 0, "110,000,000"),
    "sum": ("sum of their population", 0, "201,000,000"),
    "average": ("average of their population", 0, "50,250,000"),
    "least": ("smallest of their population", 0, "18,000,000"),
    "most": ("largest of their capital's coast", 0, "200 km"),
    "average number of languages": ("average of their number of languages", 0, "1"),
    "people and rivers": ("sum of their population × river length", 0, "731,665,000,000 km"),
    "most people by rivers": (
        "the one with the largest total population × river length of things with this continent",
        1,
        "",
    ),
    "longest by its capital's coast": ("the one with the largest river length − capital's coast", 1, ""),
    "longer by 1000 km than its capital's coast": ("with river length − capital's coast > 1,000 km", 1, ""),
    "sum of nothing": ("sum of their population", 0, "0"),
    "average of nothing": ("average of their population", 0, ""),
    "difference": ("the difference of 55,000,000 and 110,000,000", 0, "55,000,000"),
    "both together": ("the sum of 55,000,000 and 110,000,000", 0, "165,000,000"),
    "three times": ("55,000,000 times 3", 0, "165,000,000"),
    "how many times as many": ("110,000,000 divided by 55,000,000", 0, "2"),
    "people of each": ("201,000,000 divided by 4", 0, "50,250,000"),
    "divided by nothing": ("110,000,000 divided by 0", 0, ""),
    "share": ("4 of 5, in percent", 0, "80%"),
    "days": ("the days between 1963-12-12 and 1922-02-28", 0, "15,262 days"),
    "are there any": ("is there any?", 0, "yes"),
    "is there none": ("is there any?", 0, "no"),
    "more people than": ("is 110,000,000 > 55,000,000?", 0, "yes"),
    "as many people as": ("is 18,000,000 = 18,000,000?", 0, "yes"),
    "unlike": ("is 110,000,000 ≠ 110,000,000?", 0, "no"),
    "more of none": ("is nothing > 55,000,000?", 0, "no"),
    "more countries than": ("is 4 > 3?", 0, "yes"),
}


@pytest.fixture(scope="module")
def land(tmp_path_factory: pytest.TempPathFactory) -> Land:
    return Land(build(tmp_path_factory.mktemp("land") / "s"))


@pytest.fixture(scope="module")
def executor(land: Land) -> Executor:
    return Executor(land.snapshot)


def test_every_program_in_one_line(land: Land, executor: Executor) -> None:
    told = {asks: describe_program(executor, land.r("type"), program) for asks, program in programs(land).items()}
    assert told == SENTENCES


def test_the_last_step_gives_what_the_program_denotes(land: Land, executor: Executor) -> None:
    last = {asks: describe_steps(executor, land.r("type"), program)[-1] for asks, program in programs(land).items()}
    assert {asks: (step.text, step.count, step.value) for asks, step in last.items()} == LAST
    assert {step.path for step in last.values()} == {()}


def test_the_steps_of_the_largest_country_in_africa(land: Land, executor: Executor) -> None:
    egypt, chad, kenya, togo = (land.e(name).ids[0] for name in ("Egypt", "Chad", "Kenya", "Togo"))
    france = land.e("France").ids[0]
    african = tuple(sorted((egypt, chad, kenya, togo)))
    program = Top(land.african, land.key("population"), largest=True)
    assert describe_steps(executor, land.r("type"), program) == (
        DescribedStep("countries", ("source", "left"), "set", 5, "", tuple(sorted((*african, france))), "Walk"),
        DescribedStep("in Africa (continent)", ("source",), "set", 4, "", african, "And"),
        DescribedStep("the one with the largest population", (), "set", 1, "", (egypt,), "Top"),
    )
    asked = Exists(
        Filter(
            land.african,
            land.key("population"),
            Comparison.MORE,
            KeyOf(Entities((egypt,)), land.key("population")),
        )
    )
    assert [
        (step.text, step.path, step.result, step.value) for step in describe_steps(executor, land.r("type"), asked)
    ] == [
        ("countries", ("source", "source", "left"), "set", ""),
        ("in Africa (continent)", ("source", "source"), "set", ""),
        ("the population of Egypt", ("source", "value"), "number", "110,000,000"),
        ("with population > 110,000,000", ("source",), "set", ""),
        ("is there any?", (), "truth", "no"),
    ]


def test_without_a_type_relation_kinds_are_told_like_others(land: Land, executor: Executor) -> None:
    assert describe_steps(executor, None, land.countries)[0].text == "those whose type is country"


def test_at_most_fifty_nodes_are_given(tmp_path: Path) -> None:
    snapshot = build_snapshot(
        TripleTable.from_facts([(f"n{i:02}", "type", "thing") for i in range(60)]), tmp_path / "s"
    )
    (step,) = describe_steps(Executor(snapshot), 0, Having(0))
    assert (step.count, len(step.nodes)) == (60, 50)


def test_what_answers_were_ranked_by(land: Land, executor: Executor) -> None:
    def ranked(asks: str) -> list[tuple[str, float]]:
        program = programs(land)[asks]
        assert isinstance(program, Top)
        return [(land.snapshot.get_entity_label(node), value) for node, value in list_ranked_values(executor, program)]

    assert ranked("second largest") == [("Kenya", 55e6), ("Chad", 18e6), ("Togo", 18e6)]
    assert ranked("smallest, shared") == [("Chad", 18e6), ("Togo", 18e6), ("Kenya", 55e6), ("Egypt", 11e7)]
    assert ranked("two from the second") == [
        ("France", 68e6),
        ("Kenya", 55e6),
        ("Chad", 18e6),
        ("Togo", 18e6),
    ]
    assert ranked("most languages") == [("Chad", 2), ("Egypt", 1), ("France", 1), ("Togo", 1)]
    assert ranked("ninth largest") == []


def test_relations_of_many_names(tmp_path: Path) -> None:
    facts = [
        ("Jaws", "directed_by", "Spielberg"),
        ("Munich", "directed_by", "Spielberg"),
        ("Jaws", "has_genre", "Horror"),
        ("Munich", "has_genre", "Drama"),
        ("Jaws", "is_part_of", "Box"),
        ("Jaws", "year", "1975"),
        ("Munich", "year", "2005"),
        ("Ann", "borders", "Bob"),
        ("Ann", "lives_in", "Zoo"),
        ("Ann", "borrowed", "Emma"),
        ("Jaws", "instance_of", "Feature film"),
        ("Munich", "instance_of", "Box set"),
    ]
    land = Land(build_snapshot(TripleTable.from_facts(facts), tmp_path / "s"))
    executor, e, walk = Executor(land.snapshot), land.e, land.walk

    def told(program: Program) -> list[str]:
        return [step.text for step in describe_steps(executor, land.r("instance_of"), program)]

    films = walk(e("Spielberg"), "-directed_by")
    assert told(films) == ["those directed by Spielberg"]
    assert told(walk(e("Jaws"), "directed_by")) == ["what Jaws is directed by"]
    assert told(walk(films, "directed_by")) == ["those directed by Spielberg", "what they are directed by"]
    assert told(walk(films, "has_genre")) == ["those directed by Spielberg", "their genre"]
    assert told(walk(films, "has_genre", "-has_genre"))[-1] == "those whose genre is one of these"
    assert told(walk(e("Box"), "-is_part_of")) == ["those part of Box"]
    assert told(Having(land.r("directed_by"))) == ["those that are directed by something"]
    assert told(Having(land.r("-directed_by"))) == ["those that something is directed by"]
    assert told(Having(land.r("-has_genre"))) == ["genres"]
    assert told(Having(land.r("borders"))) == ["those that border something"]
    assert told(walk(e("Ann"), "borders")) == ["what Ann borders"]
    assert told(walk(e("Bob"), "-borders", "lives_in")) == ["those that border Bob", "what they live in"]
    assert told(walk(e("Zoo"), "-lives_in")) == ["those that live in Zoo"]
    assert told(Having(land.r("-lives_in"))) == ["those that something lives in"]
    assert told(walk(e("Ann"), "borrowed")) == ["what Ann borrowed"]
    assert told(And(walk(e("Feature film", "Box set"), "-instance_of"), films)) == [
        "box sets or feature films", "directed by Spielberg",
    ]  # fmt: skip
    assert told(Top(films, land.key("year"), largest=False))[-1] == "the one with the earliest year"
    most = land.key("-directed_by", counted=True)
    assert told(Top(e("Spielberg"), most, largest=True))[-1] == "the one with the most things directed by this"
    horror = land.key("-directed_by", counted=True, among=walk(e("Horror"), "-has_genre"))
    assert told(KeyOf(e("Spielberg"), horror)) == [
        "the number of those whose genre is Horror directed by this of Spielberg"
    ]


def test_plurals() -> None:
    assert {word: make_plural(word) for word in ("country", "day", "person", "policewoman", "class", "virus",
    "box")} == {
        "country": "countries", "day": "days", "person": "people", "policewoman": "policewomen", "class": "classes",
        "virus": "viruses", "box": "boxes",
    }  # fmt: skip
    assert {word: make_plural(word) for word in ("church", "Wife", "states", "analysis", "point of interest")} == {
        "church": "churches", "Wife": "Wives", "states": "states", "analysis": "analyses",
        "point of interest": "points of interest",
    }  # fmt: skip
    assert make_plural("US state") == "US states"
    assert make_plural("monthly fee (£)") == "monthly fees (£)"


def test_rows_and_places() -> None:
    assert [join_names(list("abcde"[:n]), "or") for n in range(6)] == [
        "nothing", "a", "a or b", "a, b or c", "a, b or 2 others", "a, b or 3 others",
    ]  # fmt: skip
    assert [format_ordinal(n) for n in (1, 2, 10, 11, 21, 22, 23, 112)] == [
        "first", "second", "tenth", "11th", "21st", "22nd", "23rd", "112th",
    ]  # fmt: skip


def test_values_as_people_write_them() -> None:
    number = ValueType(ValueKind.NUMBER)
    km = ValueType(ValueKind.NUMBER, "length", "km", 1000.0)
    dollars, percent = ValueType(ValueKind.NUMBER, "money", "$"), ValueType(ValueKind.NUMBER, "", "%")
    year = ValueType(ValueKind.NUMBER, year=True)
    for kind, value, text in (
        (None, 4.0, "4"),
        (number, 83_500_000.0, "83,500,000"),
        (number, 8848.8600000000006, "8,848.86"),
        (number, 2999.9999999999995, "3,000"),
        (number, 1 / 3, "0.3333"),
        (number, 0.000123456, "0.0001235"),
        (number, -1234.56789, "-1,234.5679"),
        (number, 0.0, "0"),
        (number, math.inf, "inf"),
        (number, math.nan, ""),
        (km, 6_650_000.0, "6,650 km"),
        (km, -500.0, "-0.5 km"),
        (dollars, 1200.5, "$1,200.5"),
        (dollars, -3.0, "-$3"),
        (percent, 45.0, "45%"),
        (year, 1969.0, "1969"),
        (year, 1961.5, "1961.5"),
        (ValueType(ValueKind.DATE), 1960 + (31 + 29 + 31 + 26) / 366, "1960-04-27"),
        (ValueType(ValueKind.DATE), 476.0, "0476-01-01"),
        (ValueType(ValueKind.TIME), 570.0, "09:30"),
        (ValueType(ValueKind.MONTH_DAY), 1212.0, "--12-12"),
    ):
        assert format_value(kind, value) == text


def test_a_number_has_the_unit_of_where_it_came_from(land: Land) -> None:
    columns, key = Columns(land.snapshot), land.key
    egypt, kenya, cairo, paris = (land.e(name) for name in ("Egypt", "Kenya", "Cairo", "Paris"))

    def apart(name: str, one: Entities, other: Entities) -> Program:
        return Arithmetic(Operation.DIFFERENCE, KeyOf(one, key(name)), KeyOf(other, key(name)))

    for program, value, text in (
        (KeyOf(cairo, key("coast")), 200_000.0, "200 km"),
        (Fold(Folding.MOST, land.countries, key("capital", "coast")), 200_000.0, "200 km"),
        (Fold(Folding.AVERAGE, land.countries, key("language", counted=True)), 1.25, "1.25"),
        (KeyOf(egypt, key("independence")), 1922.0, "1922-01-01"),
        (KeyOf(cairo, key("opens")), 570.0, "09:30"),
        (apart("independence", egypt, kenya), 41.5, "41.5 years"),
        (apart("opens", cairo, paris), 90.0, "90 min"),
        (apart("coast", cairo, paris), 22_972.16, "22.9722 km"),
        (Count(land.countries), 1234.0, "1,234"),
        (Constant(1500.0, dimension="length"), 1500.0, "1,500 m"),
        (Exists(land.countries), True, "yes"),
        (Exists(land.countries), False, "no"),
        (Walk(egypt, 0), math.nan, ""),
    ):
        assert format_result(columns, program, value) == text
