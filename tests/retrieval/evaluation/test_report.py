"""The evaluator on a tiny engine, and every figure of its report by hand."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, EvaluationError
from retrieval.evaluation import faithfulness, report_page
from retrieval.evaluation.breakdowns import compute_hops
from retrieval.evaluation.coverage import filter_answerable
from retrieval.evaluation.evaluator import ask, evaluate_answerer, sample
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.pages import render_markdown
from retrieval.evaluation.report import build_report, read_report, read_scores, score, write_report
from retrieval.llm.replies import Asker, ReplyStore
from retrieval.metrics.names import METRICS
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm import LLMReasoner
from retrieval.types import QuestionRecord
from tests.retrieval.reasoning.endpoint import Endpoint, says
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build

SCRIPT = {
    "Switzerland": [("borders official_language", 0.7), ("official_language", 0.2)],
    "Austria": [("borders", 0.6)],
    "Jaws": [("directed_by", 0.9)],
}
PATH = (("Switzerland", "borders", "Austria"), ("Austria", "official_language", "German"))
QUESTIONS = [
    QuestionRecord(
        "right",
        "languages of the neighbours?",
        ("Switzerland",),
        ("German", "French", "Italian"),
        (PATH,),
        hops=2,
    ),
    QuestionRecord("half", "what does Austria border?", (), ("Italy", "Slovenia", "Hungary"), hops=1),
    QuestionRecord("wrong", "who directed it?", ("Jaws",), ("Lucas",), hops=1),
    QuestionRecord("unanswerable", "who rules Atlantis?", ("Atlantis",), ()),
    QuestionRecord("missed", "what is near nothing?", (), ("Nothing",)),
]


@pytest.fixture
def answerer(tmp_path):
    graph = build(tmp_path / "world")
    return PathAnswerer(
        graph, ScriptedRetriever(graph, SCRIPT), LabelLinker(graph), ExtractiveReasoner(), encoder="tiny"
    )


@pytest.fixture
def evaluation(answerer):
    return evaluate_answerer(answerer, QUESTIONS, budget=50, seed=1)


def test_every_question_is_asked_from_its_topics_or_from_what_is_linked(evaluation):
    assert [
        (o.topics, o.linked, tuple(label for label, _ in o.predicted), o.no_answer) for o in evaluation.outcomes
    ] == [
        (("Switzerland",), False, ("French", "German", "Italian"), None),
        (("Austria",), True, ("Italy",), None),
        (("Jaws",), False, ("Spielberg",), None),
        ((), True, (), "entity_not_linked"),
        ((), True, (), "entity_not_linked"),
    ]


def test_the_report_figures(evaluation):
    report = build_report(evaluation, split="test")
    assert (report["method"], report["n"]) == ("rel-rag-path", 5)
    found = report["metrics"]
    assert found["hit"] == pytest.approx(3 / 5)
    assert found["hit_at_1"] == pytest.approx(3 / 5)
    assert found["macro_f1"] == pytest.approx((1 + 0.5 + 0 + 1 + 0) / 5)
    assert found["micro_f1"] == pytest.approx(2 * 4 / (5 + 8))
    assert found["exact_set"] == pytest.approx(2 / 5)
    assert found["answer_recall"] == pytest.approx((1 + 1 / 3 + 0 + 0) / 4)
    assert found["path_recall"] == 1.0
    assert found["passage_recall_at_2"] is None
    assert found["avg_triples"] == pytest.approx((9 + 1 + 1) / 5)
    assert {hops: row["n"] for hops, row in report["by_hops"].items()} == {"1": 2, "2": 1}
    assert report["by_hops"]["1"]["macro_f1"] == pytest.approx(0.25)
    assert report["no_answers"] == {
        "unanswerable": 1,
        "right": 1.0,
        "false": 0.25,
        "reasons": {"entity_not_linked": 2},
        "failed": {},
    }
    assert report["usage"] == {"llm_calls": 0, "tokens": 0, "reasoning_tokens": 0, "cost": None}


def test_the_manifest_names_what_is_needed_to_repeat(evaluation, answerer):
    manifest = build_report(evaluation, split="test")["manifest"]
    assert (manifest["seed"], manifest["snapshot"], manifest["checkpoint"]) == (1, answerer.snapshot.hash, None)
    assert manifest["code_version"].startswith("0.1.0+")
    config = manifest["config"]
    assert (config["budget"], config["reasoner"], config["encoder"], config["split"]) == (
        50,
        "extractive",
        "tiny",
        "test",
    )
    assert config["extractive"] == asdict(answerer.settings.extractive)


def test_two_evaluations_agree_but_for_the_clock(answerer, evaluation):
    def timeless(found):
        report = build_report(found)
        clock = {"latency_ms": 0, "retrieval_ms": 0}
        return report | clock | {"per_question": [row | clock for row in report["per_question"]]}

    assert timeless(evaluate_answerer(answerer, QUESTIONS, budget=50, seed=1)) == timeless(evaluation)


def test_the_report_is_written_whole(tmp_path, evaluation):
    report = write_report(tmp_path / "deep" / "report.json", evaluation)
    assert json.loads((tmp_path / "deep" / "report.json").read_text(encoding="utf-8")) == report
    assert [row["id"] for row in report["per_question"]] == [q.id for q in QUESTIONS]
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["report.json"]


def test_the_report_has_every_key_of_the_design(evaluation):
    report = build_report(evaluation)
    assert tuple(report["metrics"]) == METRICS
    assert set(report["latency_ms"]) == set(report["retrieval_ms"]) == {"p50", "p95"}
    assert set(report["usage"]) == {"llm_calls", "tokens", "reasoning_tokens", "cost"}
    assert {"seed", "checkpoint", "snapshot", "config", "code_version"} <= set(report["manifest"])
    assert report["breakdowns"]["hops"] == report["by_hops"]


def test_how_questions_ended_and_how_groups_did(evaluation):
    report = build_report(evaluation)
    assert report["outcomes"] == {"right": 2, "partial": 1, "wrong": 1, "no_answer": 1, "failed": 0}
    assert [row["outcome"] for row in report["per_question"]] == [
        "right", "partial", "wrong", "right", "no_answer",
    ]  # fmt: skip
    by_topics = report["breakdowns"]["topics"]
    # "missed" names no topic and nothing was linked; "half" was linked to one.
    assert {group: row["n"] for group, row in by_topics.items()} == {"0": 1, "1": 4}
    by_answers = report["breakdowns"]["answers"]
    assert {group: row["n"] for group, row in by_answers.items()} == {"0": 1, "1": 2, "2-4": 2}
    assert by_answers["2-4"]["exact_set"] == 0.5
    assert "shift" not in report["breakdowns"]
    assert report["coverage"] == {
        "questions": 5, "with_topics": 3, "topics_missing": 1, "no_topic": 1,
        "with_answers": 4, "answers_missing": 3, "no_answer": 2,
    }  # fmt: skip


def test_retrieval_is_a_part_of_the_latency(evaluation):
    asked = [o for o in evaluation.outcomes if o.facts]
    assert asked
    assert all(0 < o.retrieval_ms < o.latency_ms for o in asked)


def test_the_scores_are_read_back_from_the_report(tmp_path, evaluation):
    write_report(tmp_path / "report.json", evaluation)
    read = read_report(tmp_path / "report.json")
    assert read_scores(read) == [score(outcome) for outcome in evaluation.outcomes]
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EvaluationError, match=r"other\.json is no evaluation report"):
        read_report(tmp_path / "other.json")


def test_words_are_compared_where_answers_are_words():
    question = QuestionRecord("q", "Who?", answers=("The Beatles", "Wings"))
    said = Outcome(question, predicted=(("beatles band", 0.9), ("Wings", 0.5)))
    plain, worded = score(said), score(said, words=True)
    assert (plain.exact_match, plain.token_f1) == (None, None)
    assert (worded.exact_match, worded.token_f1) == (0, pytest.approx(2 / 3))
    silent = score(Outcome(question), words=True)
    assert (silent.exact_match, silent.token_f1) == (0, 0)


def test_the_chains_that_led_to_the_answers_are_kept(evaluation):
    assert "Switzerland" in evaluation.outcomes[0].chains[0][0]
    assert evaluation.outcomes[0].chains[0][1] == pytest.approx(0.7)


def test_a_question_with_triples_is_asked_on_those_alone(answerer):
    own = (
        ("Switzerland", "borders", "Austria"),
        ("Austria", "official_language", "German"),
        ("Austria", "official_language", "Klingon"),
        ("Austria", "official_language", "Austria"),
        ("Austria", "painted_by", "Italy"),
    )
    question = QuestionRecord("own", "languages?", ("Switzerland",), ("German",), triples=own)
    found = ask(answerer, question, budget=50, seed=0)
    assert [label for label, _ in found.predicted] == ["German"]
    assert found.facts == {own[0], own[1]}
    assert (found.own_facts, found.unknown) == (2, {"entity": 1, "fact": 1, "relation": 1})
    whole = ask(answerer, question, budget=50, seed=0, subgraphs="whole")
    assert len(whole.predicted) == 3
    assert whole.own_facts is None
    report = build_report(evaluate_answerer(answerer, [question], budget=50, seed=0))
    assert report["own_subgraphs"] == {
        "questions": 1, "mean_facts": 2.0, "unknown_triples": {"entity": 1, "fact": 1, "relation": 1},
    }  # fmt: skip
    assert report["manifest"]["snapshot"] == answerer.snapshot.hash


def test_topics_can_be_left_to_the_linker(answerer):
    question = QuestionRecord("q", "what does Austria border?", ("Switzerland",), ("Italy",))
    assert ask(answerer, question, budget=50, seed=0).topics == ("Switzerland",)
    linked = ask(answerer, question, budget=50, seed=0, topics="linked")
    assert (linked.topics, linked.linked) == (("Austria",), True)


def test_what_was_asked_before_is_not_asked_again(answerer, evaluation):
    asked = []
    done = {outcome.question.id: outcome for outcome in evaluation.outcomes[:3]}
    again = evaluate_answerer(
        answerer,
        QUESTIONS,
        budget=50,
        seed=1,
        done=done,
        keep=lambda outcome: asked.append(outcome.question.id),
    )
    assert asked == ["unanswerable", "missed"]
    assert again.outcomes[:3] == evaluation.outcomes[:3]


def test_a_set_that_the_graph_does_not_know_is_refused(answerer):
    with pytest.raises(EvaluationError, match=r"no topic entity.*'Middle-earth'"):
        evaluate_answerer(answerer, [QuestionRecord("q", "?", ("Middle-earth",), ("Italy",))], budget=5, seed=0)
    with pytest.raises(EvaluationError, match=r"no answer.*'Sauron'"):
        evaluate_answerer(answerer, [QuestionRecord("q", "?", ("Italy",), ("Sauron",))], budget=5, seed=0)
    with pytest.raises(EvaluationError, match="no question"):
        evaluate_answerer(answerer, [], budget=5, seed=0)


def test_the_figures_of_each_operator(answerer):
    first, second, third, fourth, _ = QUESTIONS
    questions = [
        replace(first, operators=("union", "walk")),
        replace(second, operators=("walk",)),
        replace(third, operators=("walk", "walk"), also=(("Kubrick",), ("Spielberg",))),
        fourth,
    ]
    report = build_report(evaluate_answerer(answerer, questions, budget=50, seed=1))
    found = report["by_operator"]
    assert {name: row["n"] for name, row in found.items()} == {"union": 1, "walk": 3}
    assert [found["union"][name] for name in ("exact_set", "macro_f1", "hit")] == [1, 1, 1]
    walk = found["walk"]
    assert walk["exact_set"] == pytest.approx(2 / 3)
    assert walk["macro_f1"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert walk["hit"] == pytest.approx(2 / 3)
    assert report["breakdowns"]["operators"] == found
    row = report["per_question"][2]
    assert (row["operators"], row["also"], row["outcome"]) == (
        ["walk", "walk"],
        [["Kubrick"], ["Spielberg"]],
        "right",
    )
    page = render_markdown("Report", report_page.build_blocks(report))
    assert "## By operator" in page
    assert "| walk | 3 |" in page


def test_a_set_without_operators_has_no_such_figures(evaluation):
    report = build_report(evaluation)
    assert report["by_operator"] == {}
    assert "operators" not in report["breakdowns"]


def test_values_are_compared_as_values():
    question = QuestionRecord("q", "How large?", answers=("357022", "2.5 million"))
    said = (("357,022 km²", 0.9), ("2,500,000", 0.9), ("12", 0.1))
    found = score(Outcome(question, predicted=said))
    assert (found.hit, found.precision, found.recall, found.exact) == (1, pytest.approx(2 / 3), 1, 0)
    assert score(Outcome(question, predicted=said[:2])).exact == 1
    assert score(Outcome(QuestionRecord("q", "Is it?", answers=("True",)), predicted=(("yes", 1.0),))).exact == 1


def test_another_right_answer_set_is_exact_and_changes_nothing_else():
    question = QuestionRecord("q", "?", answers=("a", "b"), also=(("c",), ("1,000", "d")))
    other = score(Outcome(question, predicted=(("D", 0.9), ("1000", 0.8))))
    assert (other.exact, other.f1, other.hit) == (1, 0, 0)
    part = score(Outcome(question, predicted=(("a", 0.9), ("c", 0.8))))
    assert (part.exact, part.f1) == (0, pytest.approx(0.5))


def test_counted_answers_need_not_be_in_the_graph(answerer):
    questions = [QuestionRecord("q", "how many neighbours?", ("Italy",), ("17",))]
    assert evaluate_answerer(answerer, questions, budget=5, seed=0).outcomes[0].question.id == "q"


def test_names_are_compared_normalised():
    outcome = Outcome(QuestionRecord("q", "?", answers=("Sao Paulo",)), predicted=(("São  Paulo", 1.0),))
    assert score(outcome).exact == 1.0


def test_an_answer_too_many_is_no_exact_set():
    found = score(Outcome(QuestionRecord("q", "?", answers=("a",)), predicted=(("a", 0.9), ("b", 0.8))))
    assert (found.hit, found.hit_at_1, found.precision, found.recall, found.exact) == (1, 1, 0.5, 1, 0)


def test_a_sample_is_fixed_by_its_seed_and_keeps_the_order():
    chosen = sample(QUESTIONS, 3, seed=4)
    assert chosen == sample(QUESTIONS, 3, seed=4)
    assert [q.id for q in chosen] == [q.id for q in QUESTIONS if q in chosen]
    assert len(chosen) == 3
    assert sample(QUESTIONS, None, seed=0) == QUESTIONS
    assert sample(QUESTIONS, 99, seed=0) == QUESTIONS


def test_a_stopped_evaluation_says_so(answerer):
    with pytest.raises(Cancelled):
        evaluate_answerer(answerer, QUESTIONS, budget=50, seed=1, cancelled=lambda: True)


def test_hops_that_a_set_does_not_say_are_the_shortest_distance(answerer):
    far = QuestionRecord("far", "which languages?", ("Switzerland",), ("German",))
    asked = [
        far,
        replace(far, id="given", hops=7),
        replace(far, id="own", triples=PATH),
        replace(far, id="lost", answers=("Sauron", "Germany"), triples=PATH[:1]),
        replace(far, id="itself", answers=("Switzerland",)),
    ]
    outcomes = [ask(answerer, question, budget=5, seed=0) for question in asked]
    # German is a language of the neighbours.
    assert [compute_hops(outcome, answerer.snapshot) for outcome in outcomes] == [2, 7, 2, None, 0]


def test_only_questions_whose_answers_are_in_the_graph(answerer):
    asked = [*QUESTIONS, replace(QUESTIONS[1], id="beside", triples=PATH)]
    found = filter_answerable(answerer.snapshot, asked)
    assert [question.id for question in found] == ["right", "half"]
    assert [q.id for q in filter_answerable(answerer.snapshot, asked, subgraphs="whole")] == [
        "right",
        "half",
        "beside",
    ]
    with pytest.raises(EvaluationError, match="None of the 1 questions"):
        filter_answerable(answerer.snapshot, QUESTIONS[2:3])


def test_what_the_language_model_read_and_thought_is_in_the_report(answerer, tmp_path):
    """And faithfulness is judged by that, not by the chains."""

    def replies(connection):
        connection.begin()
        connection.piece("ans: German")
        connection.end(30, 20, reasoning_tokens=12)

    with Endpoint(replies) as endpoint:
        settings = LLMSettings(endpoint.url, "tiny", retries=0, backoff=0.01)
        answerer.reasoner = LLMReasoner(settings)
        report = build_report(evaluate_answerer(answerer, QUESTIONS[:1], budget=50, seed=1))
        shown = endpoint.bodies[0]["messages"][-1]["content"]
    (row,) = report["per_question"]
    assert row["read"]
    assert all(line in shown for line in row["read"])
    assert (row["reasoning_tokens"], report["usage"]["reasoning_tokens"], report["usage"]["tokens"]) == (
        12,
        12,
        50,
    )
    said = says("ans: German\nUsed the provided knowledge: yes")
    with Endpoint(said) as endpoint:
        asker = Asker(LLMSettings(endpoint.url, "judge", retries=0, backoff=0.01), ReplyStore(tmp_path / "r"))
        row["read"] = ["one triple"]
        assert faithfulness.measure(report, asker)["hallucination_score"] == 1.0
        asked = endpoint.bodies[0]["messages"][-1]["content"]
    assert "Chain 1. one triple" in asked
    assert "Chain 2." not in asked
