"""Questions about names that the graph lacks, and about entities as a whole, by the whole engine."""

from __future__ import annotations

import pytest

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.methods.registry import DEFAULT
from retrieval.results import NoAnswerReason

TOWNS = ("Lodz", "Krakow", "Gdynia", "Poznan", "Lublin")
MAYORS = ("Ola Nowa", "Jan Lis", "Pia Zet", "Kim Bor", "Uma Rex")
FACTS = [
    *((town, "mayor", mayor) for town, mayor in zip(TOWNS, MAYORS, strict=True)),
    *((town, "country", "Poland") for town in TOWNS),
    *((town, "is a", "town") for town in TOWNS),
    ("Gdynia", "port", "Baltic Sea"), ("naan", "is a", "bread"), ("The Who", "genre", "rock"),
    ("Yes", "genre", "prog rock"),
    ("Baltic Sea", "depth", "459 m"),
]  # fmt: skip


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    snapshot = build_snapshot(
        TripleTable.from_facts([list(row) for row in FACTS]), tmp_path_factory.mktemp("towns") / "g"
    )
    answerer = load_answerer(AnswererSpec(snapshot.path, None, DEFAULT), load_parts(snapshot, load_encoder()))
    return lambda question: list(answerer.run(AskRequest(Question(question))))[-1]


def labels(final):
    return sorted(answer.label for answer in final.answers)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who is the mayor of Torun?", "Torun"),
        ("who is the mayor of torun", "torun"),
        ('Who is the mayor of "Torun"?', "Torun"),
        ("Which towns are in Österreich?", "Österreich"),
        ("which towns are in österreich?", "österreich"),
        ("How many towns are in Ruritania?", "Ruritania"),
        ("Is Torun in Poland?", "Torun"),
        ("Who are the mayors of Gdynia and Torun?", "Torun"),
        ("Who is Zorb Blaxx?", "Zorb Blaxx"),
        ("What is the genre of Zorbolaxx?", "Zorbolaxx"),
    ],
)
def test_a_name_that_the_graph_lacks_is_said(ask, question, missing):
    final = ask(question)
    assert final.answers == ()
    assert final.no_answer.reason is NoAnswerReason.ENTITY_NOT_LINKED
    assert final.no_answer.message == f"“{missing}” is not in the graph."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the mayor of Gdynia?", ["Pia Zet"]),
        ("Who is the mayor of Gdyna?", ["Pia Zet"]),
        ("who is the mayor of gdynia", ["Pia Zet"]),
        ("Which Polish towns are there?", sorted(TOWNS)),
        ("Which towns are in Poland?", sorted(TOWNS)),
        ("how many towns are there in total", ["5"]),
        ("What is the genre of The Who?", ["rock"]),
        ("What is the genre of Yes?", ["prog rock"]),
        ("what sort of music is The Who", ["rock"]),
    ],
)
def test_names_that_are_known_misspelt_or_read_otherwise_are_answered(ask, question, expected):
    assert labels(ask(question)) == expected


@pytest.mark.parametrize(
    ("question", "expected", "text"),
    [
        ("What is naan?", "bread", "naan: bread."),
        ("what's naan", "bread", "naan: bread."),
        ("What kind of thing is naan?", "bread", "naan: bread."),
        ("What is Gdynia?", "town", "Gdynia: town; country: Poland; mayor: Pia Zet; port: Baltic Sea."),
        ("Who is Pia Zet?", "Pia Zet", "Pia Zet: mayor of: Gdynia."),
        ("What is the Baltic Sea?", "Baltic Sea", "Baltic Sea: depth: 459 m; port of: Gdynia."),
    ],
)
def test_an_entity_is_described_by_its_kind_and_facts(ask, question, expected, text):
    final = ask(question)
    assert [(a.label, a.verified, a.guess) for a in final.answers] == [(expected, True, False)]
    assert final.answers[0].score >= 0.9
    assert final.text == text
