"""Training, labelling and evaluating for real, on the tiny graph, with every trained method."""

import json
import re
from dataclasses import replace

import pytest
import torch

from retrieval.environment import LLMSettings
from retrieval.evaluation import evaluator
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.methods import registry
from retrieval.questions.splits import sample_training
from retrieval.types import QuestionRecord
from tests.conftest import TINY
from tests.support.llm_server import LLMServer
from webapp.answers import services as answers
from webapp.experiments import label_sets as labels
from webapp.experiments import promotions, reports
from webapp.experiments import services as experiments
from webapp.experiments.models import Checkpoint, LabelSet, Report
from webapp.experiments.resolution import find_checkpoint_in_use
from webapp.graphs import files, progress, versions
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobState
from webapp.questions.services import save_question_set
from worker import answering, evaluation, label_sets, training


@pytest.fixture(autouse=True)
def one_thread():
    """Tensors this small are slower with more threads, much slower on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def questions(tiny_graph, users):
    """Six questions over the tiny graph, two of each split; one of them has no answer there."""
    asked = [
        QuestionRecord("q1", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="train"),
        QuestionRecord("q2", "what is spoken in France?", ("France",), ("French",), hops=1, split="train"),
        QuestionRecord("q3", "what is spoken in Germany?", ("Germany",), ("German",), hops=1, split="dev"),
        QuestionRecord("q4", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="dev"),
        QuestionRecord("q5", "what is spoken in Switzerland?", ("Switzerland",), ("German",), hops=1, split="test"),
        QuestionRecord("q6", "which seas border Germany?", ("Germany",), ("Baltic Sea",), split="test"),
    ]
    return save_question_set(name="Six", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


def start(graph, questions, **fields):
    evaluation = reports.EvaluationRequest(**{"split": "all", **fields})
    return reports.start_report(graph=graph, question_set=questions, evaluation=evaluation, user=None)


def ended(row):
    job = Job.objects.get(pk=row.job_id)
    assert (job.state, job.error_code, job.error_message) == (JobState.DONE, "", "")
    row.refresh_from_db()
    return job


def test_training_keeps_to_the_version_that_it_was_asked_for(tiny_graph, questions, users, text_version):
    job = experiments.start_training(
        graph=tiny_graph,
        question_set=questions,
        training=experiments.Training("rel-rag-path", config={"epochs": 1}, seed=5),
        user=users["analyst"],
    )
    first = tiny_graph.snapshot
    second = text_version()
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    checkpoint = Checkpoint.objects.get(pk=job.result["checkpoint"])
    assert (checkpoint.snapshot, second.version) == (first, 2)
    labelled = labels.start_labelling(
        graph=tiny_graph, question_set=questions, strategy="answer-set", name="L", user=users["analyst"]
    )
    versions.activate(graph=tiny_graph, snapshot=first, user=None)
    label_sets.label(labelled.job_id)
    ended(labelled)
    assert labelled.snapshot_hash == second.hash


@pytest.fixture
def text_version(tiny_graph):
    """``text_version()`` makes a second version of the tiny graph, with a fact more, the current one."""

    def make():
        name = files.build_snapshot_name(tiny_graph.pk, 2)
        built = build_snapshot(
            TripleTable.from_facts([*TINY, ("France", "capital", "Paris")]), files.ensure_local_path(name)
        )
        made = progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
        tiny_graph.refresh_from_db()
        return made

    return make


@pytest.mark.parametrize(
    "method",
    [
        method if method == "rel-rag-path" else pytest.param(method, marks=pytest.mark.slow)
        for method in sorted(registry.TRAINED - {"router"})
    ],
)
def test_every_method_is_trained_asked_and_evaluated(tiny_graph, questions, users, method, events):
    config = {"epochs": 1}
    job = experiments.start_training(
        graph=tiny_graph,
        question_set=questions,
        training=experiments.Training(method, config=config, seed=5, compare=False),
        user=users["analyst"],
    )
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    checkpoint = Checkpoint.objects.get(pk=job.result["checkpoint"])
    assert (checkpoint.method, checkpoint.config["seed"], checkpoint.config["epochs"]) == (method, 5, 1)
    assert (checkpoint.question_set_name, checkpoint.fraction) == ("Six", 1.0)
    assert find_checkpoint_in_use(tiny_graph, method=method) is None
    promotions.promote(checkpoint=checkpoint, user=users["analyst"])

    ask = answers.Ask("What is spoken in Germany?", method=method)
    run = answers.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    answering.answer(str(run.pk))
    log = events(run)
    assert (log[0]["method"], log[0]["checkpoint"]) == (method, checkpoint.fingerprint)
    assert log[-1]["type"] == "answer.final"

    report = start(tiny_graph, questions, split="test", method=method)
    evaluation.evaluate(report.job_id)
    job = ended(report)
    assert job.result["report"] == report.pk
    assert report.summary["manifest"]["checkpoint"] == checkpoint.fingerprint
    assert report.summary["manifest"]["snapshot"] == tiny_graph.snapshot.hash
    assert (report.summary["method"], report.summary["n"]) == (method, 2)
    assert set(report.summary["metrics"]) >= {"hit", "hit_at_1", "macro_f1", "exact_set"}
    assert [row.key for row in report.rows.all()] == ["q5", "q6"]
    assert sum(report.summary["outcomes"].values()) == 2
    shifts = {row.key: row.row["shift"] for row in report.rows.all()}
    assert shifts == {
        "q5": "out-of-distribution",
        "q6": None,
    }  # Switzerland was no topic; no sea is in the graph


def test_the_router_is_trained_asked_and_evaluated(tiny_graph, users, events):
    asked = [
        QuestionRecord(f"{split}-{hops}", text, ("Germany",), ("German",), hops=hops, split=split)
        for split in ("train", "dev", "test")
        for text, hops in (
            ("what is spoken in Germany?", 1),
            ("what is the language of the mother of the king of Germany?", 3),
        )
    ]
    questions = save_question_set(name="Hops", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])
    wanted = experiments.Training("router", config={"epochs": 1}, seed=5)
    job = experiments.start_training(graph=tiny_graph, question_set=questions, training=wanted, user=users["analyst"])
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    checkpoint = Checkpoint.objects.get(pk=job.result["checkpoint"])
    assert (checkpoint.method, checkpoint.config["seed"]) == ("router", 5)
    assert checkpoint.metrics["dev_balanced_accuracy"] == 1.0

    ask = answers.Ask("What is spoken in Germany?", method="router", checkpoint=checkpoint)
    run = answers.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    answering.answer(str(run.pk))
    log = events(run)
    assert (log[0]["method"], log[0]["checkpoint"]) == ("router", checkpoint.fingerprint)
    assert [row["reason"] for row in log if row["type"] == "router.decided"] == ["The graph has no passages."]
    assert log[-1]["type"] == "answer.final"

    report = start(tiny_graph, questions, split="test", method="router", checkpoint=checkpoint)
    evaluation.evaluate(report.job_id)
    ended(report)
    assert report.summary["manifest"]["checkpoint"] == checkpoint.fingerprint
    assert (report.summary["method"], report.summary["n"]) == ("router", 2)


@pytest.fixture
def trained(tiny_graph, questions, users):
    """The first checkpoint of a graph."""
    job = experiments.start_training(
        graph=tiny_graph,
        question_set=questions,
        training=experiments.Training("rapl", config={"epochs": 1}),
        user=users["analyst"],
    )
    training.train(job.pk)
    return Checkpoint.objects.get(job=job)


def test_the_first_checkpoint_is_compared_with_what_answers_now_and_answers_when_promoted(tiny_graph, trained, api):
    assert find_checkpoint_in_use(tiny_graph) is None
    row = f"/api/v1/checkpoints/{trained.pk}"
    assert api("viewer").get(row).json()["comparison"]["state"] == "running"
    before, after = (Report.objects.get(pk=pk) for pk in trained.job.result["reports"])
    assert [(one.method, one.checkpoint) for one in (before, after)] == [
        ("rel-rag-path", None),
        ("rapl", trained),
    ]
    assert {(one.split, one.limit, one.topics) for one in (before, after)} == {("test", 300, "linked")}
    for one in (before, after):
        evaluation.evaluate(one.job_id)
        one.refresh_from_db()
    found = api("viewer").get(row).json()["comparison"]
    assert (found["state"], found["before"], found["after"], found["n"]) == ("done", before.pk, after.pk, 2)
    assert (found["method"], found["checkpoint"], found["split"]) == ("rel-rag-path", None, "test")
    scores = [one.summary["metrics"]["exact_set"] for one in (before, after)]
    assert [found["score_before"], found["score_after"]] == scores
    assert (found["gained"] - found["lost"]) / 2 == scores[1] - scores[0]
    assert found["low"] <= scores[1] - scores[0] <= found["high"]
    promotions.promote(checkpoint=trained, user=None)
    assert find_checkpoint_in_use(tiny_graph) == trained

    again = api("admin").post(f"{row}/compare", {"question_set": before.question_set_id}, format="json")
    assert (again.status_code, again.json()["comparison"]["state"]) == (202, "running")
    trained.refresh_from_db()
    assert Report.objects.get(pk=trained.comparison["before"]).checkpoint == trained, "it answers now"
    Report.objects.get(pk=trained.comparison["after"]).job.delete()
    assert api("viewer").get(row).json()["comparison"]["state"] == "failed"


@pytest.mark.parametrize("file", ["weights.pt", "manifest.json", "config.json"])
def test_a_damaged_checkpoint_is_named_and_what_is_untrained_answers(tiny_graph, trained, users, events, file):
    promotions.promote(checkpoint=trained, user=None)
    (files.ensure_local_path(trained.path) / file).write_bytes(b"damaged")
    ask = answers.Ask("What is the capital of Germany?", method="rapl")
    run = answers.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    assert run.checkpoint == trained
    answering.answer(str(run.pk))
    final = events(run)[-1]
    assert (final["type"], [one["label"] for one in final["answers"]]) == ("answer.final", ["Berlin"])
    assert final["warnings"][0].startswith(
        f"Checkpoint {trained.pk} of rapl cannot be opened: its files are damaged or missing. "
        "The question was answered without it."
    )


def test_a_report_is_kept_whole_and_searchable(tiny_graph, questions):
    report = start(tiny_graph, questions, budget=20, seed=3)
    evaluation.evaluate(report.job_id)
    ended(report)
    directory = files.ensure_local_path(files.build_report_name(tiny_graph.pk, report.pk))
    whole = json.loads((directory / "report.json").read_text())
    assert {name: value for name, value in whole.items() if name != "per_question"} == report.summary
    assert [row.row for row in report.rows.all()] == whole["per_question"]
    assert (whole["manifest"]["seed"], whole["manifest"]["config"]["budget"]) == (3, 20)
    assert whole["manifest"]["checkpoint"] is None
    assert sorted(path.name for path in directory.iterdir()) == ["report.html", "report.json", "report.md"]
    assert (directory / "report.md").read_text().startswith("# ")
    by_outcome = {outcome: report.rows.filter(outcome=outcome).count() for outcome in whole["outcomes"]}
    assert by_outcome == whole["outcomes"]


def test_the_linker_finds_the_topics_when_told_to(tiny_graph, questions):
    given, linked = start(tiny_graph, questions), start(tiny_graph, questions, topics="linked")
    for report in (given, linked):
        evaluation.evaluate(report.job_id)
        ended(report)
    assert {row.row["linked"] for row in given.rows.all()} == {False}
    assert {row.row["linked"] for row in linked.rows.all()} == {True}
    assert given.summary["manifest"]["questions"] == linked.summary["manifest"]["questions"]


def test_those_with_an_answer_in_the_graph_alone_are_asked_when_told_to(tiny_graph, questions):
    report = start(tiny_graph, questions, split="test", answers="in-graph")
    evaluation.evaluate(report.job_id)
    ended(report)
    assert [row.key for row in report.rows.all()] == ["q5"]  # no sea is in the graph


@pytest.fixture
def asked(monkeypatch):
    """Ids of the questions that are asked, without those for warmth."""
    seen = []
    real = evaluator.ask

    def ask(answerer, question, **settings):
        if not question.question.endswith("by the way"):
            seen.append(question.id)
        return real(answerer, question, **settings)

    monkeypatch.setattr(evaluator, "ask", ask)
    return seen


def test_a_stopped_evaluation_asks_no_question_twice(tiny_graph, questions, users, asked, monkeypatch):
    report = start(tiny_graph, questions)
    real = evaluator.ask

    def stop_at_the_third(answerer, question, **settings):
        if len(asked) == 3:
            jobs.cancel_job(job=Job.objects.get(pk=report.job_id))
        return real(answerer, question, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(evaluator, "ask", stop_at_the_third)
        patch.setattr("webapp.jobs.cancel.READ_EVERY_S", 0.0)
        evaluation.evaluate(report.job_id)
    assert Job.objects.get(pk=report.job_id).state == JobState.CANCELLED
    stopped_after = len(asked)
    assert 3 <= stopped_after <= 4
    stages = []
    real_report = jobs.save_progress

    def spy(*, progress, **values):
        stages.append((progress.stage, progress.done))
        real_report(progress=progress, **values)

    monkeypatch.setattr(jobs, "save_progress", spy)
    again = reports.resume_report(report=report, user=users["analyst"])
    assert again.job_id != report.job_id
    evaluation.evaluate(again.job_id)
    ended(again)
    begun = dict(reversed(stages))
    assert (begun["taking up"], begun["asking"]) == (1, len(set(asked[:stopped_after])))
    assert sorted(set(asked)) == ["q1", "q2", "q3", "q4", "q5", "q6"]
    assert len(asked) in {6, 7}  # the one that was being asked when it was stopped
    assert [row.key for row in again.rows.all()] == ["q1", "q2", "q3", "q4", "q5", "q6"]


def test_a_report_deleted_in_the_middle_leaves_nothing(tiny_graph, questions, monkeypatch):
    report = start(tiny_graph, questions)
    real = evaluator.ask

    def delete(*args, **settings):
        reports.delete_report(report=Report.objects.get())
        monkeypatch.setattr(evaluator, "ask", real)
        return real(*args, **settings)

    monkeypatch.setattr(evaluator, "ask", delete)
    monkeypatch.setattr("webapp.jobs.cancel.READ_EVERY_S", 0.0)
    evaluation.evaluate(report.job_id)
    assert Report.objects.count() == 0
    assert Job.objects.get().state == JobState.CANCELLED
    assert not files.ensure_local_path(files.build_report_name(tiny_graph.pk, report.pk)).exists()


def test_results_of_two_snapshots_are_never_mixed(tiny_graph, questions):
    report = start(tiny_graph, questions)
    Report.objects.update(snapshot_hash="older")
    evaluation.evaluate(report.job_id)
    job = Job.objects.get()
    assert (job.state, job.error_code) == ("failed", "version_gone")
    assert job.error_message == "The version of Tiny that this was made on was deleted."


def test_a_question_set_that_the_graph_does_not_know_is_named(tiny_graph, users):
    asked = [QuestionRecord("q1", "who?", ("Atlantis",), ("Poseidon",), split="test")]
    unknown = save_question_set(name="Myths", graph=tiny_graph, questions=asked, format="jsonl", user=None)
    report = start(tiny_graph, unknown, split="test")
    evaluation.evaluate(report.job_id)
    job = Job.objects.get()
    assert (job.state, job.error_code) == (JobState.FAILED, "bad_evaluation")
    assert "'Atlantis'" in job.error_message


def label(graph, questions, strategy="answer-set"):
    row = labels.start_labelling(graph=graph, question_set=questions, strategy=strategy, name="", user=None)
    label_sets.label(row.job_id)
    return row


@pytest.mark.parametrize("strategy", ["answer-set", "shortest-path"])
def test_a_question_set_is_labelled(tiny_graph, questions, strategy):
    row = label(tiny_graph, questions, strategy)
    job = ended(row)
    assert (row.state, row.questions, row.coverage, row.fit) == ("done", 4, 1.0, 1.0)
    lines = files.ensure_local_path(files.build_labels_name(tiny_graph.pk, row.pk)).read_text().splitlines()
    found = {one["question"]: one for one in map(json.loads, lines)}
    assert set(found) == {"q1", "q2", "q3", "q4"}
    assert (found["q1"]["path"], found["q1"]["source"]) == ([["capital", False]], strategy)
    assert row.labels == len(lines) == sum(row.sources.values()) == job.result["labels"]


@pytest.fixture
def model(settings):
    """A language model that finds every path rational."""

    def reply(body):
        lines = re.findall(r"^Path \d+\. .*$", body["messages"][-1]["content"], re.MULTILINE)
        return "\n".join(f"ans: {line}" for line in lines)

    with LLMServer(reply) as server:
        settings.CLEW = replace(settings.CLEW, llm=LLMSettings(server.url, "tiny"))
        yield server


def test_a_language_model_labels_and_is_paid_once(tiny_graph, questions, model):
    row = label(tiny_graph, questions, "llm")
    ended(row)
    assert (row.prompt, row.coverage) == ("reg", 1.0)
    assert (row.usage["llm_calls"], len(model.requests), set(row.sources)) == (4, 4, {"llm"})
    assert row.usage["tokens"] > 400
    assert row.compression["pools"] == 4
    again = label(tiny_graph, questions, "llm")
    ended(again)
    assert (again.usage, len(model.requests)) == ({"llm_calls": 0, "tokens": 0}, 4)
    assert (again.labels, again.sources) == (row.labels, row.sources)


@pytest.mark.parametrize(("how", "kept"), [("union", {"a", "b", "c"}), ("intersection", {"b"})])
def test_two_label_sets_become_one(tiny_graph, questions, how, kept):
    rows = []
    for relations in ("ab", "bc"):
        row = labels.start_labelling(
            graph=tiny_graph, question_set=questions, strategy="answer-set", name=relations, user=None
        )
        path = files.ensure_local_path(files.build_labels_name(tiny_graph.pk, row.pk))
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"question": "q1", "topic": "Germany", "source": "answer-set", "score": 1.0}
        path.write_text("".join(json.dumps({**told, "path": [[r, False]]}) + "\n" for r in relations))
        labels.save_label_set(label_set=row, questions=4, labels=2, coverage=0.25, fit=1.0)
        row.refresh_from_db()
        rows.append(row)
    made = labels.start_combining(first=rows[0], second=rows[1], how=how, user=None)
    label_sets.label(made.job_id)
    ended(made)
    written = files.ensure_local_path(files.build_labels_name(tiny_graph.pk, made.pk)).read_text().splitlines()
    assert {json.loads(line)["path"][0][0] for line in written} == kept
    assert (made.labels, made.questions, made.coverage, made.fit) == (len(kept), 4, 0.25, None)


def test_a_language_model_that_chooses_nothing_makes_no_labels(tiny_graph, questions, model):
    model.reply = lambda body: "None of them."
    row = label(tiny_graph, questions, "llm")
    job = Job.objects.get(pk=row.job_id)
    assert (job.state, job.error_message) == ("failed", "None of the 4 questions could be labelled.")


def test_labels_and_a_share_of_the_questions_are_learned_from(tiny_graph, questions, monkeypatch):
    shares = []

    def spy(asked, fraction, *, seed):
        shares.append((fraction, seed))
        return sample_training(asked, fraction, seed=seed)

    monkeypatch.setattr(training, "sample_training", spy)
    row = label(tiny_graph, questions)
    row.refresh_from_db()
    job = experiments.start_training(
        graph=tiny_graph,
        question_set=questions,
        training=experiments.Training("rel-rag-path", {"epochs": 1}, fraction=0.5, seed=4, labels=row),
        user=None,
    )
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    checkpoint = Checkpoint.objects.get()
    assert (checkpoint.label_set_id, checkpoint.fraction, shares) == (row.pk, 0.5, [(0.5, 4)])


def test_labels_deleted_before_their_turn_are_missed(tiny_graph, questions):
    row = label(tiny_graph, questions)
    row.refresh_from_db()
    asked = experiments.Training("rel-rag-path", labels=row)
    job = experiments.start_training(graph=tiny_graph, question_set=questions, training=asked, user=None)
    labels.delete_label_set(label_set=row)
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == ("failed", "The label set was deleted.")


def test_a_label_set_deleted_in_the_middle_leaves_nothing(tiny_graph, questions, monkeypatch):
    row = labels.start_labelling(graph=tiny_graph, question_set=questions, strategy="answer-set", name="", user=None)
    monkeypatch.setattr(labels, "save_label_set", lambda **made: LabelSet.objects.all().delete() and False)
    label_sets.label(row.job_id)
    assert Job.objects.get().state == JobState.CANCELLED
    assert not files.ensure_local_path(files.build_labels_name(tiny_graph.pk, row.pk)).exists()
