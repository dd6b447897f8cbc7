"""Search agrees with brute force on small random graphs, and with the eye on a tiny one."""

from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest

from retrieval.kg import search
from retrieval.kg.search import paths
from retrieval.kg.search.few_paths import find_few_paths
from tests.retrieval.kg.worlds import FILMS, build, random_facts


@pytest.fixture(params=range(6))
def graph(request, tmp_path):
    return build(random_facts(request.param), tmp_path / "g")


@pytest.fixture
def films(tmp_path):
    return build(FILMS, tmp_path / "films")


def arcs_of(graph):
    """(source, directed relation, target, arc id) of every arc, by plain loops."""
    total, count = graph.num_triples, graph.num_relations
    for i in range(total):
        h, r, t = int(graph.heads[i]), int(graph.relations[i]), int(graph.tails[i])
        yield h, r, t, i
        yield t, r + count, h, i + total


def walks_along(graph, topic, path, simple):
    """Every walk along a relation path as (visited entities, arcs), level by level."""
    level = [((topic,), ())]
    levels = []
    directed = [r + (graph.num_relations if inverse else 0) for r, inverse in path]
    arcs = list(arcs_of(graph))
    for previous, wanted in pairwise([-1, *directed]):
        level = [
            ((*seen, t), (*used, a)) for seen, used in level for s, r, t, a in arcs if s == seen[-1] and r == wanted
        ]
        away = [walk for walk in level if walk[0][-1] != topic]
        reverse = previous >= 0 and abs(wanted - previous) == graph.num_relations
        level = away if simple and (away or reverse) else level
        levels.append(level)
    return levels


def all_paths(graph, hops):
    directions = [(r, inverse) for r in range(graph.num_relations) for inverse in (False, True)]
    return list(product(directions, repeat=hops))


@pytest.mark.parametrize("simple", [True, False])
def test_execute_agrees_with_brute_force(graph, simple):
    for path in all_paths(graph, 3)[::5]:
        for topics in ([0], [2, 5]):
            levels = search.execute(graph, topics, path, simple=simple)
            per_topic = [walks_along(graph, topic, path, simple) for topic in topics]
            for i, level in enumerate(levels):
                expected = {seen[-1] for walks in per_topic for seen, _ in walks[i]}
                assert level.tolist() == sorted(expected)


@pytest.mark.parametrize("simple", [True, False])
def test_trace_lists_exactly_the_arcs_of_walks_to_the_finals(graph, simple):
    for path in all_paths(graph, 3)[::11]:
        walks = walks_along(graph, 1, path, simple)[-1]
        finals = sorted({seen[-1] for seen, _ in walks})[:2]
        traced = search.compute_trace(graph, [1], path, finals, simple=simple)
        for i in range(3):
            assert traced.arcs[i].tolist() == sorted({used[i] for seen, used in walks if seen[-1] in finals})
            assert traced.levels[i + 1].tolist() == sorted({s[i + 1] for s, _ in walks if s[-1] in finals})


def test_four_hops_return_to_the_topic_alone_or_not_at_all(graph):
    for path in all_paths(graph, 4)[::97]:
        reached = search.execute(graph, [3], path)[-1].tolist()
        assert reached == sorted({seen[-1] for seen, _ in walks_along(graph, 3, path, simple=True)[-1]})
        assert reached == [3] or 3 not in reached


def test_a_path_that_leads_only_back_reaches_its_topic(tmp_path):
    """The mother of Ann's child is Ann; a step that reverses the one before it reaches others only."""
    facts = [("Ann", "child", "Bo"), ("Bo", "mother", "Ann"), ("Cy", "child", "Di"), ("Eve", "child", "Di")]
    family = build(facts, tmp_path / "family")

    def reached(topic, *steps):
        path = [(family.find_relation(name.removeprefix("-")), name.startswith("-")) for name in steps]
        ends = search.execute(family, [family.find_entity(topic)], path)[-1]
        return [family.get_entity_label(int(end)) for end in ends]

    assert reached("Ann", "child", "mother") == ["Ann"]
    assert reached("Ann", "child", "-child") == []
    assert reached("Cy", "child", "-child") == ["Eve"]


