"""Names of scripts without spaces are found inside what surrounds them, and relations by their letters."""

import pytest

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.pipeline import NAMED_OTHERWISE, NOT_ENGLISH
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.language.question import Question
from retrieval.linking.questions import replace_topic_names
from tests.retrieval.kg.worlds import build

FACTS = [
    ("鲁迅", "出生地", "绍兴"),
    ("阿Q正传", "作者", "鲁迅"),
    ("红楼梦", "作者", "曹雪芹"),
    ("曹雪芹", "出生地", "南京"),
    ("中国", "邻国", "越南"),
    ("绍兴", "位于", "浙江省"),
    ("浙江省", "位于", "中国"),
]


@pytest.fixture(scope="module")
def answerer(tmp_path_factory):
    graph = build(FACTS, tmp_path_factory.mktemp("unspaced") / "g")
    return load_answerer(AnswererSpec(graph.path, None, "rel-rag-path"), load_parts(graph, load_encoder()))


@pytest.mark.parametrize(
    ("question", "topic", "answer"),
    [
        ("阿Q正传的作者是谁？", "阿Q正传", "鲁迅"),
        ("鲁迅的出生地", "鲁迅", "绍兴"),
        ("鲁迅出生在哪里？", "鲁迅", "绍兴"),
    ],
)
def test_chinese_questions_are_answered_by_the_graphs_own_words(answerer, question, topic, answer):
    events = list(answerer.run(AskRequest(Question(question))))
    (linked,) = (event for event in events if event.type == "question.linked")
    assert [link.entity.label for link in linked.entities] == [topic]
    assert [link.mention for link in linked.entities] == [topic]
    assert events[-1].answers[0].label == answer
    assert NOT_ENGLISH in events[-1].warnings


def test_english_questions_are_told_that_the_graph_is_named_otherwise(answerer):
    *_, end = answerer.run(AskRequest(Question("Who is the author of 红楼梦?")))
    assert NAMED_OTHERWISE in end.warnings


def test_a_topic_is_parted_from_what_stands_beside_it():
    assert replace_topic_names("中国的首都是什么？", 0, ["中国"]) == "X 的首都是什么？"
