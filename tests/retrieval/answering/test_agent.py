"""Graph-S3's engine on tiny graphs: what it streams, how it is paused, taken back and corrected, how it fails."""

from dataclasses import replace

import pytest

from retrieval.answering.agent import AgentAnswerer
from retrieval.answering.run import AskRequest, Steering
from retrieval.errors import LLMError
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    PathRetrieved,
    QuestionLinked,
    RunPaused,
    RunStarted,
)
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Explore
from retrieval.methods.graph_s3.agent.deciders import Deciders
from retrieval.methods.graph_s3.agent.environment import AgentLimits
from retrieval.methods.graph_s3.agent.policy import PathsPolicy, ScoredAction
from retrieval.methods.graph_s3.spec import GraphS3Options
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import NoAnswerReason
from retrieval.supervision.trajectories import to_row
from retrieval.types import AgentAction, Hop, Node, RelationStep, Usage
from tests.retrieval.methods.graph_s3.test_environment import FILMS
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build, ids

SIBLINGS = "The screenwriter Jane Anderson co-wrote movies with whom?"
WAY = "-written_by written_by"


@pytest.fixture
def films(tmp_path):
    return build(tmp_path / "films.graph", FILMS)


def answerer(graph, script, policy=None, **limits):
    deciders = Deciders(graph, None, ScriptedRetriever(graph, script), None, simple=True, limits=AgentLimits(**limits))
    if policy is not None:
        deciders.get_policy = lambda state: policy(deciders.world)
    return AgentAnswerer(graph, deciders, LabelLinker(graph), ExtractiveReasoner())


def siblings(graph, **limits):
    return answerer(graph, {"Jane Anderson": [(WAY, 0.9), ("-written_by", 0.1)]}, **limits)


def ask(of, question=SIBLINGS, **steering):
    return list(of.run(AskRequest(Question(question), steering=Steering(**steering) if steering else None)))


def steps(events):
    return [event for event in events if isinstance(event, AgentStep)]


def answers(events):
    return [answer.label for answer in events[-1].answers]


def explore(front):
    return AgentAction("explore", front=front)


def choose(*relations):
    found = tuple(RelationStep(r.lstrip("-"), r, r.startswith("-")) for r in relations)
    return AgentAction("choose", relations=found)


def test_the_stream_of_a_run(films):
    events = ask(siblings(films))
    kinds = [type(event) for event in events if not isinstance(event, AgentStep)]
    assert kinds == [RunStarted, QuestionLinked, ChainsBuilt, AnswerFinal]
    assert answers(events) == ["Anne Heche", "Elizabeth Strout"]
    shown = steps(events)
    assert [(s.step, s.action, s.window, s.focus) for s in shown] == [
        (1, "explore Jane Anderson", 4, 0),
        (2, "choose inverse of written by", 3, 3),
        (3, "explore If These Walls, Normal, Olive Kitteridge", 4, 3),
        (4, "choose written by", 2, 5),
        (5, "finish", 0, 5),
    ]
    assert all(s.valid and s.by == "policy" for s in shown)
    assert [s.sufficient for s in shown] == [False, False, False, False, True]
    assert sorted(hop.target.label for hop in shown[1].hops) == [
        "If These Walls",
        "Normal",
        "Olive Kitteridge",
    ]
    assert [hop.target.label for hop in shown[1].dropped] == ["Ellen"]
    assert len(shown[0].seen) == 4
    assert events[-1].usage.triples == 5
    assert events[-1].answers[0].score == pytest.approx(0.9)
    assert events[-1].answers[0].verified


def test_alternatives_are_told_with_their_probabilities(films):
    first, second, third, *_ = steps(ask(siblings(films)))
    assert [(to_row(a)["kind"], a.score, a.facts) for a in second.alternatives] == [
        ("choose", 1.0, 3),
        ("choose", 0.0, 1),
    ]
    assert second.chosen == second.alternatives[0]
    assert [(a.kind, a.front, a.score) for a in third.alternatives] == [
        ("explore", 1, 0.9),
        ("finish", None, 0.1),
        ("explore", 0, 0.0),
    ]
    assert (first.chosen.kind, first.chosen.count, first.chosen.entities[0].label) == (
        "explore",
        1,
        "Jane Anderson",
    )


