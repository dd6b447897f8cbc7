"""Topic entities are found in unmarked questions, and words that only ask are left alone."""

import pytest

from retrieval.errors import UnknownEntityError
from retrieval.language.mention_words import has_case, split_words
from retrieval.language.question import Question
from retrieval.linking import entity_index
from retrieval.linking.encoder import load
from retrieval.linking.entity_index import EntityIndex
from retrieval.linking.linker import Linker
from retrieval.linking.mentions import Guard, find_capitalised_runs
from retrieval.linking.names import VECTOR_CUTOFF, is_namesake
from tests.retrieval.kg.worlds import build

FACTS = [
    ("Switzerland", "shares_border_with", "France"),
    ("Switzerland", "shares_border_with", "Austria"),
    ("Switzerland", "language_spoken", "German"),
    ("France", "language_spoken", "French"),
    ("France", "capital", "Paris"),
    ("Paris", "located_in", "France"),
    ("Films", "directed_by", "Nobody"),
    ("Catch Me If You Can", "directed_by", "Steven Spielberg"),
    ("Catch Me If You Can", "has_tags", "steven spielberg"),
    ("Jaws", "directed_by", "Steven Spielberg"),
    ("Hook", "directed_by", "Steven Spielberg"),
    ("Jaws", "has_tags", "war"),
    ("Things to Come", "directed_by", "Mia Hansen-Løve"),
    ("Star!", "starred_actors", "Julie Andrews"),
    ("O Brother, Where Art Thou?", "directed_by", "Joel Coen"),
    ("Washington (state)", "located_in", "America"),
    ("Washington (city)", "located_in", "America"),
    ("Washington (city)", "capital", "Seattle"),
    ("enno_iii_count_of_ostfriesland", "children", "rudolf_christian"),
    ("Barack Obama", "spouse", "Michelle Obama"),
    ("Barack Obama", "born_in", "Honolulu"),
    ("Amélie", "language_spoken", "French"),
    ("The Matrix", "release_year", "1999"),
    ("Austria", "also_known_as", "Österreich"),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory):
    return Linker(build(FACTS, tmp_path_factory.mktemp("linking") / "g"))


def linked(linker, question):
    return [(e.entity.label, e.source) for e in linker.link(Question(question)).entities]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which languages are spoken in the countries that border Switzerland?", ["Switzerland"]),
        ("which languages are spoken in the countries that border switzerland?", ["Switzerland"]),
        ("WHICH COUNTRIES BORDER SWITZERLAND?", ["Switzerland"]),
        ("Do France and Switzerland share a border?", ["France", "Switzerland"]),
        ("the films that share directors with the film Catch Me If You Can were in which languages", None),
        ("who directed Jaws?", ["Jaws"]),
        ("Jaws was directed by whom?", ["Jaws"]),
        ("films by Steven Spielberg", ["Steven Spielberg"]),
        ("which films are about steven spielberg", ["steven spielberg"]),
        ("who directed Things to Come", ["Things to Come"]),
        ("when was the movie Star! released", ["Star!"]),
        ("who directed O Brother, Where Art Thou?", ["O Brother, Where Art Thou?"]),
        ("which films are about war", ["war"]),
        ("the children of enno_iii_count_of_ostfriesland 's mother ?", ["enno_iii_count_of_ostfriesland"]),
        ("who directed [Hook] and not Jaws", ["Hook"]),
        ('who made "the matrix"?', ["The Matrix"]),
        ("in which language is Amelie?", ["Amélie"]),
        ("which movies did the directors of films write", []),
        ("", []),
        ("?!", []),
    ],
)
def test_topic_entities(linker, question, expected):
    found = linked(linker, question)
    assert [label for label, _ in found] == (["Catch Me If You Can"] if expected is None else expected)
    assert all(source == "exact" for _, source in found)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which languages are spoken in Switzerlnd?", ("Switzerland", "fuzzy")),
        ("which languages are spoken in switzerlnd?", ("Switzerland", "fuzzy")),
        ("who directed [Cach Me If You Can]", ("Catch Me If You Can", "fuzzy")),
        ("what is the capital of Österreich?", ("Austria", "alias")),
        ("what is the capital of Oesterreich?", ("Austria", "fuzzy")),
        ("where was Obama born?", ("Barack Obama", "fuzzy")),
        ("where was obama born", ("Barack Obama", "fuzzy")),
    ],
)
def test_misspelt_alias_and_partial_names(linker, question, expected):
    assert linked(linker, question) == [expected]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which film came out first, The Kiss or Jaws?", ["The Kiss (film)", "Jaws"]),
        ("Who painted The Kiss?", ["The Kiss (Klimt)"]),
        ("who painted the kiss", ["The Kiss (Klimt)"]),
        ("which countries border both france and austria?", ["France", "Austria"]),
        ("which films about war did mia hansen-løve direct", ["Mia Hansen-Løve"]),
        ("Which countries border Frnace?", ["France"]),
        ("Which countries border Gaustria?", ["Austria"]),
        ("Which countries border Astoria?", []),
        ("Which countries border Zwitterland?", []),
    ],
)
def test_namesakes_coordination_and_slips(tmp_path, question, expected):
    facts = [
        *FACTS,
        ("The Kiss (film)", "directed_by", "Jacques Feyder"),
        ("The Kiss (film)", "starred_actors", "Greta Garbo"),
        ("The Kiss (Klimt)", "painted_by", "Gustav Klimt"),
    ]
    assert [label for label, _ in linked(Linker(build(facts, tmp_path / "g")), question)] == expected


