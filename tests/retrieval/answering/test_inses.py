"""INSES on a tiny graph with passages: what is selected, where it jumps, when it stops, what it streams."""

from __future__ import annotations

import re

import numpy as np
import pytest

from retrieval.answering.inses import InsesAnswerer
from retrieval.answering.loading import load_answerer
from retrieval.answering.parts import GraphParts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, NotIndexedError
from retrieval.events import (
    AgentStep,
    AnswerDelta,
    AnswerFinal,
    ChainsBuilt,
    PassagesRetrieved,
    QuestionLinked,
    RunCancelled,
    RunStarted,
    SimilarityExpanded,
)
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import entity_index, indexing, passage_index
from retrieval.linking.stems import extract_stems
from retrieval.methods.inses import contexts as contexts_module
from retrieval.methods.inses.base import Stand
from retrieval.methods.inses.contexts import Contexts
from retrieval.methods.inses.encoder_navigator import _compute_fact_scores
from retrieval.methods.inses.llm_navigator import read_selection
from retrieval.methods.inses.search import _compute_limit, find_adjacent_arcs
from retrieval.types import Passage
from tests.retrieval.reasoning.endpoint import Endpoint, says

PASSAGES = [
    Passage(0, "p0", "Journal of Magic", "Journal of Magic is published by the Magic Society."),
    Passage(1, "p1", "Magic Society of Europe", "Ann Lee founded the Magic Society of Europe."),
    Passage(2, "p2", "Chess", "Chess is a game."),
    Passage(3, "p3", "Ann Lee", "Ann Lee was born in Bern."),
]
FACTS = [
    ("Journal of Magic", "published by", "Magic Society"),
    ("Magic Society of Europe", "founded by", "Ann Lee"),
    ("Chess", "is", "game"),
    ("Ann Lee", "born in", "Bern"),
]
QUESTION = "Where was the founder of the publisher of Journal of Magic born?"


class BagOfWords:
    """Texts as counts of their words, one place a word: equal words make equal directions."""

    name, dim = "bag", 64

    def __init__(self):
        self.places = {}

    def encode(self, texts, *, progress=None, **_):
        out = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"[a-z]+", text.lower()):
                out[row, self.places.setdefault(word, len(self.places) % self.dim)] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def graph(tmp_path):
    links = [(i, i) for i in range(len(FACTS))]
    return build_snapshot(TripleTable.from_facts(FACTS, passages=PASSAGES, fact_passages=links), tmp_path / "magic")


@pytest.fixture
def parts(graph):
    return indexed(graph)


def indexed(graph):
    encoder = BagOfWords()
    indexing.build(graph, encoder)
    return GraphParts(graph, encoder)


def opened(parts, **options):
    spec = AnswererSpec(parts.snapshot.path, method="inses", options=tuple(options.items()))
    return load_answerer(spec, parts)


def ask(answerer, question=QUESTION, **limits):
    return list(answerer.run(AskRequest(Question(question), **limits)))


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_the_stream_of_a_run(parts):
    answerer = opened(parts, threshold=0.7)
    assert isinstance(answerer, InsesAnswerer)
    events = ask(answerer)
    kinds = [type(event) for event in events if not isinstance(event, (AgentStep, SimilarityExpanded))]
    assert kinds == [RunStarted, QuestionLinked, PassagesRetrieved, ChainsBuilt, AnswerFinal]
    steps = of(events, AgentStep)
    assert [step.step for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.window >= len(step.hops) for step in steps)
    hops = [(h.source.label, h.step.name, h.target.label) for h in steps[0].hops]
    assert ("Journal of Magic", "published by", "Magic Society") in hops
    assert (steps[0].sufficient, steps[0].action) == (False, "select")
    assert events[0].method == "inses"
    assert [linked.entity.label for linked in events[1].entities] == ["Journal of Magic"]
    passages = [p.passage.name for p in of(events, PassagesRetrieved)[0].passages]
    assert passages[0] == "p0"
    assert set(passages) >= {"p0", "p1", "p3"}
    assert events[-1].usage.triples == len({hop for step in steps for hop in step.hops})


def test_similarity_bridges_names_of_one_thing_and_can_be_left_out(parts, graph):
    given = {"question": "What was founded by whom?", "given": (graph.find_entity("Journal of Magic"),)}
    jumps = of(ask(opened(parts, threshold=0.7), **given), SimilarityExpanded)
    # cos("Magic Society", "Magic Society of Europe") = 2 / sqrt(2 * 4)
    first = jumps[0]
    assert (first.source.label, first.target.label) == ("Magic Society", "Magic Society of Europe")
    assert first.score == pytest.approx(2 / np.sqrt(8), abs=1e-3)
    with_jumps = ask(opened(parts, threshold=0.7), **given)
    reached = {hop.target.label for step in of(with_jumps, AgentStep) for hop in step.hops}
    assert "Ann Lee" in reached
    without = ask(opened(parts, similarity=False), **given)
    assert of(without, SimilarityExpanded) == []
    reached = {hop.target.label for step in of(without, AgentStep) for hop in step.hops}
    assert reached == {"Magic Society"}


