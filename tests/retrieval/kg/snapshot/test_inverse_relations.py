"""Relations that a graph writes from both ends, and those that only look like it."""

import numpy as np

from retrieval.kg.snapshot import inverse_relations
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from tests.retrieval.world import build

FILMS = [
    ("Jaws", "directed_by", "Spielberg"),
    ("Munich", "directed_by", "Spielberg"),
    ("Alien", "directed_by", "Scott"),
    ("Spielberg", "directed", "Jaws"),
    ("Spielberg", "directed", "Duel"),
    ("Scott", "directed", "Alien"),
]


def inverse_pairs(graph):
    """The directed relations that another stands for, by name; ``-`` marks backward."""
    total = graph.num_relations

    def name(directed):
        return "-" * (directed >= total) + graph.get_relation_name(directed % total)

    return {name(d): name(m) for d, m in enumerate(graph.inverse_relations.tolist()) if m != d}


def test_facts_written_from_both_ends_make_inverse_relations(tmp_path):
    graph = build(tmp_path / "films", [*FILMS, ("Benchley", "wrote", "Jaws"), ("Alien", "written_by", "Shusett")])
    assert inverse_pairs(graph) == {"-directed": "directed_by", "-directed_by": "directed"}


def test_a_relation_may_be_its_own_inverse_and_a_loop_says_nothing(tmp_path):
    facts = [("Ann", "sibling", "Bea"), ("Bea", "sibling", "Ann"), ("Bea", "sibling", "Cat")]
    graph = build(tmp_path / "family", [*facts, ("Ann", "knows", "Ann"), ("Bea", "knows", "Bea")])
    assert inverse_pairs(graph) == {"-sibling": "sibling"}


def test_one_fact_is_not_enough_nor_is_less_than_half(tmp_path):
    once = [("Jaws", "by", "Spielberg"), ("Spielberg", "made", "Jaws"), ("Scott", "made", "Alien")]
    assert inverse_pairs(build(tmp_path / "once", once)) == {}
    few = [(f"film {i}", "by", f"person {i}") for i in range(5)]
    few += [(f"person {i}", "made", f"film {i if i < 2 else i + 9}") for i in range(5)]
    assert inverse_pairs(build(tmp_path / "few", few)) == {}
    few[-1] = ("person 2", "made", "film 2")
    few.remove(("film 4", "by", "person 4"))
    assert inverse_pairs(build(tmp_path / "half", few)) == {"-by": "made", "-made": "by"}


def test_a_capital_is_no_inverse_of_the_cities_it_is_among(tmp_path):
    cities = {"France": ("Paris", "Lyon"), "Italy": ("Rome", "Milan")}
    facts = [(city, "in_country", country) for country, them in cities.items() for city in them]
    facts += [(country, "capital", them[0]) for country, them in cities.items()]
    assert inverse_pairs(build(tmp_path / "cities", facts)) == {}


def test_the_relation_with_most_facts_in_common_is_the_inverse(tmp_path):
    spoken = [("Norway", "language", word) for word in ("Bokmål", "Nynorsk", "Sami")]
    spoken += [("Sweden", "language", "Swedish"), ("Sweden", "language", "Sami")]
    turned = [(language, "spoken_in", country) for country, _, language in spoken[:4]]
    main = [(language, "main_country", country) for country, _, language in spoken[:2]]
    graph = build(tmp_path / "languages", [*spoken, *turned, *main])
    assert inverse_pairs(graph) == {"-language": "spoken_in", "-spoken_in": "language"}


def test_a_sample_tells_the_same(tmp_path, monkeypatch):
    facts = [(f"film {i}", "directed_by", f"person {i // 3}") for i in range(30)]
    facts += [(tail, "directed", head) for head, _, tail in facts]
    whole = build(tmp_path / "many", facts)
    assert inverse_pairs(whole) == {"-directed": "directed_by", "-directed_by": "directed"}
    monkeypatch.setattr(inverse_relations, "SAMPLE", 5)
    assert np.array_equal(inverse_relations.find_inverse_relations(whole), whole.inverse_relations)


def test_a_restriction_has_the_inverse_relations_of_its_graph(tmp_path):
    graph = build(tmp_path / "films", FILMS)
    part = RestrictedSnapshot(graph, [0])
    assert np.array_equal(part.inverse_relations, graph.inverse_relations)
    assert np.array_equal(part.compact.inverse_relations, graph.inverse_relations)
