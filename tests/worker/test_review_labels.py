"""From verdicts to a checkpoint: what a review teaches, and how it is compared with what was used before."""

import json
import uuid

import pytest
from django.db import transaction

from retrieval.kg import snapshot as kg
from retrieval.supervision.labels import Label, write_labels
from retrieval.types import QuestionRecord
from webapp.experiments import label_sets
from webapp.experiments.models import Checkpoint, LabelSet, Promotion, Report
from webapp.graphs import files
from webapp.jobs.models import Job, JobState
from webapp.questions.selectors import to_engine_questions
from webapp.questions.services import save_question_set
from webapp.review.domain import consensus
from webapp.review.models import Item, Queue
from webapp.review.services import queues, right_answers, submissions
from worker import evaluation, job_runs, review_labels, review_queues, training, watchdog

CAPITAL, BORDERS = (("capital", False),), (("borders", False),)
LANGUAGE = (("official_language", False),)
SPOKEN = (("borders", False), ("official_language", False))
YES, NO, UNSURE = "rational", "not-rational", "unsure"
TRAIN = "/api/v1/graphs/{}/train"


@pytest.fixture
def questions(tiny_graph):
    """Four questions to learn from and two for testing."""
    asked = [
        QuestionRecord("q1", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="train"),
        QuestionRecord("q2", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="train"),
        QuestionRecord("q3", "what is spoken in Switzerland?", ("Switzerland",), ("German",), split="dev"),
        QuestionRecord("q4", "what is spoken in France?", ("France",), ("French",), split="train"),
        QuestionRecord("q5", "what is spoken in Germany?", ("Germany",), ("German",), split="test"),
        QuestionRecord("q6", "what is the capital of France?", ("France",), ("Paris",), split="test"),
    ]
    return save_question_set(name="Six", graph=tiny_graph, questions=asked, format="jsonl", user=None)


@pytest.fixture
def queue(tiny_graph, questions):
    """A queue of two label sets; they agree on q1 and differ on q3."""
    one = [
        Label("q1", "Germany", CAPITAL, "answer-set", 0.9),
        Label("q2", "Switzerland", BORDERS, "answer-set"),
        Label("q3", "Switzerland", SPOKEN, "answer-set", 0.5),
        Label("q4", "France", LANGUAGE, "answer-set"),
    ]
    two = [
        Label("q1", "Germany", CAPITAL, "shortest-path"),
        Label("q1", "Germany", CAPITAL, "shortest-path", role="first-relation"),
        Label("q3", "Switzerland", LANGUAGE, "shortest-path"),
    ]
    made = queues.start_queue(
        graph=tiny_graph,
        question_set=questions,
        label_sets=[_label_set(tiny_graph, questions, name, rows) for name, rows in (("1", one), ("2", two))],
        plan=queues.Plan(ordering="sequential", name="R"),
        user=None,
    )
    review_queues.review(made.job_id)
    made.refresh_from_db()
    return made


def _label_set(graph, questions, name, labels):
    row = label_sets.start_labelling(graph=graph, question_set=questions, strategy="answer-set", name=name, user=None)
    path = files.ensure_local_path(files.build_labels_name(graph.pk, row.pk))
    path.parent.mkdir(parents=True, exist_ok=True)
    label_sets.save_label_set(label_set=row, questions=4, labels=write_labels(path, labels))
    row.refresh_from_db()
    return row


def say(user, key, broken=False, **kinds):
    """Judge an item: what of each path, by its relations joined with ``_then_``."""
    item = Item.objects.get(key=key)
    names = {c.pk: "_then_".join(name for name, _ in c.path) for c in item.candidates.all()}
    verdicts = () if broken else tuple(submissions.VerdictData(pk, kinds[name]) for pk, name in names.items())
    submissions.save_annotation(
        item=item,
        user=user,
        annotation=submissions.NewAnnotation(uuid.uuid4(), item.version, item.shown, verdicts, broken=broken),
    )


def learned(queue, also=None, questions=None):
    job = Job.objects.get(pk=queue.job_id)
    snapshot = kg.open(files.ensure_local_path(queue.snapshot.path))
    asked = to_engine_questions(questions or queue.question_set)
    one = watchdog.HeldWork("job", job.pk, 600, lambda: False, lambda why: None)
    return review_labels.collect_reviewed_labels(job_runs.Context(job, one), queue, also, snapshot, asked)