def test_a_threshold_above_every_likeness_makes_no_jump(parts):
    assert of(ask(opened(parts, threshold=0.99)), SimilarityExpanded) == []


def test_iterations_and_budget_are_kept(parts):
    assert len(of(ask(opened(parts, iterations=1, threshold=0.7)), AgentStep)) == 1
    final = ask(opened(parts, threshold=0.7), budget=1)[-1]
    assert final.usage.triples == 1


def test_no_entity_is_stood_at_twice(parts):
    steps = of(ask(opened(parts, threshold=0.7)), AgentStep)
    stood = [node.id for step in steps for node in step.current]
    assert len(stood) == len(set(stood))


def test_stopping_ends_the_run(parts):
    answerer = opened(parts)
    asked = iter([False, False, True])
    *_, last = answerer.run(AskRequest(Question(QUESTION)), cancelled=lambda: next(asked, True))
    assert isinstance(last, RunCancelled)


def test_a_graph_without_passages_is_explored_by_its_facts(tmp_path):
    graph = build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "facts")
    answerer = opened(indexed(graph), threshold=0.7)
    events = ask(answerer, "Where was Ann Lee born?")
    assert of(events, PassagesRetrieved) == []
    assert [answer.label for answer in events[-1].answers] == ["Bern"]


def test_facts_are_weighed_by_the_words_that_they_hold_themselves(tmp_path):
    parts = indexed(build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "facts"))
    contexts = Contexts(parts.snapshot, parts.encoder, parts.index, None)
    weights = contexts.compute_word_weights(extract_stems("founding Bern"))
    held = contexts.compute_fact_words(parts.snapshot, np.arange(4), weights) > 0
    told = {parts.snapshot.get_hop(fact).step.name: held[fact].tolist() for fact in range(4)}
    assert told == {
        "founded by": [True, False],
        "born in": [False, True],
        "published by": [False, False],
        "is": [False, False],
    }


def test_kept_vectors_of_facts_are_those_that_are_summed(tmp_path, monkeypatch):
    parts = indexed(build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "facts"))
    kept = Contexts(parts.snapshot, parts.encoder, parts.index, None)
    facts = np.array([3, 0])
    vectors = kept.get_fact_vectors(parts.snapshot, facts)
    with monkeypatch.context() as small:
        small.setattr(contexts_module, "FACTS_KEPT", 3)
        summed = Contexts(parts.snapshot, parts.encoder, parts.index, None)
        assert (vectors == summed.get_fact_vectors(parts.snapshot, facts)).all()
    parts.index.get_vectors = None
    assert (kept.get_fact_vectors(parts.snapshot, facts[::-1]) == vectors[::-1]).all()


def test_the_budget_is_filled_up_where_that_is_wanted(tmp_path):
    parts = indexed(build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "facts"))
    question = "Ann Lee was born in Bern and founded the Magic Society of Europe."
    short = ask(opened(parts, iterations=1, similarity=False), question, budget=4)
    full = ask(opened(parts, iterations=1, similarity=False, fill=True), question, budget=4)
    assert (short[-1].usage.triples, full[-1].usage.triples) == (2, 4)
    last = of(full, AgentStep)[-1]
    assert (last.step, last.sufficient, last.current, len(last.hops)) == (2, True, (), 2)
    assert "2 best of what was left" in last.thought


def test_a_language_model_that_is_not_configured_is_said(parts):
    with pytest.raises(ConfigError, match="No language model"):
        opened(parts, navigator="llm")


class Counting(BagOfWords):
    """Knows how many texts it read."""

    read = 0

    def encode(self, texts, *, progress=None, **rest):
        self.read += len(texts)
        return super().encode(texts, progress=progress, **rest)


def test_opening_encodes_nothing_once_the_graph_is_indexed(graph):
    encoder = Counting()
    indexing.build(graph, encoder)
    assert indexing.is_built(graph, encoder.name)
    encoder.read = 0
    answerer = opened(GraphParts(graph, encoder))
    assert encoder.read == 0
    ask(answerer)
    assert 0 < encoder.read < 10  # the question and what it names


