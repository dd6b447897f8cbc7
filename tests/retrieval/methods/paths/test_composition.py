"""Questions of longer paths, made of shorter ones and a fact: exact texts and paths on the tiny world."""

import numpy as np
import pytest

from retrieval.kg import search
from retrieval.language.question import Question
from retrieval.methods.paths.composition import TopicQuestion, generate_composed_questions
from retrieval.methods.retriever_loading import open_retriever
from retrieval.train import train
from tests.retrieval import films
from tests.retrieval.world import build, ids, path


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def made(graph, text, topic, of, **more):
    asked = [TopicQuestion(text, ids(graph, topic)[0], path(graph, of))]
    settings = {"count": 40, "longest": 3, "rng": np.random.default_rng(0)} | more
    return generate_composed_questions(graph, asked, settings.pop("count"), **settings)


def test_a_fact_that_leads_to_the_topic_makes_the_path_longer_and_stands_in_for_its_name(graph):
    found = made(graph, "What is the genre of X ?", "Munich", "in_genre")
    # Munich is left by its director and its genre; the genre is what was asked.
    spielberg = ids(graph, "Spielberg")[0]
    assert {(one.topic, one.path) for one in found} == {(spielberg, path(graph, "-directed_by in_genre"))}
    assert {one.text for one in found} == {
        "What is the genre of those directed by X ?",
        "What is the genre of what has directed by X ?",
        "What is the genre of those whose directed by is X ?",
    }


def test_a_fact_read_forward_says_whose_the_topic_is(graph):
    found = made(graph, "Which films are by the X ?", "Spielberg", "-directed_by")
    assert found == []  # every fact of Spielberg's is of the relation that the path begins with
    found = made(graph, "What borders the X ?", "France", "borders")
    texts = {one.text for one in found if one.path == path(graph, "borders borders")}
    assert texts == {
        "What borders the borders of X ?",
        "What borders X's borders ?",
        "What borders what X borders ?",
    }


def test_every_composed_path_can_be_walked(graph):
    for one in made(graph, "What borders X ?", "Austria", "borders"):
        steps = [(r % graph.num_relations, r >= graph.num_relations) for r in one.path]
        levels = search.execute(graph, [one.topic], steps, simple=False)
        assert ids(graph, "Austria")[0] in levels[0].tolist()
        assert len(levels[-1])


def test_what_is_long_enough_or_names_no_topic_or_another_one_is_left_alone(graph):
    assert made(graph, "What borders X ?", "Austria", "borders", longest=1) == []
    assert made(graph, "What borders Austria ?", "Austria", "borders") == []
    assert made(graph, "What borders X and Y ?", "Austria", "borders") == []
    assert generate_composed_questions(graph, [], 5, longest=3, rng=np.random.default_rng(0)) == []


def test_no_more_than_wanted_and_the_same_again(graph):
    first, again = (made(graph, "What borders X ?", "Austria", "borders", count=3) for _ in range(2))
    assert len(first) == len(set(first)) == 3
    assert first == again


@pytest.mark.slow
@pytest.mark.parametrize(("composed", "hops"), [(1.0, 2), (0.0, 1)])
def test_a_relation_path_that_no_question_has_is_followed(composed, hops, tmp_path):
    graph, encoder = films.build(tmp_path / "graph"), films.WordEncoder()
    known = [q for q in films.questions() if q.hops < 3]
    settings = {"hidden": 32, "epochs": 5, "composed": composed}
    result = train("rel-rag-path", graph, known, config=settings, out=tmp_path / "out", encoder=encoder)
    opened = open_retriever("rel-rag-path", result.checkpoint, graph, encoder, cache=tmp_path / "cache")
    campion = graph.find_entity("Campion")
    (best,) = opened.rank_relation_paths(
        Question("what is the language of what was directed by Campion"), [campion], limit=1
    )
    assert len(best.relations) == hops
    assert (best.relations == path(graph, "-directed_by in_language")) == (hops == 2)