def test_the_kind_of_a_thing_is_no_entity_beside_a_name(tmp_path):
    facts = [("1996 Summer Olympics", "host", "Atlanta"), ("1992 Summer Olympics", "host", "Barcelona")]
    linker = Linker(build(facts, tmp_path / "g"))
    result = linker.link(Question("Which Olympics did Barcelona host?"))
    assert [e.entity.label for e in result.entities] == ["Barcelona"]
    assert result.unmatched == ()


def test_what_was_not_found_is_said(linker):
    result = linker.link(Question("Who directed Zanzibar Quixotic?"))
    assert (result.entities, result.unmatched) == ((), ("Zanzibar Quixotic",))
    both = linker.link(Question("Did Jaws inspire Qwertzuiop?"))
    assert [e.entity.label for e in both.entities] == ["Jaws"]
    assert both.unmatched == ("Qwertzuiop",)
    assert linker.link(Question("who directed zanzibar")).unmatched == ("zanzibar",)
    assert linker.link(Question("what is the capital?")).unmatched == ()


def test_mentions_say_where_they_stand(linker):
    question = "Do France and Switzerlnd share a border?"
    for entity in linker.link(Question(question)).entities:
        assert question[entity.start : entity.end] == entity.mention
        assert 0 < entity.score <= 1
    marked = linker.link(Question("who directed [Jaws]?")).entities[0]
    assert (marked.start, marked.end, marked.mention) == (14, 18, "Jaws")


def test_an_entity_is_listed_once(linker):
    assert linked(linker, "Is France in France?") == [("France", "exact")]


def test_same_name_goes_to_the_better_connected_with_the_other_as_alternative(linker):
    (entity,) = linker.link(Question("what is the capital of Washington?")).entities
    assert entity.entity.label == "Washington (city)"
    assert entity.source == "alias"
    assert [node.label for node in entity.alternatives] == ["Washington (state)"]


def test_given_entities_win(linker):
    jaws = linker.snapshot.find_entity("Jaws")
    result = linker.link(Question("who directed [Hook]?"), topics=(jaws,))
    assert [(e.entity.label, e.source, e.start, e.end) for e in result.entities] == [("Jaws", "given", -1, -1)]
    with pytest.raises(UnknownEntityError):
        linker.link(Question("who?"), topics=(10_000,))


def test_a_very_long_question_is_bounded(linker):
    assert linked(linker, "Jaws " + "word " * 5000) == [("Jaws", "exact")]