def test_a_graph_that_is_not_indexed_is_refused_and_says_so(graph):
    encoder = BagOfWords()
    with pytest.raises(NotIndexedError, match=r"not indexed yet.*Ask again when its index is done"):
        opened(GraphParts(graph, encoder))
    entity_index.build(graph, encoder)
    with pytest.raises(NotIndexedError):  # names alone are not enough: it has passages
        opened(GraphParts(graph, encoder))


def test_a_graph_indexed_before_relations_were_can_be_asked_and_is_indexed_further(graph):
    encoder = BagOfWords()
    entity_index.build(graph, encoder)
    passage_index.build(graph, encoder)
    old = graph.path / "cache" / "inses" / "0"
    old.mkdir(parents=True)
    before = ask(opened(GraphParts(graph, encoder)))[-1]
    assert not indexing.is_built(graph, encoder.name)
    indexing.build(graph, encoder)
    assert indexing.is_built(graph, encoder.name)
    assert not old.exists()
    after = ask(opened(GraphParts(graph, encoder)))[-1]
    assert [answer.label for answer in after.answers] == [answer.label for answer in before.answers]


def test_words_are_met_whatever_their_endings(parts):
    contexts = Contexts(parts.snapshot, parts.encoder, parts.index, parts.passages)
    weights = contexts.compute_word_weights(extract_stems("publishing society"))
    assert list(weights) == ["publish", "society"]
    held = (contexts.compute_passage_words(weights) > 0).tolist()
    assert held == [[True, True], [False, True], [False, False], [False, False]]


def test_the_arcs_around_stands(graph):
    entity = graph.find_entity("Ann Lee")
    arcs, owners, targets = find_adjacent_arcs(graph, [Stand(entity, 1.0)])
    assert [graph.get_hop(int(arc)).target.label for arc in arcs] == [graph.get_entity_label(int(t)) for t in targets]
    assert sorted(graph.get_entity_label(int(t)) for t in targets) == ["Bern", "Magic Society of Europe"]
    assert owners.tolist() == [0, 0]


def test_a_fact_between_two_stands_is_worth_its_better_reading():
    scores = np.array([0.3, 0.9, -np.inf, 0.2])
    assert _compute_fact_scores(scores, np.array([5, 7, 7, 5])).tolist() == [0.3, 0.9, 0.9, 0.3]
    assert _compute_fact_scores(np.zeros(0), np.zeros(0, np.int64)).tolist() == []


def test_a_hub_is_cut_before_small_entities_are():
    assert _compute_limit(np.array([2, 3, 100]), 15) == 10
    assert _compute_limit(np.array([2, 3]), 15) == 3


def with_model(parts, endpoint, **options):
    spec = AnswererSpec(parts.snapshot.path, method="inses", options=(("navigator", "llm"), *options.items()))
    model = LLMSettings(endpoint.url, "tiny", retries=0)
    return load_answerer(spec, parts, llm=model)


def test_a_language_model_selects_and_says_when_it_has_enough(parts):
    replies = (
        says('{"entities": ["Magic Society of Europe"]}'),
        says('{"determination": "insufficient", "selection": "1, 2"}'),
        says('{"determination": "sufficient", "selection": [1]}'),
    )
    with Endpoint(*replies) as endpoint:
        events = ask(with_model(parts, endpoint, similarity=False))
    steps = of(events, AgentStep)
    assert [step.sufficient for step in steps] == [False, True]
    assert [len(step.hops) for step in steps] == [2, 1]
    assert steps[1].hops[0].target.label == "Bern"
    assert {"Journal of Magic", "Magic Society of Europe"} == {linked.entity.label for linked in events[1].entities}
    assert (events[-1].usage.llm_calls, len(endpoint.bodies)) == (3, 3)
    assert list(events[0].prompts) == ["inses-entities", "inses-navigate"]


def test_a_language_model_answers_from_the_selected_triples_and_their_texts(parts):
    replies = (
        says('{"entities": ["Ann Lee"]}'),
        says('{"determination": "sufficient", "selection": "1"}'),
        says('{"reasoning": "Ann Lee was ', 'born there.", "answer": "bern"}'),
    )
    with Endpoint(*replies) as endpoint:
        model = LLMSettings(endpoint.url, "tiny", retries=0)
        answerer = load_answerer(AnswererSpec(parts.snapshot.path, method="inses", reasoner="llm"), parts, llm=model)
        events = ask(answerer, "Where was Ann Lee born?")
        read = endpoint.bodies[-1]["messages"][-1]["content"]
    assert "Ann Lee → born in → Bern (Ann Lee was born in Bern.)" in read
    assert [delta.text for delta in of(events, AnswerDelta)] == ["Ann Lee was ", "born there."]
    final = events[-1]
    assert [(answer.label, answer.verified) for answer in final.answers] == [("Bern", True)]
    assert final.answers[0].chains
    assert final.usage.llm_calls == 3
    assert "inses-answer" in answerer.prompts


