"""Candidate pools on the tiny world: what is in them, what merging leaves, and how much it saves."""

import itertools

import pytest

from retrieval.errors import ConfigError
from retrieval.kg.search import paths
from retrieval.supervision import pools
from retrieval.supervision.grounding import resolve_questions
from retrieval.types import QuestionRecord
from tests.retrieval.world import build, ids
from tests.retrieval.world import path as world_path


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "graph")


def pool(graph, name, topics, answers, max_hops=3):
    (question,), _ = resolve_questions(graph, [QuestionRecord("q", "?", topics, answers)])
    return pools.get(name)(graph, question, max_hops)


def chains(graph, found, role="path"):
    """(start label, path as text) of the candidates of a role."""
    total = graph.num_relations
    return sorted(
        (
            graph.get_entity_label(c.start),
            " ".join(("-" if r >= total else "") + graph.get_relation_name(r % total) for r in c.relations),
        )
        for c in found.candidates
        if c.role == role
    )


def test_shortest_paths_of_one_relation_path_are_one_candidate(graph):
    found = pool(graph, "shortest", ("Switzerland",), ("German",))
    # By Austria and by Germany.
    assert chains(graph, found) == [("Switzerland", "borders official_language")]
    assert found.raw == 2


def test_each_answer_has_its_own_shortest_paths(graph):
    found = pool(graph, "shortest", ("Jaws",), ("Spielberg", "Munich"))
    assert chains(graph, found) == [("Jaws", "directed_by"), ("Jaws", "directed_by -directed_by")]
    assert found.raw == 2


def test_reg_s_pool_is_shortest_paths_and_what_is_around_topic_and_answer(graph):
    found = pool(graph, "reg", ("Switzerland",), ("German", "Italian", "French"))
    assert chains(graph, found) == [("Switzerland", "borders official_language")]
    assert chains(graph, found, "topic-fact") == [
        ("Switzerland", "borders"), ("Switzerland", "official_language"),
    ]  # fmt: skip
    # One answer stands for all; all of one relation path, the lowest id does.
    assert chains(graph, found, "answer-fact") == [("French", "-official_language")]
    # Paths: 2 to German, 1 to Italian, 1 to French; facts: 5 of Switzerland, 2 + 1 + 1 of the answers.
    assert found.raw == 4 + 5 + 4
    assert len(found.candidates) == 4


def test_a_topic_s_fact_that_is_a_shortest_path_is_listed_once(graph):
    found = pool(graph, "reg", ("Jaws",), ("Spielberg",))
    assert chains(graph, found) == [("Jaws", "directed_by")]
    assert chains(graph, found, "topic-fact") == [("Jaws", "in_genre")]


def test_the_answer_that_shares_its_path_with_most_represents_them(graph):
    # France and Germany border Switzerland; Drama is reached by nothing of theirs.
    (question,), _ = resolve_questions(
        graph, [QuestionRecord("q", "?", ("Switzerland",), ("Romansh", "France", "Germany"))]
    )
    found = pools.build_reg_pool(graph, question, 3)
    assert chains(graph, found) == [("Switzerland", "borders")]
    assert {c.start for c in found.candidates if c.role == "answer-fact"} == {min(ids(graph, "France", "Germany"))}


def test_rapl_s_paths_are_at_most_two_longer_than_the_shortest(graph):
    found = pool(graph, "rapl", ("Switzerland",), ("Austria",), max_hops=4)
    (start,), (end,) = ids(graph, "Switzerland"), ids(graph, "Austria")
    every = paths.find_paths(graph, [start], [end], max_hops=3)
    assert found.raw == len(every)
    lengths = {len(c.relations) for c in found.candidates}
    assert lengths == {1, 2, 3}
    walked = {tuple(_relation(graph, arc) for arc in arcs) for arcs in every.list_paths()}
    assert {c.relations for c in found.candidates} == walked


def test_rapl_s_longest_path_is_bounded(graph):
    found = pool(graph, "rapl", ("Switzerland",), ("Austria",), max_hops=2)
    assert {len(c.relations) for c in found.candidates} == {1, 2}


def test_a_path_that_must_visit_an_entity_twice_is_no_candidate(graph):
    found = pool(graph, "rapl", ("Jaws",), ("Munich",), max_hops=4)
    # Jaws, Spielberg, Lincoln, Spielberg, Munich is a walk, not a path.
    assert chains(graph, found) == [("Jaws", "directed_by -directed_by")]


@pytest.mark.parametrize("name", sorted(pools.POOLS))
def test_the_shown_path_is_one_of_the_candidate_s(graph, name):
    found = pool(graph, name, ("Switzerland", "Jaws"), ("Italy", "Drama", "German"))
    assert found.candidates
    for candidate in found.candidates:
        hops = [graph.get_hop(arc) for arc in candidate.arcs]
        assert hops[0].source.id == candidate.start
        assert all(a.target == b.source for a, b in itertools.pairwise(hops))
        assert tuple(_relation(graph, arc) for arc in candidate.arcs) == candidate.relations


@pytest.mark.parametrize("name", ["shortest", "rapl"])
def test_a_topic_that_is_far_from_every_answer_has_no_candidate(graph, name):
    found = pool(graph, name, ("Jaws",), ("Italy",))
    assert (found.candidates, found.raw) == ((), 0)


def test_unknown_candidates_are_named():
    with pytest.raises(ConfigError, match=r"'longest'.*shortest, reg, rapl"):
        pools.get("longest")


def _relation(graph, arc):
    step = graph.get_hop(arc).step
    (relation,) = world_path(graph, ("-" if step.inverse else "") + step.name)
    return relation
