"""Looking ahead: what a policy does next by where its searches end."""

import numpy as np
import pytest
import torch

from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent import rollouts, small_policy
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.rollouts import find_likely_searches, select_likeliest
from retrieval.methods.graph_s3.agent.small_policy import SmallPolicy, make_model
from tests.retrieval.films import WordEncoder
from tests.retrieval.methods.graph_s3.test_environment import FILMS
from tests.retrieval.world import build, ids, labels, path

QUESTION = "which films did she write"


def relation(graph, name):
    return path(graph, name)[0]


@pytest.fixture
def policy(tmp_path, monkeypatch):
    """From Jane Anderson's films it rather goes on to their years than to their writers, where it would rather end."""
    world = AgentWorld(Frontiers(build(tmp_path / "films.graph", FILMS)), AgentLimits(steps=5))
    years, writers = (relation(world.snapshot, name) for name in ("release_year", "written_by"))
    back = relation(world.snapshot, "-written_by")

    def weight(action, lineage):
        if isinstance(action, Choose):
            return {(years,): 0.6, (writers,): 0.4, (back,): 1.0}.get(action.relations, 0.0)
        if isinstance(action, Finish):
            return {(back, years): 0.02, (back, writers): 1.0, (-1, back): 1.0}.get(lineage, 0.001)
        return 1.0 if action == Explore(len(lineage)) and len(lineage) < 2 else 0.01

    def shares(model, asked, relations, decisions):
        weights = (np.array([weight(a, d.lineage) for a in d.actions]) + 1e-9 for _, d in decisions)
        return [np.log(each / each.sum()) for each in weights]

    monkeypatch.setattr(rollouts, "log_shares", shares)
    monkeypatch.setattr(small_policy, "log_shares", shares)
    encoder = WordEncoder()
    return SmallPolicy(make_model(encoder.dim, 8, 0.0, words=False).eval(), world, encoder)


def begun(policy):
    return policy.world.make_initial_state(Question(QUESTION), ids(policy.world.snapshot, "Jane Anderson"))


def go(policy, state, *actions):
    for action in actions:
        state, seen = policy.world.apply_action(state, action)
        assert seen.valid
    return state


def test_the_next_step_is_that_of_the_search_that_ends_best(policy):
    graph = policy.world.snapshot
    back, years, writers = (relation(graph, n) for n in ("-written_by", "release_year", "written_by"))
    state = go(policy, begun(policy), Explore(0), Choose((back,)), Explore(1))
    policy.width = 0
    assert policy.propose(state)[0].action == Choose((years,)), "the most probable step"
    policy.width = 4
    first, second = policy.propose(state)[:2]
    assert (first.action, second.action) == (Choose((writers,)), Choose((years,)))
    best, other = 0.4 * 1.0 / (1.0 + 3 * 0.01), 0.6 * 0.02 / (0.02 + 3 * 0.01)
    assert first.probability == pytest.approx(best / (best + other), rel=1e-6)
    assert first.probability > second.probability > 0


def test_a_search_ends_where_it_looked_ahead_to(policy):
    state = begun(policy)
    while not state.ended:
        state = go(policy, state, policy.propose(state)[0].action)
    assert set(labels(policy.world.snapshot, state.find_answers())) == {"Anne Heche", "Elizabeth Strout"}


def test_what_is_proposed_depends_on_the_state_alone(policy):
    """Also where somebody went where no search would, and by a policy that was not there before."""
    back = relation(policy.world.snapshot, "-written_by")
    astray = go(policy, begun(policy), Explore(0), Choose((back,)), Explore(0))
    proposed = policy.propose(astray)
    fresh = SmallPolicy(policy.model, policy.world, policy.encoder)
    assert fresh.propose(astray) == proposed
    assert proposed[0].action == Choose((back,))
    assert {each.action for each in proposed} == {o.action for o in policy.world.list_options(astray)}


def test_searches_of_many_questions_are_those_of_each(policy):
    world, state = policy.world, begun(policy)
    other = world.make_initial_state(Question(QUESTION), ids(world.snapshot, "Anne Heche"))
    asked = policy.model.read(_texts(2))
    given = (world, policy.model, asked, policy.relations)
    both = find_likely_searches(*given, [(0, state), (1, other)], width=3)
    alone = [find_likely_searches(*given, [(i, each)], width=3)[0] for i, each in enumerate((state, other))]
    told = [[(round(log, 9), [done.action for done in end.history]) for log, end in each] for each in both]
    assert told == [[(round(log, 9), [d.action for d in end.history]) for log, end in each] for each in alone]
    assert [log for log, _ in both[0]] == sorted((log for log, _ in both[0]), reverse=True)
    assert select_likeliest([]) is None


def _texts(count):
    from retrieval.nn.query import Texts

    return Texts(torch.zeros(count, 24))
