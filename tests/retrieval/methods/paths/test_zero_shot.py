"""A graph that nobody trained on: the weights that come with Clew, with the encoder that they were fitted for."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import encoder as encoders
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever, _apply_sort_prior, _apply_step_prior
from retrieval.reasoning.gather import execute_paths

#: Plays and theatres: no graph of the fitting has these relations together.
FACTS = [
    ("Kabale", "written by", "Schiller"),
    ("Don Carlos", "written by", "Schiller"),
    ("Faust", "written by", "Goethe"),
    ("Kabale", "performed at", "Hofburg Theatre"),
    ("Don Carlos", "performed at", "Lyceum"),
    ("Faust", "performed at", "Hofburg Theatre"),
    ("Hofburg Theatre", "city", "Vienna"),
    ("Lyceum", "city", "London"),
    ("Schiller", "birthplace", "Marbach"),
    ("Goethe", "birthplace", "Frankfurt"),
]


@pytest.fixture(scope="module")
def retriever(tmp_path_factory):
    graph = build_snapshot(TripleTable.from_facts(FACTS), tmp_path_factory.mktemp("plays") / "plays")
    return ZeroShotRetriever(graph, encoders.load(device="cpu"))


def best(retriever, question, topic):
    graph = retriever.snapshot
    found = retriever.rank_relation_paths(Question(question), [graph.find_entity(topic)])[0]
    total = graph.num_relations
    return tuple(("-" if r >= total else "") + graph.get_relation_label(r % total) for r in found.relations)


@pytest.mark.parametrize(
    ("question", "topic", "path"),
    [
        ("Who wrote Faust?", "Faust", ("written by",)),
        ("Which plays did Schiller write?", "Schiller", ("-written by",)),
        ("where was Goethe born", "Goethe", ("birthplace",)),
        ("Where was the author of Kabale born?", "Kabale", ("written by", "birthplace")),
        ("in which city is the theatre that performed Faust", "Faust", ("performed at", "city")),
        ("which theatres performed plays by Schiller", "Schiller", ("-written by", "performed at")),
        (
            "in what cities were the plays by Goethe performed",
            "Goethe",
            ("-written by", "performed at", "city"),
        ),
    ],
)
def test_questions_find_their_paths_without_any_training(retriever, question, topic, path):
    assert best(retriever, question, topic) == path


def test_what_the_graph_says_is_supported(retriever):
    graph = retriever.snapshot
    found = retriever.rank_relation_paths(Question("Who wrote Faust?"), [graph.find_entity("Faust")], limit=32)
    assert 0.9 < sum(path.score for path in found) <= 1 + 1e-5
    assert found[0].support > 0.9
    assert not found[0].doubted


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is the shoe size of Goethe?", "Goethe"),
        ("Who is the wife of Schiller?", "Schiller"),
        ("Who directed Faust?", "Faust"),
        ("What is the population of Vienna?", "Vienna"),
    ],
)
def test_what_nothing_of_the_graph_says_is_doubted(retriever, question, topic):
    found = retriever.rank_relation_paths(Question(question), [retriever.snapshot.find_entity(topic)])
    assert found[0].doubted, found[0].support


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    facts = [
        ("Ann", "child", "Ben"),
        ("Ben", "mother", "Ann"),
        ("Ann", "profession", "baker"),
        ("Ben", "profession", "smith"),
        ("Ben", "married to", "Eve"),
        ("Eve", "gender", "female"),
    ]
    graph = build_snapshot(TripleTable.from_facts(facts), tmp_path_factory.mktemp("family") / "family")
    return ZeroShotRetriever(graph, encoders.load(device="cpu"))


def test_who_a_question_leads_back_to_is_its_answer(family):
    graph, asked = family.snapshot, "Who is the mother of Ann's child?"
    ann = graph.find_entity("Ann")
    assert best(family, asked, "Ann") == ("child", "mother")
    paths = family.rank_relation_paths(Question(asked), [ann])
    reaches = execute_paths(graph, paths, simple=family.simple, cancelled=lambda: False)
    assert reaches[0].targets.tolist() == [ann]
    arcs = next(family.retrieve(Question(asked), [ann])).arcs
    assert len(arcs) == 2
    # Who shares something with her is somebody else.
    others = family.rank_relation_paths(Question("Who else has the same profession as Ann?"), [ann])
    assert not any(path.returns for path in others)


@pytest.mark.parametrize(
    ("question", "topic", "path"),
    [
        ("What does Ann do?", "Ann", ("profession",)),
        ("Who is Ann?", "Ann", ("profession",)),
        ("What gender is Ben's other half?", "Ben", ("married to", "gender")),
        ("Is Ben's other half a man or a woman?", "Ben", ("married to", "gender")),
    ],
)
def test_idioms_find_their_paths(family, question, topic, path):
    assert best(family, question, topic) == path


def test_where_nodes_have_no_names_fewer_steps_are_likelier():
    given = np.array([0.4, 0.5], np.float32)
    # e^-1 of the second: 0.5 becomes 0.184 beside 0.4, and both add up to 0.9 as before.
    assert _apply_step_prior(given, [1, 2], 1.0).tolist() == pytest.approx([0.6166, 0.2834], abs=1e-4)
    assert _apply_step_prior(given, [1, 2], 0.0).tolist() == pytest.approx([0.4, 0.5])


def test_paths_to_what_was_not_asked_for_are_less_likely():
    given = np.array([0.4, 0.5], np.float32)
    # e^-2 of the second: 0.5 becomes 0.068 beside 0.4, and both add up to 0.9 as before.
    assert _apply_sort_prior(given, [False, True]).tolist() == pytest.approx([0.7698, 0.1302], abs=1e-4)
    assert _apply_sort_prior(given, [True, True]).tolist() == pytest.approx([0.4, 0.5])


def test_methods_without_a_checkpoint_rank_a_question_once(retriever, monkeypatch):
    question, topics = "Who directed what Schiller wrote?", [retriever.snapshot.find_entity("Schiller")]
    ranked = []
    rank = ZeroShotRetriever.rank
    monkeypatch.setattr(ZeroShotRetriever, "rank", lambda *asked: ranked.append(asked[2]) or rank(*asked))
    others = [retriever.copy_for_method("reg-path"), retriever.copy_for_method("reg-triple", "abc")]
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda one: one.rank_relation_paths(Question(question), topics), others)
    assert (len(ranked), first == second, len(first) > 1) == (1, True, True)
    assert [(one.method, one.checkpoint) for one in others] == [("reg-path", None), ("reg-triple", "abc")]
