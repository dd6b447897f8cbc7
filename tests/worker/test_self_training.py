"""A graph that nobody trained on teaches itself after its import, and gives way to what people train."""

from dataclasses import replace

import pytest
import torch
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval import self_training as answerer
from tests.retrieval.films import facts
from tests.support.full_disk import disk_to_fill
from webapp.experiments import promotions
from webapp.experiments import self_training as started
from webapp.experiments.models import Checkpoint
from webapp.experiments.resolution import find_checkpoint_in_use
from webapp.graphs import files, services
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind, JobState
from worker import imports, indexing, job_runs, self_training

FILMS = "".join("\t".join(fact) + "\n" for fact in facts()).encode()


@pytest.fixture(autouse=True)
def switched_on(settings, monkeypatch):
    """On, with few questions and one epoch on one thread."""
    settings.CLEW = replace(settings.CLEW, self_training=True)
    monkeypatch.setattr(answerer, "QUESTIONS", 400)
    monkeypatch.setattr(answerer, "EPOCHS", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def imported(users, content=FILMS, name="Films"):
    graph, job = services.create_graph(
        name=name,
        description="",
        visibility="public",
        files=[SimpleUploadedFile("films.tsv", content)],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    indexing.index_graph(Job.objects.get(graph=graph, kind=JobKind.INDEX).pk)
    graph.refresh_from_db()
    return graph


def the_job(graph):
    return Job.objects.get(graph=graph, kind=JobKind.SELF_TRAIN)


@pytest.mark.slow
def test_what_reads_less_than_the_weights_that_come_with_clew_is_not_kept(users, monkeypatch):
    monkeypatch.setattr(answerer.SelfTrainingResult, "better", False)
    graph = imported(users)
    job = the_job(graph)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message, job.result["kept"]) == (JobState.DONE, "", False)
    after, before = (job.result["metrics"][name] for name in ("exact_set", "exact_set_before"))
    said = f"Discarded: of the same {job.result['compared']} held-out questions written from the graph, "
    assert f"{said}{after:.1%} are answered exactly with it and {before:.1%} without." in [
        line.text for line in job.log.all()
    ]
    assert find_checkpoint_in_use(graph) is None


@pytest.mark.slow
def test_after_its_import_a_graph_teaches_itself_and_people_win(users, monkeypatch):
    # One epoch is worse than no training at all; what follows is the same for one that is better.
    monkeypatch.setattr(answerer.SelfTrainingResult, "better", True)
    graph = imported(users)
    job = the_job(graph)
    assert (job.state, job.params) == (JobState.QUEUED, {"snapshot": graph.snapshot.hash})
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message, job.result["kept"]) == (JobState.DONE, "", True)
    assert [stage["state"] for stage in job.stages] == ["done"] * 4
    own = find_checkpoint_in_use(graph)
    assert (own.pk, own.method, own.self_trained) == (job.result["checkpoint"], "reg-path", True)
    assert started.start(graph=graph, user=None) is None
    theirs = Checkpoint.objects.create(
        method="reg-path", graph=graph, snapshot=graph.snapshot, encoder=own.encoder, path="elsewhere"
    )
    assert find_checkpoint_in_use(graph) == own, "a candidate until it is promoted"
    promotions.promote(checkpoint=theirs, user=None)
    assert find_checkpoint_in_use(graph) == theirs


def test_a_graph_with_a_checkpoint_is_left_alone(users, settings):
    graph = imported(users)
    encoder = settings.CLEW.encoder
    Checkpoint.objects.create(
        method="rapl", graph=graph, snapshot=graph.snapshot, encoder=encoder, path="there", adopted=True
    )
    job = the_job(graph)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, list(job.result)) == (JobState.DONE, ["skipped"])
    assert Checkpoint.objects.count() == 1


def test_a_small_graph_is_no_failure(users):
    graph = imported(users, b"Ada\tknows\tBo\n", "Two")
    assert not Job.objects.filter(graph=graph, kind=JobKind.SELF_TRAIN).exists()
    assert find_checkpoint_in_use(graph) is None


def test_a_graph_of_few_walks_is_skipped_and_the_log_says_why(users, monkeypatch):
    monkeypatch.setattr(answerer, "_LEAST", 1000)
    graph = imported(users, b"".join(b"Ada\tknows\tBo %d\n" % each for each in range(60)), "One relation")
    job = the_job(graph)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    assert "walks" in job.result["skipped"]
    assert f"Skipped: {job.result['skipped']}" in [line.text for line in job.log.all()]


def once_in_training(monkeypatch, do):
    """Do something when the training has taken its first steps."""
    report, done = job_runs.Context.update_progress, []

    def progress(context, told):
        report(context, told)
        if told.stage == "training" and not done and context.job.kind == JobKind.SELF_TRAIN:
            done.append(told)
            do()

    monkeypatch.setattr(job_runs.Context, "update_progress", progress)


def left_of(job):
    """What lies on the disk of a job's training."""
    out = files.ensure_local_path(files.build_checkpoint_name(job.graph_id, job.pk))
    return [one.name for one in (out, answerer.get_resume_path(out)) if one.exists()]


