"""Relation paths of a question's parts, one after the other, beside those of the whole."""

import pytest

from retrieval.config import UntrainedOptions
from retrieval.language.question import Question
from retrieval.methods.common.decomposition import PathComposer
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.types import RelationPath
from tests.retrieval.films import WordEncoder
from tests.retrieval.world import build, ids

FACTS = [
    ("Thought of You", "composer", "Ada"),
    ("Thought of You", "label", "Red Records"),
    ("Ada", "raised_in", "Riverton"),
    ("Ada", "award", "Golden Note"),
    ("Bo", "composer_of_honour", "Ada"),
    ("Riverton", "currency", "Crown"),
]
QUESTION = "Where was the composer of Thought of You raised?"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("songs") / "graph", FACTS)


def relation(graph, name):
    return next(at for at in range(graph.num_relations) if graph.get_relation_name(at) == name)


def composer_of(graph, said, *, always=True):
    """A composer whose ranker says of a text what a test dictates, and nothing of others."""

    def rank(topics, texts):
        return [
            [RelationPath(topic, path, score, support=score) for path, score in said.get(text, [])]
            for topic, text in zip(topics, texts, strict=True)
        ]

    return PathComposer(graph, rank, True, lambda: False, always)


def test_the_parts_are_followed_one_after_the_other(graph):
    composer, raised, label = (relation(graph, name) for name in ("composer", "raised_in", "label"))
    said = {"What is the composer of X?": [((composer,), 0.9)], "Where was X raised?": [((raised,), 0.5)]}
    (song,) = ids(graph, "Thought of You")
    whole = [[RelationPath(song, (composer,), 0.7), RelationPath(song, (label,), 0.2)]]
    found = composer_of(graph, said).merge_part_paths(Question(QUESTION), [song], ["Thought of You"], whole, [False])
    # Parts: 0.8 * 0.9 * 0.5; the description alone is a tenth of the fifth that the whole question has left.
    assert [(own.relations, round(own.score, 4), own.support) for own in found[0]] == [
        ((composer, raised), 0.36, 0.5),
        ((label,), 0.04, None),
        ((composer,), 0.014, None),
    ]


def test_what_stands_is_left_as_it_is(graph):
    composer, raised = (relation(graph, name) for name in ("composer", "raised_in"))
    said = {"What is the composer of X?": [((composer,), 0.9)], "Where was X raised?": [((raised,), 0.5)]}
    (song,) = ids(graph, "Thought of You")
    whole = [[RelationPath(song, (composer,), 0.7)]]
    assert (
        composer_of(graph, said).merge_part_paths(Question(QUESTION), [song], ["Thought of You"], whole, [True])
        == whole
    )


@pytest.mark.parametrize("named", ["award", "raised_in"])
def test_where_steps_are_few_only_what_falls_short_is_taken_apart(graph, named):
    composer, raised, last = (relation(graph, name) for name in ("composer", "raised_in", named))
    said = {"What is the composer of X?": [((composer,), 0.9)], "Where was X raised?": [((raised,), 0.5)]}
    (song,) = ids(graph, "Thought of You")
    careful = composer_of(graph, said, always=False)
    short, long = [[RelationPath(song, (composer,), 0.7)]], [[RelationPath(song, (composer, last), 0.7)]]
    taken = careful.merge_part_paths(Question(QUESTION), [song], ["Thought of You"], short, [False])
    assert taken[0][0].relations == (composer, raised)
    assert careful.merge_part_paths(Question(QUESTION), [song], ["Thought of You"], long, [False]) == long


def test_a_path_that_leads_back_to_what_is_asked_about_says_nothing(graph):
    composer, award = (relation(graph, name) for name in ("composer", "award"))
    back = award + graph.num_relations
    said = {"What is the composer of X?": [((composer,), 0.9)], "Where was X raised?": [((award, back), 0.5)]}
    (song,) = ids(graph, "Thought of You")
    free = PathComposer(graph, composer_of(graph, said).rank, False, lambda: False, True)
    whole = [[RelationPath(song, (composer,), 0.7)]]
    assert free.merge_part_paths(Question(QUESTION), [song], ["Thought of You"], whole, [False]) == whole


def test_descriptions_within_each_other_are_taken_apart(graph):
    composer, raised, currency = (relation(graph, name) for name in ("composer", "raised_in", "currency"))
    said = {
        "What is the composer of X?": [((composer,), 1.0)],
        "What is the place where X was raised?": [((raised,), 1.0)],
        "Which currency is used in X?": [((currency,), 1.0)],
    }
    (song,) = ids(graph, "Thought of You")
    question = "Which currency is used in the place where the composer of Thought of You was raised?"
    whole = [[RelationPath(song, (composer,), 0.5)]]
    found = composer_of(graph, said).merge_part_paths(Question(question), [song], ["Thought of You"], whole, [False])
    assert found[0][0].relations == (composer, raised, currency)
    assert round(found[0][0].score, 4) == 0.64  # 0.8 of 0.8


RECORDS = [
    ("Thought of You", "credits", "m.01abcd"),
    ("m.01abcd", "composer", "Ada"),
    ("m.01abcd", "year", "1999"),
    ("Ada", "homes", "m.02abcd"),
    ("m.02abcd", "raised_in", "Riverton"),
    ("m.02abcd", "until", "1980"),
    ("Ada", "album", "First Light"),
]


def test_the_zero_shot_retriever_goes_further_in_parts_than_at_once(tmp_path):
    graph = build(tmp_path / "graph", RECORDS)
    parts = ZeroShotRetriever(graph, WordEncoder())
    whole = parts.apply_options(UntrainedOptions(decompose=False))
    (song,) = ids(graph, "Thought of You")
    steps = tuple(relation(graph, name) for name in ("credits", "composer", "homes", "raised_in"))
    assert parts.rank_relation_paths(Question(QUESTION), [song])[0].relations == steps
    assert max(len(own.relations) for own in whole.rank_relation_paths(Question(QUESTION), [song])) == 3


@pytest.mark.parametrize(("learned", "steps"), [(0.0, 3), (1.1, 4), (None, 4)])
def test_what_a_trained_retriever_does_not_doubt_stands(tmp_path, learned, steps):
    graph = build(tmp_path / "graph", RECORDS)
    retriever = ZeroShotRetriever(graph, WordEncoder())
    retriever.trained, retriever.learned_support = True, learned
    retriever.least_support = None  # as on another version of its graph
    (song,) = ids(graph, "Thought of You")
    assert max(len(own.relations) for own in retriever.rank_relation_paths(Question(QUESTION), [song])) == steps
