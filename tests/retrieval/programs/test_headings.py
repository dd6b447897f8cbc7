"""Columns of ones and zeros, headings written as one word, and columns that differ in a year alone."""

from pathlib import Path

import pytest

from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers, reader_of

ROOMS = {
    # floor, balcony, sea view, nightly price
    "Alder": ("1", "1", "0", "90"),
    "Birch": ("1", "0", "1", "120"),
    "Cedar": ("2", "1", "1", "150"),
    "Elm": ("2", "0", "0", "80"),
    "Fir": ("3", "0", "1", "130"),
    "Hazel": ("3", "1", "0", "95"),
    "Larch": ("3", "0", "0", "70"),
    "Maple": ("4", "1", "1", "180"),
}
HARBOURS = {
    # cargo in two years, growth over both
    "Corran": ("410", "520", "+27%"),
    "Dunmore": ("700", "610", "-13%"),
    "Ebbport": ("250", "300", "+20%"),
    "Farrow": ("905", "960", "+6%"),
}


@pytest.fixture(scope="module")
def hotel(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    facts = [(room, "type", "room") for room in ROOMS]
    for room, (floor, balcony, view, price) in ROOMS.items():
        facts += [(room, "floor", floor), (room, "balcony", balcony), (room, "sea view", view)]
        facts.append((room, "nightlyprice", price))
    return reader_of(facts, tmp_path_factory.mktemp("hotel"))


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    facts = [(harbour, "type", "harbour") for harbour in HARBOURS]
    for harbour, (before, after, change) in HARBOURS.items():
        facts += [(harbour, "Cargo, 2009", before), (harbour, "Cargo, 2019", after)]
        facts.append((harbour, "Change of Cargo, 2009-2019", change))
    return reader_of(facts, tmp_path_factory.mktemp("coast"))


def test_ones_and_zeros_say_what_has_something(hotel: ProgramReader) -> None:
    assert answers(hotel, "Which rooms have a balcony?") == ["Alder", "Cedar", "Hazel", "Maple"]
    assert answers(hotel, "Which rooms have a balcony and a sea view?") == ["Cedar", "Maple"]
    assert answers(hotel, "How many rooms have a sea view?") == ["4"]
    assert answers(hotel, "Does Elm have a balcony?") == ["no"]
    assert answers(hotel, "Does Maple have a sea view?") == ["yes"]


def test_ones_and_zeros_of_a_few_rows_stay_numbers(tmp_path: Path) -> None:
    facts = [(player, "type", "player") for player in ("Ann", "Ben", "Cleo")]
    facts += [("Ann", "goals", "1"), ("Ben", "goals", "0"), ("Cleo", "goals", "1")]
    assert answers(reader_of(facts, tmp_path), "How many goals did Ben score?") == ["0"]


def test_words_of_a_heading_that_is_written_as_one_are_read(hotel: ProgramReader) -> None:
    assert answers(hotel, "What is the nightly price of Birch?") == ["120"]
    assert answers(hotel, "What is the average nightly price of rooms with a sea view?") == ["145"]


def test_a_year_tells_columns_apart_wherever_it_stands(coast: ProgramReader) -> None:
    assert answers(coast, "What was the cargo of Dunmore in 2009?") == ["700"]
    assert answers(coast, "What was the cargo of Dunmore in 2019?") == ["610"]
    assert answers(coast, "Which harbour had the highest cargo in 2019?") == ["Farrow"]
    assert answers(coast, "Which harbours had a cargo of less than 400 in 2009?") == ["Ebbport"]
    assert answers(coast, "What was the change of cargo of Corran from 2009 to 2019?") == ["+27%"]


def test_rows_without_names_are_shown_by_what_they_are_called_unless_they_are_asked_for(tmp_path: Path) -> None:
    facts = []
    for number, (name, points) in enumerate((("Ida Moss", "3"), ("Ida Moss", "9"), ("Per Dahl", "5")), start=1):
        facts += [(f"bout {number}", "type", "bout"), (f"bout {number}", "name", name)]
        facts.append((f"bout {number}", "points", points))
    reader = reader_of(facts, tmp_path)
    assert answers(reader, "Which boxer has the most points?") == ["Ida Moss"]
    assert answers(reader, "Which bout has the most points?") == ["bout 2"]


def test_parts_of_a_name_that_is_written_without_spaces_are_no_names(tmp_path: Path) -> None:
    facts = []
    for song, band in (("Ember", "Axe/Cut"), ("Flint", "Axe/Cut"), ("Glow", "Axe"), ("Haze", "Cut")):
        facts += [(song, "type", "song"), (song, "artist", band)]
    assert answers(reader_of(facts, tmp_path), "Which songs are by Axe/Cut?") == ["Ember", "Flint"]


def test_rows_that_nothing_else_names_are_asked_for_beside_others_that_are(tmp_path: Path) -> None:
    bouts, faults = (("Ida Moss", "3"), ("Ida Moss", "9")), (("41", "pump"), ("95", "valve"), ("12", "pump"))
    facts = []
    for number, (name, points) in enumerate(bouts, start=1):
        facts += [
            (f"bout {number}", "type", "bout"),
            (f"bout {number}", "name", name),
            (f"bout {number}", "points", points),
        ]
    for number, (minutes, cause) in enumerate(faults, start=200):
        facts += [(f"FLT-{number}", "type", "Fault"), (f"FLT-{number}", "root cause", cause)]
        facts.append((f"FLT-{number}", "stop min", minutes))
    assert answers(reader_of(facts, tmp_path), "Which fault caused the second longest stop?") == ["FLT-200"]


def test_amounts_are_compared_in_the_thousands_or_millions_that_a_heading_says(tmp_path: Path) -> None:
    facts = [(book, "type", "book") for book in ("Blue Door", "Night Train", "Old Mill")]
    facts += [("Blue Door", "Price ($ million)", "9"), ("Blue Door", "Copies sold (thousands)", "120")]
    facts += [("Night Train", "Price ($ million)", "8.1"), ("Night Train", "Copies sold (thousands)", "1500")]
    facts += [("Old Mill", "Price ($ million)", "13"), ("Old Mill", "Copies sold (thousands)", "75")]
    reader = reader_of(facts, tmp_path)
    assert answers(reader, "Which books have a price of at least 9 million dollars?") == ["Blue Door", "Old Mill"]
    assert answers(reader, "How many books have a price over 8.5?") == ["2"]
    assert answers(reader, "Which books sold more than 100,000 copies?") == ["Blue Door", "Night Train"]
    assert answers(reader, "Which books sold over a million copies?") == ["Night Train"]
