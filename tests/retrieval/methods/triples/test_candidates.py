"""Candidate subgraphs hold the topics and both ends of their facts, and keep their budgets."""

import numpy as np
import pytest

from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.candidates.khop import KHop
from retrieval.methods.triples.settings import TripleConfig
from tests.retrieval.kg.worlds import FILMS, build, random_facts


@pytest.fixture
def graph(tmp_path):
    return build(random_facts(5, entities=30, facts=60), tmp_path / "g")


@pytest.mark.parametrize(
    "strategy",
    [KHop(2), KHop(3, max_triples=9), FanOut(3, per_relation=2)],
)
@pytest.mark.parametrize("topics", [[0], [3, 11], []])
def test_every_strategy_keeps_the_promises_of_a_candidate_subgraph(graph, strategy, topics):
    found = strategy(graph, np.array(topics, np.int64))
    assert found.topics.tolist() == topics
    assert set(topics) <= set(found.entities.tolist())
    ends = set(graph.heads[found.facts].tolist()) | set(graph.tails[found.facts].tolist())
    assert ends <= set(found.entities.tolist())
    assert found.entities.tolist() == sorted(set(found.entities.tolist()))
    assert found.facts.tolist() == sorted(set(found.facts.tolist()))
    again = strategy(graph, np.array(topics, np.int64))
    assert again.facts.tolist() == found.facts.tolist()


def test_two_hops_of_the_films(tmp_path):
    films = build(FILMS, tmp_path / "films")
    found = KHop(2)(films, np.array([films.find_entity("Jaws")]))
    assert films.entity_labels.get_many(found.entities) == [
        "1975",
        "English",
        "Hook",
        "Jaws",
        "Steven Spielberg",
    ]
    assert (len(found.facts), found.strategy, found.max_hops, found.truncated) == (5, "2-hop", 2, False)


def test_budgets_truncate(graph):
    assert KHop(3, max_triples=9)(graph, np.array([0])).truncated


def test_fan_out_takes_all_of_a_topic_and_a_few_of_each_relation_beyond(tmp_path):
    facts = [("hub", "has", f"part {i}") for i in range(6)]
    facts += [("part 0", "made", f"thing {i}") for i in range(5)] + [("part 0", "near", "part 1")]
    graph = build(facts, tmp_path / "graph")
    hub = np.array([graph.find_entity("hub")])

    def made(found):
        return sum(graph.relations[found.facts] == graph.find_relation("made"))

    found = FanOut(hops=2, per_relation=2)(graph, hub)
    assert [len(found.facts), made(found)] == [6 + 2 + 1, 2]
    assert found.truncated
    whole = FanOut(hops=2, per_relation=5)(graph, hub)
    assert [len(whole.facts), whole.truncated] == [12, False]
    assert len(whole.entities) == graph.num_entities
    one = FanOut(hops=1)(graph, hub)
    assert [len(one.facts), len(one.entities), one.truncated] == [6, 7, False]
    # The topic's own six fill the budget; nothing is opened after them.
    assert len(FanOut(hops=2, max_triples=6)(graph, hub).facts) == 6
    assert FanOut(hops=2)(graph, np.zeros(0, np.int64)).facts.tolist() == []


def test_without_limits_every_fact_within_reach_is_a_candidate(tmp_path):
    facts = [("hub", "has", f"part {i}") for i in range(6)]
    facts += [("part 0", "made", f"thing {i}") for i in range(50)] + [("thing 0", "near", "beyond")]
    graph = build(facts, tmp_path / "graph")
    hub = np.array([graph.find_entity("hub")])
    limited = FanOut.from_settings(TripleConfig(max_hops=2, fan_out=32, max_candidates=20))(graph, hub)
    assert (len(limited.facts), limited.truncated) == (6 + 32, True)
    whole = FanOut.from_settings(TripleConfig(max_hops=2, fan_out=0, max_candidates=0))(graph, hub)
    assert whole.facts.tolist() == KHop(2)(graph, hub).facts.tolist()
    assert (len(whole.facts), whole.truncated) == (6 + 50, False)
