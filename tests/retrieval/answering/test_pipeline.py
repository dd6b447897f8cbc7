"""The whole stream of a run: order, typed ends, cancelling, budgets, and sameness."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.answering.run import AskRequest
from retrieval.config import EvidenceOptions
from retrieval.errors import LLMError
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    PathRetrieved,
    QuestionLinked,
    RunCancelled,
    RunFailed,
    RunStarted,
    SubgraphExtracted,
    from_payload,
    to_payload,
)
from retrieval.evidence.verbalise import format_chain
from retrieval.language.question import Question
from retrieval.limits import QUESTION_LIMIT
from retrieval.methods.triples.settings import TripleOptions
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import NoAnswerReason
from tests.retrieval.world import FACTS, LabelLinker, ScriptedRetriever, build, ids

SCRIPT = {
    "Switzerland": [("borders official_language", 0.7), ("official_language", 0.2)],
    "Austria": [("borders", 0.6), ("population", 0.5)],
    "France": [("borders", 0.8)],
    "Germany": [("population", 0.9)],
}
QUESTION = "which languages are spoken in the countries that border Switzerland?"


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world", [*FACTS, ("Switzerland", "same_as", "Switzerland")])


@pytest.fixture
def answerer(graph):
    return PathAnswerer(
        graph, ScriptedRetriever(graph, SCRIPT), LabelLinker(graph), ExtractiveReasoner(), encoder="tiny"
    )


def ask(answerer, question=QUESTION, **limits):
    return list(answerer.run(AskRequest(Question(question), **limits)))


def timeless(events):
    """Events without what the clock decides."""
    return [{k: v for k, v in to_payload(event).items() if k not in {"took_ms", "at_ms"}} for event in events]


def test_the_stream_of_a_good_run(answerer, graph):
    events = ask(answerer)
    assert [type(e) for e in events] == [
        RunStarted,
        QuestionLinked,
        SubgraphExtracted,
        *[PathRetrieved] * 5,
        ChainsBuilt,
        AnswerFinal,
    ]
    started, final = events[0], events[-1]
    assert (started.method, started.reasoner, started.encoder) == ("rel-rag-path", "extractive", "tiny")
    assert (started.snapshot, started.checkpoint) == (graph.hash, None)
    assert [p.index for p in events if isinstance(p, PathRetrieved)] == [1, 2, 3, 4, 5]
    assert [(a.label, a.score, a.chains, a.verified) for a in final.answers] == [
        ("French", 0.7, (0,), True),
        ("German", 0.7, (0,), True),
        ("Italian", 0.7, (0,), True),
    ]
    assert final.no_answer is None
    assert final.usage.triples == 9
    assert [c.score for c in events[-2].chains] == [0.7, 0.2]


def test_every_event_survives_its_json(answerer):
    for event in ask(answerer):
        assert from_payload(to_payload(event)) == event


def test_the_same_question_gives_the_same_stream(answerer):
    assert timeless(ask(answerer, seed=3)) == timeless(ask(answerer, seed=3))


def test_a_named_entity_replaces_linking(answerer, graph):
    events = ask(answerer, "and the languages next door?", given=tuple(ids(graph, "Switzerland")))
    assert events[1].entities[0].source == "given"
    assert [a.label for a in events[-1].answers] == ["French", "German", "Italian"]


@pytest.mark.parametrize(
    ("question", "limits", "code"),
    [
        ("", {}, "bad_question"),
        ("  \n ", {}, "bad_question"),
        ("x" * (QUESTION_LIMIT + 1), {}, "bad_question"),
        (QUESTION, {"budget": 0}, "bad_question"),
        (QUESTION, {"budget": 1201}, "bad_question"),
        (QUESTION, {"given": (10_000,)}, "unknown_entity"),
        (QUESTION, {"given": (-1,)}, "unknown_entity"),
    ],
)
def test_bad_input_fails_with_a_code_and_a_hint(answerer, question, limits, code):
    events = ask(answerer, question, **limits)
    assert [type(e) for e in events] == [RunStarted, RunFailed]
    assert events[-1].code == code
    assert events[-1].hint
    assert len(events[0].question) <= QUESTION_LIMIT


def test_nothing_linked_is_a_typed_no_answer_that_names_the_phrase(graph):
    answerer = PathAnswerer(
        graph,
        ScriptedRetriever(graph, SCRIPT),
        LabelLinker(graph, ("Atlantis", "Spielburg")),
        ExtractiveReasoner(),
    )
    final = ask(answerer, "what did Spielburg of Atlantis direct?")[-1]
    assert final.answers == ()
    assert final.no_answer.reason is NoAnswerReason.ENTITY_NOT_LINKED
    assert final.no_answer.message == "“Atlantis”, “Spielburg” are not in the graph."
    assert final.no_answer.near[0] == "Spielberg"


def test_nothing_retrieved_is_no_path(answerer):
    events = ask(answerer, "who likes Romansh?")
    assert isinstance(events[-2], ChainsBuilt)
    assert events[-2].chains == ()
    assert events[-1].no_answer.reason is NoAnswerReason.NO_PATH
    assert "Romansh" in events[-1].no_answer.message


def test_two_topics_are_intersected(answerer):
    final = ask(answerer, "which country borders both Austria and France?")[-1]
    assert [(a.label, a.chains, a.verified) for a in final.answers] == [("Italy", (0, 1), True)]
    assert final.answers[0].score == pytest.approx(0.48)
    assert final.warnings == ()


def test_topics_that_share_nothing_are_answered_alone_with_a_warning(answerer):
    final = ask(answerer, "what do Switzerland and France share?")[-1]
    assert [a.label for a in final.answers] == ["Italy"]
    assert "France alone" in final.warnings[0]


def test_a_comparison_answers_with_a_topic(answerer):
    final = ask(answerer, "which has the larger population, Austria or Germany?")[-1]
    assert [(a.label, a.chains, a.verified) for a in final.answers] == [("Germany", (0, 1), True)]
    assert final.text == "Compared: Austria: 9,170,000; Germany: 83,500,000."
    smaller = ask(answerer, "which has fewer people, Austria or Germany?")[-1]
    assert [a.label for a in smaller.answers] == ["Austria"]


def test_the_budget_counts_facts(answerer):
    events = ask(answerer, budget=3)
    assert sum(isinstance(e, PathRetrieved) for e in events) == 1
    assert events[-1].usage.triples == 2


@pytest.mark.parametrize("after", range(8))
def test_stopping_at_any_point_ends_cancelled_and_counts_what_was_kept(answerer, after):
    events = []
    for event in answerer.run(AskRequest(Question(QUESTION)), cancelled=lambda: len(events) > after):
        events.append(event)
    assert isinstance(events[-1], RunCancelled)
    assert events[-1].paths == sum(isinstance(e, PathRetrieved) for e in events)
    assert len(events) <= after + 3


def test_an_unexpected_error_ends_the_run_without_a_traceback(graph, caplog):
    def burst():
        raise KeyError("secret detail")

    retriever = ScriptedRetriever(graph, SCRIPT, before_each=burst)
    events = ask(PathAnswerer(graph, retriever, LabelLinker(graph), ExtractiveReasoner()))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].code == "internal"
    assert "secret" not in events[-1].message + events[-1].hint
    assert "secret detail" in caplog.text


class BrokenReasoner:
    """Streams a piece, then its endpoint is gone."""

    name, llm, prompts = "llm", "gone", {}

    def answer(self, evidence, *, cancelled):
        yield from ()
        raise LLMError("The language model cannot be reached.", hint="Start it.")


def test_a_lost_language_model_falls_back_to_the_extractive_answer(answerer, graph):
    broken = PathAnswerer(graph, answerer.retriever, answerer.linker, BrokenReasoner())
    final = ask(broken)[-1]
    expected = ask(answerer)[-1]
    assert final.answers == expected.answers
    assert final.warnings[0].startswith("The language model cannot be reached. Start it.")


def test_threads_may_share_an_engine(answerer):
    first, second = (
        answerer.run(AskRequest(Question(QUESTION))),
        answerer.run(AskRequest(Question("what does France border?"))),
    )
    events = [[], []]
    for a, b in zip(first, second, strict=False):
        events[0].append(a)
        events[1].append(b)
    rest = [*events[0], *first]
    assert timeless(rest)[0]["question"] == QUESTION
    assert replace(events[1][0], question="") == replace(rest[0], question="")


def test_a_language_model_reads_chains_of_the_triples_that_a_triple_method_retrieved(graph):
    class Reader(ExtractiveReasoner):
        name = "llm"

    retriever = ScriptedRetriever(graph, SCRIPT)
    retriever.options = TripleOptions(chain_length=1)
    reader = PathAnswerer(graph, retriever, LabelLinker(graph), Reader(), encoder="tiny")
    chains = next(e for e in ask(reader, budget=4) if isinstance(e, ChainsBuilt)).chains
    # Two of the border chains fit the budget of four; L = 1 leaves their first hops, and the others by themselves.
    assert [format_chain(chain) for chain in chains] == [
        "Switzerland → [borders] → Austria; France",
        "Austria → [official language] → German",
        "France → [official language] → French",
    ]
    retriever.options = TripleOptions(chain_length=0)
    chains = next(e for e in ask(reader, budget=4) if isinstance(e, ChainsBuilt)).chains
    assert [format_chain(chain) for chain in chains] == [
        "Switzerland → [borders] → Austria; France",
        "Switzerland → [borders] → Austria; France → [official language] → French; German",
    ]


def read_by(graph, form, reasoner, budget=4, triples=None, **limits):
    """What a reasoner reads of the script's paths, and the end of the run."""

    class Ranking(ScriptedRetriever):
        options = EvidenceOptions(evidence=form, **limits)

        def score_triples(self, *args, **more):
            return triples

    answerer = PathAnswerer(graph, Ranking(graph, SCRIPT), LabelLinker(graph), reasoner, encoder="tiny")
    return ask(answerer, budget=budget)


