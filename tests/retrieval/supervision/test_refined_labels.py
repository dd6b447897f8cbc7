"""ReG's refined triples: the labelled paths, and the facts selected around topics and answers."""

import pytest

from retrieval.methods.triples.examples import make_triple_examples
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label
from retrieval.supervision.refined_labels import select_facts
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder
from tests.retrieval.world import build, ids

LABELS = [
    Label("q", "Jaws", (("directed_by", False),), "llm"),
    Label("q", "Jaws", (("in_genre", False),), "llm", role="topic-fact"),
    Label("q", "Munich", (("in_genre", False),), "llm", role="topic-fact"),
    Label("q", "", (("directed_by", True),), "llm", role="answer-fact"),
    Label("q", "Jaws", (("in_genre", False),), "llm", role="first-relation"),
    Label("q", "Jaws", (("borders", False),), "analyst", role="topic-fact", verdict="rejected"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "graph")


def shown(graph, arcs):
    hops = [graph.get_hop(int(arc)) for arc in arcs]
    return sorted((hop.source.label, hop.step.name, hop.target.label) for hop in hops)


def test_facts_are_those_of_the_topic_and_of_every_answer(graph):
    (topic,) = ids(graph, "Jaws")
    answers = ids(graph, "Spielberg")
    assert shown(graph, select_facts(graph, topic, answers, LABELS)) == [
        ("Jaws", "in_genre", "Horror"),
        ("Spielberg", "directed_by", "Jaws"),
        ("Spielberg", "directed_by", "Lincoln"),
        ("Spielberg", "directed_by", "Munich"),
    ]
    assert select_facts(graph, topic, answers, LABELS[:1]).tolist() == []


def test_paths_and_facts_are_the_evidence_of_a_question(graph):
    grounded, _ = resolve_questions(graph, [QuestionRecord("q", "who made Jaws", ("Jaws",), ("Spielberg",))])
    examples = make_triple_examples(graph, grounded, LABELS, WordEncoder(), max_hops=2, words=False, simple=True)
    evidence = examples.get_evidence(0)
    facts = {int(arc) % graph.num_triples for arc in evidence.arcs}
    assert facts == {
        i for i in range(graph.num_triples)
        if graph.get_hop(i).step.name == "directed_by" or graph.get_hop(i).target.label == "Horror"
    }  # fmt: skip
    assert set(evidence.entities.tolist()) == set(ids(graph, "Jaws", "Spielberg", "Munich", "Lincoln", "Horror"))
    assert examples.lengths.tolist() == [[1.0, 0.0]]
