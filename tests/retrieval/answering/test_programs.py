"""Runs that a program answers: the event, the facts that prove it, and programs of a person."""

import pytest

from retrieval.answering.agent import open_answerer as open_agent
from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import open_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    ProgramExecuted,
    QuestionLinked,
    RunFailed,
    from_payload,
    to_payload,
)
from retrieval.language.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import NoAnswerReason
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.world import LabelLinker


@pytest.fixture(scope="module")
def answerer(tmp_path_factory):
    snapshot = land.build(tmp_path_factory.mktemp("atlas") / "graph")
    opened = open_answerer(
        Opening(AnswererSpec(snapshot.path, None), GraphParts(snapshot, WordEncoder()), ExtractiveReasoner())
    )
    opened.linker = LabelLinker(snapshot)
    return opened


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    snapshot = land.build(tmp_path_factory.mktemp("walked") / "graph")
    spec = AnswererSpec(snapshot.path, None, method="graph-s3")
    opened = open_agent(Opening(spec, GraphParts(snapshot, WordEncoder()), ExtractiveReasoner()))
    opened.linker = LabelLinker(snapshot)
    return opened


def events(answerer, question, **more):
    return list(answerer.run(AskRequest(Question(question), **more)))


def one(found, kind):
    return next(event for event in found if isinstance(event, kind))


def test_a_ranking_tells_its_steps_and_what_it_compared(answerer):
    found = events(answerer, "Which country has the largest population?")
    told = one(found, ProgramExecuted)
    assert [step.count for step in told.steps] == [5, 1]
    assert [(value.node.label, value.value, value.answer) for value in told.ranked[:2]] == [
        ("Egypt", "110,000,000", True),
        ("France", "68,000,000", False),
    ]
    assert told.by == "reader"
    final = one(found, AnswerFinal)
    assert [(answer.label, answer.verified) for answer in final.answers] == [("Egypt", True)]
    hops = [hop for chain in one(found, ChainsBuilt).chains for hop in chain.hops]
    assert ("Egypt", "population", "110,000,000") in [(h.source.label, h.step.name, h.target.label) for h in hops]
    assert from_payload(to_payload(told)) == told


def test_a_count_is_one_answer_without_an_entity(answerer):
    final = one(events(answerer, "How many countries are in Africa?"), AnswerFinal)
    assert [(answer.label, answer.entity) for answer in final.answers] == [("4", None)]


def test_a_person_edits_a_program_and_runs_it_again(answerer):
    told = one(events(answerer, "Which country has the largest population?"), ProgramExecuted)
    edited = {**told.read.program, "largest": False}
    found = events(answerer, "Which country has the largest population?", program=edited)
    assert one(found, ProgramExecuted).by == "person"
    assert [answer.label for answer in one(found, AnswerFinal).answers] == ["Chad", "Togo"]


@pytest.mark.parametrize(
    "program",
    [
        {"op": "Guess"},
        {"op": "Entities", "ids": ["Atlantis"]},
        {"op": "Count", "source": {"op": "Count", "source": {"op": "Entities", "ids": ["Egypt"]}}},
    ],
)
def test_a_program_that_does_not_fit_the_graph_fails_with_what_to_do(answerer, program):
    failed = events(answerer, "How many?", program=program)[-1]
    assert isinstance(failed, RunFailed)
    assert failed.code == "bad_program"


def test_nothing_that_fits_is_said_with_the_steps(answerer):
    found = events(answerer, "Which countries have more than 900 million population?")
    assert one(found, AnswerFinal).no_answer is not None
    assert one(found, ProgramExecuted).steps[-1].count == 0


def test_what_the_program_names_is_what_is_linked(answerer):
    linked = one(events(answerer, "Is Cairo the capital of Egypt?"), QuestionLinked)
    assert [(item.entity.label, item.mention, item.start) for item in linked.entities] == [
        ("Cairo", "Cairo", 3),
        ("Egypt", "Egypt", 24),
    ]


def test_an_entity_that_somebody_picked_is_asked_about(answerer):
    chad = answerer.snapshot.find_entity("Chad")
    found = events(answerer, "What is the capital of Egypt?", given=(chad,))
    assert [item.entity.label for item in one(found, QuestionLinked).entities] == ["Chad"]
    assert not [event for event in found if isinstance(event, ProgramExecuted)]


def test_an_agents_last_step_is_a_program(agent):
    found = events(agent, "How many countries are in Africa?")
    kinds = [type(event) for event in found]
    assert kinds.index(AgentStep) < kinds.index(ProgramExecuted)
    assert [answer.label for answer in one(found, AnswerFinal).answers] == ["4"]


def test_an_agent_that_has_nowhere_to_begin_runs_the_program(agent):
    found = events(agent, "How many cities are there?")
    assert not [event for event in found if isinstance(event, AgentStep)]
    assert [answer.label for answer in one(found, AnswerFinal).answers] == ["2"]


def test_an_agent_runs_a_program_of_a_person(agent):
    data = {"op": "Count", "source": {"op": "Having", "relation": {"name": "capital", "inverse": False}}}
    found = events(agent, "How many?", program=data)
    assert (one(found, ProgramExecuted).by, one(found, AnswerFinal).answers[0].label) == ("person", "2")


def test_what_no_word_of_the_graph_comes_near_is_told(answerer):
    assert one(events(answerer, "Which country has the capital Cairo?"), AnswerFinal).answers
    final = one(events(answerer, "What is the anthem of Egypt?"), AnswerFinal)
    assert (final.answers, final.no_answer.reason) == ((), NoAnswerReason.NOT_IN_GRAPH)
    assert final.no_answer.message == "The graph does not seem to hold “anthem” of Egypt."
    assert final.no_answer.hint.startswith("It knows of Egypt: ")


def test_what_an_untrained_planner_misses_is_not_in_the_graph(answerer):
    final = one(events(answerer, "Which film stars Cairo?"), AnswerFinal)
    assert (final.answers, final.no_answer.reason) == ((), NoAnswerReason.NOT_IN_GRAPH)