class Noting(ExtractiveReasoner):
    """Stands in for a language model and keeps the evidence."""

    name = "llm"

    def answer(self, evidence, *, cancelled):
        self.evidence = evidence
        return super().answer(evidence, cancelled=cancelled)


def test_a_language_model_reads_the_retrieved_paths_as_they_came(graph):
    noting = Noting()
    read_by(graph, "paths", noting)
    assert noting.evidence.read == (
        "Switzerland → [borders] → Austria → [official language] → German",
        "Switzerland → [borders] → France → [official language] → French",
    )
    assert [format_chain(chain) for chain in noting.evidence.chains] == [
        "Switzerland → [borders] → Austria; France → [official language] → French; German"
    ]


def test_triples_are_read_in_the_retriever_s_order_or_shuffled_by_the_seed(graph):
    noting, shuffled = Noting(), Noting()
    read_by(graph, "triples", noting)
    assert noting.evidence.read == (
        "Switzerland → [borders] → Austria",
        "Austria → [official language] → German",
        "Switzerland → [borders] → France",
        "France → [official language] → French",
    )
    read_by(graph, "shuffled-triples", shuffled)
    assert shuffled.evidence.read != noting.evidence.read
    assert sorted(shuffled.evidence.read) == sorted(noting.evidence.read)


