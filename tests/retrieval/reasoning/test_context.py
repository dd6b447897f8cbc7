"""Second names in a question narrow what a relation path reaches through mediators."""

import pytest

from retrieval.evidence.reach import walk
from retrieval.language.question import Question
from retrieval.reasoning.context import filter_by_context
from tests.retrieval.world import build, ids, labels, path

ROLES = {
    "m.1": ("Rainn Wilson", "Dwight Schrute"),
    "m.2": ("Jenna Fischer", "Pam Beesly"),
    "m.3": ("Ed Helms", "Andy"),
}
FACTS = [
    fact
    for role, (actor, character) in ROLES.items()
    for fact in (("The Office", "cast", role), (role, "actor", actor), (role, "character", character))
]


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "series", [*FACTS, ("The Office", "creator", "Greg Daniels")])


def narrowed(graph, question, paths, topic="The Office"):
    """Relation paths in their order, with their probabilities and what they reach."""
    (start,) = ids(graph, topic)
    reaches = [walk(graph, start, path(graph, text), p, simple=True) for text, p in paths]
    found = filter_by_context(graph, Question(question), [topic], reaches)
    return [(round(r.probability, 3), labels(graph, r.targets)) for r in found]


def test_the_role_that_is_named_is_the_one_asked_about(graph):
    """0.1 becomes 3.0 of 3.9, and all keep their sum of 1."""
    paths = [("creator", 0.9), ("cast actor", 0.1)]
    assert narrowed(graph, "who plays dwight in the office", paths) == [
        (0.769, ["Rainn Wilson"]), (0.231, ["Greg Daniels"]),
    ]  # fmt: skip


def test_the_label_most_of_which_is_said_wins(graph):
    """Half of "Dwight Schrute" is said, and all of "Andy"."""
    assert narrowed(graph, "does dwight or andy act?", [("cast actor", 1.0)]) == [(1.0, ["Ed Helms"])]


@pytest.mark.parametrize(
    "question",
    [
        "who plays in the office",  # nothing else is said
        "who plays michael in the office",  # no mediator leads to it
        "which actor plays a character in the office",  # words of the relations and words that only ask
        "is the actor rainn wilson in the office",  # what the path reaches itself
    ],
)
def test_nothing_named_changes_nothing(graph, question):
    paths = [("cast actor", 0.6), ("creator", 0.3)]
    everyone = ["Ed Helms", "Jenna Fischer", "Rainn Wilson"]
    assert narrowed(graph, question, paths) == [(0.6, everyone), (0.3, ["Greg Daniels"])]


def test_names_of_things_that_are_no_mediators_do_not_count(tmp_path):
    films = [("Spielberg", "directed", "Jaws"), ("Spielberg", "directed", "Munich"),
             ("Jaws", "star", "Scheider"), ("Munich", "star", "Bana"), ("Jaws", "genre", "Horror")]  # fmt: skip
    graph = build(tmp_path / "films", films)
    found = narrowed(graph, "who stars in horror by Spielberg", [("directed star", 0.8)], "Spielberg")
    assert found == [(0.8, ["Bana", "Scheider"])]


def test_an_unlikely_relation_path_is_left_alone(graph):
    paths = [("creator", 0.9), ("cast actor", 0.04)]
    assert narrowed(graph, "who plays dwight in the office", paths)[1][1] == [
        "Ed Helms", "Jenna Fischer", "Rainn Wilson"
    ]  # fmt: skip