def test_guards_and_runs():
    guard = Guard(["directed by", "country of citizenship"])
    assert all(guard.is_common(w) for w in ("films", "languages", "which", "country", "directing", "s"))
    assert not any(guard.is_common(w) for w in ("switzerland", "jaws", "war"))
    question = "Which films did Bank of America and Tom Hanks (Jr.) fund?"
    words = split_words(question)
    assert has_case(words)
    assert [span.text for span in find_capitalised_runs(Question(question), words, guard)] == [
        "Bank of America and Tom Hanks",
        "Jr",
    ]
    assert not has_case(split_words("all small"))
    assert not has_case(split_words("ALL LARGE"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # The second name says where the first one is: a fact joins the two.
        ("what county is greeley colorado in", ["Greeley"]),
        # Also where the second one is beyond doubt a name.
        ("where is victoria british columbia", ["Victoria"]),
        ("where is henry british columbia", ["British Columbia"]),
        # A title is nobody's name.
        ("who were the children of king solomon", ["Solomon"]),
        # Nothing joins these, so the longer word stands.
        ("what county is henry colorado in", ["Colorado"]),
        # Part of the better known name, not the whole of the lesser one inside it.
        ("who was king henry viii son", ["Henry VIII of England"]),
        ("who was henry", ["Henry"]),
        # A people is of its country.
        ("what is egyptian money called", ["Egypt"]),
        # A word of a relation's name may be part of a person's.
        ("what area of science did isaac newton study", ["Isaac Newton"]),
    ],
)
def test_lower_case_names_of_places_kings_peoples_and_units(tmp_path, question, expected):
    facts = [
        ("Greeley", "contained_by", "Colorado"),
        ("Victoria", "contained_by", "British Columbia"),
        ("Solomon", "child", "Rehoboam"),
        *(("Martin Luther King", "knew", f"Somebody {i}") for i in range(40)),
        ("Henry", "gender", "Male"),
        ("Isaac Newton", "force_in_newtons", "12"),
        ("Isaac Newton", "field", "Science"),
        *(("Henry VIII of England", "children", f"Tudor {i}") for i in range(3)),
        *(("Egypt", "currency", f"Pound {i}") for i in range(5)),
    ]
    linker = Linker(build(facts, tmp_path / "g"))
    assert [label for label, _ in linked(linker, question)] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what countries makes up the uk", ["United Kingdom"]),
        ("what was the name of jfk's brothers", ["John F. Kennedy"]),
        ("what type of democracy is the united states", ["United States of America"]),
        ("what countries speak english", ["English Language"]),
        # Few facts less, and the other is meant only where the question has the rest of its name.
        ("tell us about turkish", ["Turkish"]),
        ("where do people have turkish as their language", ["Turkish Language"]),
        ("where was st peter killed", ["Saint Peter"]),
        # Three cities begin alike, and none is clearly the best known.
        ("how big is santa", []),
    ],
)
def test_well_known_things_by_less_than_their_name(tmp_path, question, expected):
    facts = [
        (label, "has", f"{label} {i}")
        for label, count in (
            ("United Kingdom", 12), ("John F. Kennedy", 11), ("United States of America", 30),
            ("United States Dollar", 5), ("English Language", 16), ("English", 2), ("Turkish Language", 14),
            ("Saint Peter", 3), ("Turkish", 3), ("Santa Fe", 12), ("Santa Cruz", 12),
            ("Santa Ana", 12),
        )
        for i in range(count)
    ]  # fmt: skip
    linker = Linker(build(facts, tmp_path / "g"))
    assert [label for label, _ in linked(linker, question)] == expected


@pytest.mark.parametrize(
    ("question", "entities", "unmatched"),
    [
        # One name of a person's two is in the graph, and stands for something else.
        ("Who is Paris Hilton married to?", (), ("Paris Hilton",)),
        ("Who are the parents of Jaws Anderson?", (), ("Jaws Anderson",)),
        # What follows is known too, asks, or is an abbreviation: the name is meant.
        ("Do Switzerland Austria and France share borders?", ("Switzerland", "Austria", "France"), ()),
        ("What is the France Capital called, please?", ("France",), ()),
        ("What is the Switzerland GDP?", ("Switzerland",), ()),
        ("Was Jaws, Quint asked, released then?", ("Jaws",), ("Quint",)),
    ],
)
def test_a_name_that_begins_an_unknown_one_is_not_meant(linker, question, entities, unmatched):
    found = linker.link(Question(question))
    assert tuple(e.entity.label for e in found.entities) == entities
    assert found.unmatched == unmatched


@pytest.mark.parametrize(
    ("mention", "label", "other"),
    [
        ("Emma Watson", "Emma Stone", True),
        ("Joe Cook", "James Cook", True),
        ("the Scarlet and the Black", "A Study in Scarlet", True),
        ("Emma Ston", "Emma Stone", False),
        ("J. Cook", "James Cook", False),
        ("Mozart", "Wolfgang Amadeus Mozart", False),
        ("Huck Finn Adventures", "Adventures of Huckleberry Finn", False),
        ("Great Britain", "United Kingdom", False),
    ],
)
def test_names_that_share_one_word_and_differ_in_another_are_of_two(mention, label, other):
    assert is_namesake(mention, label) is other


def test_a_name_near_another_by_its_meaning_is_said_not_to_be_there(tmp_path):
    graph = build([("Emma Stone", "spouse", "Dave McCary")], tmp_path / "g")
    encoder = load(device="cpu")
    entity_index.build(graph, encoder)
    linker = Linker(graph, EntityIndex.open(graph, encoder), encoder)
    near = encoder.encode(["Emma Watson", "Emma Stone"])
    assert near[0] @ near[1] > VECTOR_CUTOFF
    found = linker.link(Question("Who is Emma Watson married to?"))
    assert (found.entities, found.unmatched) == ((), ("Emma Watson",))
