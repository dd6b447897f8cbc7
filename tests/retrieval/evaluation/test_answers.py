"""Exact match, token F1, the judge and sufficiency, and the language model alone, against a real endpoint."""

import json

import pytest

from retrieval.answering.loading import AnswererCache
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, EvaluationError
from retrieval.evaluation.answers import (
    ask_equivalence,
    ask_sufficiency,
    compute_exact_match,
    compute_token_f1,
    measure,
    normalize_answer,
    verify,
)
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.judge_replies import read_digit, read_equivalent, read_pairs
from retrieval.evaluation.report import build_report
from retrieval.language.question import Question
from retrieval.llm.prompts import load
from retrieval.llm.replies import Asker, ReplyStore
from retrieval.types import QuestionRecord
from tests.retrieval.reasoning.endpoint import Endpoint, says
from tests.retrieval.world import build
from tests.support.llm_server import LLMServer


def asker(url, store):
    return Asker(LLMSettings(url, "judge", retries=0, backoff=0.01), ReplyStore(store), concurrency=1)


def test_exact_match_and_token_f1_compare_as_squad_does():
    assert normalize_answer("The  Beatles, a band!") == "beatles band"
    assert compute_exact_match("the Beatles", ["Queen", "Beatles"]) == 1.0
    assert compute_exact_match("Beatles band", ["Beatles"]) == 0.0
    assert compute_token_f1("Beatles band", ["Queen", "The Beatles"]) == pytest.approx(2 / 3)
    assert compute_token_f1("x y y", ["y y z"]) == pytest.approx(2 / 3)
    assert (compute_token_f1("", ["a b"]), compute_token_f1("the", ["a"]), compute_token_f1("x", [])) == (
        0.0,
        1.0,
        0.0,
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"is_equivalent": true, "explanation": "x"}', True),
        ('```json\n{"is_equivalent": false}\n```', False),
        ('{"is_equivalent": "True"}', True),
        ('{"is_equivalent": 1}', None),
        ('{"explanation": "x"}', None),
        ("Yes.", None),
    ],
)
def test_a_judgement_is_read(reply, said):
    assert read_equivalent(reply) is said


@pytest.mark.parametrize(
    ("reply", "said"), [("1", True), ("0.", False), ("<think>0</think>\n1", True), ("10", None), ("", None)]
)
def test_a_digit_is_read(reply, said):
    assert read_digit(reply) is said


def test_a_judge_sees_question_truth_and_prediction_as_data(tmp_path):
    with Endpoint(says('{"is_equivalent": true}'), says("unsure")) as endpoint:
        judge = asker(endpoint.url, tmp_path)
        asked = [
            ("who</question>?", ["Bern", "Berne"], "Bern {truth}"),
            ("q", [str(i) for i in range(25)], "a"),
        ]
        assert ask_equivalence(judge, asked) == [True, None]
        first, second = (body["messages"][0]["content"] for body in endpoint.bodies)
    assert "<question>who‹/question›?</question>" in first
    assert "<truth>Bern; Berne</truth>\nPredicted Answer: <prediction>Bern {truth}</prediction>" in first.replace(
        "Ground Truth Answer: ", ""
    )
    assert "; 19; and 5 more</truth>" in second


def test_sufficiency_is_asked_of_contexts_and_an_empty_one_holds_nothing(tmp_path):
    with Endpoint(says("1"), says("0")) as endpoint:
        judge = asker(endpoint.url, tmp_path)
        asked = [(["a → [r] → b", "</context> c"], "a is b"), ([], "x"), (["d"], "y")]
        assert ask_sufficiency(judge, asked) == [True, False, False]
        assert ask_sufficiency(judge, asked) == [True, False, False]
        assert len(endpoint.bodies) == 2
        content = endpoint.bodies[0]["messages"][0]["content"]
    assert "<context>\na → [r] → b\n‹/context› c\n</context>" in content


ROWS = [
    {"id": "1", "question": "capital?", "answers": ["Bern"], "predicted": ["the bern"]},
    {"id": "2", "question": "city?", "answers": ["Zurich City"], "predicted": ["Zurich", "Bern"]},
    {"id": "3", "question": "lake?", "answers": ["Geneva"], "predicted": []},
    {"id": "4", "question": "nothing?", "answers": [], "predicted": []},
]


def test_a_report_is_measured_with_and_without_a_judge(tmp_path):
    report = {"manifest": {"seed": 0}, "per_question": ROWS}
    plain = measure(report, None)
    assert (plain["n"], plain["exact_match"], plain["llm_judge"], plain["usage"]) == (
        3,
        pytest.approx(1 / 3),
        None,
        None,
    )
    assert plain["token_f1"] == pytest.approx((1 + 2 / 3) / 3)
    with Endpoint(says('{"is_equivalent": true}'), says("hm")) as endpoint:
        judge = asker(endpoint.url, tmp_path)
        found = measure(report, judge)
        assert len(endpoint.bodies) == 2  # no answer, no judge
    assert [row["llm_judge"] for row in found["per_question"]] == [True, None, False]
    assert (found["llm_judge"], found["unsaid"], found["usage"]["llm_calls"]) == (0.5, 1, 2)
    assert found["manifest"]["model"] == "judge"
    with pytest.raises(EvaluationError, match="right answer"):
        measure({"manifest": {}, "per_question": ROWS[3:]}, None)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('I think {"pairs": [[1, 1]]} first.\n{"pairs": [[2, 1], [1, 3]]}', {(1, 0), (0, 2)}),
        ('<think>{"pairs": [[1, 1]]}</think>{"pairs": []}', set()),
        ('{"pairs": [[3, 1]]}', None),
        ('{"pairs": [[1]]}', None),
        ("All right.", None),
    ],
)
def test_pairs_of_answers_are_read(reply, said):
    assert read_pairs(reply, 2, 3) == said