def test_verdicts_win_over_the_label_sets(queue, users):
    say(users["analyst"], "q1", capital=NO)
    say(users["analyst"], "q3", borders_then_official_language=UNSURE, official_language=YES)
    say(users["analyst"], "q4", broken=True)
    found = learned(queue)
    said = "1 of 1 analysts."
    assert found.labels == [
        Label("q1", "Germany", CAPITAL, "analyst", 1.0, "path", "rejected", said),
        Label("q3", "Switzerland", LANGUAGE, "analyst", 1.0, "path", "accepted", said),
        Label("q2", "Switzerland", BORDERS, "answer-set"),
        Label("q1", "Germany", CAPITAL, "shortest-path", role="first-relation"),
    ]
    assert found.counts == {
        "accepted": 1,
        "rejected": 1,
        "broken": 1,
        "label_sets": 1,
        "added": 0,
        "answered": 0,
    }
    assert [q.id for q in found.questions] == ["q1", "q2", "q3", "q4", "q5", "q6"]


def test_another_label_set_joins(queue, tiny_graph, questions, users):
    say(users["analyst"], "q2", borders=YES)
    more = _label_set(tiny_graph, questions, "3", [Label("q4", "France", SPOKEN, "llm", 0.3)])
    found = learned(queue, also=more)
    assert Label("q4", "France", SPOKEN, "llm", 0.3) in found.labels
    assert found.counts["label_sets"] == 5, "of q1 one, of q3 two, of q4 two"


def test_questions_that_only_the_review_has_are_learned_with_what_their_paths_reach(queue, questions, users):
    Queue.objects.filter(pk=queue.pk).update(label_sets=[], question_set=None)
    queue.refresh_from_db()
    Item.objects.filter(key="q2").update(key="run:1", answers=["Berlin"])
    say(users["analyst"], "run:1", borders=YES)
    say(users["analyst"], "q1", capital=NO)
    found = learned(queue, questions=questions)
    assert found.questions[-1] == QuestionRecord(
        "run:1", "what borders Switzerland?", ("Switzerland",), ("France", "Germany"), split="train"
    )
    assert found.counts["added"] == 1
    labelled = {label.question: label for label in found.labels if label.source != "analyst"}
    assert set(labelled) == {"q2", "q3", "q4"}, "found by answer sets, q1's only path is refused"
    assert labelled["q4"].path == LANGUAGE


def test_a_test_question_that_somebody_asked_is_not_learned(queue, questions, users):
    Queue.objects.filter(pk=queue.pk).update(question_set=None)
    queue.refresh_from_db()
    Item.objects.filter(key="q2").update(key="run:1", question="What is spoken in GERMANY?")
    say(users["analyst"], "run:1", borders=YES)
    found = learned(queue, questions=questions)
    assert [q.id for q in found.questions] == ["q1", "q2", "q3", "q4", "q5", "q6"]
    assert (found.counts["accepted"], found.counts["added"]) == (1, 0)


def tell(user, key, *answers):
    item = Item.objects.get(key=key)
    right_answers.set_answers(item=item, user=user, id=uuid.uuid4(), answers=answers, replaces=item.answered_id)


def test_right_answers_are_learned_without_a_verdict(queue, users):
    tell(users["analyst"], "q1", "German")
    Item.objects.filter(key="q4").update(key="run:4", question="which language has France?")
    tell(users["analyst"], "run:4", "German")
    found = learned(queue)
    by_id = {q.id: q for q in found.questions}
    assert (by_id["q1"].answers, by_id["q2"].answers) == (("German",), ("Germany", "France"))
    assert by_id["run:4"] == QuestionRecord(
        "run:4", "which language has France?", ("France",), ("German",), split="train"
    )
    assert (found.counts["answered"], found.counts["added"]) == (1, 1)
    labelled = {label.question: label.path for label in found.labels if label.role == "path"}
    assert labelled["q1"] == LANGUAGE, "not what the label sets say of the answer that it had"
    assert labelled["q2"] == BORDERS


