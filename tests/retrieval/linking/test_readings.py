"""What a question without capitals may mean: each way to name a thing by less than its name, and what speaks for it."""

import pytest

from retrieval.language.gazetteer import expand_given_name, find_countries
from retrieval.language.mention_words import split_words
from retrieval.language.question import Question
from retrieval.linking.linker import Linker
from retrieval.linking.mentions import Guard
from retrieval.linking.readings import SIGNS, Readings
from tests.retrieval.kg.worlds import build

COUNTS = (
    ("United Kingdom", 12), ("Netherlands", 6), ("Dutch Language", 4), ("Jacqueline Kennedy Onassis", 3),
    ("Kennedy", 1), ("Acme, Inc.", 4), ("Bank of Utopia Corporation", 3), ("Utopia", 9), ("Orchid", 4),
    ("University of Copenhagen", 2), ("Copenhagen", 9), ("Keyshia Cole", 3), ("St. Olaf", 2), ("The Senate", 1),
    ("Columbia", 8), ("Columbia River", 2), ("St George's Day", 2), ("George H. W. Bush", 3), ("John Poe, Sr.", 2),
    ("Ultimate Fighting Championship", 4), ("UFC 145", 1),
)  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    facts = [(label, "has", f"{label[:3]}{i}x") for label, count in COUNTS for i in range(count)]
    facts.append(("Copenhagen", "contains", "University of Copenhagen"))
    return build(facts, tmp_path_factory.mktemp("readings") / "g")


def readings(graph, question):
    words = split_words(question)
    found = Readings(graph, Guard(["has", "contains"])).find_readings(words)
    return [(" ".join(word.text for word in words[r.first : r.last + 1]), r.match.node.label, r.how) for r in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what do the british eat", [("british", "United Kingdom", "people")]),
        ("what do people speak in uk", [("uk", "United Kingdom", "whole")]),
        ("where did jackie kennedy die", [
            ("jackie kennedy", "Jacqueline Kennedy Onassis", "whole"),
        ]),
        ("what does acme sell", [("acme", "Acme, Inc.", "part")]),
        # A company's form is no part of what tells it from others, so nothing within its name is meant.
        ("where is bank of utopia", [("bank of utopia", "Bank of Utopia Corporation", "part")]),
        ("how do orchids grow", [("orchids", "Orchid", "plural")]),
        # What stands in a longer name is not meant by itself.
        ("where is the university of copenhagen", [("university of copenhagen", "University of Copenhagen", "whole")]),
        ("when was saint olaf king", [("saint olaf", "St. Olaf", "whole")]),
        ("who is keysha cole", [("keysha cole", "Keyshia Cole", "slip"), ("cole", "Keyshia Cole", "part")]),
        ("where does the columbia river start", [("columbia river", "Columbia River", "whole")]),
        ("when is saint george day", [("saint george day", "St George's Day", "whole")]),
        # Second names are left out and shortened as their owners do.
        ("where is george herbert walker bush", [("george herbert walker bush", "George H. W. Bush", "whole")]),
        ("where was john edgar poe sr born", [("john edgar poe sr", "John Poe, Sr.", "whole")]),
        ("where is the ufc", [
            ("ufc", "UFC 145", "part"), ("ufc", "Ultimate Fighting Championship", "whole"),
        ]),
        # What is spoken is a language and no country.
        ("where is dutch spoken", [("dutch", "Dutch Language", "part")]),
        ("who has what", []),
    ],
)  # fmt: skip
def test_ways_to_name_a_thing(graph, question, expected):
    assert readings(graph, question) == expected


def test_signs_of_a_reading(graph):
    words = split_words("what does acme sell")
    listed = Readings(graph, Guard(["has", "contains"]))
    (row,) = listed.compute_signs(words, listed.find_readings(words)).tolist()
    signs = dict(zip(SIGNS, row, strict=True))
    assert {name: value for name, value in signs.items() if value and name != "rarity of the rarest word"} == {
        "part of a name": 1.0,
        "one word of a name, the rest not there": 1.0,
        "how a name begins": 1.0,
        "only a form is missing": 1.0,
        "log facts": pytest.approx(1.609438),
        "no such word": 1.0,
        "telling words": 1.0,
        "words that are no function words": 1.0,
    }
    assert listed.compute_signs(words, []).shape == (0, len(SIGNS))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what money do the dutch use", "Netherlands"),
        # Nothing goes with the word as with an adjective, and the question speaks of a language.
        ("who speaks dutch", "Dutch Language"),
        ("what did jackie kennedy wear", "Jacqueline Kennedy Onassis"),
        ("where is the university of copenhagen", "University of Copenhagen"),
    ],
)
def test_the_likeliest_reading_is_linked(graph, question, expected):
    (topic,) = Linker(graph).link(Question(question)).entities
    assert topic.entity.label == expected
    assert question[topic.start : topic.end] == topic.mention
    assert 0.4 <= topic.score <= 1


def test_what_else_the_words_may_mean_is_offered(graph):
    (topic,) = Linker(graph).link(Question("who speaks dutch")).entities
    assert [node.label for node in topic.alternatives] == ["Netherlands"]


def test_peoples_and_given_names():
    assert find_countries("british") == ("united kingdom",)
    assert find_countries("danes") == ("denmark",)
    assert find_countries("puerto rican") == ("puerto rico",)
    assert find_countries("american") == ("united states", "united states of america")
    assert find_countries("islamic") == ("islam",)
    assert find_countries("bavarians") == ("bavaria",)
    assert find_countries("dolphins") == ()
    assert expand_given_name("chuck berry") == ["charles berry"]
    assert expand_given_name("ted kennedy") == ["edward kennedy", "theodore kennedy"]
    assert expand_given_name("ted") == []