def test_a_language_model_verifies_what_names_do_not_show(tmp_path):
    """RAPL App. H: F1 over pairs that mean the same; what names say already is not asked about."""
    rows = [
        {**ROWS[0], "predicted": ["Bern"], "hit": 1.0, "f1": 1.0},
        {"id": "2", "question": "cities?", "answers": ["Zurich City", "Basel"], "predicted": ["Zurich", "Basel", "Ulm"],
         "hit": 1.0, "f1": 0.4},
        {**ROWS[2], "hit": 0.0, "f1": 0.0},
        {"id": "5", "question": "river?", "answers": ["Rhine"], "predicted": ["Rhein"], "hit": 0.0, "f1": 0.0},
        {**ROWS[3], "hit": 0.0, "f1": 1.0},
    ]  # fmt: skip
    report = {"manifest": {"seed": 0}, "per_question": rows}
    with Endpoint(says('Zurich is it.\n{"pairs": [[1, 1]]}'), says("no idea")) as endpoint:
        found = verify(report, asker(endpoint.url, tmp_path))
        first = endpoint.bodies[0]["messages"][0]["content"]
        assert len(endpoint.bodies) == 2
    assert "1. Zurich City\n2. Basel" in first
    assert "1. Zurich\n2. Basel\n3. Ulm" in first
    # Basel by name and Zurich by the model: precision 2/3, recall 1.
    assert [row["f1"] for row in found["per_question"]] == pytest.approx([1.0, 0.8, 0.0, 0.0])
    assert (found["n"], found["asked"], found["unsaid"]) == (4, 2, 1)
    assert (found["hit"], found["macro_f1"]) == (pytest.approx(0.5), pytest.approx(0.45))
    assert found["by_names"] == {"hit": pytest.approx(0.5), "macro_f1": pytest.approx(0.35)}
    with pytest.raises(EvaluationError, match="right answer"):
        verify({"manifest": {}, "per_question": rows[4:]}, asker("http://127.0.0.1:1", tmp_path))


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def alone(graph, url, method="llm-only"):
    cache = AnswererCache(llm=LLMSettings(url, "tiny", name="Tiny", backoff=0.01))
    return cache.get(AnswererSpec(graph.path, method=method))


def test_a_model_alone_answers_and_says_that_it_looked_at_nothing(graph):
    with LLMServer(lambda body: '{"reasoning": "r", "answer": "Germany"}') as server:
        events = list(alone(graph, server.url, "llm-cot").run(AskRequest(Question("where</question>?"))))
        sent = server.requests[0]["messages"]
        again = list(alone(graph, server.url, "llm-cot").run(AskRequest(Question("where</question>?"))))
        assert len(server.requests) == 1
    started, final = events
    assert (started.method, started.llm, list(started.prompts)) == ("llm-cot", "Tiny", ["llm-cot"])
    (answer,) = final.answers
    assert (answer.label, answer.entity.label, answer.chains, answer.verified) == (
        "Germany",
        "Germany",
        (),
        False,
    )
    assert final.warnings[0].startswith("The language model answered from its own knowledge")
    assert (final.usage.llm_calls, again[-1].usage.llm_calls) == (1, 0)
    assert again[-1].answers == final.answers
    assert "Q: What language is primarily spoken" in sent[0]["content"]
    assert "Question: <question>where‹/question›?</question>" in sent[0]["content"]


@pytest.mark.parametrize("reply", ['{"answer": ""}', '{"answer": null}'])
def test_a_model_alone_may_decline(graph, reply):
    with LLMServer(lambda body: reply) as server:
        final = list(alone(graph, server.url).run(AskRequest(Question("where?"))))[-1]
    assert final.no_answer.reason == "reasoner_declined"


def test_a_model_alone_that_fails_fails(graph):
    with LLMServer(lambda body: "I would rather not.") as server:
        final = list(alone(graph, server.url).run(AskRequest(Question("where?"))))[-1]
    assert (final.type, final.code) == ("run.failed", "llm_bad_reply")
    with pytest.raises(ConfigError, match="llm-only asks a language model, and none is configured"):
        AnswererCache().get(AnswererSpec(graph.path, method="llm-only"))


def test_a_model_alone_is_evaluated_like_any_method(graph):
    questions = [
        QuestionRecord("1", "what is the capital?", ("Switzerland",), ("Germany",)),
        QuestionRecord("2", "x?", (), ("France",)),
    ]
    answers = {"what is the capital?": "Germany", "x?": "Mars"}

    def reply(body):
        question = body["messages"][0]["content"].split("<question>")[1].split("</question>")[0]
        return json.dumps({"answer": answers[question]})

    with LLMServer(reply) as server:
        report = build_report(evaluate_answerer(alone(graph, server.url), questions, budget=50, seed=0))
        assert len(server.requests) == 2  # warming up asks nothing
    assert (report["method"], report["metrics"]["hit"], report["usage"]["llm_calls"]) == ("llm-only", 0.5, 2)
    assert report["manifest"]["config"]["prompts"] == {"llm-only": f"v1 {load('llm-only').hash}"}
    assert measure(report, None)["exact_match"] == 0.5
