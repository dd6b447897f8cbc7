"""A checkpoint's ranking of relation paths and the zero-shot one, put together by a share chosen on dev questions."""

import pytest

from retrieval.errors import Cancelled
from retrieval.methods.common.blending import merge_rankings, select_share
from retrieval.supervision.grounding import resolve_questions
from retrieval.types import QuestionRecord, RelationPath
from tests.retrieval import world


def path(relations, score, topic=1, **more):
    return RelationPath(topic, relations, score, **more)


def test_probabilities_are_averaged_by_the_share():
    learned, by_words = [path((0,), 0.8), path((1,), 0.2)], [path((1,), 0.6), path((2,), 0.4)]
    found = merge_rankings(by_words, learned, 0.5)
    assert [(one.relations, pytest.approx(one.score)) for one in found] == [
        *(((0,), 0.4), ((1,), 0.4), ((2,), 0.2)),
    ]
    assert [one.relations for one in merge_rankings(by_words, learned, 1)] == [(0,), (1,)]
    assert [one.relations for one in merge_rankings(by_words, learned, 0)] == [(1,), (2,)]


def test_topics_keep_their_order():
    found = merge_rankings([path((1,), 0.9, 4), path((0,), 0.5, 2)], [path((0,), 0.1, 2), path((1,), 0.2, 4)], 0.5)
    assert [one.topic for one in found] == [2, 4]


@pytest.mark.parametrize(
    ("learned", "by_words", "doubted"),
    [(True, True, True), (True, False, False), (False, True, False), (None, True, True), (True, None, True)],
)
def test_a_path_of_both_is_doubted_where_both_doubt(learned, by_words, doubted):
    [found] = merge_rankings(
        [path((0,), 0.5, doubted=by_words, support=0.9)],
        [path((0,), 0.5, doubted=learned, support=-2.0)],
        0.5,
    )
    assert (found.doubted, found.support) == (doubted, -2.0)


class Fixed:
    """Ranks the same relation paths whatever is asked."""

    simple = True

    def __init__(self, *ranked):
        self.ranked = ranked

    def rank_relation_paths(self, question, topics, *, limit, mentions):
        return [path(relations, score, topics[0]) for relations, score in self.ranked]


@pytest.fixture
def graph(tmp_path):
    return world.build(tmp_path / "graph")


def asked(graph, count):
    question = QuestionRecord("q", "what is the genre of Jaws", ("Jaws",), ("Horror",))
    return resolve_questions(graph, [question])[0] * count


def test_the_share_is_the_one_that_answers_most_dev_questions(graph):
    genre, directed = world.path(graph, "in_genre"), world.path(graph, "directed_by")
    right, wrong = [(genre, 0.6), (directed, 0.1)], [(directed, 0.9)]

    def choose(learned, by_words, count=20):
        return select_share(Fixed(*learned), lambda: Fixed(*by_words), graph, asked(graph, count), lambda: False)

    assert choose(right, wrong) == 0.75, "half of each would answer by the words alone"
    assert choose(wrong, right) == 0.25
    assert choose(right, right) == 0.5, "where all answer alike both have a say"
    assert choose(wrong, right, 19) == 0.5, "too few questions to choose by"


def test_choosing_can_be_stopped(graph):
    with pytest.raises(Cancelled):
        select_share(Fixed(), Fixed, graph, asked(graph, 20), lambda: True)
