"""Question sets, checkpoints and reports that were deleted: they can come back for a while, with their files."""

from datetime import timedelta

import pytest
from django.utils import timezone

from webapp.accounts import quotas
from webapp.experiments.models import Checkpoint, Report
from webapp.graphs import files, trash
from webapp.questions.models import QuestionSet
from webapp.questions.services import save_question_set

SETS, CHECKPOINTS, REPORTS = "/api/v1/question-sets", "/api/v1/checkpoints", "/api/v1/reports"
TRASH = "/api/v1/trash"


@pytest.fixture
def trained(checkpoint):
    """Two checkpoints of one method with files, the first in use."""

    def make(number, **values):
        row = checkpoint(path=f"checkpoints/1/{number}", fingerprint=str(number) * 10, **values)
        place = files.ensure_local_path(row.path)
        place.mkdir(parents=True, exist_ok=True)
        (place / "manifest.json").write_text("{}")
        return row

    return make(1, adopted=True), make(2)


def test_a_question_set_comes_back_with_its_questions(api, question_set):
    client, url = api("analyst"), f"{SETS}/{question_set.pk}"
    assert client.delete(url).status_code == 204
    assert (client.get(url).status_code, client.get(SETS).json()["count"]) == (404, 0)
    (row,) = client.get(TRASH).json()
    assert (row["kind"], row["key"], row["name"], row["graph_name"]) == (
        "question-sets", question_set.pk, "Tiny questions", "Tiny"
    )  # fmt: skip
    assert (row["questions"], row["triples"], row["deleted_by"]) == (2, None, "analyst")
    assert api("viewer").get(TRASH).json() == []
    assert api("viewer").post(f"{TRASH}/question-sets/{question_set.pk}/restore").status_code in {403, 404}
    back = client.post(f"{TRASH}/question-sets/{question_set.pk}/restore", {}, format="json")
    assert (back.status_code, client.get(f"{url}/questions").json()["count"]) == (204, 2)
    assert client.get(TRASH).json() == []


def test_a_name_that_was_given_away_meanwhile(api, question_set, tiny_graph, users):
    client = api("analyst")
    client.delete(f"{SETS}/{question_set.pk}")
    asked = _questions()
    save_question_set(name="Tiny questions", graph=tiny_graph, questions=asked, format="jsonl", user=None)
    url = f"{TRASH}/question-sets/{question_set.pk}/restore"
    assert client.post(url, {}, format="json").json()["error"]["code"] == "name_taken"
    assert client.post(url, {"name": "Older"}, format="json").status_code == 204
    assert {row["name"] for row in client.get(SETS).json()["results"]} == {"Tiny questions", "Older"}


def _questions():
    from retrieval.types import QuestionRecord

    return [QuestionRecord("q1", "what borders France?", ("France",), ("Switzerland",), split="train")]


def test_what_is_in_use_follows_when_a_checkpoint_goes_and_comes_back(api, trained):
    first, _ = trained
    client = api()

    def in_use():
        return [row["id"] for row in client.get(CHECKPOINTS).json()["results"] if row["in_use"]]

    assert in_use() == [first.pk]
    assert client.delete(f"{CHECKPOINTS}/{first.pk}").status_code == 204
    assert in_use() == [], "the other is a candidate"
    assert (files.ensure_local_path(first.path) / "manifest.json").is_file(), "files are kept"
    assert client.post(f"{TRASH}/checkpoints/{first.pk}/restore", {}, format="json").status_code == 204
    assert in_use() == [first.pk]


def test_only_who_may_manage_it_deletes_and_restores(api, trained, question_set, users):
    assert api("viewer").delete(f"{SETS}/{question_set.pk}").status_code == 403
    assert api("analyst").delete(f"{CHECKPOINTS}/{trained[0].pk}").status_code == 403
    assert (QuestionSet.objects.count(), Checkpoint.objects.count()) == (1, 2)


def test_the_sweeper_deletes_for_good_what_was_there_long_enough(api, trained, question_set, tiny_graph):
    report = Report.objects.create(
        graph=tiny_graph, snapshot_hash="x", question_set=question_set, question_set_name="Tiny questions",
        split="test", method="rapl", reasoner="extractive", budget=10, seed=0,
    )  # fmt: skip
    client = api()
    for url in (f"{SETS}/{question_set.pk}", f"{CHECKPOINTS}/{trained[0].pk}", f"{REPORTS}/{report.pk}"):
        assert client.delete(url).status_code == 204
    trash.remove_expired()
    assert (QuestionSet.with_trash.count(), Checkpoint.with_trash.count(), Report.with_trash.count()) == (
        1,
        2,
        1,
    )
    long_ago = timezone.now() - timedelta(days=8)
    for model in (QuestionSet, Checkpoint, Report):
        model.with_trash.exclude(deleted_at=None).update(deleted_at=long_ago)
    trash.remove_expired()
    assert (QuestionSet.with_trash.count(), Checkpoint.with_trash.count(), Report.with_trash.count()) == (
        0,
        1,
        0,
    )


def test_deleting_for_good_repeats_the_name_and_takes_the_files(api, trained, django_capture_on_commit_callbacks):
    client, row = api(), trained[0]
    client.delete(f"{CHECKPOINTS}/{row.pk}")
    name = client.get(TRASH).json()[0]["name"]
    url = f"{TRASH}/checkpoints/{row.pk}"
    assert client.delete(url).status_code == 400
    with django_capture_on_commit_callbacks(execute=True):
        assert client.delete(f"{url}?confirm={name}").status_code == 204
    assert (Checkpoint.with_trash.count(), files.ensure_local_path(row.path).exists()) == (1, False)
    assert client.delete(f"{TRASH}/ghosts/1?confirm=x").status_code == 404


def test_question_sets_count_for_the_quota_also_in_the_trash(api, question_set, users, tiny_graph):
    size = QuestionSet.objects.get().bytes
    assert size > 100
    assert quotas.compute_usage(users["analyst"]) == size == quotas.compute_usage_by_user()[users["analyst"].pk]
    (row,) = api().get("/api/v1/storage").json()["graphs"]
    assert row["question_sets"] == size
    api("analyst").delete(f"{SETS}/{question_set.pk}")
    assert quotas.compute_usage(users["analyst"]) == size
    users["analyst"].quota = size + 10
    users["analyst"].save()
    with pytest.raises(Exception, match="is too much"):
        save_question_set(name="More", graph=tiny_graph, questions=_questions(), format="jsonl", user=users["analyst"])
    assert QuestionSet.with_trash.count() == 1
