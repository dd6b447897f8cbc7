"""A question set that can be studied."""

import pytest

from retrieval.types import QuestionRecord
from webapp.questions.services import save_question_set

URL = "/api/v1/studies"
VARIANTS = [
    {"name": "trained", "method": "rel-rag-path", "config": {"epochs": 1}},
    {"name": "zero-shot", "method": "rel-rag-path", "trained": False},
]


@pytest.fixture
def six(tiny_graph, users):
    """Six questions over the tiny graph, two of each split."""
    asked = [
        QuestionRecord("q1", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="train"),
        QuestionRecord("q2", "what is spoken in France?", ("France",), ("French",), hops=1, split="train"),
        QuestionRecord("q3", "what is spoken in Germany?", ("Germany",), ("German",), hops=1, split="dev"),
        QuestionRecord("q4", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="dev"),
        QuestionRecord("q5", "what is spoken in Switzerland?", ("Switzerland",), ("German",), hops=1, split="test"),
        QuestionRecord("q6", "which seas border Germany?", ("Germany",), ("Baltic Sea",), split="test"),
    ]
    return save_question_set(name="Six", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


@pytest.fixture
def started(api, six):
    """``started(**fields)`` is the answer to an analyst who starts a study with these fields."""

    def start(role="analyst", **fields):
        body = {"name": "S", "sets": [{"question_set": six.pk}], "variants": VARIANTS, **fields}
        return api(role).post(URL, body, format="json")

    return start