def test_what_a_viewer_calls_right_is_learned_once_analysts_judged_with_it(queue, users):
    item = Item.objects.get(key="q2")
    Item.objects.filter(pk=item.pk).update(key="run:2", question="who is next to us?", assumed=True, answers=[])
    with transaction.atomic():
        locked = consensus.lock_item(item)
        right_answers.suggest(locked, users["viewer"], uuid.uuid4(), ["France"])
    say(users["analyst"], "q1", capital=YES)
    assert "run:2" not in {q.id for q in learned(queue).questions}
    now = Item.objects.get(pk=item.pk)
    say(
        users["analyst"],
        "run:2",
        **{"_then_".join(n for n, _ in c.path): UNSURE for c in now.candidates.all()},
    )
    (one,) = [q for q in learned(queue).questions if q.id == "run:2"]
    assert one.answers == ("France",)


def start(client, graph, **fields):
    body = {"method": "rel-rag-path", "config": {"epochs": 1}, **fields}
    return client.post(TRAIN.format(graph.pk), body, format="json")


def trained(client, graph, **fields):
    answer = start(client, graph, **fields)
    assert answer.status_code == 202, answer.content
    training.train(answer.json()["id"])
    job = Job.objects.get(pk=answer.json()["id"])
    assert (job.state, job.error_message) == (JobState.DONE, "")
    return job


def trainings(client, queue):
    return client.get(f"/api/v1/review/queues/{queue.pk}/trainings").json()["results"]


def test_a_training_from_a_queue_is_listed_from_the_start_newest_first(api, tiny_graph, queue, questions, users):
    client = api("analyst")
    say(users["analyst"], "q2", borders=YES)
    start(client, tiny_graph, question_set=questions.pk)
    jobs = [start(client, tiny_graph, review_queue=queue.pk, compare=True).json()["id"] for _ in range(2)]
    found = trainings(api("viewer"), queue)
    assert [(one["job"]["id"], one["job"]["state"]) for one in found] == [(key, "queued") for key in jobs[::-1]]
    assert [(one["checkpoint"], one["reports"]) for one in found] == [(None, []), (None, [])]
    training.train(jobs[0])
    after = trainings(client, queue)[1]
    assert [one["macro_f1"] for one in after["reports"]] == [None, None]
    client.delete(f"/api/v1/checkpoints/{after['checkpoint']['id']}")
    assert trainings(client, queue)[1]["checkpoint"] is None


@pytest.mark.slow
def test_a_review_is_trained_from_compared_promoted_and_rolled_back(api, tiny_graph, queue, questions, users):
    client = api("admin")
    before = trained(client, tiny_graph, question_set=questions.pk).result["checkpoint"]
    client.post(f"/api/v1/checkpoints/{before}/promote")
    say(users["analyst"], "q3", borders_then_official_language=NO, official_language=YES)
    job = trained(client, tiny_graph, review_queue=queue.pk, compare=True, seed=3)
    after = job.result["checkpoint"]
    assert job.title == "Train rel-rag-path on Six, from the review R"
    assert job.result["labels"] == {
        "accepted": 1,
        "rejected": 1,
        "broken": 0,
        "label_sets": 3,
        "added": 0,
        "answered": 0,
    }
    manifest = files.ensure_local_path(Checkpoint.objects.get(pk=after).path) / "manifest.json"
    assert json.loads(manifest.read_text())["labels"] == {"analyst": 2, "answer-set": 2, "shortest-path": 2}

    reports = [Report.objects.get(pk=key) for key in job.result["reports"]]
    assert [(one.checkpoint_id, one.split, one.seed) for one in reports] == [
        (before, "test", 0),
        (after, "test", 0),
    ]
    assert reports[0].budget == reports[1].budget
    for one in reports:
        evaluation.evaluate(one.job_id)
    ids = ",".join(map(str, job.result["reports"]))
    compared = client.get("/api/v1/reports/compare", {"ids": ids})
    assert compared.status_code == 200, compared.content
    assert [one["checkpoint"] for one in compared.json()["reports"]] == [before, after]
    assert [one["n"] for one in compared.json()["reports"]] == [2, 2]
    assert reports[0].fingerprint != reports[1].fingerprint
    changed = client.get("/api/v1/reports/compare/questions", {"ids": ids}).json()
    assert {row["id"] for row in changed["results"]} <= {"q5", "q6"}

    used = {row["id"]: row["in_use"] for row in client.get("/api/v1/checkpoints").json()["results"]}
    assert used == {before: True, after: False}, "what was in use stays so until the other is promoted"
    (listed,) = trainings(client, queue)
    assert (listed["job"]["id"], listed["method"], listed["by"]) == (job.pk, "rel-rag-path", "admin")
    assert [(one["id"], one["state"]) for one in listed["reports"]] == [(one.pk, "done") for one in reports]
    assert listed["reports"][1]["macro_f1"] == Report.objects.get(pk=reports[1].pk).summary["metrics"]["macro_f1"]
    assert (listed["checkpoint"]["id"], listed["checkpoint"]["in_use"]) == (after, False)
    assert client.post(f"/api/v1/checkpoints/{after}/promote").status_code == 200
    assert trainings(client, queue)[0]["checkpoint"]["in_use"]
    back = client.post(f"/api/v1/graphs/{tiny_graph.pk}/rollback", {"method": "rel-rag-path"}, format="json")
    assert back.json()["id"] == before


