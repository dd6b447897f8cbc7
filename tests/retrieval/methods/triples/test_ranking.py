"""From triple scores to relation paths and chains, by hand on the tiny world."""

import math

import numpy as np
import pytest

from retrieval.methods.reg_entity.retriever import compute_entity_scores
from retrieval.methods.rel_rag_triple.retriever import compute_start_hops
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.chain_expansion import Scores, expand_chains
from retrieval.methods.triples.ranking import (
    RetrievedTriples,
    compute_parallel_units,
    find_chains,
    select_top,
)
from retrieval.methods.triples.subgraphs import build_subgraphs
from tests.retrieval.world import build, ids, labels, path


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "graph")


def fact(graph, head, relation, tail):
    found = graph.find_fact(*ids(graph, head), graph.find_relation(relation), *ids(graph, tail))
    assert found is not None
    return found


def scored(graph, topic, logits, lengths, default=-4.0):
    """Candidates two hops around a topic, with logits by (head, relation, tail)."""
    subgraphs = build_subgraphs(graph, ids(graph, topic), FanOut(2))
    values = np.full(len(subgraphs.facts), default)
    for triple, value in logits.items():
        values[subgraphs.facts == fact(graph, *triple)] = value
    return subgraphs, Scores(values, values, values, np.log(np.array([lengths])))


def grown(graph, subgraphs, scores, retrieved=None):
    positions = select_top(scores.rank, slice(0, len(scores.rank)), retrieved or len(scores.rank))
    return dict(expand_chains(subgraphs, scores, 0, positions, relations=graph.num_relations, max_hops=2, simple=True))


def test_the_best_scores_come_first_and_of_equals_the_earlier():
    scores = np.array([9.0, 1, 3, 3, 2, 9])
    assert select_top(scores, slice(1, 5), 3).tolist() == [2, 3, 4]
    assert select_top(scores, slice(1, 5), 10).tolist() == [2, 3, 4, 1]


def test_subgraphs_side_by_side_have_slots_of_their_own(graph):
    jaws, munich = ids(graph, "Jaws", "Munich")
    both = build_subgraphs(graph, [jaws, munich, jaws], FanOut(1))
    assert both.fact_bounds.tolist() == [0, 2, 4, 6]
    assert [labels(graph, both.entities[[slot]])[0] for slot in both.topics] == ["Jaws", "Munich", "Jaws"]
    assert both.facts[:2].tolist() == both.facts[4:].tolist()
    assert both.entity_graph.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert both.fact_graph.tolist() == [0, 0, 1, 1, 2, 2]
    assert labels(graph, both.entities[both.heads]) == ["Jaws", "Jaws", "Munich", "Munich", "Jaws", "Jaws"]


def test_a_fact_begins_as_far_from_the_topic_as_its_nearer_end_or_the_one_it_is_walked_from(graph):
    subgraphs = build_subgraphs(graph, ids(graph, "Jaws"), FanOut(2))
    # By hand: a fact of the topic is left from it at 0, and walked towards it from 1.
    own = subgraphs.heads == subgraphs.topics[0]
    forward, backward = (hops.numpy() for hops in compute_start_hops(subgraphs, 3, directed=False))
    assert own.sum() == 2
    assert set(forward[own].tolist()) == {0}
    assert set(backward[own].tolist()) == {1}
    spielberg = subgraphs.entities[subgraphs.heads] == ids(graph, "Munich")[0]
    assert set(forward[spielberg].tolist()) == {2}
    near, again = compute_start_hops(subgraphs, 3, directed=True)
    assert near.tolist() == again.tolist() == np.minimum(forward, backward).tolist()
    assert set(subgraphs.compute_distances(1).tolist()) == {0, 1}


def test_the_evidence_of_a_path_is_the_sum_of_its_steps_means_and_its_length(graph):
    subgraphs, scores = scored(
        graph, "Jaws",
        {
            ("Jaws", "directed_by", "Spielberg"): 2.0,
            ("Munich", "directed_by", "Spielberg"): 3.0,
            ("Lincoln", "directed_by", "Spielberg"): 1.0,
        },
        lengths=(0.2, 0.8),
    )  # fmt: skip
    found = grown(graph, subgraphs, scores)
    # Steps: directed_by 2; then back to Munich and Lincoln, (3 + 1) / 2; in_genre -4, and nothing beyond it.
    weights = {
        path(graph, "directed_by"): math.exp(2) * 0.2,
        path(graph, "directed_by -directed_by"): math.exp(2 + 2) * 0.8,
        path(graph, "in_genre"): math.exp(-4) * 0.2,
    }
    total = sum(weights.values())
    assert found == {key: pytest.approx(weight / total) for key, weight in weights.items()}


