"""A question is encoded at once: its whole, as seen from its topic, and the stretches that are compared with names."""

import pytest

from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import open_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.language.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.world import LabelLinker


class KeepingEncoder(WordEncoder):
    """Keeps vectors, as the real one does, and lists the texts of each call that it had to compute."""

    def __init__(self):
        super().__init__()
        self.kept = set()
        self.computed = []

    def encode(self, texts):
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        self.kept.update(new)
        self.computed += [new] if new else []
        return super().encode(texts)


@pytest.fixture(scope="module")
def encoder():
    return KeepingEncoder()


@pytest.fixture(scope="module")
def answerer(encoder, tmp_path_factory):
    graph = land.build(tmp_path_factory.mktemp("atlas") / "graph")
    opened = open_answerer(
        Opening(AnswererSpec(graph.path, None, "rel-rag-path"), GraphParts(graph, encoder), ExtractiveReasoner())
    )
    opened.linker = LabelLinker(graph)
    list(opened.run(AskRequest(Question("What borders France?"))))  # names of the graph are encoded now
    return opened


def test_the_texts_of_a_question_are_encoded_in_one_call(answerer, encoder):
    encoder.computed.clear()
    list(answerer.run(AskRequest(Question("which tongues resound in Egypt"))))
    assert encoder.computed == [
        [
            "which tongues resound in Egypt",
            "which tongues resound in X",
            "tongues",
            "resound",
            "tongues resound",
            "resound in",
            "tongues resound in",
        ]
    ]
