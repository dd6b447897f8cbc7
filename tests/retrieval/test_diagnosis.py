"""Why an expected answer is missing: the stage on a tiny world, and what would bring it, tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.answering.run import AskRequest
from retrieval.diagnosis import steps, topics
from retrieval.diagnosis.case import Case, Tools
from retrieval.diagnosis.facts import build_with_fact, find_missing_fact
from retrieval.diagnosis.findings import LostAt
from retrieval.diagnosis.programs import find_loss, remove_side, remove_step
from retrieval.diagnosis.record import build_record
from retrieval.diagnosis.why_not import explain_missing_answer
from retrieval.errors import QuestionError, UnknownEntityError
from retrieval.events import RunCancelled, RunFailed
from retrieval.language.amounts import Comparison
from retrieval.language.question import Question
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Constant, Count, Entities, Filter, Having, Key, Top, Walk
from retrieval.reasoning.extractive import ExtractiveReasoner
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.world import FACTS, LabelLinker, ScriptedRetriever, build, ids, path

LANGUAGES = "which languages are spoken in the countries that border Switzerland?"
SCRIPT = {
    "Switzerland": [("borders official_language", 0.7), ("official_language", 0.2)],
    "Austria": [("borders official_language", 0.8)],
    "France": [("borders", 0.8)],
}


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world", FACTS)


def engine_of(graph, script=None):
    retriever = ScriptedRetriever(graph, script or SCRIPT)
    return PathAnswerer(graph, retriever, LabelLinker(graph), ExtractiveReasoner(), encoder="tiny")


def asked(graph, expected, question=LANGUAGES, script=None, **more):
    tools = Tools(WordEncoder().encode, lambda other: engine_of(other, script))
    return explain_missing_answer(engine_of(graph, script), AskRequest(Question(question), **more), expected, tools)


def test_what_is_answered_is_told_with_its_place(graph):
    found = asked(graph, "German")
    assert (found.stage, found.summary) == (LostAt.ANSWERED, "German is answer 2 of 3.")


def test_a_name_that_the_graph_lacks_is_told_with_near_ones(graph):
    found = asked(graph, "Germany West")
    assert found.stage is LostAt.ENTITY
    assert found.entity is None
    assert "Germany" in found.near


def test_a_missing_fact_is_named_and_tried(graph):
    found = asked(graph, "Romansh", "which languages are spoken in the countries that border Austria?")
    assert found.stage is LostAt.FACT
    first = found.remedies[0]
    assert first.kind == "fact"
    assert first.fact is not None
    assert (first.fact.step.name, first.fact.target.label) == ("official_language", "Romansh")
    assert first.trial is not None
    assert first.trial.works


def test_a_path_that_came_later_is_told_with_its_place(graph):
    found = asked(graph, "Romansh")
    assert found.stage is LostAt.RANK
    assert "came in place 2" in found.summary
    label = found.remedies[0]
    assert label.kind == "label"
    assert [step.name for step in label.path] == ["official_language"]


def test_an_entity_by_number_must_be_there(graph):
    with pytest.raises(UnknownEntityError):
        asked(graph, 10_000)


def test_a_question_that_names_nothing_known_lacks_a_topic(graph):
    found = asked(graph, "German", "what is spoken beyond the mountains?")
    assert (found.stage, found.summary) == (LostAt.TOPIC, "The question names no entity of the graph.")


def case_of(graph, expected, unmatched):
    """A question whose linker knows "Austria" and calls another phrase unmatched."""
    answerer = engine_of(graph)
    answerer.linker = LabelLinker(graph, unmatched)
    request = AskRequest(Question("which languages are spoken in the countries that border Old Austria?"))
    record = build_record(request.question, answerer.run(request))
    node = graph.find_entity(expected)
    return Case(answerer, request, record, expected, node, Tools(WordEncoder().encode))


@pytest.mark.parametrize(
    ("mention", "phrase", "part"),
    [
        ("Austria", "Old Austria", True),
        ("old austria", "Old Austria", True),
        ("Aust", "Austria", False),
        ("Old Austria", "Austria", False),
    ],
)
def test_a_mention_is_part_of_a_phrase_by_whole_words(mention, phrase, part):
    assert topics.is_part(mention, phrase) is part


def test_what_a_part_of_an_unknown_name_was_taken_for_gives_way_to_what_was_meant(graph):
    found = steps._explain_topic(case_of(graph, "French", ("Old Austria",)))
    assert (found.stage, found.summary) == (
        LostAt.TOPIC,
        "“Old Austria” was not taken for Switzerland.",
    )
    trial = found.remedies[0].trial
    assert (trial.works, trial.count, set(trial.answers)) == (True, 3, {"German", "French", "Italian"})


def test_an_unknown_name_of_which_a_part_was_taken_for_a_topic_is_told_without_another(graph):
    found = steps._explain_topic(case_of(graph, "Romansh", ("Old Austria",)))
    assert (found.stage, found.remedies) == (LostAt.TOPIC, ())
    assert found.summary == "The graph has no entity named “Old Austria”, and “Austria” was taken for Austria."
    assert steps._explain_topic(case_of(graph, "Romansh", ())) is None


@pytest.mark.parametrize(
    ("question", "cut"),
    [
        ("who wrote the work behind Austria (opera)?", "Austria (opera)"),
        ("who acts in Austria of Spies?", "Austria of Spies"),
        ("what else is in Austria, and where?", None),
        ("which countries border Austria?", None),
    ],
)
def test_a_name_of_which_only_the_beginning_was_linked_is_a_topic_that_is_lost(graph, question, cut):
    case = case_of(graph, "French", ())
    linked = tuple(replace(one, mention="Austria") for one in case.record.linked)
    case.record = replace(case.record, question=question, linked=linked)
    assert topics.find_cut_name(case) == cut


def test_what_stands_in_brackets_is_a_part_of_the_expected_name(tmp_path):
    graph = build(tmp_path / "london", [*FACTS, ("London (Ontario)", "lies_in", "Austria")])
    assert asked(graph, "London").stage is LostAt.ENTITY


@pytest.mark.parametrize("end", [RunFailed("internal", "It broke.", ""), RunCancelled("Stopped.", 0)])
def test_of_a_run_without_an_answer_nothing_can_be_said(graph, end):
    tools = Tools(WordEncoder().encode)
    with pytest.raises(QuestionError):
        explain_missing_answer(engine_of(graph), AskRequest(Question(LANGUAGES)), "German", tools, events=[end])


def test_the_missing_fact_joins_where_a_path_ends_to_where_the_rest_comes_from(graph):
    swiss, italy, romansh = ids(graph, "Switzerland", "Italy", "Romansh")
    relations = path(graph, "borders official_language")
    source, relation, target = find_missing_fact(graph, swiss, relations, romansh)
    assert (graph.get_relation_name(relation), target) == ("official_language", romansh)
    assert source in ids(graph, "Austria", "France", "Germany", "Italy")
    # Italy borders nothing by forward facts: the first hop is what it lacks, to who speaks it.
    assert find_missing_fact(graph, italy, relations, romansh) == (italy, relations[0], swiss)


def test_the_graph_with_one_fact_more_has_it_and_all_others(graph, tmp_path):
    from retrieval.diagnosis.facts import build_hop

    swiss, french = ids(graph, "Switzerland", "French")
    hop = build_hop(graph, swiss, graph.find_relation("official_language"), french)
    richer = build_with_fact(graph, hop, tmp_path / "richer")
    assert richer.num_triples == graph.num_triples + 1
    assert richer.has(*ids(richer, "Switzerland"), richer.find_relation("official_language"), *ids(richer, "French"))


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    return Executor(land.build(tmp_path_factory.mktemp("atlas") / "graph"))


def relation(atlas, name, inverse=False):
    return atlas.snapshot.find_relation(name) + atlas.snapshot.num_relations * inverse


def node(atlas, label):
    return atlas.snapshot.find_entity(label)


def test_a_program_loses_a_node_at_the_step_that_compares_it(atlas):
    population = Key((relation(atlas, "population"),))
    african = And(
        Having(relation(atlas, "population")),
        Walk(Entities((node(atlas, "Africa"),)), relation(atlas, "continent", inverse=True)),
    )
    large = Filter(african, population, Comparison.MORE, Constant(50e6))
    top = Top(large, population, largest=True)
    assert find_loss(atlas, top, node(atlas, "Egypt")) is None
    kenya = find_loss(atlas, top, node(atlas, "Kenya"))
    assert (kenya.cause, kenya.path, kenya.place) == ("ranked", (), 2)
    chad = find_loss(atlas, top, node(atlas, "Chad"))
    assert (chad.cause, chad.path) == ("compared", ("source",))
    france = find_loss(atlas, top, node(atlas, "France"))
    assert (france.cause, france.path) == ("fact", ("source", "source", "right"))
    assert remove_step(top, ("source",)) == Top(african, population, largest=True)
    assert remove_side(top, france.path) == Top(
        Filter(Having(relation(atlas, "population")), population, Comparison.MORE, Constant(50e6)),
        population,
        largest=True,
    )


def test_a_program_loses_a_node_that_has_no_value(atlas):
    city = Walk(Entities((node(atlas, "city"),)), relation(atlas, "type", inverse=True))
    top = Top(city, Key((relation(atlas, "population"),)), largest=True)
    cairo = find_loss(atlas, top, node(atlas, "Cairo"))
    assert (cairo.cause, cairo.path, cairo.relation) == ("value", (), relation(atlas, "population"))


def test_a_program_that_counts_gives_no_node(atlas):
    count = Count(Having(relation(atlas, "population")))
    assert find_loss(atlas, count, node(atlas, "Egypt")).cause == "number"
    assert find_loss(atlas, count, node(atlas, "Cairo")).cause == "fact"
    assert np.isclose(atlas.compute_number(count), 5)