def test_only_retrieved_triples_begin_or_continue_a_path_but_all_are_its_evidence(graph):
    subgraphs, scores = scored(
        graph, "Switzerland",
        {("Switzerland", "borders", "Austria"): 4.0, ("Austria", "official_language", "German"): 4.0},
        lengths=(0.5, 0.5),
    )  # fmt: skip
    found = grown(graph, subgraphs, scores, retrieved=2)
    # The first step takes four borders, (4 - 4 - 4 - 4) / 4; the second four languages, the same mean.
    ratio = found[path(graph, "borders official_language")] / found[path(graph, "borders")]
    assert set(found) == {path(graph, "borders"), path(graph, "borders official_language")}
    assert ratio == pytest.approx(math.exp(-2))


def test_a_triple_that_is_walked_back_is_no_evidence(graph):
    subgraphs, scores = scored(
        graph, "Jaws",
        {
            ("Jaws", "directed_by", "Spielberg"): 2.0,
            ("Munich", "directed_by", "Spielberg"): 1.0,
            ("Lincoln", "directed_by", "Spielberg"): 1.0,
            ("Jaws", "in_genre", "Horror"): 2.0,
        },
        lengths=(0.5, 0.5),
    )  # fmt: skip
    positions = select_top(scores.rank, slice(0, len(scores.rank)), len(scores.rank))
    found = dict(
        expand_chains(subgraphs, scores, 0, positions, relations=graph.num_relations, max_hops=2, simple=False)
    )
    # Back over directed_by stand the other two films, 1; the way back to Jaws adds nothing to their mean.
    back, there = path(graph, "directed_by -directed_by"), path(graph, "directed_by")
    assert found[back] / found[there] == pytest.approx(math.e)
    # Horror has no other film: the step would be its own triple walked back.
    assert set(found) == {back, there, path(graph, "in_genre")}


def test_a_relation_counts_once_where_scores_do_not_know_their_place(graph):
    subgraphs, scores = scored(
        graph, "Switzerland",
        {
            (h, "borders", t): 1.0
            for h, t in [
                ("Switzerland", "Austria"), ("Switzerland", "France"), ("Switzerland", "Germany"),
                ("Switzerland", "Italy"), ("Austria", "Italy"), ("France", "Italy"),
            ]
        },
        lengths=(0.5, 0.5),
    )  # fmt: skip
    once = Scores(scores.rank, scores.forward, scores.backward, scores.lengths, once=True)
    one, two = path(graph, "borders"), path(graph, "borders borders")
    counted, single = grown(graph, subgraphs, scores), grown(graph, subgraphs, once)
    assert counted[two] / counted[one] == pytest.approx(math.e)
    assert single[two] / single[one] == pytest.approx(1)


def test_an_entity_counts_once_where_entities_are_scored(graph):
    subgraphs = build_subgraphs(graph, ids(graph, "Austria"), FanOut(2))
    named = labels(graph, subgraphs.entities)
    logits = np.full(len(named), -4.0)
    for name in ("Austria", "Italy", "Switzerland"):
        logits[named.index(name)] = 2.0
    scores = compute_entity_scores(subgraphs, logits, np.log(np.array([[0.5, 0.5]])))
    positions = select_top(scores.rank, slice(0, len(scores.rank)), len(scores.rank))
    found = dict(expand_chains(subgraphs, scores, 0, positions, relations=graph.num_relations, max_hops=2, simple=True))
    # Austria borders Italy alone, which is entered: 2. Italy is bordered by Switzerland and France beside it:
    # (2 - 4) / 2. Switzerland borders (backward, then forward) Italy, France and Germany: (2 - 4 - 4) / 3.
    one = found[path(graph, "borders")]
    assert found[path(graph, "borders -borders")] / one == pytest.approx(math.exp(-1))
    assert found[path(graph, "-borders borders")] / one == pytest.approx(math.exp(-2))