def test_an_empty_answer_of_the_model_is_none_and_prose_gives_way(parts):
    select = says('{"determination": "sufficient", "selection": "1"}')
    found = says('{"entities": ["Ann Lee"]}')
    for reply, reason in (('{"answer": ""}', "reasoner_declined"), ("I think it is Bern.", None)):
        with Endpoint(found, select, says(reply)) as endpoint:
            model = LLMSettings(endpoint.url, "tiny", retries=0)
            spec = AnswererSpec(parts.snapshot.path, method="inses", reasoner="llm")
            final = ask(load_answerer(spec, parts, llm=model), "Where was Ann Lee born?")[-1]
        assert (final.no_answer and final.no_answer.reason) == reason
        assert bool(final.warnings) == (reason is None)


def test_replies_that_cannot_be_used_give_way_to_the_encoder_and_the_answer_says_so(parts):
    with Endpoint(says('{"entities": []}'), says("no idea"), says("still none")) as endpoint:
        events = ask(with_model(parts, endpoint))
    assert len(endpoint.bodies) == 3
    assert of(events, AgentStep)[0].hops
    assert "The text encoder chose the triples instead." in events[-1].warnings[0]


def test_a_model_that_never_has_enough_is_asked_within_bounds(parts):
    never = says('{"determination": "insufficient", "selection": "1"}')
    with Endpoint(says('{"entities": ["Chess"]}'), *[never] * 9) as endpoint:
        ask(with_model(parts, endpoint, iterations=2))
    assert 1 < len(endpoint.bodies) <= 2 + 2


def test_a_selection_is_read_or_refused():
    assert read_selection({"determination": "Sufficient", "selection": "2, 1, 2"}, 3) == (True, [2, 1])
    assert read_selection({"determination": "insufficient", "selection": ""}, 3) == (False, [])
    with pytest.raises(ValueError, match="no triplet 4; the numbers go from 1 to 3"):
        read_selection({"determination": "insufficient", "selection": "4"}, 3)
    with pytest.raises(ValueError, match="determination"):
        read_selection({"selection": "1"}, 3)


def test_without_a_model_the_answer_is_read_in_the_passages_behind_the_selected_facts(parts):
    events = ask(opened(parts, threshold=0.7), "Where was Ann Lee born?")
    (built,), best = of(events, ChainsBuilt), events[-1].answers[0]
    assert best.entity == parts.snapshot.get_node(parts.snapshot.find_entity("Bern"))
    assert best.label == "Bern"
    assert best.verified
    assert [built.chains[i].levels[-1][0].label for i in best.chains] == ["Bern"]
    (cited,) = best.citations
    assert PASSAGES[cited.passage].text[cited.start : cited.end] == "Ann Lee was born in Bern."


def test_where_no_passage_has_a_short_answer_the_chains_answer(parts):
    (answer,) = ask(opened(parts, threshold=0.7), "Tell me about chess.")[-1].answers
    assert (answer.label, answer.chains, answer.citations) == ("game", (0,), ())


def test_a_question_of_another_language_is_answered_with_its_sentence(tmp_path):
    passages = [Passage(0, "p", "", "Hans Muster ist der Präsident von Bern.")]
    facts = TripleTable.from_facts([("m.01", "ist", "m.02")], passages=passages, fact_passages=[(0, 0)])
    answerer = opened(indexed(build_snapshot(facts, tmp_path / "deutsch")))
    (answer,) = ask(answerer, "Wer ist der Präsident von Bern?")[-1].answers
    assert answer.label == "Hans Muster ist der Präsident von Bern."
    assert [(each.passage, each.start, each.end) for each in answer.citations] == [(0, 0, 39)]


@pytest.mark.parametrize("method", ["inses", "router", "rel-rag-path", "graph-s3"])
def test_a_graph_without_names_says_so(tmp_path, method):
    facts = [(f"m.0{i}", "r", f"m.0{i + 1}") for i in range(9)]
    parts = indexed(build_snapshot(TripleTable.from_facts(facts), tmp_path / "ids"))
    answerer = load_answerer(AnswererSpec(parts.snapshot.path, method=method), parts)
    final = ask(answerer, "Who is the head of it?")[-1]
    assert final.no_answer.reason == "entity_not_linked"
    assert final.no_answer.message.startswith("No node of this graph has a name")
    assert "names for its nodes" in final.no_answer.hint
