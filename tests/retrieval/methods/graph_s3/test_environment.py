"""The environment of agents on tiny graphs: what each action brings, what is refused and with what words."""

import numpy as np
import pytest

from retrieval.kg import search
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.policy import PathsPolicy
from retrieval.methods.graph_s3.agent.translation import read_agent_action, to_agent_action
from retrieval.supervision.trajectories import from_row, to_row
from retrieval.types import AgentAction, Node, RelationPath, RelationStep
from tests.retrieval.methods.graph_s3.gym import GraphEnvironment
from tests.retrieval.world import build, ids, labels, path

FILMS = [
    ("Normal", "written_by", "Jane Anderson"),
    ("Olive Kitteridge", "written_by", "Jane Anderson"),
    ("Olive Kitteridge", "written_by", "Elizabeth Strout"),
    ("If These Walls", "written_by", "Jane Anderson"),
    ("If These Walls", "written_by", "Anne Heche"),
    ("Normal", "release_year", "2003"),
    ("If These Walls", "directed_by", "Anne Heche"),
    ("Ellen", "directed_by", "Jane Anderson"),
]


@pytest.fixture
def films(tmp_path):
    return build(tmp_path / "films.graph", FILMS)


def world(graph, *, simple=True, **limits):
    return AgentWorld(Frontiers(graph, simple=simple), AgentLimits(**limits))


def walked(graph, question, topic, *actions, **limits):
    """The environment after some actions, and what the last one said."""
    environment = GraphEnvironment(world(graph, **limits), question, ids(graph, topic))
    said = ""
    for action in actions:
        *_, info = environment.step(action)
        said = info["observation"].text
    return environment, said


def choose(graph, text):
    return Choose(path(graph, text))


def test_an_exploration_shows_the_facts_around(films):
    environment, said = walked(films, "q", "Jane Anderson", Explore(0))
    assert said == "4 facts around Jane Anderson: inverse of written by (3), inverse of directed by (1)."
    window = environment.state.window
    assert window.relations.tolist() == list(path(films, "-directed_by -written_by"))
    assert window.facts.tolist() == [1, 3]
    assert environment.state.focus.tolist() == []


def test_a_choice_keeps_its_facts_and_prunes_the_others(films):
    environment, said = walked(films, "q", "Jane Anderson", Explore(0), choose(films, "-written_by"))
    state = environment.state
    assert said == "Kept 3 facts, left 1. They lead to If These Walls, Normal, Olive Kitteridge."
    assert state.window is None
    assert len(state.focus) == 3
    assert all(films.get_relation_name(films.relations[fact]) == "written_by" for fact in state.focus)


def test_sibling_questions_are_answered_because_walks_do_not_come_back(films):
    """The failure that the paper reports: "co-wrote movies with whom" ended with the writer asked about."""
    question = "The screenwriter Jane Anderson co-wrote movies with whom?"
    actions = [Explore(0), choose(films, "-written_by"), Explore(1)]
    environment, said = walked(films, question, "Jane Anderson", *actions)
    assert "written by (2)" in said, "the facts that lead back to her are not offered"
    environment.step(choose(films, "written_by"))
    state, _, ended, truncated, info = environment.step(Finish())
    assert (ended, truncated) == (True, False)
    assert labels(films, state.find_answers()) == ["Anne Heche", "Elizabeth Strout"]
    assert info["observation"].text == ("The focus holds 5 facts. They answer with Anne Heche, Elizabeth Strout.")


def test_a_path_is_offered_where_another_relation_leads_back(tmp_path):
    family = build(tmp_path / "family.graph", [("Ann", "child", "Bo"), ("Bo", "mother", "Ann"), ("Ann", "dog", "Rex")])

    def offered(step):
        state = walked(family, "q", "Ann", Explore(0), choose(family, step))[0].state
        return [type(option.action) for option in world(family).list_options(state)]

    assert offered("child") == [Explore, Explore, Finish], "the topic again, and the child, whose mother Ann is"
    assert offered("dog") == [Explore, Finish], "Rex has only the fact that led to him"


@pytest.mark.parametrize("simple", [True, False])
def test_counting_by_groups_agrees_with_walking(films, simple):
    frontiers = Frontiers(films, simple=simple)
    for topic in range(films.num_entities):
        for first in range(2 * films.num_relations):
            branch, arcs = frontiers.walk_relation(frontiers.start_branch(topic), first)
            around = frontiers.count_facts_around(branch)
            counted = dict(zip(around.relations.tolist(), around.facts.tolist(), strict=True))
            listed = frontiers.list_facts([branch], 1000)
            for relation in range(2 * films.num_relations):
                after, further = frontiers.walk_relation(branch, relation)
                assert counted.get(relation, 0) == len(further)
                steps = [(r % films.num_relations, r >= films.num_relations) for r in (first, relation)]
                reached = search.execute(films, [topic], steps, simple=simple)[-1]
                assert after.entities.tolist() == reached.tolist()
                assert np.isin(further, listed).all()
            assert len(listed) == around.total
            assert len(arcs) == len(branch.entities), "no two facts of this graph lead to one film"