def test_a_trace_under_a_limit_still_connects(films):
    english = films.find_entity("English")
    path = [(films.find_relation("in_language"), True), (films.find_relation("directed_by"), False)]
    spielberg = films.find_entity("Steven Spielberg")
    whole = search.compute_trace(films, [english], path, [spielberg])
    assert [len(arcs) for arcs in whole.arcs] == [2, 2]
    part = search.compute_trace(films, [english], path, [spielberg], limit=1)
    first, second = films.get_hop(int(part.arcs[0][0])), films.get_hop(int(part.arcs[1][0]))
    assert (len(part.arcs[0]), len(part.arcs[1])) == (1, 1)
    assert first.source.label == "English"
    assert first.target == second.source
    assert second.target.label == "Steven Spielberg"


def test_languages_of_the_directors_other_films(films):
    directed, language = films.find_relation("directed_by"), films.find_relation("in_language")
    levels = search.execute(
        films, [films.find_entity("Jaws")], [(directed, False), (directed, True), (language, False)]
    )
    assert [films.entity_labels.get_many(level) for level in levels] == [
        ["Steven Spielberg"],
        ["Hook"],
        ["English", "French"],
    ]


def test_k_hop_agrees_with_networkx(graph):
    undirected = nx.Graph()
    undirected.add_nodes_from(range(graph.num_entities))
    undirected.add_edges_from((s, t) for s, _, t, _ in arcs_of(graph))
    for hops in range(4):
        near = nx.single_source_shortest_path_length(undirected, 4, cutoff=hops)
        found = search.collect_k_hop(graph, [4], hops)
        assert found.entities.tolist() == sorted(near)
        inner = {e for e, d in near.items() if d < hops}
        expected = [i for i in range(graph.num_triples) if {int(graph.heads[i]), int(graph.tails[i])} & inner]
        assert found.facts.tolist() == expected
        assert not found.truncated


def test_k_hop_says_when_it_was_cut_and_keeps_the_budget(graph):
    whole = search.collect_k_hop(graph, [4], 3)
    for budget in (1, 3, 7):
        cut = search.collect_k_hop(graph, [4], 3, max_triples=budget)
        assert len(cut.facts) <= budget
        assert cut.truncated
        assert set(cut.facts.tolist()) <= set(whole.facts.tolist())
        ends = {4, *graph.heads[cut.facts].tolist(), *graph.tails[cut.facts].tolist()}
        assert ends == set(cut.entities.tolist())


def test_k_hop_reads_of_a_hub_only_what_it_may_take(tmp_path):
    facts = [("hub", "r", f"e{i:03}") for i in range(300)] + [(f"e{i:03}", "s", "hub") for i in range(300)]
    facts += [("e007", "t", "far"), ("e250", "t", "farther"), ("hub", "u", "hub")]
    star = build(facts, tmp_path / "star")
    hub, near = star.find_entity("hub"), star.find_entity("e007")
    whole = search.collect_k_hop(star, [hub], 1)
    assert (len(whole.facts), len(whole.entities), whole.truncated) == (601, 301, False)
    cut = search.collect_k_hop(star, [near], 2, max_triples=10)
    # Its own three facts first, then the first of the hub's.
    assert len(cut.facts) == 10
    assert cut.truncated
    own = [
        star.find_fact(hub, star.find_relation("r"), near),
        star.find_fact(near, star.find_relation("s"), hub),
    ]
    assert {*own, star.find_fact(near, star.find_relation("t"), star.find_entity("far"))} <= {*cut.facts.tolist()}
    labels = star.entity_labels.get_many(cut.entities)
    assert labels == [*(f"e{i:03}" for i in range(8)), "far", "hub"]


def simple_paths(graph, sources, targets, max_hops):
    found, level = [], [((s,), ()) for s in sources]
    for _ in range(max_hops):
        level = [
            ((*seen, t), (*used, a))
            for seen, used in level
            for s, _, t, a in arcs_of(graph)
            if s == seen[-1] and t not in seen
        ]
        found += [used for seen, used in level if seen[-1] in targets]
    return found


def test_paths_between_agrees_with_brute_force(graph):
    expected = simple_paths(graph, [0, 1], {5, 6}, 3)
    found = search.find_paths(graph, [0, 1], [5, 6], max_hops=3, cap=100_000)
    assert sorted(found.list_paths()) == sorted(expected)
    assert [len(p) for p in found.list_paths()] == sorted(len(p) for p in expected)
    assert not found.truncated
    few = search.find_paths(graph, [0, 1], [5, 6], max_hops=3, cap=2)
    assert few.list_paths() == found.list_paths()[:2]
    assert few.truncated == (len(expected) > 2)


