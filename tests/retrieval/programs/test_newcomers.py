"""What newcomers asked first of tables of their own: who has what, what is not so, numbers of each, which of two."""

import pytest

from .asking import answers, reader_of


def rows(kind, heading, *table):
    """The facts of a table: a name and a cell for each heading on a row."""
    return [
        (name, relation, value)
        for name, *cells in table
        for relation, value in (("type", kind), *zip(heading, cells, strict=True))
        if value
    ]


PLOTS = [
    *rows(
        "plot", ("main crop", "shed", "last inspected"),
        ("A1", "potatoes", "Y", "04/06/2024"), ("A2", "beans", "N", "14/05/2024"),
        ("A3", "potatoes", "N", "06/04/2024"),
    ),
    *rows(
        "tenant", ("plot", "tenancy began"),
        ("Doreen Hill", "A1", "01/04/1996"), ("Lech Nowak", "A2", "03/11/2010"), ("Ellie Marsh", "A3", "11/03/2010"),
    ),
]  # fmt: skip
STATIONS = [
    *rows(
        "station", ("power", "online"),
        ("ANQ1", "Solar", "yes"), ("ANQ2", "Solar", "no"), ("LAR1", "Mains", "yes"), ("QUE1", "Battery", "no"),
    ),
    *rows(
        "instructor", ("speaks", "hired", "price"),
        ("Sepp Koch", "German", "2001", "80"), ("Ines Roth", "English", "2011", "60"),
        ("Luca Bini", "Italian", "2018", "55"), ("Luca Bini", "English", "", ""),
    ),
]  # fmt: skip
GAMES = [
    (name, relation, value)
    for name, made_by, minutes in (
        ("Tidewright", "Nora Quill", "45"), ("Salt Road", "Lars Thune", "60"), ("Ashfall", "Nora Quill", "90"),
        ("Cog & Thistle", "Ana Belo", "30"),
    )
    for relation, value in (("designedBy", made_by), ("playingTime", minutes))
] + [
    ("session 1", "gamePlayed", "Tidewright"), ("session 2", "gamePlayed", "Salt Road"),
    ("session 3", "gamePlayed", "Tidewright"), ("session 1", "wonBy", "Mel"), ("session 2", "wonBy", "Jo"),
    ("session 3", "wonBy", "Mel"),
]  # fmt: skip
BIKES = rows(
    "motorbike", ("maker", "keeps for"),
    ("Old Thumper", "Velmont", "40 days"), ("Mud Hen", "Velmont", "90 days"), ("Ruby", "Corsa", "20 days"),
)  # fmt: skip


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    graphs = {"plots": PLOTS, "stations": STATIONS, "games": GAMES, "bikes": BIKES}
    return {name: reader_of(facts, tmp_path_factory.mktemp(name)) for name, facts in graphs.items()}


@pytest.mark.parametrize(
    ("graph", "question", "expected"),
    [
        ("plots", "Who grows potatoes?", ["Doreen Hill", "Ellie Marsh"]),
        ("plots", "Which plots have a shed?", ["A1"]),
        ("plots", "Which plots were last inspected on 4 June 2024?", ["A1"]),
        ("plots", "Which plots were last inspected on 04/06/2024?", ["A1"]),
        ("plots", "Which plots were last inspected before 01/05/2024?", ["A3"]),
        ("plots", "Which tenancy began between 01/03/2010 and 30/04/2010?", ["Ellie Marsh"]),
        ("stations", "Which stations are offline?", ["ANQ2", "QUE1"]),
        ("stations", "Who doesn't speak English?", ["Sepp Koch"]),
        ("stations", "how many stations by power", ["Battery", "Mains", "Solar"]),
        ("stations", "Who has been an instructor the longest?", ["Sepp Koch"]),
        ("stations", "Who has been here longer, Ines Roth or Luca Bini?", ["Ines Roth"]),
        ("stations", "Who is the dearest instructor?", ["Sepp Koch"]),
        ("games", "How many games are there?", ["4"]),
        ("games", "Which games have never been played?", ["Ashfall", "Cog & Thistle"]),
        ("bikes", "How many bikes are there?", ["3"]),
        ("bikes", "Which keeps longer, Ruby or Mud Hen?", ["Mud Hen"]),
    ],
)
def test_first_questions(readers, graph, question, expected):
    assert answers(readers[graph], question) == expected