def test_chains_use_retrieved_triples_only_and_the_best_come_first(graph):
    facts = [
        fact(graph, "Jaws", "directed_by", "Spielberg"),
        fact(graph, "Lincoln", "directed_by", "Spielberg"),
        fact(graph, "Munich", "directed_by", "Spielberg"),
        fact(graph, "Munich", "in_genre", "Drama"),
    ]
    kept = np.sort(np.array(facts[:3]))
    retrieved = RetrievedTriples(kept, np.select([kept == facts[0], kept == facts[2]], [0.5, 0.9], 0.1))
    jaws = ids(graph, "Jaws")[0]
    back = facts[2] + graph.num_triples, facts[1] + graph.num_triples

    def chains(text):
        return find_chains(graph, jaws, path(graph, text), retrieved, simple=True)

    assert chains("directed_by -directed_by") == [(facts[0], back[0]), (facts[0], back[1])]
    assert chains("directed_by") == [(facts[0],)]
    assert chains("directed_by -directed_by in_genre") == []


def test_chains_of_several_relation_paths_are_those_of_each_alone(graph):
    (jaws,) = ids(graph, "Jaws")
    rng = np.random.default_rng(0)
    facts = np.arange(graph.num_triples)
    retrieved = RetrievedTriples(facts, rng.random(len(facts)))
    texts = ("directed_by", "directed_by -directed_by", "directed_by -directed_by in_genre", "in_genre")
    begun = {}
    for text in texts:
        asked = graph, jaws, path(graph, text), retrieved
        assert find_chains(*asked, simple=True, begun=begun) == find_chains(*asked, simple=True)
    # What two of them begin with was walked once.
    assert len(begun) == len(texts)
    assert len(find_chains(graph, jaws, path(graph, texts[2]), retrieved, simple=True)) > 1


def test_entity_scores_become_triple_scores(graph):
    subgraphs = build_subgraphs(graph, ids(graph, "Jaws"), FanOut(1))
    logits = np.zeros(3)
    logits[labels(graph, subgraphs.entities).index("Spielberg")] = math.log(3)
    found = compute_entity_scores(subgraphs, logits, np.zeros((1, 2)))
    by_relation = dict(zip(subgraphs.relations.tolist(), range(2), strict=True))
    directed, genre = (
        by_relation[graph.find_relation("directed_by")],
        by_relation[graph.find_relation("in_genre")],
    )
    # p(h) + p(t): 1/2 + 3/4, and 1/2 + 1/2.
    assert found.rank[directed] == pytest.approx(1.25)
    assert found.rank[genre] == pytest.approx(1.0)
    # A walk is as good as the entity it enters.
    assert found.forward[directed] == pytest.approx(math.log(3))
    assert found.backward[directed] == 0
    # Where walks have scores of their own, they say how good a walk is, and the ranks stay.
    ways = np.array([[1.0, 2.0], [3.0, 4.0]])
    walked = compute_entity_scores(subgraphs, logits, np.zeros((1, 2)), ways)
    assert (walked.rank.tolist(), walked.of_entities) == (found.rank.tolist(), False)
    assert np.array([walked.forward, walked.backward]).tolist() == ways.tolist()
    assert walked.compute_shares(np.array([directed])).tolist() == pytest.approx([0.625])


def test_parallel_triples_count_once_among_the_best(tmp_path):
    facts = [
        ("Ann", "directed", "Dawn"),
        ("Ann", "scored", "Noon"),
        ("Ann", "wrote", "Dawn"),
        ("Dawn", "by", "Ann"),
    ]
    graph = build(tmp_path / "graph", facts)
    subgraphs = build_subgraphs(graph, ids(graph, "Ann"), FanOut(1))
    position = {graph.get_relation_name(r): i for i, r in enumerate(subgraphs.relations.tolist())}
    scores = np.zeros(4)
    for name, score in {"directed": 0.9, "by": 0.8, "scored": 0.5, "wrote": 0.1}.items():
        scores[position[name]] = score
    within = slice(0, 4)
    units = compute_parallel_units(subgraphs, within)

    def best(count, units=None):
        names = {i: name for name, i in position.items()}
        return [names[i] for i in select_top(scores, within, count, units).tolist()]

    assert best(2) == ["directed", "by"]
    # (Ann, directed ⊕ wrote, Dawn) is one triple; (Dawn, by, Ann) has other ends.
    assert best(1, units) == ["directed", "wrote"]
    assert best(2, units) == ["directed", "wrote", "by"]
    assert best(9, units) == ["directed", "wrote", "by", "scored"]