@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_pause_and_going_on_give_the_same_run(films, after):
    whole = ask(siblings(films))
    paused = ask(siblings(films), pause_after=after)
    assert isinstance(paused[-1], RunPaused)
    assert (paused[-1].step, len(steps(paused))) == (after, after)
    done = tuple(step.chosen for step in steps(paused))
    rest = ask(siblings(films), actions=done, shown=after, begun=True)
    assert not any(isinstance(event, (RunStarted, QuestionLinked)) for event in rest)

    def told(events):
        return [replace(step, took_ms=0) for step in steps(events)]

    assert told(paused) + told(rest) == told(whole)
    assert answers(rest) == answers(whole)


def test_a_run_goes_on_from_what_it_was_linked_to(films):
    first = ask(siblings(films), pause_after=1)
    (linked,) = next(event for event in first if isinstance(event, QuestionLinked)).entities
    agent = siblings(films)
    agent.linker = None  # it is not asked again
    rest = ask(agent, actions=(steps(first)[0].chosen,), shown=1, begun=True, linked=(linked,))
    assert answers(rest) == ["Anne Heche", "Elizabeth Strout"]


def test_a_run_pauses_when_somebody_asks_for_it(films):
    pressed = iter([False, False, True])
    events = list(siblings(films).run(AskRequest(Question(SIBLINGS)), pausing=lambda: next(pressed)))
    assert (events[-1].type, events[-1].step) == ("run.paused", 2)
    assert [a.kind for a in events[-1].alternatives] == ["explore", "finish", "explore"]


def test_a_person_chooses_another_action_and_the_policy_goes_on(films):
    done = (explore(0), choose("-directed_by"))
    events = ask(siblings(films), actions=done, shown=1, begun=True, by_person=frozenset({2}))
    first, *others = steps(events)
    assert (first.step, first.by, first.thought) == (2, "person", "Chosen by a person.")
    assert first.chosen.score == 0.0, "what the policy thought of it is told"
    assert others[-1].sufficient


def test_a_person_can_end_the_search(films):
    done = (explore(0), choose("-written_by"), AgentAction("finish"))
    events = ask(siblings(films), actions=done, shown=2, begun=True, by_person=frozenset({3}))
    assert answers(events) == ["If These Walls", "Normal", "Olive Kitteridge"]
    assert [step.step for step in steps(events)] == [3]


def test_single_facts_that_a_person_chose_answer_alone(films):
    kept = Hop(Node(-1, "Jane Anderson"), RelationStep("written_by", "", True), Node(-1, "Normal"), False)
    done = (explore(0), AgentAction("choose", triples=(kept,)), AgentAction("finish"))
    assert answers(ask(siblings(films), actions=done)) == ["Normal"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (choose("release_year"), "The window has no fact of release year."),
        (choose("married_to"), "The graph has no relation 'married_to'."),
        (AgentAction("explore", (Node(0, "Nobody"),)), "The graph has no entity 'Nobody'."),
        (AgentAction("finish"), "Nothing is kept to answer from."),
    ],
)
def test_a_wrong_action_of_a_person_changes_nothing_and_pauses(films, wrong, said):
    done = (explore(0), wrong)
    events = ask(siblings(films), actions=done, shown=1, begun=True, by_person=frozenset({2}))
    step, paused = events
    assert (step.valid, step.focus, step.by) == (False, 0, "person")
    assert step.observation.startswith(said)
    assert isinstance(paused, RunPaused)
    assert paused.message.startswith(f"That is not possible: {said}")
    assert [a.kind for a in paused.alternatives] == ["choose", "choose"]


def test_nothing_can_be_done_after_the_end(films):
    done = (explore(0), choose("-written_by"), AgentAction("finish"), explore(0))
    events = ask(siblings(films), actions=done, shown=3, begun=True, by_person=frozenset({4}))
    assert [(event.type, event.step) for event in events] == [("agent.step", 4), ("run.paused", 4)]
    assert (events[0].valid, events[0].observation) == (False, "The search has ended.")
    assert events[1].alternatives == ()


