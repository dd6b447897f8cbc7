"""Names as people write them: turned round, abbreviated, in the plural, by initials, misspelt inside a longer name."""

import pytest

from retrieval.language.mention_words import split_words
from retrieval.language.question import Question
from retrieval.linking.linker import Linker
from retrieval.linking.variants import generate_variants, match_initial
from tests.retrieval.kg.worlds import build

FACTS = [
    ("Jerry Maguire", "played_by", "Tom Cruise"),
    ("Tobey Maguire", "born_in", "Santa Monica"),
    ("Tom Cruise", "born_in", "Syracuse"),
    ("Jerry Hall", "born_in", "Texas"),
    ("Watford F.C.", "located_in", "Watford"),
    ("Fanny and Alexander", "directed_by", "Ingmar Bergman"),
    ("Alexander", "directed_by", "Oliver Stone"),
    ("Civil union", "instance_of", "Union"),
    ("The Silence", "directed_by", "Ingmar Bergman"),
    ("Dorchester Town F.C.", "located_in", "Dorchester"),
    ("Ann Smith", "born_in", "Texas"),
    ("Amy Smith", "born_in", "Syracuse"),
    ("Houston Aeros", "located_in", "Houston"),
    (".mr", "is_the_domain_of", "Mauritania"),
    ("E!", "instance_of", "Channel"),
    ("Edward Fox", "born_in", "London"),
    ("München", "located_in", "Germany"),
    ("Rocky II", "directed_by", "Sylvester Stallone"),
    ("Dallas Cowboys", "located_in", "Dallas"),
    ("Cowboy", "instance_of", "Profession"),
    ("Bengali", "written_in", "Bengali script"),
    ("Mary Johnston", "born_in", "London"),
    ("Johnston", "located_in", "Texas"),
    *(
        (f"{first} Johnson", "born_in", "Texas")
        for first in ("Ada", "Ben", "Cy", "Dan", "Eve", "Flo", "Gus", "Hal", "Ian", "Jim", "Kim", "Lou")
    ),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory):
    return Linker(build(FACTS, tmp_path_factory.mktemp("variants") / "g"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where was Maguire, Tobey born?", ["Tobey Maguire"]),
        ("where was maguire, tobey born?", ["Tobey Maguire"]),
        ("Who plays J. Maguire?", ["Jerry Maguire"]),
        ("Where was E. Fox born?", ["Edward Fox"]),
        ("Where was A. Smith born?", []),  # Ann or Amy
        ("Where is Watford FC located?", ["Watford F.C."]),
        ("Where is Watford F.C. located?", ["Watford F.C."]),
        ("Who directed Fanny & Alexander?", ["Fanny and Alexander"]),
        ("What are Civil unions?", ["Civil union"]),
        ("Who directed Silence?", ["The Silence"]),
        ("Where is Dorchester Tonw F.C. located?", ["Dorchester Town F.C."]),
        ("Where is Dorchester located?", ["Dorchester"]),
        ("Where is Houston-Aeros located?", ["Houston Aeros"]),
        ("Where was Mr. Cruise born?", ["Tom Cruise"]),
        ("Where is Muenchen located?", ["München"]),
        ("Who directed Rocky 2?", ["Rocky II"]),
        ("Where are the Cowboys located?", ["Dallas Cowboys"]),
        ("Which language is written in the Bengali script?", ["Bengali script"]),
        ("Where was Johnson born?", []),  # a dozen, and no Johnston
        ("Were Ann Smith, Amy Smith born in Texas?", ["Ann Smith", "Amy Smith", "Texas"]),
    ],
)
def test_names_are_found_however_they_are_written(linker, question, expected):
    assert [link.entity.label for link in linker.link(Question(question)).entities] == expected


def test_what_is_written_otherwise_is_less_sure_than_what_is_not(linker):
    (turned,) = linker.link(Question("Where was Maguire, Tobey born?")).entities
    (initial,) = linker.link(Question("Who plays J. Maguire?")).entities
    (whole,) = linker.link(Question("Who plays Jerry Maguire?")).entities
    assert (turned.source, turned.score, turned.mention) == ("fuzzy", 0.9, "Maguire, Tobey")
    assert (initial.source, initial.score) == ("fuzzy", 0.75)
    assert (whole.source, whole.score) == ("exact", 1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Obama, Barack", {"barack obama"}),
        ("Watford FC", {"watford f c"}),
        ("Watford F C", {"watford fc"}),
        ("Law & Order", {"law and order"}),
        ("Cities", {"city", "citie"}),
        ("Rocky III", {"rocky 3"}),
    ],
)
def test_other_ways_to_write_a_name(text, expected):
    assert expected <= set(generate_variants(Question(text), split_words(text)))


def test_an_initial_alone_names_nobody(linker):
    labels = linker.snapshot.labels
    assert match_initial(split_words("J."), labels) == []
    assert match_initial(split_words("Jerry Maguire"), labels) == []
    assert [match.name for match in match_initial(split_words("T. Cruise"), labels)] == ["tom cruise"]
