"""The router on a tiny graph with passages: what is read, what goes to the graph, who decides, how it ends."""

from __future__ import annotations

import math

import pytest

from retrieval.answering.loading import load_answerer
from retrieval.answering.parts import GraphParts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from retrieval.evaluation.breakdowns import compute_breakdowns
from retrieval.evaluation.evaluator import ask as evaluated
from retrieval.evaluation.outcomes import from_row, to_row
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    PassagesRetrieved,
    PathRetrieved,
    QuestionLinked,
    RouterDecided,
    RunCancelled,
    RunStarted,
    SimilarityExpanded,
)
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.complexity import QuestionComplexity, measure_wording
from retrieval.language.question import Question
from retrieval.linking import indexing
from retrieval.llm import prompts
from retrieval.methods.router.deciders import WordingDecider, read_hops
from retrieval.train import train
from retrieval.training.manifest import read_manifest
from retrieval.types import QuestionRecord
from tests.retrieval.answering.test_inses import FACTS, PASSAGES, BagOfWords
from tests.retrieval.reasoning.endpoint import Endpoint, says

SURE = "Where was Ann Lee born?"
UNSURE = "Where does Ann Lee work?"
#: By the fitted confidence: pretrained/confidence.json.
SURE_CONFIDENCE, UNSURE_CONFIDENCE = 0.5761, 0.1153
COMPLEX = "Where was the founder of the publisher of the Journal of Magic born?"


def parts_of(path, facts=FACTS, passages=PASSAGES):
    links = [(i, i) for i in range(len(facts))] if passages else []
    graph = build_snapshot(TripleTable.from_facts(facts, passages=passages, fact_passages=links), path)
    encoder = BagOfWords()
    indexing.build(graph, encoder)
    return GraphParts(graph, encoder)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return parts_of(tmp_path_factory.mktemp("router") / "magic")


def opened(parts, llm=None, checkpoint=None, **options):
    spec = AnswererSpec(parts.snapshot.path, checkpoint, method="router", options=tuple(options.items()))
    return load_answerer(spec, parts, llm=llm)


def ask(answerer, question):
    return list(answerer.run(AskRequest(Question(question))))


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def kinds(events):
    return [type(event) for event in events if not isinstance(event, (AgentStep, SimilarityExpanded))]


def test_a_simple_question_with_a_confident_answer_is_answered_from_passages(parts):
    events = ask(opened(parts), SURE)
    assert kinds(events) == [RunStarted, RouterDecided, PassagesRetrieved, AnswerFinal]
    assert (events[0].method, events[1].method) == ("router", "text-rag")
    # 0.43 for one name and 0.47 for each of "where", "was" and "born"
    assert events[1].scores == {"multi_hop": round(1 / (1 + math.exp(7.3 - 0.43 - 3 * 0.47)), 4)}
    assert events[1].reason.startswith("The wording looks like less than 3 hops")
    best = events[-1].answers[0]
    assert best.score == SURE_CONFIDENCE
    assert best.citations[0].passage == 3


def test_an_unsure_answer_is_not_given_and_the_graph_is_searched(parts):
    events = ask(opened(parts), UNSURE)
    assert kinds(events) == [
        RunStarted,
        RouterDecided,
        PassagesRetrieved,
        RouterDecided,
        QuestionLinked,
        PassagesRetrieved,
        ChainsBuilt,
        AnswerFinal,
    ]
    first, second = of(events, RouterDecided)
    assert (first.method, second.method) == ("text-rag", "inses")
    assert second.scores == {"confidence": UNSURE_CONFIDENCE, "needed": 0.5}
    assert second.reason == f"The passages answer with confidence {UNSURE_CONFIDENCE:.2f}; more than 0.50 is needed."
    assert of(events, AgentStep)


def test_the_confidence_that_is_needed_is_a_setting(parts):
    assert [e.method for e in of(ask(opened(parts, confidence=0.1), UNSURE), RouterDecided)] == ["text-rag"]
    sure = [e.method for e in of(ask(opened(parts, confidence=0.9), SURE), RouterDecided)]
    assert sure == ["text-rag", "inses"]
    with pytest.raises(ConfigError, match=r"confidence is 1\.5"):
        opened(parts, confidence=1.5)