@pytest.mark.slow
def test_a_disk_that_becomes_full_in_mid_training_fails_it_and_leaves_nothing_behind(users, monkeypatch):
    graph = imported(users)
    job = the_job(graph)
    with disk_to_fill() as leave:
        once_in_training(monkeypatch, lambda: leave(1_000_000))  # less than a state of this training
        self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "storage_full")
    assert "nothing half done was kept, and questions are answered as before" in job.error_message
    assert "try the job again" in job.error_hint
    assert left_of(job) == []
    assert find_checkpoint_in_use(graph) is None
    # With room it is done when it is tried again.
    jobs.retry(job=job)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE


@pytest.mark.slow
def test_one_that_is_cancelled_in_mid_training_goes_on_when_it_is_tried_again(users, monkeypatch):
    graph = imported(users)
    job = the_job(graph)
    once_in_training(monkeypatch, lambda: jobs.cancel_job(job=Job.objects.get(pk=job.pk)))
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.CANCELLED, "")
    assert find_checkpoint_in_use(graph) is None
    jobs.retry(job=job)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE


def append(graph, api):
    """A new version of a graph, imported and indexed."""
    more = SimpleUploadedFile("more.tsv", b"Film 99\tdirected_by\tVarda\n")
    answer = api("admin").post(
        f"/api/v1/graphs/{graph.pk}/versions", {"mode": "append", "files": [more]}, format="multipart"
    )
    assert answer.status_code == 202, answer.content
    imports.import_graph(Job.objects.filter(graph=graph, kind=JobKind.IMPORT).latest("pk").pk)
    indexing.index_graph(Job.objects.filter(graph=graph, kind=JobKind.INDEX).latest("pk").pk)


@pytest.mark.parametrize(
    "running", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["waiting", "in mid training"]
)
def test_a_new_version_stops_the_training_of_the_one_before(users, api, monkeypatch, running):
    graph = imported(users)
    first = the_job(graph)
    if running:
        once_in_training(monkeypatch, lambda: append(graph, api))
        self_training.self_train(first.pk)
    else:
        append(graph, api)
    graph.refresh_from_db()
    first.refresh_from_db()
    assert first.state == JobState.CANCELLED
    assert "another version" in "".join(line.text for line in first.log.all())
    assert left_of(first) == []
    assert find_checkpoint_in_use(graph) is None
    second = Job.objects.filter(graph=graph, kind=JobKind.SELF_TRAIN).latest("pk")
    assert (second.state, second.params) == (JobState.QUEUED, {"snapshot": graph.snapshot.hash})


def test_it_can_be_switched_off(users, settings):
    settings.CLEW = replace(settings.CLEW, self_training=False)
    graph = imported(users)
    assert not Job.objects.filter(graph=graph, kind=JobKind.SELF_TRAIN).exists()


def test_one_runs_at_a_time_and_none_while_anything_else_is_to_be_done(users):
    one, other = imported(users), imported(users, FILMS + b"Film 99\tdirected_by\tVarda\n", "More films")
    training = jobs.create(kind=JobKind.TRAIN, title="Train", graph=one, user=None)
    assert jobs.claim(job_id=the_job(one).pk, worker="w") is None
    assert jobs.claim(job_id=training.pk, worker="w") is not None
    jobs.finish(job_id=training.pk)
    assert jobs.claim(job_id=the_job(one).pk, worker="w") is not None
    assert jobs.claim(job_id=the_job(other).pk, worker="w") is None


@pytest.mark.slow
def test_it_gives_way_to_a_training_and_goes_on_with_what_it_kept(users, monkeypatch):
    graph = imported(users)
    job = the_job(graph)
    monkeypatch.setattr(job_runs, "URGENT_EVERY_S", 0.0)
    monkeypatch.setattr(job_runs, "WAIT_IN_PLACE_S", 0.0)
    monkeypatch.setattr(answerer, "EPOCHS", 2)
    begun = []

    def progress(context, report, tell=job_runs.Context.update_progress):
        if report.message.startswith("epoch 2") and not begun:
            begun.append(jobs.create(kind=JobKind.TRAIN, title="Train", graph=graph, user=None))
        tell(context, report)

    monkeypatch.setattr(job_runs.Context, "update_progress", progress)
    self_training.self_train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error_message) == (JobState.QUEUED, 0, "")
    kept = answerer.get_resume_path(files.ensure_local_path(files.build_checkpoint_name(graph.pk, job.pk)))
    assert kept.is_dir()
    jobs.claim(job_id=begun[0].pk, worker="w")
    jobs.finish(job_id=begun[0].pk)
    epochs = []
    monkeypatch.setattr(job_runs.Context, "update_progress", lambda context, report: epochs.append(report.message[:7]))
    self_training.self_train(job.pk)
    assert "epoch 1" not in epochs
    assert "epoch 2" in epochs
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.DONE, 1)


def test_a_graph_with_passages_is_left_to_the_router(tiny_graph, request, monkeypatch):
    monkeypatch.setattr(started, "SELF_TRAINING_FACTS", 1)
    assert started.start(graph=tiny_graph, user=None) is not None
    text_graph = request.getfixturevalue("text_graph")  # the same graph, with another version
    assert text_graph.snapshot.passages
    assert started.start(graph=text_graph, user=None) is None