def test_top_k_triples_are_all_read_whatever_the_budget_is(graph):
    austria = graph.find_entity("Austria")
    ranked = {fact: 0.9 - fact / 100 for fact in graph.get_out_edges(austria)}
    noting = Noting()
    events = read_by(graph, "triples", noting, budget=1, triples=ranked)
    assert noting.evidence.read == (
        "Austria → [borders] → Italy",
        "Austria → [official language] → German",
        "Austria → [population] → 9,170,000",
    )
    # What was read is what the run shows and counts, beside a path that the budget of three holds.
    assert events[-1].usage.triples == 3
    shown = {hop.target.label for event in events if isinstance(event, PathRetrieved) for hop in event.hops}
    assert {"Italy", "German", "9,170,000"} <= shown


def test_limits_of_what_is_read_are_settings_and_said(graph):
    noting = Noting()
    read_by(graph, "chains", noting, budget=8, chains_read=1, characters_read=500)
    assert noting.evidence.characters == 500
    assert len(noting.evidence.chains) == 1
    assert noting.evidence.warnings == ("1 of 3 evidence chains are read, the best.",)
    read_by(graph, "chains", noting, budget=8, chains_read=0, characters_read=0)
    assert (noting.evidence.characters, len(noting.evidence.chains)) == (None, 3)


