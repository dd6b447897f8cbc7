"""Runs whose language model fails: programs that are sure need none, and the whole engine answers instead."""

from __future__ import annotations

import pytest

from retrieval.answering.agent import open_answerer as open_agent
from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import open_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.events import AgentStep, AnswerFinal, ChainsBuilt, ProgramExecuted
from retrieval.language.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm import LLMReasoner
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says, silent
from tests.retrieval.world import LabelLinker

SURE = "How many countries are in Africa?"
BY_PATH = "Which countries are in Africa?"
WITHOUT = "The question was answered without the language model."


@pytest.fixture(scope="module", params=["paths", "agent"])
def opened(request, tmp_path_factory):
    snapshot = land.build(tmp_path_factory.mktemp("failing") / "graph")

    def with_reasoner(reasoner):
        method, opening = {"paths": ("rel-rag-path", open_answerer), "agent": ("graph-s3", open_agent)}[request.param]
        options = (("policy", "small"),) if request.param == "agent" else ()
        spec = AnswererSpec(snapshot.path, None, method=method, reasoner=reasoner.name, options=options)
        answerer = opening(Opening(spec, GraphParts(snapshot, WordEncoder()), reasoner))
        answerer.linker = LabelLinker(snapshot)
        return answerer

    return with_reasoner


def by_model(opened, url):
    return opened(LLMReasoner(LLMSettings(url, "tiny", silence_timeout=0.3, retries=0)))


def asked(answerer, question):
    return list(answerer.run(AskRequest(Question(question))))


def labels(events):
    return [answer.label for answer in events[-1].answers]


def test_a_sure_program_answers_without_asking_the_model(opened):
    with Endpoint(fails(400)) as endpoint:
        events = asked(by_model(opened, endpoint.url), SURE)
    assert isinstance(events[-1], AnswerFinal)
    assert (labels(events), events[-1].warnings, endpoint.bodies) == (["4"], (), [])


@pytest.mark.parametrize("behaviour", [fails(400), fails(500), silent, says("I would not know.")])
def test_the_whole_engine_answers_where_the_model_fails(opened, behaviour):
    expected = asked(opened(ExtractiveReasoner()), BY_PATH)
    with Endpoint(behaviour) as endpoint:
        events = asked(by_model(opened, endpoint.url), BY_PATH)
    assert labels(events) == labels(expected) != []
    assert events[-1].warnings[0].endswith(WITHOUT)
    assert len([event for event in events if isinstance(event, AnswerFinal)]) == 1


def test_a_program_that_is_not_sure_answers_where_the_model_fails(opened, monkeypatch):
    monkeypatch.setattr("retrieval.thresholds.PROGRAM_OVER_LANGUAGE_MODEL", 1.1)
    with Endpoint(fails(400)) as endpoint:
        events = asked(by_model(opened, endpoint.url), SURE)
    assert labels(events) == ["4"]
    assert len(endpoint.bodies) == 1
    assert events[-1].warnings[0].endswith(WITHOUT)
    kinds = [type(event) for event in events if not isinstance(event, AgentStep)]
    assert kinds.index(ProgramExecuted) > kinds.index(ChainsBuilt)
