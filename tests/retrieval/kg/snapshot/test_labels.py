"""Entities are found by name, however a person writes it."""

from itertools import pairwise

import polars as pl
import pytest

from retrieval.kg.build.labels import normalize_series
from retrieval.kg.snapshot.labels import keep_as_written, normalize_name
from tests.retrieval.kg.worlds import build

FACTS = [
    ("Amélie", "directed_by", "Jean-Pierre Jeunet"),
    ("Amelia", "release_year", "2009"),
    ("Titanic (1997 film)", "directed_by", "James Cameron"),
    ("Titanic (1953 film)", "directed_by", "Jean Negulesco"),
    ("Avatar", "directed_by", "James Cameron"),
    ("The Matrix", "has_tags", "m.0abc"),
    ("The Matrix", "release_year", "1999"),
    ("The Matrix", "has_tags", "$"),
    ("Robert_De_Niro", "acted_in", "Heat"),
    ("New York City", "alias", "The Big Apple"),
    ("New York City", "label", "Sony"),
    ("Sony", "signed", "New York City"),
    ("PrimozRoglic", "won", "TourDeSuisse2024"),
    ("McEnroe", "won", "iPhoneX"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(FACTS, tmp_path_factory.mktemp("labels") / "g")


def found(graph, text, limit=10):
    return [(match.node.label, match.source) for match in graph.labels.search(text, limit)]


@pytest.mark.parametrize(
    "text",
    [
        "Amélie",
        "  İstanbul ",
        "Straße",
        "O'Neill & Co.",
        "a_b-c",
        "$",
        "!?",
        "東京 タワー",
        "",
        "ﬁ",
        "Ὀδυσσεύς",
        "½",
        "C++",
        "C#",
        "C＋＋",
        "C♯ major",
        "B♭",
        "C++11",
        "A-",
        "A−?",
        "(AB-)",
        "é-",
        "Jean-Pierre",
        "x- y",
        "a+b",
        "+1",
        "#1 hit",
        "A$AP",
        "P!nk",
        "1990-",
        "O–",
        "++",
        "Canal+ Sport",
    ],
)
def test_builder_and_searcher_normalise_alike(text):
    assert normalize_series(pl.Series([text])).item() == normalize_name(text)


def test_a_column_normalises_like_its_values():
    texts = ["Jaws", "The  Matrix", " padded ", "Amélie", "$", "", "R2-D2", "new york", "ÉTÉ", "2001"]
    assert normalize_series(pl.Series(texts)).to_list() == [normalize_name(text) for text in texts]


def test_normalise():
    assert normalize_name("Jean-Pierre  JEUNET!") == "jean pierre jeunet"
    assert normalize_name("frederica_of_mecklenburg-strelitz") == "frederica of mecklenburg strelitz"
    assert normalize_name("Amélie") == "amelie"
    assert normalize_name("$") == "$"


def test_exact_ignores_case_accents_and_underscores(graph):
    assert found(graph, "AMELIE", 1) == [("Amélie", "exact")]
    assert found(graph, "robert de niro", 1) == [("Robert_De_Niro", "exact")]
    assert found(graph, "$", 1) == [("$", "exact")]


def test_aliases_come_from_facts_and_from_parentheses(graph):
    assert found(graph, "big apple", 1) == [("New York City", "word")]
    labels = found(graph, "the big apple")
    assert labels == [("New York City", "alias")]
    assert found(graph, "titanic")[:2] == [("Titanic (1953 film)", "alias"), ("Titanic (1997 film)", "alias")]
    assert ("New York City", "alias") not in found(graph, "Sony")


def test_prefixes_by_degree_then_words_then_misspelt(graph):
    assert found(graph, "am") == [("Amelia", "prefix"), ("Amélie", "prefix")]
    assert found(graph, "ja", 1) == [("James Cameron", "prefix")]
    assert found(graph, "cameron ja", 1) == [("James Cameron", "word")]
    assert found(graph, "pierre jeu", 1) == [("Jean-Pierre Jeunet", "word")]
    assert found(graph, "jmaes cameron", 1) == [("James Cameron", "fuzzy")]
    assert found(graph, "Matrxi, the", 1) == []


def test_mediators_are_not_offered_and_limits_hold(graph):
    assert found(graph, "m.0abc") == []
    assert found(graph, "") == []
    assert found(graph, "jam", 0) == []
    assert len(found(graph, "a", 3)) == 3
    labels = [label for label, _ in found(graph, "titanic 1997 film")]
    assert len(labels) == len(set(labels))


def test_resolve_prefers_the_exact_label(graph):
    assert graph.labels.resolve("Amélie") == graph.find_entity("Amélie")
    assert graph.labels.resolve("amelie") == graph.find_entity("Amélie")
    assert graph.labels.resolve("Robert De Niro") == graph.find_entity("Robert_De_Niro")
    assert graph.labels.resolve("nobody") is None


def test_lookup_and_begins_serve_the_linker(graph):
    assert [m.node.label for m in graph.labels.find_exact("the matrix")] == ["The Matrix"]
    assert graph.labels.find_exact("the") == []
    assert graph.labels.has_continuation("the")
    assert not graph.labels.has_continuation("the matrix")


def test_every_name_finds_its_entity_among_many(tmp_path):
    names = [f"entity {i:03} of {word}" for i, word in enumerate(["rome", "paris", "oslo"] * 40)]
    graph = build([(a, "next", b) for a, b in pairwise(names)], tmp_path / "g")
    for name in names:
        assert graph.labels.search(name, 1)[0].node.label == name
        assert graph.labels.search(name.replace("entity", "entty"), 1)[0].node.label == name


def test_how_many_names_hold_a_word(graph):
    # Each Titanic goes by its name without the parenthesis too.
    assert [graph.labels.count_names(word) for word in ("titanic", "city", "york", "nowhere")] == [4, 1, 1, 0]
    assert [m.node.label for m in graph.labels.find_containing("cameron james")] == ["James Cameron"]
    assert graph.labels.find_containing("james nowhere") == []
    assert [m.node.label for m in graph.labels.find_containing("film 1953 titanic")] == ["Titanic (1953 film)"]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Three hundred names that share beginnings and words, of very different degrees."""
    facts = []
    for i in range(300):
        name = f"{'anna' if i % 3 else 'arno'} {'berg' if i % 2 else 'bach'}{i:03}"
        facts += [(name, f"r{j}", f"x{j}") for j in range((i * 7919) % 41)]
        facts.append((name, "is", "here"))
    return build(facts, tmp_path_factory.mktemp("crowd") / "g")


@pytest.mark.parametrize("text", ["a", "an", "arno", "anna b", "b", "here", "arno bach", "anna berg1", "ber", "q"])
@pytest.mark.parametrize("limit", [1, 4, 10])
def test_many_names_are_found_as_few_are(crowd, monkeypatch, text, limit):
    """Names are looked through by blocks, or read one by one, where they are many: the same are found."""
    whole = crowd.labels.search(text, limit)
    expected = sorted(
        (name for name in crowd.entity_labels if name.startswith(text) and name != text),
        key=lambda name: (-crowd.get_degree(crowd.find_entity(name)), name),
    )
    begin = [match.node.label for match in whole if match.source == "prefix"]
    assert begin == expected[: len(begin)]
    assert len(begin) == min(limit - sum(match.source in ("exact", "alias") for match in whole), len(expected))
    monkeypatch.setattr("retrieval.kg.snapshot.labels._BLOCK", 2)
    monkeypatch.setattr("retrieval.kg.snapshot.labels._WORDS_LIMIT", 40)
    again = type(crowd.labels)(crowd).search(text, limit)
    assert [match for match in again if match.source == "prefix"] == [
        match for match in whole if match.source == "prefix"
    ]


def test_the_most_connected_of_many_holders_of_a_word_are_found(crowd, monkeypatch):
    plain = [match.node.label for match in crowd.labels.search("berg anna", 10)]
    monkeypatch.setattr("retrieval.kg.snapshot.labels._WORDS_LIMIT", 5)
    assert plain == [match.node.label for match in crowd.labels.search("berg anna", 10)]
    both = [match.node.label for match in crowd.labels.search("anna b", 5)]
    assert len(both) == 5
    by_words = crowd.labels.search("bach123 a", 5)
    assert [(match.node.label, match.source) for match in by_words] == []
    by_words = crowd.labels.search("bach122 a", 5)
    assert [(match.node.label, match.source) for match in by_words][:1] == [("anna bach122", "word")]


def test_names_of_words_without_spaces_are_found_by_their_words(graph):
    names = {match.node.label: match.name for match in graph.labels.find_exact("primoz roglic")}
    assert names == {"PrimozRoglic": "primoz roglic"}
    assert [match.source for match in graph.labels.find_exact("tour de suisse 2024")] == ["alias"]
    assert [match.node.label for match in graph.labels.find_containing("roglic")] == ["PrimozRoglic"]
    assert graph.labels.find_exact("i phone x") == []


@pytest.fixture(scope="module")
def signs(tmp_path_factory):
    names = [
        "C",
        "C#",
        "C++",
        "A",
        "A-",
        "A+",
        "Canal+",
        "Weißstraße",
        "Łódź",
        "Wham",
        "Wham!",
        "Notepad++",
        "Notepad",
    ]
    return build([(name, "is", "here") for name in names], tmp_path_factory.mktemp("signs") / "g")


def looked_up(graph, text):
    return [match.node.label for match in graph.labels.find_exact(normalize_name(text))]


@pytest.mark.parametrize("name", ["C", "C#", "C++", "A", "A-", "A+", "Notepad", "Notepad++"])
def test_names_that_differ_by_signs_are_told_apart(signs, name):
    assert looked_up(signs, name) == [name]
    assert [match.node.label for match in signs.labels.search(name, 1)] == [name]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Canal", "Canal+"),
        ("weissstrasse", "Weißstraße"),
        ("LODZ", "Łódź"),
        ("łódź", "Łódź"),
        ("WEIẞSTRASSE", "Weißstraße"),
    ],
)
def test_folded_names_are_found_where_nothing_else_has_them(signs, text, label):
    assert looked_up(signs, text) == [label]


def test_a_sign_that_no_name_has_finds_nothing(signs):
    assert looked_up(signs, "C--") == looked_up(signs, "Wham+") == []
    assert signs.labels.find_fuzzy("canal#") == []


def test_the_name_as_it_is_written_comes_before_the_folded_one(signs):
    matches = signs.labels.find_exact("wham")
    assert [m.node.label for m in keep_as_written(matches, "Who is in Wham!?", 10, 14)] == ["Wham!"]
    assert [m.node.label for m in keep_as_written(matches, "Who is in Wham?", 10, 14)] == ["Wham"]
    assert len(keep_as_written(matches, "Who is in WHAM-O?", 10, 14)) == 1
