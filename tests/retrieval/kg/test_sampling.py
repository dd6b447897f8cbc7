"""Questions made from a graph: exact answers, true paths, the same each time."""

import pytest

from retrieval.kg import search
from retrieval.kg.checking import check_questions
from retrieval.kg.sampling import sample_questions, wording
from tests.retrieval import world


@pytest.fixture
def graph(tmp_path):
    return world.build(tmp_path / "g")


def test_answers_are_what_the_relation_path_reaches(graph):
    found = sample_questions(graph, 30, seed=3)
    assert len(found) == 30
    assert len({q.id for q in found}) == len({q.question for q in found}) == 30
    assert {q.hops for q in found} == {1, 2, 3}
    for question in found:
        (topic,) = world.ids(graph, *question.topic_entities)
        (names,) = question.relation_paths
        assert question.hops == len(names)
        path = question.paths[0]
        steps, at = [], question.topic_entities[0]
        for head, name, tail in path:
            steps.append((graph.find_relation(name), head != at))
            at = tail if head == at else head
        assert at in question.answers
        reached = search.execute(graph, [topic], steps)[-1]
        assert world.labels(graph, reached) == list(question.answers)
        for head, name, tail in (fact for one in question.paths for fact in one):
            assert graph.has(*world.ids(graph, head), graph.find_relation(name), *world.ids(graph, tail))
    assert check_questions(graph, found).measurable == 30


def test_a_seed_says_which(graph):
    assert sample_questions(graph, 10, seed=1) == sample_questions(graph, 10, seed=1)
    assert sample_questions(graph, 10, seed=1) != sample_questions(graph, 10, seed=2)


def test_a_small_graph_gives_few(tmp_path):
    tiny = world.build(tmp_path / "tiny", [("Bern", "capital_of", "Switzerland")])
    assert {q.question for q in sample_questions(tiny, 50)} == {
        "What is Bern capital of?",
        "What is capital of Switzerland?",
    }
    hub = world.build(tmp_path / "hub", [(f"film {i}", "in", "list") for i in range(21)])
    assert all(q.topic_entities != ("list",) for q in sample_questions(hub, 30))  # 21 answers are too many
    mediators = world.build(tmp_path / "cvt", [("Jaws", "cast", "m.01"), ("m.01", "actor", "Shaw")])
    assert {q.answers for q in sample_questions(mediators, 20)} == {("Shaw",), ("Jaws",)}


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([("directed by", False)], "What is Jaws directed by?"),
        ([("directed by", True)], "What is directed by Jaws?"),
        ([("official language", False)], "What is the official language of Jaws?"),
        ([("official language", True)], "What has Jaws as official language?"),
        ([("has part", False)], "Which part does Jaws have?"),
        ([("has part", True)], "What has the part Jaws?"),
        ([("borders", False)], "What are the borders of Jaws?"),
        ([("written by", True), ("has genre", False)], "Which genre do those written by Jaws have?"),
        ([("has tag", True), ("written by", False)], "What are those with the tag Jaws written by?"),
        (
            [("directed by", False), ("directed by", True)],
            "What is directed by those that Jaws is directed by?",
        ),
        (
            [("borders", False), ("official language", False)],
            "What is the official language of the borders of Jaws?",
        ),
    ],
)
def test_wording(steps, text):
    assert wording("Jaws", steps) == text
