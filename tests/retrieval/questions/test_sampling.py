"""Questions made from a graph: exact answers, true paths, the same each time."""

import pytest

from retrieval.kg import search
from retrieval.questions import wording
from retrieval.questions.checking import check_questions
from retrieval.questions.sampling import sample_questions
from retrieval.questions.wording import WordedStep
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
        "What is Bern the capital of?",
        "What is the capital of Switzerland?",
    }
    hub = world.build(tmp_path / "hub", [(f"film {i}", "located in", "list") for i in range(21)])
    assert all(q.topic_entities != ("list",) for q in sample_questions(hub, 30))  # 21 answers are too many


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([WordedStep("area", False)], "What is the area of Jaws?"),
        ([WordedStep("directed by", False)], "Who directed Jaws?"),
        ([WordedStep("written by", False)], "Who wrote Jaws?"),
        ([WordedStep("directed by", True, many=True)], "What was directed by Jaws?"),
        ([WordedStep("influenced by", True)], "Who was influenced by Jaws?"),
        ([WordedStep("played by", True, many=True)], "What was played by Jaws?"),
        ([WordedStep("played by", False)], "Who played Jaws?"),
        ([WordedStep("born in", False)], "Where was Jaws born?"),
        ([WordedStep("born in", True, many=True)], "Who was born in Jaws?"),
        ([WordedStep("studied at", False)], "Where did Jaws study?"),
        ([WordedStep("studied at", True, many=True)], "Who studied at Jaws?"),
        ([WordedStep("located in", False)], "Where is Jaws located?"),
        ([WordedStep("located in", True)], "What is located in Jaws?"),
        ([WordedStep("official language", False, many=True)], "What are the official languages of Jaws?"),
        ([WordedStep("languages spoken", False, many=True)], "Which languages are spoken in Jaws?"),
        ([WordedStep("has genre", False)], "What is the genre of Jaws?"),
        ([WordedStep("place of birth", False)], "What is the place of birth of Jaws?"),
        ([WordedStep("parents", False)], "Who is the parent of Jaws?"),
        ([WordedStep("child", False, many=True)], "Who are the children of Jaws?"),
        ([WordedStep("capital of", False)], "What is Jaws the capital of?"),
        ([WordedStep("capital of", True)], "What is the capital of Jaws?"),
        ([WordedStep("city in state", False)], "Which state is Jaws in?"),
        ([WordedStep("borders", False, many=True)], "What does Jaws border?"),
        ([WordedStep("borders", True)], "What borders Jaws?"),
        ([WordedStep("directed by", False), WordedStep("born in", False)], "Where was the one who directed Jaws born?"),
        (
            [WordedStep("written by", True, many=True), WordedStep("has genre", False)],
            "What is the genre of the works written by Jaws?",
        ),
        (
            [WordedStep("borders", True, many=True), WordedStep("capital", False, many=True)],
            "What are the capitals of those that border Jaws?",
        ),
    ],
)
def test_wording(steps, text):
    assert wording.write_question("Jaws", steps) == text


@pytest.mark.parametrize(
    "steps",
    [
        [WordedStep("area", True)],
        [WordedStep("/m/0abc", False)],
        [WordedStep("imdb id", False)],
        [WordedStep("notable type", False)],
        [WordedStep("people born here", False)],
        [WordedStep("p.31_x", False)],
        [WordedStep("borders", False), WordedStep("borders", False)],
        [WordedStep("model", False), WordedStep("model", False)],
    ],
)
def test_what_cannot_be_put_into_words_is_not_asked(steps):
    assert wording.write_question("Jaws", steps) is None


def test_numbers_dates_and_identifiers_are_never_asked_about(tmp_path):
    facts = [
        ("Berne", "located_in", "Switzerland"),
        ("Berne", "area", "49 km2"),
        ("Berne", "founded_in", "1191"),
        ("m.0abc", "located_in", "Switzerland"),
        ("Q72", "located_in", "Switzerland"),
    ]
    found = sample_questions(world.build(tmp_path / "values", facts), 40, hops=(1,))
    assert {topic for q in found for topic in q.topic_entities} == {"Berne"}
    assert {q.question for q in found} == {
        "Where is Berne located?",
        "What is the area of Berne?",
        "Where was Berne founded?",
    }


def test_a_step_through_a_node_without_a_name_is_told_by_the_one_behind_it(tmp_path):
    graph = world.build(tmp_path / "cvt", [("Jaws", "film.performances", "m.01"), ("m.01", "film.actor", "Shaw")])
    assert [q.question for q in sample_questions(graph, 9, hops=(2,))] == ["Who is the actor of Jaws?"]