def test_training_on_a_new_version_carries_the_review_over_first(api, tiny_graph, queue, users, make_version):
    for key, verdicts in (("q1", {"capital": YES}), ("q2", {"borders": YES})):
        say(users["analyst"], key, **verdicts)
    version = make_version(("Switzerland", "borders", "Austria"))
    job = trained(api("analyst"), tiny_graph, review_queue=queue.pk)
    queue.refresh_from_db()
    assert queue.snapshot == version
    assert job.result["labels"]["accepted"] == 1, "what borders Switzerland has changed: q2 is open again"
    assert dict(queue.rows.values_list("key", "state"))["q2"] == "open"
    assert Checkpoint.objects.get(pk=job.result["checkpoint"]).snapshot == version


def test_without_a_checkpoint_the_comparison_is_with_the_untrained_method(api, tiny_graph, queue, users):
    say(users["analyst"], "q2", borders=YES)
    job = trained(api("analyst"), tiny_graph, review_queue=queue.pk, compare=True)
    assert [Report.objects.get(pk=key).checkpoint_id for key in job.result["reports"]] == [
        None,
        job.result["checkpoint"],
    ]
    assert Promotion.objects.count() == 0


@pytest.mark.slow
def test_a_training_that_is_taken_up_again_compares_once(api, tiny_graph, queue, users):
    say(users["analyst"], "q2", borders=YES)
    job = trained(api("analyst"), tiny_graph, review_queue=queue.pk, compare=True)
    first = job.result
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["reports"], Report.objects.count()) == ("done", first["reports"], 2)
    assert Checkpoint.objects.count() == 1


def refused(answer, status=400):
    assert answer.status_code == status, answer.content
    return answer.json()["error"]["message"]


def test_what_cannot_be_learned_from_is_named(api, tiny_graph, queue, users, question_set):
    client = api("analyst")
    assert refused(start(client, tiny_graph)) == "There is nothing to learn from."
    assert refused(start(client, tiny_graph, review_queue=queue.pk)) == "Nothing was decided in the review R."
    assert start(client, tiny_graph, review_queue=queue.pk + 1).status_code == 404
    say(users["analyst"], "q2", borders=UNSURE)
    assert refused(start(client, tiny_graph, review_queue=queue.pk, question_set=question_set.pk)) == (
        "The review R is of the question set Six."
    )
    answer = start(client, tiny_graph, review_queue=queue.pk)
    training.train(answer.json()["id"])
    job = Job.objects.get(pk=answer.json()["id"])
    assert (job.state, job.error_message) == (
        "failed",
        "Nothing is decided in the review R: no path has more than half of its verdicts.",
    )
    Queue.objects.filter(pk=queue.pk).update(question_set=None)
    assert refused(start(client, tiny_graph, review_queue=queue.pk)) == "The review R has no question set."


def test_what_was_deleted_meanwhile_is_missed(api, tiny_graph, queue, users):
    say(users["analyst"], "q2", borders=YES)
    answers = [start(api("analyst"), tiny_graph, review_queue=queue.pk).json()["id"] for _ in range(2)]
    LabelSet.objects.get(name="2").delete()
    training.train(answers[0])
    queue.delete()
    training.train(answers[1])
    assert [Job.objects.get(pk=key).error_message for key in answers] == [
        "The label set 2 of the review R was deleted.",
        "The review was deleted.",
    ]