def test_a_complex_question_goes_to_the_graph_at_once(parts):
    events = ask(opened(parts), COMPLEX)
    (decided,) = of(events, RouterDecided)
    # two "of", one name, eight other words
    assert decided.scores == {"multi_hop": round(1 / (1 + math.exp(7.3 - 2 * 1.76 - 0.43 - 8 * 0.47)), 4)}
    assert decided.method == "inses"
    assert kinds(events)[:3] == [RunStarted, RouterDecided, QuestionLinked]
    assert kinds(events).count(AnswerFinal) == 1


def test_what_the_wording_shows():
    assert measure_wording(COMPLEX) == QuestionComplexity(links=2, clauses=0, shared=0, names=1, words=8)
    assert measure_wording("who starred in films that share actors with the film Jaws") == QuestionComplexity(
        0, 1, 1, 1, 8
    )
    assert measure_wording("what is sylvia_brett 's other half 's father ?") == QuestionComplexity(2, 0, 1, 1, 4)
    assert measure_wording("") == QuestionComplexity(0, 0, 0, 0, 0)


def model(endpoint):
    return LLMSettings(endpoint.url, "tiny", retries=0)


def test_a_language_model_counts_the_hops_and_its_cost_is_counted(parts):
    reply = says('{"hops": 3, "reason": "publisher, founder, birthplace"}')
    with Endpoint(reply) as endpoint:
        answerer = opened(parts, model(endpoint), decider="llm")
        events = ask(answerer, SURE)
        asked = endpoint.bodies[0]["messages"][-1]["content"]
    assert events[0].prompts == {"router": f"v1 {prompts.load('router').hash}"}
    (decided,) = of(events, RouterDecided)
    assert (decided.method, decided.scores) == ("inses", {"hops": 3.0})
    assert decided.reason == "The language model counts 3 hops: publisher, founder, birthplace"
    assert events[-1].usage.llm_calls == 1
    assert asked.endswith(f"Query: {SURE}")


def test_a_reply_that_cannot_be_used_leaves_it_to_the_wording_and_the_answer_says_so(parts):
    with Endpoint(says("no idea"), says('{"hops": "many"}')) as endpoint:
        events = ask(opened(parts, model(endpoint), decider="llm"), SURE)
        assert len(endpoint.bodies) == 2
    assert [decided.method for decided in of(events, RouterDecided)] == ["text-rag"]
    assert of(events, RouterDecided)[0].scores == WordingDecider().decide(Question(SURE)).scores
    assert "The wording of the question chose the method instead." in events[-1].warnings[0]
    assert kinds(events).count(AnswerFinal) == 1


@pytest.mark.parametrize("value", [[], {}, {"hops": 0}, {"hops": True}, {"hops": 2.5}, {"hops": 21}])
def test_a_count_is_read_or_refused(value):
    assert read_hops({"hops": 2}) == (2, "")
    with pytest.raises(ValueError, match=r"it is not|whole number from 1 to 20"):
        read_hops(value)


def test_a_language_model_that_is_not_configured_is_said(parts):
    with pytest.raises(ConfigError, match="No language model"):
        opened(parts, decider="llm")


@pytest.fixture(scope="module")
def classifier(parts, tmp_path_factory):
    """A checkpoint that calls births complex and journals simple, the other way round than the wording does."""
    asked = [
        QuestionRecord(f"{split}-{hops}", text, hops=hops, split=split)
        for split in ("train", "dev")
        for text, hops in ((SURE, 3), (COMPLEX, 1))
    ]
    out = tmp_path_factory.mktemp("checkpoints") / "router"
    config = {"epochs": 6, "learning_rate": 0.01}
    return train("router", parts.snapshot, asked, config=config, out=out, encoder=parts.encoder).checkpoint