@pytest.mark.parametrize("looked_at", [0, 10**6])
@pytest.mark.parametrize("ends", [([0], [5]), ([0, 1], [5, 6]), ([3], [3, 4]), ([0, 1, 2], [2]), ([4], [4])])
def test_paths_are_the_same_one_by_one_and_all_at_once(graph, monkeypatch, looked_at, ends):
    monkeypatch.setattr(paths, "_FEW", looked_at)
    for hops in (1, 2, 4):
        expected = simple_paths(graph, ends[0], {*ends[1]}, hops)
        every = search.find_paths(graph, *ends, max_hops=hops, cap=100_000)
        assert every.list_paths() == sorted(expected, key=lambda path: (len(path), path))
        assert not every.truncated
        few = search.find_paths(graph, *ends, max_hops=hops, cap=3)
        assert few.list_paths() == every.list_paths()[:3]
        assert few.truncated or len(expected) <= 3
        # All at once, nobody looks whether what was begun when the cap was reached leads on.
        assert not few.truncated or len(expected) > 3 or (len(expected) == 3 and not looked_at)


def test_few_paths_are_given_up_where_many_arcs_lie_between(graph):
    every = search.find_paths(graph, [0], [5], max_hops=4, cap=100_000).list_paths()
    assert find_few_paths(graph, [0], [5], 4, 0) is None
    assert [path for paths in find_few_paths(graph, [0], [5], 4, 10**6) for path in paths] == every


def test_shortest_paths_agree_with_brute_force(graph):
    for source, target in ((0, 5), (3, 7), (2, 2)):
        every = simple_paths(graph, [source], {target}, 4)
        least = min(map(len, every), default=0)
        expected = sorted(p for p in every if len(p) == least)
        assert sorted(search.find_shortest_paths(graph, [source], [target]).list_paths()) == expected


@pytest.mark.parametrize("simple", [True, False])
def test_relation_paths_between_agrees_with_executing_every_relation_path(graph, simple):
    topics, answers = [0, 3], [5, 6, 7]
    expected = {}
    for hops in (1, 2, 3):
        for path in all_paths(graph, hops):
            reached = set(search.execute(graph, topics, path, simple=simple)[-1].tolist()) & set(answers)
            if reached:
                expected[path] = len(reached)
    found = search.find_relation_paths(graph, topics, answers, 3, cap=10_000, simple=simple)
    assert {hit.path: hit.answers_reached for hit in found.hits} == expected
    assert not found.truncated
    few = search.find_relation_paths(graph, topics, answers, 3, cap=5, simple=simple)
    assert few.hits == found.hits[:5]
    assert few.truncated == (len(expected) > 5)


def test_neighbours_page_through_everything_once(graph):
    for entity in range(graph.num_entities):
        mine = {a for s, _, _, a in arcs_of(graph) if s == entity}
        pages = [search.list_neighbours(graph, entity, limit=3, offset=o).arcs for o in range(0, len(mine) + 3, 3)]
        listed = np.concatenate(pages).tolist()
        assert len(listed) == len(mine)
        assert set(listed) == mine
        groups = search.list_neighbours(graph, entity).groups
        assert sum(g.count for g in groups) == len(mine)
        for g in groups:
            direction = "in" if g.inverse else "out"
            page = search.list_neighbours(graph, entity, g.relation, direction)
            assert page.total == g.count == len(page.arcs)
            _, relations, _ = search.get_arc_ends(graph, page.arcs)
            assert set(relations.tolist()) == {g.relation + (graph.num_relations if g.inverse else 0)}


def test_nothing_comes_of_nothing(films):
    assert [len(level) for level in search.execute(films, [], [(0, False), (1, True)])] == [0, 0]
    assert search.find_paths(films, [], [1]).list_paths() == []
    assert search.find_relation_paths(films, [0], [], 3).hits == ()
    assert search.collect_k_hop(films, [], 2).entities.tolist() == []
    assert search.compute_trace(films, [], [(0, False)], [1]).arcs[0].tolist() == []
    assert search.compute_trace(films, [0], [], [0]).arcs == ()