def test_a_hub_is_paged_and_says_so(tmp_path):
    facts = [(f"Film {i:05}", "in_genre", "Drama") for i in range(50_000)] + [("Drama", "kind_of", "Fiction")]
    graph = build(tmp_path / "hub.graph", facts)
    environment, said = walked(graph, "q", "Drama", Explore(0))
    assert said == (
        "50,001 facts around Drama: inverse of in genre (50,000), kind of (1). Page 1 of 51: 1,000 facts are listed, "
        "all are counted; explore the same again for the next page."
    )
    *_, info = environment.step(Explore(0))
    assert "Page 2 of 51" in info["observation"].text
    assert len(environment.world.list_facts(environment.state.window)) == 2000
    listed = Frontiers(graph).list_facts([environment.world.frontiers.start_branch(ids(graph, "Drama")[0])], 3)
    names = [(hop.source.label, hop.target.label) for hop in map(graph.get_hop, listed.tolist())]
    assert names == [("Drama", "Fiction"), ("Drama", "Film 00000"), ("Drama", "Film 00001")]
    environment.step(choose(graph, "-in_genre"))
    assert len(environment.state.focus) == 50_000, "a chosen relation is kept whole, listed or not"


def test_what_is_not_possible_changes_nothing_and_says_what_is(films):
    hint = "Possible: explore Jane Anderson."
    cases = [
        (Choose((0,)), f"Nothing is explored to choose from. {hint}"),
        (Finish(), f"Nothing is kept to answer from. {hint}"),
        (Explore(3), f"There is no front 3. {hint}"),
        (Explore(0, tuple(ids(films, "2003"))), f"2003 was not reached by a choice. {hint}"),
        (Unreadable("That is prose."), f"That is prose. {hint}"),
    ]
    environment = GraphEnvironment(world(films), "q", ids(films, "Jane Anderson"))
    before = environment.state
    for number, (action, said) in enumerate(cases, start=1):
        state, _, ended, _, info = environment.step(action)
        assert (info["observation"].text, info["observation"].valid) == (said, False)
        assert (ended, state.steps, state.window, state.frontiers) == (False, number, None, before.frontiers)


def test_refusals_after_an_exploration(films):
    environment, said = walked(films, "q", "Jane Anderson", Explore(0), Explore(0))
    assert said.startswith(
        "All facts around them are in the window already. Possible: choose among inverse of written by"
    )
    *_, info = environment.step(choose(films, "release_year"))
    assert info["observation"].text.startswith("The window has no fact of release year.")
    arc = films.find_fact(*ids(films, "Normal"), *path(films, "release_year"), *ids(films, "2003"))
    *_, info = environment.step(Choose(arcs=(arc,)))
    assert info["observation"].text.startswith("The window does not list one of these facts.")
    environment.step(choose(films, "-written_by"))
    environment.step(Finish())
    *_, info = environment.step(Explore(0))
    assert info["observation"].text == "The search has ended."


def test_steps_and_facts_are_limited(films):
    environment = GraphEnvironment(world(films, steps=2), "q", ids(films, "Jane Anderson"))
    assert [environment.step(Explore(0))[3] for _ in range(2)] == [False, True], "a policy that loops is stopped"
    _, said = walked(films, "q", "Jane Anderson", Explore(0), facts=3)
    assert said.startswith("There are 4 facts around them, more than may be looked at.")


def test_single_facts_can_be_chosen(films):
    topic, film = ids(films, "Jane Anderson", "Normal")
    fact = films.find_fact(film, *path(films, "written_by"), topic)
    actions = [Explore(0), Choose(arcs=(fact + films.num_triples,)), Explore(1)]
    environment, said = walked(films, "q", "Jane Anderson", *actions)
    assert said == "1 facts around Normal: release year (1)."
    environment.step(choose(films, "release_year"))
    environment.step(Finish())
    assert labels(films, environment.state.find_answers()) == ["2003"]
    assert not environment.state.find_leaves()[0].whole


def test_two_topics_meet(films):
    names = ["Jane Anderson", "Anne Heche"]
    environment = GraphEnvironment(world(films), "q", ids(films, *names))
    for name in names:
        environment.step(Explore(0, tuple(ids(films, name))))
        environment.step(choose(films, "-written_by"))
    assert labels(films, environment.state.find_answers()) == ["If These Walls"]
    options = environment.world.list_options(environment.state)
    topics = [option.action.entities for option in options if isinstance(option.action, Explore)]
    assert topics[-2:] == [(entity,) for entity in ids(films, *names)]


