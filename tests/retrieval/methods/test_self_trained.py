"""A checkpoint that a graph taught itself: it ranks relation paths beside the zero-shot retriever, not in its place."""

from dataclasses import replace

import pytest

from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import PathAnswerer, open_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import AnswerFinal, ProgramExecuted
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.methods import registry
from retrieval.methods.paths.model import PathModel
from retrieval.methods.retriever_loading import WRITTEN
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.methods.zero_shot.self_trained import SelfTaughtRetriever
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.training import checkpoint as checkpoints
from retrieval.types import RelationPath
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.world import LabelLinker

METHOD = "rel-rag-path"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return land.build(tmp_path_factory.mktemp("atlas") / "graph")


@pytest.fixture(scope="module")
def parts(graph):
    return GraphParts(graph, WordEncoder())


@pytest.fixture(scope="module")
def answerer(graph, parts, tmp_path_factory):
    config = registry.parse(METHOD, {"hidden": 8, "entity_texts": "no"})
    out = tmp_path_factory.mktemp("taught") / "checkpoint"
    described = checkpoints.describe(
        PathModel(config, WordEncoder().dim).state_dict(),
        config,
        method=METHOD,
        snapshot=graph.hash,
        encoder=WordEncoder().name,
        text_features=WordEncoder().dim,
        entity_texts=False,
        simple=False,
        labels={WRITTEN: 3},
    )
    checkpoints.save(out, described)
    opened = open_answerer(Opening(AnswererSpec(graph.path, out, METHOD), parts, ExtractiveReasoner()))
    opened.linker = LabelLinker(graph)
    return opened


def events(answerer, question):
    return list(answerer.run(AskRequest(Question(question))))


def test_the_planner_counts_as_much_as_the_words_leave_open(answerer, monkeypatch):
    retriever = answerer.retriever
    assert isinstance(retriever, SelfTaughtRetriever)
    by_words = [RelationPath(0, (1,), 0.6, support=0.9), RelationPath(0, (2,), 0.2, support=0.9)]
    learned = [RelationPath(0, (2,), 0.8), RelationPath(0, (3, 1), 0.1)]
    monkeypatch.setattr(retriever.untrained, "rank", lambda *_: [by_words])
    monkeypatch.setattr(retriever.taught, "rank", lambda *_: [learned])
    assert retriever.rank([0], ["?"], lambda: False) == [
        [
            RelationPath(0, (2,), pytest.approx(0.44), support=0.9),
            RelationPath(0, (1,), pytest.approx(0.36), support=0.9),
            RelationPath(0, (3, 1), pytest.approx(0.04), support=0.9),
        ]
    ]


def test_what_the_words_do_not_reach_only_the_planner_ranks(answerer, monkeypatch):
    retriever, learned = answerer.retriever, [RelationPath(0, (2,), 0.8)]
    monkeypatch.setattr(retriever.untrained, "rank", lambda *_: [[]])
    monkeypatch.setattr(retriever.taught, "rank", lambda *_: [learned])
    assert retriever.rank([0], ["?"], lambda: False) == [[replace(learned[0], score=0.8, support=0.0)]]


def test_programs_are_read_as_on_a_graph_that_nobody_trained_on(answerer):
    assert isinstance(answerer, PathAnswerer)
    found = events(answerer, "How many countries are in Africa?")
    assert [answer.label for answer in found[-1].answers] == ["4"]
    assert any(isinstance(event, ProgramExecuted) for event in found)
    final = events(answerer, "What is the capital of Egypt?")[-1]
    assert isinstance(final, AnswerFinal)
    assert ([answer.label for answer in final.answers], final.warnings) == (["Cairo"], ())


def test_some_facts_of_the_graph_are_asked_by_both(answerer, graph):
    assert isinstance(answerer.retriever.untrained, ZeroShotRetriever)
    few = answerer.retriever.apply_restriction(RestrictedSnapshot(graph, [0]))
    assert (few.snapshot, few.untrained.snapshot, few.taught.snapshot) == (few.snapshot,) * 3
