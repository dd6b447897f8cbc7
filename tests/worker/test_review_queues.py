"""Preparing reviews, with exact values on the tiny graph."""

import pytest

from retrieval.supervision.labels import Label, write_labels
from retrieval.types import QuestionRecord
from webapp.experiments import label_sets
from webapp.graphs import files
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobState
from webapp.questions.services import save_question_set
from webapp.review.domain.uncertainty import compute_uncertainty
from webapp.review.models import Item, Queue
from webapp.review.services import added_paths, queues
from worker import review_queues

CAPITAL, BORDERS = (("capital", False),), (("borders", False),)
SPOKEN = (("borders", False), ("official_language", False))
LANGUAGE = (("official_language", False),)


@pytest.fixture
def questions(tiny_graph, users):
    """Four questions to learn from and one for testing."""
    asked = [
        QuestionRecord("q1", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="train"),
        QuestionRecord("q2", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="train"),
        QuestionRecord("q3", "what is spoken around Switzerland?", ("Switzerland",), ("German",), split="dev"),
        QuestionRecord("q4", "what is spoken in Mars?", ("Mars",), ("Martian",), split="train"),
        QuestionRecord("q5", "what is spoken in France?", ("France",), ("French",), split="test"),
    ]
    return save_question_set(name="Five", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


@pytest.fixture
def label_set(tiny_graph, questions):
    """``label_set("One", labels)`` is a label set that is done, with its file."""

    def make(name, labels):
        row = label_sets.start_labelling(
            graph=tiny_graph, question_set=questions, strategy="answer-set", name=name, user=None
        )
        path = files.ensure_local_path(files.build_labels_name(tiny_graph.pk, row.pk))
        path.parent.mkdir(parents=True, exist_ok=True)
        label_sets.save_label_set(label_set=row, questions=4, labels=write_labels(path, labels))
        row.refresh_from_db()
        return row

    return make


@pytest.fixture
def both(label_set):
    """Two label sets: they agree on q1, split over q3, and one alone knows q2."""
    one = [
        Label("q1", "Germany", CAPITAL, "answer-set", 1.0),
        Label("q2", "Switzerland", BORDERS, "answer-set", 0.45),
        Label("q3", "Switzerland", SPOKEN, "answer-set", 2 / 3, explanation="fits best"),
    ]
    other = [
        Label("q1", "Germany", CAPITAL, "shortest-path", 1.0),
        Label("q1", "Germany", CAPITAL, "shortest-path", 1.0, role="first-relation"),
        Label("q3", "Switzerland", LANGUAGE, "shortest-path", 1.0),
        Label("q3", "Switzerland", (("speaks", False),), "shortest-path", 0.9),
    ]
    return [label_set("One", one), label_set("Two", other)]


def prepared(graph, questions, label_sets, **plan):
    queue = queues.start_queue(
        graph=graph, question_set=questions, label_sets=label_sets, plan=queues.Plan(**plan), user=None
    )
    review_queues.review(queue.job_id)
    job = Job.objects.get(pk=queue.job_id)
    assert (job.state, job.error_code, job.error_message) == (JobState.DONE, "", "")
    queue.refresh_from_db()
    return queue, job


def test_a_queue_in_the_order_of_doubt(tiny_graph, questions, both):
    queue, job = prepared(tiny_graph, questions, both)
    assert job.result == {"queue": queue.pk, "items": 4, "candidates": 5, "without_paths": 1}
    assert (queue.items, queue.candidates, queue.state) == (4, 5, "done")
    rows = list(queue.rows.all())
    assert [(row.key, row.doubt) for row in rows] == [
        ("q3", 1.0),
        ("q2", pytest.approx(0.9)),
        ("q1", 0.0),
        ("q4", 0.0),
    ]
    assert [row.reason for row in rows] == [
        "The sources disagree on “borders, then official language”: for it One; without it Two.",
        "“borders” scores 0.45, 0.05 from the border of 0.5.",
        "Nothing is in doubt: the sources agree, and no score is near the border.",
        "No label set has a path for it.",
    ]


def test_paths_are_merged_and_measured(tiny_graph, questions, both):
    prepared(tiny_graph, questions, both)
    shared = Item.objects.get(key="q1").candidates.get()
    assert [(s["source"], s["name"], s["score"]) for s in shared.sources] == [
        ("answer-set", "One", 1.0),
        ("shortest-path", "Two", 1.0),
    ]
    assert (shared.topic, shared.path, shared.steps) == (
        "Germany",
        [["capital", False]],
        [{"name": "capital", "label": "capital", "inverse": False}],
    )
    found = [
        (tuple(name for name, _ in c.path), c.reached, c.hits, c.precision, c.recall)
        for c in Item.objects.get(key="q3").candidates.all()
    ]
    assert found == [
        (("official_language",), 1, 1, 1.0, 1.0),
        (("speaks",), 0, 0, 0.0, 0.0),  # the graph lacks the relation
        (("borders", "official_language"), 2, 1, 0.5, 1.0),
    ]
    explained = Item.objects.get(key="q3").candidates.last().sources
    assert [s["explanation"] for s in explained] == ["fits best"]


def test_of_those_equally_in_doubt_few_answers_come_first(tiny_graph, questions, label_set):
    labels = [
        Label("q2", "Switzerland", BORDERS, "answer-set", 1.0),
        Label("q3", "Switzerland", LANGUAGE, "answer-set", 1.0),
    ]
    queue, _ = prepared(tiny_graph, questions, [label_set("One", labels)])
    rows = queue.rows.exclude(candidates=None)
    assert [(row.key, row.doubt, len(row.answers)) for row in rows] == [("q3", 0.0, 1), ("q2", 0.0, 2)]


def test_other_orders(tiny_graph, questions, both):
    queue, _ = prepared(tiny_graph, questions, both, ordering="sequential")
    assert [row.key for row in queue.rows.all()] == ["q1", "q2", "q3", "q4"]
    drawn = [
        [row.key for row in prepared(tiny_graph, questions, both, ordering="random", seed=seed)[0].rows.all()]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert {order[-1] for order in drawn} == {"q4"}, "without a path, it comes last"


def test_a_refused_path_counts_against(tiny_graph, questions, label_set):
    refused = Label("q1", "Germany", CAPITAL, "analyst", 1.0, verdict="rejected")
    agreed = Label("q1", "Germany", CAPITAL, "answer-set", 1.0)
    prepared(tiny_graph, questions, [label_set("One", [agreed]), label_set("Two", [refused])])
    item = Item.objects.get(key="q1")
    assert (item.doubt, item.reason) == (1.0, "“capital” scores 0.50, 0.00 from the border of 0.5.")


def test_of_too_many_paths_the_best_are_shown(tiny_graph, questions, both, monkeypatch):
    monkeypatch.setattr(added_paths, "CANDIDATES_MAX", 2)
    prepared(tiny_graph, questions, both)
    item = Item.objects.get(key="q3")
    assert [[name for name, _ in one.path] for one in item.candidates.all()] == [
        ["official_language"],
        ["speaks"],
    ]
    assert item.reason.endswith("The 2 best of 3 paths are shown.")


def test_preparing_again_doubles_nothing(tiny_graph, questions, both):
    queue, job = prepared(tiny_graph, questions, both)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    review_queues.review(job.pk)
    assert queue.rows.count() == 4


def test_a_queue_deleted_in_the_middle_leaves_nothing(tiny_graph, questions, both, monkeypatch):
    queue = queues.start_queue(graph=tiny_graph, question_set=questions, label_sets=both, plan=queues.Plan(), user=None)
    real = review_queues._sort

    def delete(drafts, row):
        Queue.objects.get(pk=queue.pk).delete()
        real(drafts, row)

    monkeypatch.setattr(review_queues, "_sort", delete)
    review_queues.review(queue.job_id)
    assert Job.objects.get(pk=queue.job_id).state == JobState.CANCELLED
    assert Item.objects.count() == 0


def test_a_label_set_that_is_gone_is_named(tiny_graph, questions, both):
    queue = queues.start_queue(graph=tiny_graph, question_set=questions, label_sets=both, plan=queues.Plan(), user=None)
    label_sets.delete_label_set(label_set=both[1])
    review_queues.review(queue.job_id)
    job = Job.objects.get(pk=queue.job_id)
    assert (job.state, job.error_message) == ("failed", f"There is no label set {queue.label_sets[1]['id']}.")


def test_a_stopped_job_leaves_a_queue_that_says_so(tiny_graph, questions, both):
    queue = queues.start_queue(graph=tiny_graph, question_set=questions, label_sets=both, plan=queues.Plan(), user=None)
    jobs.cancel_job(job=Job.objects.get(pk=queue.job_id))
    queue.refresh_from_db()
    assert queue.state == "cancelled"


def test_doubt_takes_the_worst_candidate():
    voters = {1: "One", 2: "Two", 3: "Three"}
    level, reason = compute_uncertainty([("a", {1: 1.0, 2: 1.0, 3: 1.0}), ("b", {1: 0.9})], voters)
    assert level == pytest.approx(2 / 3)
    assert reason == "The sources disagree on “b”: for it One; without it Two, Three."