def test_going_back_begins_another_branch(films):
    wrong = [Explore(0), choose(films, "-directed_by"), Explore(0), choose(films, "-written_by")]
    state = walked(films, "q", "Jane Anderson", *wrong)[0].state
    assert labels(films, state.find_answers()) == ["If These Walls", "Normal", "Olive Kitteridge"]
    assert len(state.focus) == 4, "what was kept by mistake stays kept"


def test_the_same_actions_give_the_same_state(films):
    actions = [Explore(0), choose(films, "-written_by"), Explore(1), choose(films, "release_year"), Finish()]
    first, second = (walked(films, "q", "Jane Anderson", *actions)[0].state for _ in range(2))
    assert [done.said for done in first.history] == [done.said for done in second.history]
    assert first.focus.tolist() == second.focus.tolist()


def test_reset_begins_again(films):
    environment, _ = walked(films, "q", "Jane Anderson", Explore(0))
    state, info = environment.reset()
    assert (state.steps, [option.action for option in info["options"]]) == (0, [Explore(0)])


def test_the_judge_gives_the_reward(films):
    def judge(state, action, valid):
        return 1.0 if valid else -1.0

    environment = GraphEnvironment(world(films), "q", ids(films, "Normal"), judge=judge)
    assert [environment.step(action)[1] for action in (Finish(), Explore(0))] == [-1.0, 1.0]


def test_actions_travel_by_labels(films):
    environment, _ = walked(films, "q", "Jane Anderson", Explore(0), choose(films, "-written_by"), Explore(1))
    state, graph = environment.state, environment.world
    fact = films.find_fact(*ids(films, "Normal"), *path(films, "release_year"), *ids(films, "2003"))
    for action, row in [
        (Explore(1), {"kind": "explore", "front": 1}),
        (Explore(0, tuple(ids(films, "Jane Anderson"))), {"kind": "explore", "entities": ["Jane Anderson"]}),
        (Explore(1, tuple(ids(films, "Normal"))), {"kind": "explore", "entities": ["Normal"]}),
        (choose(films, "-written_by"), {"kind": "choose", "relations": [["written_by", True]]}),
        (Choose(arcs=(fact,)), {"kind": "choose", "triples": [["Normal", "release_year", False, "2003"]]}),
        (Finish(), {"kind": "finish"}),
    ]:
        people = to_agent_action(graph, state, action, facts=3, score=0.5)
        assert to_row(people) == row
        assert read_agent_action(graph, state, people) == action
        assert read_agent_action(graph, state, from_row(row)) == action


def test_what_cannot_be_understood_says_why(films):
    state = world(films).make_initial_state(Question("q"), ids(films, "Normal"))
    unknown = RelationStep("married_to", "married to")
    for action, reason in [
        (AgentAction("explore", (Node(0, "Nobody"),)), "The graph has no entity 'Nobody'."),
        (AgentAction("explore"), "No entity is named."),
        (AgentAction("choose"), "A choice names relations or facts."),
        (AgentAction("choose", relations=(unknown,)), "The graph has no relation 'married_to'."),
    ]:
        assert read_agent_action(world(films), state, action) == Unreadable(reason)
    with pytest.raises(ValueError, match="kind 'wait'"):
        from_row({"kind": "wait"})


def test_known_paths_are_a_policy(films):
    graph = world(films)
    topic = ids(films, "Jane Anderson")[0]
    known = [("-written_by release_year", 0.6), ("-written_by", 0.3), ("-directed_by", 0.1)]
    policy = PathsPolicy(graph, [RelationPath(topic, path(films, text), p) for text, p in known])
    state = graph.make_initial_state(Question("when were Jane Anderson's films released"), [topic])
    taken = []
    while not state.ended:
        best = policy.propose(state)[0]
        taken.append((best.action, round(best.probability, 3)))
        state, _ = graph.apply_action(state, best.action)
    assert taken == [
        (Explore(0), 1.0),
        (choose(films, "-written_by"), 0.9),
        (Explore(1), 0.667),
        (choose(films, "release_year"), 1.0),
        (Finish(), 1.0),
    ]
    assert labels(films, state.find_answers()) == ["2003"]


def test_known_paths_end_the_search_where_somebody_led_away_from_them(films):
    graph = world(films)
    topic = ids(films, "Jane Anderson")[0]
    policy = PathsPolicy(graph, [RelationPath(topic, path(films, "-written_by"), 1.0)])
    environment, _ = walked(films, "q", "Jane Anderson", Explore(0), choose(films, "-directed_by"))
    assert policy.propose(environment.state)[0].action == Finish()
