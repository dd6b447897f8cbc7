"""Shortest paths as labels: one of a topic, or every one to each answer as the papers take them."""

from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.shortest_path import ShortestPathRationalizer
from retrieval.types import QuestionRecord
from tests.retrieval.world import build

FACTS = [
    ("Ann", "wrote", "Dawn"),
    ("Ann", "directed", "Dawn"),
    ("Dawn", "in_genre", "Drama"),
    ("Ann", "likes", "Noon"),
    ("Noon", "in_genre", "Drama"),
    ("Dawn", "in_genre", "Crime"),
]


def labelled(tmp_path, answers, *, every, rejected=frozenset()):
    graph = build(tmp_path / "graph", FACTS)
    grounded, _ = resolve_questions(graph, [QuestionRecord("q", "what did Ann make", ("Ann",), answers)])
    found = ShortestPathRationalizer(every=every).label(graph, grounded, encoder=None, rejected=rejected)
    return {" ".join(name for name, _ in label.path): round(label.score, 3) for label in found.labels}


def test_one_shortest_path_of_a_topic(tmp_path):
    assert labelled(tmp_path, ("Dawn", "Crime"), every=False) == {"directed": 0.667}


def test_every_shortest_path_to_each_answer(tmp_path):
    assert labelled(tmp_path / "a", ("Dawn", "Drama"), every=True) == {
        "directed": 0.667,
        "wrote": 0.667,
        "directed in_genre": 0.5,
        "likes in_genre": 0.667,
        "wrote in_genre": 0.5,
    }
    # What is nearer by another path is not gone to by a longer one.
    assert labelled(tmp_path / "b", ("Dawn",), every=True) == {"directed": 1.0, "wrote": 1.0}


def test_a_rejected_path_is_no_label(tmp_path):
    refused = frozenset({("q", "Ann", (("wrote", False),))})
    assert labelled(tmp_path, ("Dawn",), every=True, rejected=refused) == {"directed": 1.0}
