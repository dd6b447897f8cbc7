"""Studies for real, on the tiny graph: every cell once, also after a kill, and cells that fail."""

import json
import zipfile
from pathlib import Path

import pytest
import torch

from retrieval.errors import Cancelled, EvaluationError, TrainingDataError
from retrieval.evaluation import study as answerer
from tests.webapp.studies.conftest import VARIANTS, six  # noqa: F401 - a fixture
from webapp.experiments.models import Checkpoint, LabelSet, Report
from webapp.experiments.resolution import find_in_use
from webapp.graphs import files
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobState
from webapp.studies import services
from webapp.studies.models import Study
from worker import studies


@pytest.fixture(autouse=True)
def one_thread():
    """Tensors this small are slower with more threads, much slower on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def study(six, users):  # noqa: F811
    """A study of two variants, with another that asks the first one's checkpoint."""
    variants = {one["name"]: {k: v for k, v in one.items() if k != "name"} for one in VARIANTS}
    asked = {"method": "rel-rag-path", "of": "trained", "budget": 2}
    return services.start_study(
        name="S",
        sets=[services.ChosenSet(six)],
        plan={"variants": {**variants, "again": asked}, "baseline": "zero-shot"},
        user=users["analyst"],
    )


def ended(study):
    study.refresh_from_db()
    job = Job.objects.get(pk=study.job_id)
    assert (job.state, job.error_message) == (JobState.DONE, "")
    return job


def test_every_cell_has_a_report_and_a_checkpoint_nobody_uses(study, six):  # noqa: F811
    studies.study(study.job_id)
    assert ended(study).result == {"study": study.pk, "cells": 3, "failed": 0}
    trained, plain, again = study.cells.all()
    assert [cell.result["n"] for cell in (trained, plain, again)] == [2, 2, 2]
    (checkpoint,) = Checkpoint.objects.all()
    assert (trained.checkpoint, plain.checkpoint, again.checkpoint) == (checkpoint, None, checkpoint)
    assert (checkpoint.of_study, checkpoint.config["epochs"], find_in_use(six.graph)) == (True, 1, {})
    assert [row["epoch"] for row in trained.result["training"]["curve"]] == [1.0]
    reports = [cell.report for cell in (trained, plain, again)]
    assert [(r.state, r.of_study, r.rows.count(), r.budget) for r in reports] == [
        ("done", True, 2, 50), ("done", True, 2, 50), ("done", True, 2, 2),
    ]  # fmt: skip
    assert reports[0].summary["manifest"]["checkpoint"] == checkpoint.fingerprint == reports[2].fingerprint
    folder = files.ensure_local_path(files.build_report_name(six.graph_id, reports[0].pk))
    assert json.loads((folder / "report.json").read_text())["n"] == 2
    with zipfile.ZipFile(
        files.ensure_local_path(files.build_study_name(six.graph_id, study.pk)) / "capsule.zip"
    ) as capsule:
        assert json.loads(capsule.read("capsule.json"))["name"] == "S"
    said = list(Job.objects.get(pk=study.job_id).log.values_list("text", flat=True))
    assert [line for line in said if line.startswith(("Training", "Testing", "Writing"))] == [
        "Training trained on Six, seed 0.",
        "Testing trained on Six, seed 0.",
        "Testing zero-shot on Six, seed 0.",
        "Testing again on Six, seed 0.",
        "Writing the capsule.",
    ]
    assert study.finished_at is not None
    assert study.bytes > 0


def test_what_a_killed_worker_had_done_is_not_done_again(study, monkeypatch):
    real, asked = answerer.evaluate_answerer, []

    def killed(*args, **kwargs):
        asked.append(1)
        if len(asked) == 2:
            raise Cancelled("killed")
        return real(*args, **kwargs)

    monkeypatch.setattr(answerer, "evaluate_answerer", killed)
    studies.study(study.job_id)
    assert Job.objects.get(pk=study.job_id).state == JobState.CANCELLED
    assert [cell.result is not None for cell in study.cells.all()] == [True, False, False]
    first = study.cells.first()
    fit = []
    monkeypatch.setattr(answerer, "train", lambda *a, **k: fit.append(1))
    jobs.retry(job=Job.objects.get(pk=study.job_id))
    studies.study(study.job_id)
    ended(study)
    assert (len(asked), fit, Report.objects.count()) == (4, [], 3)
    assert (study.cells.first().report_id, study.cells.first().finished_at) == (
        first.report_id, first.finished_at,
    )  # fmt: skip


def test_a_cell_that_fails_says_why_and_the_others_are_done(study, users, monkeypatch):
    real, asked = answerer.evaluate_answerer, []

    def broken(*args, **kwargs):
        asked.append(1)
        if len(asked) == 1:
            raise EvaluationError("It broke.", hint="Mend it.")
        return real(*args, **kwargs)

    monkeypatch.setattr(answerer, "evaluate_answerer", broken)
    studies.study(study.job_id)
    assert ended(study).result == {"study": study.pk, "cells": 2, "failed": 1}
    states = [(cell.result is not None, cell.error_message) for cell in study.cells.all()]
    assert states == [(False, "It broke."), (True, ""), (True, "")]
    services.resume_study(study=study, user=users["analyst"])
    study.refresh_from_db()
    studies.study(study.job_id)
    ended(study)
    assert [cell.error_message for cell in study.cells.filter(result__isnull=False)] == ["", "", ""]


def test_a_deleted_study_leaves_no_files(study, six):  # noqa: F811
    studies.study(study.job_id)
    folder = files.ensure_local_path(files.build_study_name(six.graph_id, study.pk))
    assert folder.is_dir()
    services.delete_study(study=Study.objects.get(pk=study.pk))
    assert not folder.exists()
    assert not any(files.get_path(f"checkpoints/{six.graph_id}").glob("*"))
    assert not any(files.get_path(f"reports/{six.graph_id}").glob("*"))


def test_labels_are_copied_when_first_read_and_missed_when_gone_before(study, six, tmp_path):  # noqa: F811
    labels = LabelSet.objects.create(name="L", graph=six.graph, question_set=six, snapshot_hash=six.graph.snapshot.hash)
    place = files.get_path(files.build_labels_name(six.graph_id, labels.pk))
    place.parent.mkdir(parents=True)
    place.write_text("{}\n")
    study.sets.update(label_set=labels, label_set_name="L")
    read = Path(studies._prepare_data(study.sets.get(), tmp_path / "one")["labels"])
    labels.delete()
    place.unlink()
    assert read.read_text() == "{}\n"
    assert studies._prepare_data(study.sets.get(), tmp_path / "one")["labels"] == str(read)
    with pytest.raises(TrainingDataError, match="The label set L was deleted"):
        studies._prepare_data(study.sets.get(), tmp_path / "two")