def test_a_checkpoint_of_the_router_decides(parts, classifier):
    answerer = opened(parts, checkpoint=classifier)
    events = ask(answerer, SURE)
    (decided,) = of(events, RouterDecided)
    assert decided.method == "inses"
    assert decided.reason.startswith("The trained classifier expects 3 hops or more")
    assert of(ask(answerer, COMPLEX), RouterDecided)[0].method == "text-rag"
    fingerprint = read_manifest(classifier).fingerprint
    assert (answerer.checkpoint, events[0].checkpoint) == (fingerprint, fingerprint)
    assert answerer.copy_without_model().decider is answerer.decider


def test_who_decides_can_be_chosen_beside_a_checkpoint(parts, classifier):
    plain = of(ask(opened(parts, checkpoint=classifier, decider="wording"), SURE), RouterDecided)
    assert [decided.method for decided in plain] == ["text-rag"]
    with Endpoint(says('{"hops": 1, "reason": ""}')) as endpoint:
        told = ask(opened(parts, model(endpoint), checkpoint=classifier, decider="llm"), SURE)
    assert of(told, RouterDecided)[0].reason == "The language model counts 1 hop."
    with pytest.raises(ConfigError, match="needs a checkpoint of router"):
        opened(parts, decider="trained")


def test_a_graph_of_facts_alone_ignores_the_classifier(tmp_path, classifier):
    events = ask(opened(parts_of(tmp_path / "facts", passages=()), checkpoint=classifier), SURE)
    assert of(events, RouterDecided)[0].reason == "The graph has no passages."
    assert kinds(events).count(AnswerFinal) == 1


@pytest.mark.parametrize("stop_at", ["text-rag", "inses"])
def test_stopping_after_a_decision_ends_the_run_without_an_answer(parts, stop_at):
    stopped, events = [], []
    for event in opened(parts).run(AskRequest(Question(UNSURE)), cancelled=lambda: bool(stopped)):
        events.append(event)
        if isinstance(event, RouterDecided) and event.method == stop_at:
            stopped.append(True)
    assert isinstance(events[-1], RunCancelled)
    assert isinstance(events[-2], RouterDecided)
    assert of(events, AnswerFinal) == []


def test_a_graph_without_passages_is_asked_by_relation_paths(tmp_path):
    events = ask(opened(parts_of(tmp_path / "facts", passages=())), SURE)
    (decided,) = of(events, RouterDecided)
    assert (decided.method, decided.reason) == ("rel-rag-path", "The graph has no passages.")
    assert of(events, PathRetrieved)
    assert kinds(events).count(AnswerFinal) == 1


def test_a_graph_without_facts_is_read(tmp_path):
    events = ask(opened(parts_of(tmp_path / "text", facts=())), COMPLEX)
    (decided,) = of(events, RouterDecided)
    assert (decided.method, decided.reason) == ("text-rag", "The graph has no facts.")
    assert kinds(events) == [RunStarted, RouterDecided, PassagesRetrieved, AnswerFinal]


def test_a_report_tells_what_was_routed_where(parts):
    answerer = opened(parts)
    asked = [QuestionRecord(str(i), text, (), ("Bern",)) for i, text in enumerate([SURE, UNSURE, COMPLEX])]
    outcomes = [evaluated(answerer, question, budget=50, seed=0) for question in asked]
    assert [outcome.route for outcome in outcomes] == ["text-rag", "inses", "inses"]
    assert from_row(to_row(outcomes[1]), asked[1]).route == "inses"
    groups = compute_breakdowns(outcomes, [None] * 3, lambda scores: {"size": len(scores)}, None, parts.snapshot)
    assert groups["route"] == {"inses": {"n": 2, "size": 2}, "text-rag": {"n": 1, "size": 1}}


def test_its_parts_are_asked_with_settings_of_their_own(parts):
    answerer = opened(parts, text="passages=2, ranking=dense", graph="similarity=false")
    assert (answerer.text.options.passages, answerer.text.options.ranking) == (2, "dense")
    assert answerer.graph.options.similarity is False
    assert len(of(ask(answerer, SURE), PassagesRetrieved)[0].passages) == 2
    for wrong in ({"text": "iterations=2"}, {"graph": "passages=2"}, {"text": "passages"}):
        with pytest.raises(ConfigError):
            opened(parts, **wrong)