def test_a_person_may_go_on_where_the_steps_are_used_up(films):
    done = (explore(0), choose("-written_by"), AgentAction("finish"))
    events = ask(siblings(films, steps=2), actions=done, shown=2, begun=True, by_person=frozenset({3}))
    assert answers(events) == ["If These Walls", "Normal", "Olive Kitteridge"]


class Looping:
    """Explores the topic for ever."""

    name, usage, prompts = "looping", Usage(), ()

    def __init__(self, world):
        del world

    def propose(self, state, *, cancelled=lambda: False):
        return (ScoredAction(Explore(0)),)


def test_a_policy_that_loops_is_cut_off(films):
    events = ask(answerer(films, {}, Looping, steps=7))
    assert len(steps(events)) == 7
    assert events[-1].no_answer.reason is NoAnswerReason.NO_PATH
    assert events[-1].warnings == ("The search was cut off after 7 steps.",)


class Failing(PathsPolicy):
    """A language model that cannot be asked."""

    usage, prompts = Usage(llm_calls=1), ("graph-s3",)

    def __init__(self, world):
        super().__init__(world, ())

    def propose(self, state, *, cancelled=lambda: False):
        raise LLMError("The language model does not answer.", hint="Try again.")


def test_another_policy_takes_over_when_a_language_model_fails(films):
    events = ask(answerer(films, {"Jane Anderson": [(WAY, 1.0)]}, Failing))
    assert answers(events) == ["Anne Heche", "Elizabeth Strout"]
    note = "The language model does not answer. Try again. The search went on without it."
    assert events[-1].warnings == (note,)
    assert events[-1].usage.llm_calls == 1


def test_two_topics_are_explored_one_after_the_other(films):
    script = {"Jane Anderson": [("-written_by", 1.0)], "Anne Heche": [("-written_by", 1.0)]}
    events = ask(answerer(films, script), "What did Jane Anderson and Anne Heche write?")
    assert answers(events) == ["If These Walls"]
    assert [step.action for step in steps(events)][::2] == [
        "explore Jane Anderson",
        "explore Anne Heche",
        "finish",
    ]


def test_nothing_is_found_where_nothing_is(films):
    events = ask(siblings(films), "Who is Nobody?")
    assert events[-1].no_answer.reason is NoAnswerReason.ENTITY_NOT_LINKED
    assert steps(events) == []


def test_a_run_can_be_stopped(films):
    asked = iter([False, False, False, True])
    events = list(siblings(films).run(AskRequest(Question(SIBLINGS)), cancelled=lambda: next(asked, True)))
    assert events[-1].type == "run.cancelled"


def test_on_some_facts_nothing_else_is_seen(films):
    writers = [f for f in range(films.num_triples) if films.get_relation_name(films.relations[f]) == "written_by"]
    without = [f for f in writers if films.get_entity_label(films.tails[f]) != "Anne Heche"]
    events = ask(siblings(films).apply_restriction(RestrictedSnapshot(films, without)))
    assert answers(events) == ["Elizabeth Strout"]
    assert ids(films, "Anne Heche")[0] not in {n.id for step in steps(events) for n in step.current}


def test_without_interaction_all_facts_within_so_many_hops_are_read(films):
    """Table 2's w/o interactive: nothing is chosen, and what the words of relations lead to is answered."""
    one = answerer(films, {"Jane Anderson": [(WAY, 0.9)]})
    one._options = GraphS3Options(interactive=False, hops=1)
    events = ask(one)
    assert not steps(events)
    brought = [event.hops[0] for event in events if isinstance(event, PathRetrieved)]
    topic = "Jane Anderson"
    assert {topic in (hop.source.label, hop.target.label) for hop in brought} == {True}
    assert events[-1].usage.triples == len(brought) == films.get_degree(ids(films, topic)[0])
    assert answers(events) == []  # the co-writers are two hops away: here the walk only leads back
    two = answerer(films, {"Jane Anderson": [(WAY, 0.9)]})
    two._options = GraphS3Options(interactive=False, hops=2)
    assert answers(ask(two)) == ["Anne Heche", "Elizabeth Strout"]
    few = answerer(films, {"Jane Anderson": [(WAY, 0.9)]})
    few._options = GraphS3Options(interactive=False, hops=2, facts_read=2)
    assert ask(few)[-1].usage.triples <= 2