@pytest.mark.parametrize(
    ("form", "budget", "answers"),
    [
        ("auto", 4, ["French", "German", "Italian"]),  # executed on the whole graph
        ("chains", 4, ["French", "German"]),
        ("paths", 4, ["French", "German"]),
        ("triples", 2, ["German"]),
        ("shuffled-triples", 100, ["French", "German", "Italian"]),
    ],
)
def test_the_extractive_reasoner_answers_from_what_was_retrieved(graph, form, budget, answers):
    final = read_by(graph, form, ExtractiveReasoner(), budget)[-1]
    assert sorted(answer.label for answer in final.answers) == answers


class Doubting(ScriptedRetriever):
    """Doubts the relation paths of these topics; of nothing when there are none."""

    doubted: tuple[str, ...] = ()

    def rank_relation_paths(self, *args, **more):
        found = super().rank_relation_paths(*args, **more)
        return [replace(p, doubted=self.graph.get_entity_label(p.topic) in self.doubted) for p in found]


class Words:
    """Finds that every relation path fits the words this well."""

    def __init__(self, fit):
        self.fit = fit

    def score_paths(self, question, paths, topics, mentions):
        return list(paths), dict.fromkeys(topics, self.fit)


@pytest.mark.parametrize(("fit", "doubted", "refused"), [(0.59, True, True), (0.6, True, False), (0.0, False, False)])
def test_doubted_paths_answer_where_the_words_agree(graph, fit, doubted, refused):
    retriever = Doubting(graph, SCRIPT)
    retriever.doubted = ("France",) if doubted else ()
    answerer = PathAnswerer(graph, retriever, LabelLinker(graph), ExtractiveReasoner(), text_fit=Words(fit))
    assert (ask(answerer, "what borders France?")[-1].no_answer is not None) == refused


@pytest.mark.parametrize(
    ("doubted", "words_doubted", "answers"),
    [
        # The checkpoint is sure of itself: nobody else is asked.
        ((), (), ["Italy"]),
        # It doubts itself, and the words do not: what both say, the words first.
        (("France",), (), ["French"]),
        # Both doubt.
        (("France",), ("France",), []),
    ],
)
def test_the_words_have_a_say_where_the_checkpoint_doubts_itself(graph, doubted, words_doubted, answers):
    trained, by_words = Doubting(graph, SCRIPT), Doubting(graph, {"France": [("official_language", 0.9)]})
    trained.doubted, by_words.doubted = doubted, words_doubted
    answerer = PathAnswerer(graph, trained, LabelLinker(graph), ExtractiveReasoner(), by_words=lambda: by_words)
    final = ask(answerer, "what borders France?")[-1]
    assert sorted(answer.label for answer in final.answers) == answers


@pytest.mark.parametrize(
    ("words_doubted", "answers"), [((), ["French"]), (("France",), ["Italy"])], ids=["sure", "doubting"]
)
def test_the_words_have_a_say_where_a_checkpoint_cannot_doubt_itself(graph, words_doubted, answers):
    trained, by_words = (
        ScriptedRetriever(graph, SCRIPT),
        Doubting(graph, {"France": [("official_language", 0.9)]}),
    )
    by_words.doubted = words_doubted
    for can_doubt, expected in (
        (False, answers),
        (True, ["Italy"]),
    ):  # a new version of its graph is no reason
        answerer = PathAnswerer(
            graph, trained, LabelLinker(graph), ExtractiveReasoner(),
            by_words=lambda: by_words, can_doubt=can_doubt,
        )  # fmt: skip
        final = ask(answerer, "what borders France?")[-1]
        assert [answer.label for answer in final.answers] == expected


@pytest.mark.parametrize(
    ("question", "doubted", "refused"),
    [
        ("what borders France?", (), False),
        ("what borders France?", ("France",), True),
        ("what borders France?", ("Austria",), False),
        # One topic that is asked about as others are is enough.
        ("population of Germany, borders of France?", ("France",), False),
        ("population of Germany, borders of France?", ("France", "Germany"), True),
    ],
)
def test_paths_that_are_all_doubted_do_not_answer(graph, question, doubted, refused):
    retriever = Doubting(graph, SCRIPT)
    retriever.doubted = doubted
    final = ask(PathAnswerer(graph, retriever, LabelLinker(graph), ExtractiveReasoner()), question)[-1]
    reason = final.no_answer.reason if final.no_answer else None
    assert (reason is NoAnswerReason.NOT_IN_GRAPH) == refused
