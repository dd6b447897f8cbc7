"""Reaches, merging, chains and their verification on the tiny world."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.evidence import chains as chains_module
from retrieval.evidence.chains import build_chain, count_facts
from retrieval.evidence.expand import expand
from retrieval.evidence.reach import apply_join, find_joins, from_walks, walk
from retrieval.evidence.verbalise import format_chain, format_path
from retrieval.evidence.verify import make_hop
from retrieval.types import Triple
from tests.retrieval.world import build, ids, labels, path


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def reach(graph, topic, steps, probability=0.9, *, simple=True):
    return walk(graph, ids(graph, topic)[0], path(graph, steps), probability, simple=simple)


def test_a_relation_path_reaches_a_complete_set(graph):
    found = reach(graph, "Switzerland", "borders official_language")
    assert [labels(graph, level) for level in found.levels] == [
        ["Austria", "France", "Germany", "Italy"],
        ["French", "German", "Italian"],
    ]


def test_a_chain_is_written_as_the_paper_writes_it(graph):
    chain = build_chain(graph, reach(graph, "Switzerland", "borders official_language"))
    assert format_chain(chain) == (
        "Switzerland → [borders] → Austria; France; Germany; Italy → [official language] → French; German; Italian"
    )
    assert chain.level_counts == (4, 3)
    assert len(chain.hops) == 8
    assert all(hop.verified for hop in chain.hops)
    assert count_facts([chain, chain]) == 8


def test_an_inverse_step_is_readable_and_no_invented_fact(graph):
    chain = build_chain(graph, reach(graph, "Jaws", "directed_by -directed_by in_genre"))
    assert format_chain(chain) == (
        "Jaws → [directed by] → Spielberg → [inverse of directed by] → Lincoln; Munich → [in genre] → Drama; History"
    )
    backward = [hop for hop in chain.hops if hop.step.inverse]
    assert [(hop.source.label, hop.target.label, hop.verified) for hop in backward] == [
        ("Spielberg", "Lincoln", True),
        ("Spielberg", "Munich", True),
    ]
    assert format_path(backward[:1]) == "Spielberg → [inverse of directed by] → Lincoln"
    assert format_path([]) == ""


def test_without_simple_walks_the_topic_comes_back(graph):
    found = reach(graph, "Jaws", "directed_by -directed_by in_genre", simple=False)
    assert labels(graph, found.targets) == ["Drama", "History", "Horror"]


def test_a_long_level_is_cut_and_its_true_count_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(chains_module, "LEVEL_LIMIT", 3)
    facts = [("hub", "has", f"part {i}") for i in range(10)] + [(f"part {i}", "of", "end") for i in range(10)]
    graph = build(tmp_path / "hub", facts)
    chain = build_chain(graph, reach(graph, "hub", "has of"))
    assert chain.level_counts == (10, 1)
    assert [len(level) for level in chain.levels] == [3, 1]
    assert format_chain(chain) == "hub → [has] → part 0; part 1; part 2; and 7 more → [of] → end"


def test_paths_of_one_relation_path_merge_and_keep_the_best_score(graph):
    borders, language = path(graph, "borders official_language")
    switzerland, austria, germany, german = ids(graph, "Switzerland", "Austria", "Germany", "German")
    facts = [
        Triple(switzerland, borders, austria),
        Triple(switzerland, borders, germany),
        Triple(austria, language, german),
    ]
    walks = expand(facts, {switzerland}, 2)
    merged = from_walks(graph, [(steps, 0.25 * (i + 1)) for i, steps in enumerate(walks)])
    assert [(r.path, r.probability, labels(graph, r.targets)) for r in merged] == [
        ((borders, language), 0.75, ["German"]),
        ((borders,), 0.5, ["Austria", "Germany"]),
    ]


def test_two_topics_meet_in_the_shared_targets(graph):
    reaches = [
        reach(graph, "Switzerland", "borders", 0.8),
        reach(graph, "Switzerland", "official_language", 0.1),
        reach(graph, "France", "borders", 0.5),
        reach(graph, "France", "official_language", 0.4),
    ]
    topics = ids(graph, "Switzerland", "France")
    found = find_joins(reaches, topics, per_topic=4)
    assert [(j.members, labels(graph, j.targets)) for j in found] == [((0, 2), ["Italy"])]
    assert found[0].probability == pytest.approx(0.4)
    refined = apply_join(reaches, found[0])
    assert [labels(graph, r.targets) for r in refined[:2]] == [["Italy"], ["Italy"]]
    assert [r.partners for r in refined] == [(1,), (0,), (), ()]
    assert build_chain(graph, refined[1]).merged_with == (0,)


def test_joins_of_fewer_hops_come_first_and_keep_their_probability(graph):
    reaches = [
        reach(graph, "Austria", "borders official_language", 0.5),
        reach(graph, "Austria", "borders", 0.3),
        reach(graph, "Switzerland", "borders official_language", 0.5),
        reach(graph, "Switzerland", "borders", 0.3),
    ]
    topics = ids(graph, "Austria", "Switzerland")

    def found(per_topic, **prior):
        return [
            (j.members, labels(graph, j.targets), round(j.probability, 6))
            for j in find_joins(reaches, topics, per_topic=per_topic, **prior)
        ]

    long, short = ((0, 2), ["Italian"], 0.25), ((1, 3), ["Italy"], 0.09)
    assert found(2) == [long, short]
    assert found(2, further_hop=0.7) == [long, short]
    assert found(2, further_hop=0.5) == [short, long]
    assert found(1) == [long]
    assert found(1, further_hop=0.5) == [short]


def test_topics_that_share_nothing_do_not_join(graph):
    reaches = [reach(graph, "Jaws", "in_genre"), reach(graph, "France", "borders")]
    assert find_joins(reaches, ids(graph, "Jaws", "France"), per_topic=4) == []
    assert find_joins(reaches[:1], ids(graph, "Jaws", "France"), per_topic=4) == []


def test_a_hop_that_the_graph_does_not_hold_is_not_verified(graph):
    austria, german, french = ids(graph, "Austria", "German", "French")
    language = path(graph, "official_language")[0]
    inverse = language + graph.num_relations
    assert make_hop(graph, austria, language, german).verified
    assert make_hop(graph, german, inverse, austria).verified
    assert not make_hop(graph, austria, language, french).verified
    assert not make_hop(graph, german, language, austria).verified


def test_levels_are_sorted_ids(graph):
    targets = reach(graph, "Switzerland", "borders").targets
    assert np.array_equal(targets, np.unique(targets))
