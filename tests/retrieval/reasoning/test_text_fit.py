"""The words' opinion on relation paths, with an encoder that counts words and exact values by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.answering.run import AskRequest
from retrieval.events import AnswerFinal
from retrieval.language.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.text_fit import FitWeights, TextFit
from retrieval.results import NoAnswerReason
from retrieval.types import RelationPath
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build, ids, path

WORDS = ("borders", "official", "language", "population", "directed", "by", "genre", "inverse", "X", "Y")


class WordCounts:
    """Unit vectors of word counts over ``WORDS``; other words do not count."""

    name = "word-counts"
    dim = len(WORDS)

    def encode(self, texts, **_):
        counts = np.array([[text.split().count(word) for word in WORDS] for text in texts], np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def rescore(graph, question, topic, paths, **settings):
    entity = ids(graph, topic)[0]
    found = [RelationPath(entity, path(graph, text), score) for text, score in paths]
    return TextFit(graph, WordCounts(), **settings).score_paths(Question(question), found, [entity], [topic])


def test_words_outweigh_a_small_lead_and_the_sum_is_kept(graph):
    paths = [("borders", 0.5), ("population", 0.4)]
    ranked, _ = rescore(graph, "what population has Austria ?", "Austria", paths, prior=2.0)
    # The question is "what population has X ?": cosine 1/sqrt(2) with population, 0 with borders.
    lead = 0.4 * math.exp(2 / math.sqrt(2))
    assert [p.score for p in ranked] == pytest.approx([0.9 * 0.5 / (0.5 + lead), 0.9 * lead / (0.5 + lead)])


def test_without_prior_the_retriever_decides(graph):
    ranked, _ = rescore(
        graph, "what population has Austria ?", "Austria", [("borders", 0.5), ("population", 0.4)], prior=0
    )
    assert [p.score for p in ranked] == pytest.approx([0.5, 0.4])


def test_the_fit_weighs_likeness_what_is_missing_and_share(graph):
    weights = FitWeights(likeness=1.0, missing=-1.0, share=2.0, bias=-0.5)
    _, fits = rescore(
        graph,
        "who directed by Austria ?",
        "Austria",
        [("borders", 0.6), ("population", 0.2)],
        prior=0,
        weights=weights,
    )
    # "directed by" of the graph has cosine 2/sqrt(6) with "directed by X"; "borders" has none.
    expected = 1 / (1 + math.exp(-(0.0 - 2 / math.sqrt(6) + 2 * 0.75 - 0.5)))
    assert list(fits.values()) == [pytest.approx(expected, rel=1e-5)]


def test_an_inverse_step_is_about_the_same_relation(graph):
    weights = FitWeights(likeness=0.0, missing=-1.0, share=0.0, bias=0.0)
    _, fits = rescore(graph, "directed by Spielberg", "Spielberg", [("-directed_by", 0.9)], weights=weights)
    assert list(fits.values()) == [0.5]


def test_a_relation_that_a_topic_lacks_is_said_not_to_be_in_the_graph(graph):
    answerer = PathAnswerer(
        graph,
        ScriptedRetriever(graph, {"Austria": [("borders", 0.9)]}),
        LabelLinker(graph),
        ExtractiveReasoner(),
        text_fit=TextFit(graph, WordCounts()),
    )
    *_, refused = answerer.run(AskRequest(Question("what was directed by Austria")))
    assert isinstance(refused, AnswerFinal)
    assert refused.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH
    *_, answered = answerer.run(AskRequest(Question("what borders Austria")))
    assert [a.label for a in answered.answers] == ["Italy"]


def test_a_topic_without_paths_has_no_fit(graph):
    switzerland, austria = ids(graph, "Switzerland", "Austria")
    found = [RelationPath(austria, path(graph, "borders"), 0.9)]
    ranked, fits = TextFit(graph, WordCounts()).score_paths(
        Question("borders"), found, [switzerland, austria], ["", ""]
    )
    assert [p.topic for p in ranked] == [austria]
    assert list(fits) == [austria]
