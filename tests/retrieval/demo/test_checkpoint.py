"""The checkpoint that comes with the demo graph answers its examples on a graph that was just built."""

from __future__ import annotations

import pytest

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.demo import CHECKPOINT, EXAMPLES, METHOD
from retrieval.language.question import Question
from retrieval.training.manifest import read_manifest
from retrieval.weights.demo_checkpoint import build_demo_graph

ANSWERS = {
    "Which languages are spoken in the countries that border Switzerland?": {"French", "German", "Italian"},
    "Which films directed by Martin Scorsese star Leonardo DiCaprio?": {
        "Gangs of New York",
        "Killers of the Flower Moon",
        "Shutter Island",
        "The Aviator",
        "The Departed",
        "The Wolf of Wall Street",
    },
    "Which composers based a work on Romeo and Juliet?": {
        "Charles Gounod",
        "Leonard Bernstein",
        "Pyotr Ilyich Tchaikovsky",
        "Sergei Prokofiev",
    },
    "Which countries border both France and Germany?": {"Belgium", "Luxembourg", "Switzerland"},
    "In which cities can you see paintings by Johannes Vermeer?": {
        "Amsterdam",
        "Paris",
        "The Hague",
        "Vienna",
    },
    "Where was the author of the book behind Blade Runner born?": {"Chicago"},
}
MOST_BYTES = 4 << 20


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build_demo_graph(tmp_path_factory.mktemp("demo") / "graph")


def test_it_is_of_the_graph_as_it_is_built_and_small(graph, tmp_path):
    manifest = read_manifest(CHECKPOINT)
    again = build_demo_graph(tmp_path / "again")
    assert manifest.snapshot == graph.hash == again.hash
    assert list(graph.entity_labels) == list(again.entity_labels), "ids are the same too"
    assert (manifest.method, manifest.entity_texts) == (METHOD, False)
    assert sum(path.stat().st_size for path in CHECKPOINT.iterdir()) <= MOST_BYTES


def test_the_examples_are_right_before_anything_is_indexed(graph):
    encoder = load_encoder()
    answerer = load_answerer(AnswererSpec(graph.path, CHECKPOINT, METHOD), load_parts(graph, encoder))
    found = {question: list(answerer.run(AskRequest(Question(question))))[-1].answers for question in EXAMPLES}
    assert {question: {a.label for a in answers} for question, answers in found.items()} == ANSWERS
    assert not [a for answers in found.values() for a in answers if a.guess]
