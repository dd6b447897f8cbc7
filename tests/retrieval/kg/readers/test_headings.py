"""Tables as people save them: headings that are missing, repeated, or of several lines, and what names a row."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.readers.headings import clean_headings, is_header, make_distinct_headings
from retrieval.kg.readers.table_layout import find_table
from retrieval.kg.readers.table_rows import is_total


def test_dots_between_words_of_headings_are_spaces():
    header = [
        "\ufeffSepal.Length",
        "discovered.by ",
        "max.  depth",
        "Gyle no.",
        "U.S. sales",
        "v1.2",
        "http://a.org/b.c",
    ]
    cleaned = ["Sepal Length", "discovered by", "max. depth", "Gyle no.", "U.S. sales", "v1.2", "http://a.org/b.c"]
    assert clean_headings(header) == cleaned


@pytest.mark.parametrize(
    ("header", "rows", "fine"),
    [
        (("Season", "Record", "Manager", "Notes"), [("1956", "13-14", "Ann Bell", "")], True),
        (("#", "Venue", "+/-", "%"), [("1", "Oslo", "+3", "20")], True),
        (("Country", "2010", "2011"), [("Peru", "5", "6")], True),
        (("Berlin", "capital of", "Germany", "1990"), [("Paris", "capital of", "France", "1792")], False),
        (("Berlin", "capital of", "Germany", "high"), [("Paris", "capital of", "France", "low")], False),
        (("12", "7", "3"), [("1", "2", "3")], False),
        (("Pair", "1st leg", "100+", "1926 census"), [("Ann, Ben", "2-1", "", "")], True),
        (("Race", "Winner", "Laps", "Report"), [("Oslo", "Ann", "12", "Report")], True),
        (("ID", "Name"), [("ID", "Indonesia"), *((f"C{n}", f"Land {n}") for n in range(9))], True),
    ],
)
def test_what_heads_columns(header, rows, fine):
    assert is_header(header, rows) is fine


@pytest.mark.parametrize(
    ("header", "row", "names"),
    [
        (
            ("Year", "Men's winner", "Time", "Women's winner", "Time"),
            ("2013", "Ann", "2:09", "Bea", "2:34"),
            ["Year", "Men's winner", "Men's winner Time", "Women's winner", "Women's winner Time"],
        ),
        (
            ("Team", "Score", "Team", "Score"),
            ("Reds", "1", "Blues", "2"),
            ["Team", "Score", "Team 2", "Score 2"],
        ),
        (("", "Lake", ""), ("1", "Vo", "deep"), ["", "Lake", "column 3"]),
    ],
)
def test_columns_are_told_apart(header, row, names):
    assert make_distinct_headings(header, [row]) == names


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("List of lakes in Estonia.csv", "lake"),
        ("Registration-plates-of-Vermont.csv", "registration plate"),
        ("University of Oxford people.csv", "university of oxford person"),
        ("1982-in-Brazilian-football.csv", "brazilian football"),
        ("pTable.csv", ""),
    ],
)
def test_a_title_says_what_rows_are(name, kind):
    assert infer_noun(name) == kind


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        (("Total:", "Total:", "Total:", "1,207"), True),
        (("Total", "", "16"), True),
        (("Total", "16", "32"), True),
        (("Total", "Paris", "32"), False),
        (("Totalling", "16", "32"), False),
    ],
)
def test_rows_that_add_up_others(cells, total):
    assert is_total(cells, len(cells)) is total


def test_two_of_one_name_are_two(tmp_path):
    rows = [f"Player {letter},{at}" for at, letter in enumerate("ABCDEFGHIJKLMNOPQRST", 1)]
    text = "\n".join(["Who,Shirt", *rows, "Player C,77", "Player D,4"]) + "\n"
    (tmp_path / "players.csv").write_text(text, encoding="utf-8")
    snapshot, _ = build_from_files(tmp_path / "players.csv", tmp_path / "graph", problems=lambda _: None)
    hops = map(snapshot.get_hop, range(snapshot.num_triples))
    shirts = [(hop.source.label, hop.target.label) for hop in hops if hop.step.label == "shirt"]
    assert ("Player C (21)", "77") in shirts
    assert len(shirts) == 21


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("Callout,Volunteer,Hours\nR1,Ann Bell,5\nR1,Ben Kato,4\nR2,Ann Bell,3.5\n", True),
        ("Walk,Member,Came\nTarn,Ann Bell,yes\nTarn,Ben Kato,no\n", True),
        ("Date,Plot,Job\n2024-03-01,P1,dug\n2024-03-01,P2,sown\n", True),
        ("Country,Indicator,Amount\nFrance,Area,551\nFrance,Lakes,12\n", False),
        ("france,area,551\nfrance,lakes,12\nspain,area,506\n", False),
    ],
)
def test_what_two_things_had_together_is_a_table(text, table):
    found = find_table(text, sure=False)
    assert (found is not None) == table
