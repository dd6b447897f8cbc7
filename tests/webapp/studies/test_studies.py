"""Studies: asked for, refused with the reason, gone on with, deleted, and seen by those who see all of their graphs."""

import pytest
from django.utils import timezone

from tests.webapp.experiments.report_calls import ROWS, made
from tests.webapp.studies.conftest import URL, VARIANTS
from webapp.accounts.models import User
from webapp.experiments import reports
from webapp.experiments.models import Checkpoint, Report
from webapp.graphs import files
from webapp.graphs.models import Graph
from webapp.jobs.models import Job, JobState
from webapp.studies.models import Study, StudyCell

pytestmark = pytest.mark.usefixtures("owned_graph")


def result(cell, hit):
    """What the engine yields of a cell, as far as this application reads it."""
    whole = made(ROWS, cross_dataset=False)
    del whole["per_question"]
    return {
        **whole,
        "cell": {name: getattr(cell, name) for name in ("train", "variant", "fraction", "seed", "test")},
        "metrics": {"hit": hit, "path_recall": None},
        "causes": {"retrieval": 2},
        "training": {"seconds": 3.0, "questions": 2, "metrics": {}, "curve": [{"epoch": 1.0, "loss": 0.5}]},
    }


def fill(study, hits):
    for cell, hit in zip(study.cells.all(), hits, strict=False):
        StudyCell.objects.filter(pk=cell.pk).update(result=result(cell, hit), finished_at=timezone.now())


def test_a_study_is_queued_with_a_row_for_each_cell(started, six, redis):
    answer = started(seeds=[0, 1], fractions=[0.5, 1], baseline="zero-shot", limit=10)
    assert answer.status_code == 202, answer.content
    study, job = answer.json()["study"], answer.json()["job"]
    assert (study["name"], study["variants"], study["state"]) == ("S", ["trained", "zero-shot"], "queued")
    assert study["counts"] == {"all": 8, "done": 0, "failed": 0}
    assert study["sets"] == [
        {
            **{"name": "Six", "graph": six.graph_id, "graph_name": "Tiny", "question_set": six.pk},
            **{"snapshot": six.graph.snapshot.hash, "labels": None, "labels_name": ""},
        }
    ]
    assert (job["kind"], job["title"]) == ("study", "Study S")
    cells = Study.objects.get().cells.values_list("variant", "fraction", "seed", "train", "test")
    assert list(cells)[:3] == [
        ("trained", 0.5, 0, "Six", "Six"), ("trained", 0.5, 1, "Six", "Six"), ("trained", 1, 0, "Six", "Six"),
    ]  # fmt: skip
    assert redis.llen("clew:celery:long") == 1


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"variants": []}, "bad_config", "no variants"),
        ({"variants": [VARIANTS[0], VARIANTS[0]]}, "invalid", "same name"),
        ({"variants": [{"name": "a", "method": "guess"}]}, "unknown_method", "guess"),
        ({"variants": [{"name": "a", "method": "rapl", "config": {"hiden": 3}}]}, "bad_config", "hidden"),
        ({"variants": [{"name": "a", "method": "rapl", "options": {"draw": 3}}]}, "bad_config", "'a'"),
        ({"variants": [{"name": "a", "method": "rapl", "strategy": "luck"}]}, "bad_config", "luck"),
        (
            {"variants": [{"name": "a", "method": "rapl", "strategy": "llm"}]},
            "llm_not_configured",
            "LLM_BASE_URL",
        ),
        ({"variants": [{"name": "a", "method": "rapl", "of": "b"}]}, "bad_config", "'b'"),
        ({"variants": [{"name": "a", "method": "text-rag"}]}, "unknown_method", "passages"),
        ({"reasoner": "oracle"}, "invalid", "oracle"),
        ({"budget": 100000}, "invalid", "budget"),
        ({"split": "holdout"}, "bad_training_data", "holdout"),
        ({"fractions": [0]}, "bad_config", "fraction"),
        ({"fractions": []}, "bad_config", "no fractions"),
        ({"seeds": list(range(50)), "fractions": [x / 20 for x in range(1, 21)]}, "invalid", "2,000 cells"),
        ({"baseline": "raw"}, "bad_config", "raw"),
        ({"test": [99]}, "invalid", "99"),
        ({"sets": []}, "invalid", "sets"),
    ],
)
def test_what_cannot_be_studied(started, fields, code, says):
    answer = started(**fields)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, code), error
    assert says in str(error)
    assert (Study.objects.count(), Job.objects.count()) == (0, 0)


def test_a_used_up_quota_refuses_a_study(started, users):
    User.objects.filter(pk=users["analyst"].pk).update(quota=0)
    answer = started()
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "over_quota")


def test_finished_cells_are_summed_up_over_their_seeds(started, api):
    pk = started(seeds=[0, 1], baseline="zero-shot").json()["study"]["id"]
    fill(Study.objects.get(pk=pk), [0.8, 0.6, 0.5])
    whole = api("viewer").get(f"{URL}/{pk}").json()
    assert whole["counts"] == {"all": 4, "done": 3, "failed": 0}
    assert [cell["state"] for cell in whole["cells"]] == ["done", "done", "done", "waiting"]
    assert whole["cells"][0]["training"]["curve"] == [{"epoch": 1.0, "loss": 0.5}]
    trained, plain = whole["rows"]
    assert (trained["variant"], trained["seeds"], trained["causes"]) == (
        "trained",
        [0, 1],
        {"retrieval": 2.0},
    )
    assert trained["metrics"]["hit"]["mean"] == pytest.approx(0.7)
    assert trained["metrics"]["hit"]["sd"] == pytest.approx(0.141421, abs=1e-6)
    assert plain["metrics"]["hit"] == {"mean": 0.5, "sd": None, "values": [0.5]}
    assert [(gain["variant"], gain["metrics"]["hit"]["values"]) for gain in whole["gains"]] == [
        ("trained", [pytest.approx(0.6)])
    ]
    assert whole["plan"]["variants"][0]["config"] == {"epochs": 1}
    assert whole["plan"]["train"] == []


def test_a_study_that_was_stopped_goes_on_and_one_that_is_done_does_not(started, api):
    pk = started().json()["study"]["id"]
    assert api("analyst").post(f"{URL}/{pk}/resume").status_code == 409
    study = Study.objects.get(pk=pk)
    Job.objects.filter(pk=study.job_id).update(state=JobState.CANCELLED)
    study.cells.update(error_code="bad_config", error_message="no")
    answer = api("analyst").post(f"{URL}/{pk}/resume")
    assert answer.status_code == 202, answer.content
    assert answer.json()["study"]["counts"]["failed"] == 0
    assert answer.json()["job"]["id"] != study.job_id
    fill(study, [1.0, 1.0])
    Study.objects.filter(pk=pk).update(finished_at=timezone.now())
    assert api("analyst").post(f"{URL}/{pk}/resume").json()["error"]["code"] == "conflict"


def test_who_does_not_see_one_of_its_graphs_does_not_see_a_study(started, api, six):
    pk = started().json()["study"]["id"]
    hidden = Graph.objects.create(name="Hidden")
    assert api("viewer").get(f"{URL}/{pk}").status_code == 200
    Study.objects.get(pk=pk).sets.create(position=1, name="H", graph=hidden, snapshot_hash="h")
    assert api("viewer").get(f"{URL}/{pk}").status_code == 404
    assert api("viewer").get(URL).json()["count"] == 0
    assert api("admin").get(f"{URL}/{pk}").status_code == 200


def test_a_study_goes_to_the_trash_and_for_good_with_all_that_it_made(started, api, six, checkpoint):
    pk = started().json()["study"]["id"]
    study = Study.objects.get(pk=pk)
    candidate, promoted = (checkpoint(of_study=True, fingerprint=name) for name in "ab")
    promoted.promotions.create(graph=six.graph, method="rel-rag-path", user=None)
    for cell, one in zip(study.cells.all(), (candidate, promoted), strict=True):
        report = reports.start_report(
            graph=six.graph, question_set=six, evaluation=reports.EvaluationRequest(), user=None
        )
        Report.objects.filter(pk=report.pk).update(of_study=True)
        StudyCell.objects.filter(pk=cell.pk).update(report=report, checkpoint=one)
    assert api("analyst").get("/api/v1/reports").json()["count"] == 0
    listed = api("analyst").get("/api/v1/checkpoints").json()["results"]
    assert [one["fingerprint"] for one in listed] == ["b"]
    assert api("analyst").delete(f"{URL}/{pk}").status_code == 204
    assert Job.objects.get(pk=study.job_id).state == JobState.CANCELLED
    assert api("analyst").get(f"{URL}/{pk}").status_code == 404
    assert api("analyst").post(f"/api/v1/trash/studies/{pk}/restore").status_code == 204
    api("analyst").delete(f"{URL}/{pk}")
    answer = api("analyst").delete(f"/api/v1/trash/studies/{pk}?confirm=S")
    assert answer.status_code == 204, answer.content
    assert (Study.with_trash.count(), StudyCell.objects.count(), Report.with_trash.count()) == (0, 0, 0)
    assert list(Checkpoint.objects.values_list("fingerprint", flat=True)) == ["b"]


def test_a_checkpoint_of_a_study_is_not_used_until_it_is_promoted(api, six, checkpoint, started):
    made_first = checkpoint(of_study=True)
    graph = api("analyst").get(f"/api/v1/graphs/{six.graph_id}").json()
    assert graph["checkpoint"] is None
    assert api("analyst").post(f"/api/v1/checkpoints/{made_first.pk}/promote").status_code == 200
    graph = api("analyst").get(f"/api/v1/graphs/{six.graph_id}").json()
    assert graph["checkpoint"]["id"] == made_first.pk


def test_the_table_is_downloaded_in_three_forms(started, api):
    pk = started().json()["study"]["id"]
    assert api("viewer").get(f"{URL}/{pk}/download").json()["error"]["code"] == "conflict"
    fill(Study.objects.get(pk=pk), [0.8, 0.5])
    table = api("viewer").get(f"{URL}/{pk}/download?format=latex")
    assert table["Content-Disposition"] == f'attachment; filename="study-{pk}.tex"'
    assert r"trained & $0.800$" in table.content.decode()
    assert "No differences are tested." in table.content.decode()
    assert "tested on Six; n = 4 test questions; 100" in table.content.decode()
    assert "| zero-shot | 0.500" in api("viewer").get(f"{URL}/{pk}/download?format=md").content.decode()
    assert api("viewer").get(f"{URL}/{pk}/download").content.decode().startswith("trained_on,")
    assert api("viewer").get(f"{URL}/{pk}/download?format=doc").status_code == 400


def answered(report, hits):
    """A finished report of so many questions, each hit or not."""
    (first, *_) = ROWS
    rows = [{**first, "id": f"q{i}", "hit": float(hit)} for i, hit in enumerate(hits)]
    reports.save_report(report=report, made={**made(ROWS), "per_question": rows, "n": len(rows)})


def test_bold_is_the_best_that_a_test_tells_from_the_runner_up(started, api, six):
    pk = started(seeds=[0, 1]).json()["study"]["id"]
    study = Study.objects.get(pk=pk)
    fill(study, [1.0, 1.0, 0.125, 0.125])
    for cell, hits in zip(study.cells.all(), [[1] * 8, [1] * 8, [0] * 7 + [1], [0] * 7 + [1]], strict=True):
        asked = reports.EvaluationRequest()
        cell.report = reports.start_report(graph=six.graph, question_set=six, evaluation=asked, user=None)
        cell.save()
        answered(cell.report, hits)
    shown = api("viewer").get(f"{URL}/{pk}").json()
    assert shown["winners"] == []  # cells may still come
    Study.objects.filter(pk=pk).update(finished_at=timezone.now())
    shown = api("viewer").get(f"{URL}/{pk}").json()
    (hit,) = [one for one in shown["winners"] if one["metric"] == "hit"]
    assert (hit["variant"], hit["runner_up"]["variant"], hit["questions"]) == ("trained", "zero-shot", 8)
    assert (hit["difference"], hit["p"], hit["significant"]) == (7 / 8, 2 / 2**7, True)
    assert shown["about_rows"].startswith(
        "All rows: tested on Six; n = 4 test questions; 100% of the training questions; seeds 0, 1. Mean ± deviation"
    )
    assert "paired randomisation test" in shown["about_rows"]
    table = api("viewer").get(f"{URL}/{pk}/download?format=latex").content.decode()
    assert r"trained & $\mathbf{1.000} \pm 0.000$" in table
    assert r"zero-shot & $0.125" in table
    # A report that was deleted leaves nothing to test.
    study.cells.first().report.delete()
    shown = api("viewer").get(f"{URL}/{pk}").json()
    assert shown["winners"] == []
    assert "No differences are tested." in shown["about_rows"]


def test_the_lead_of_a_leaderboard_is_tested(api, six):
    made_of = {}
    for name, hits in {"best": [1] * 8, "next": [0] * 7 + [1], "last": [0] * 8}.items():
        asked = reports.EvaluationRequest()
        report = reports.start_report(graph=six.graph, question_set=six, evaluation=asked, user=None)
        answered(report, hits)
        Report.objects.filter(pk=report.pk).update(summary={**made(ROWS), "metrics": {"hit": sum(hits) / 8}})
        made_of[name] = report.pk
    board = api("viewer").get(f"/api/v1/question-sets/{six.pk}/leaderboard?metric=hit").json()
    (lead,) = board["leads"]
    assert (lead["report"], lead["runner_up"]) == (made_of["best"], made_of["next"])
    assert (lead["questions"], lead["p"], lead["significant"]) == (8, 2 / 2**7, True)
    assert [one["fraction"] for one in board["places"]] == [None] * 3
    assert api("viewer").get(f"/api/v1/question-sets/{six.pk}/leaderboard?metric=micro_f1").json()["leads"] == []


def test_presets_say_what_they_need(api):
    presets = {one["id"]: one for one in api("viewer").get(f"{URL}/presets").json()}
    assert (presets["rel-rag-2"]["paper"], presets["rel-rag-2"]["cross"]) == ("REL-RAG", True)
    assert presets["rapl-f2"]["needs"] == ["llm"]
    assert presets["rapl-f2"]["plan"]["variants"][1]["of"] == "paths"
    assert presets["reg-4a"]["plan"]["fractions"] == [0.05, 0.2, 0.4, 0.8]


def test_the_leaderboard_of_a_set_quotes_papers_beside_its_reports(api, six):
    def done(f1):
        asked = reports.EvaluationRequest()
        report = reports.start_report(graph=six.graph, question_set=six, evaluation=asked, user=None)
        whole = made(ROWS)
        whole["metrics"] = {"macro_f1": f1}
        reports.save_report(report=report, made=whole)
        return report.pk

    low, high, without = done(0.25), done(0.75), done(None)
    url = f"/api/v1/question-sets/{six.pk}/leaderboard"
    board = api("viewer").get(url).json()
    assert [one["id"] for one in board["places"]] == [high, low]
    assert len({one["group"] for one in board["places"]}) == 1
    assert (board["benchmark"], board["quoted"], without) == (None, [], without)
    quoted = api("viewer").get(f"{url}?benchmark=CWQ").json()["quoted"]
    assert ("RAPL", 0.581) in [(one["system"], one["metrics"]["macro_f1"]) for one in quoted]
    assert api("viewer").get(f"{url}?metric=luck").status_code == 400


def test_the_capsule_is_there_when_all_cells_were_tried(started, api, six):
    pk = started().json()["study"]["id"]
    assert api("viewer").get(f"{URL}/{pk}/capsule").json()["error"]["code"] == "conflict"
    fill(Study.objects.get(pk=pk), [0.8, 0.5])
    Study.objects.filter(pk=pk).update(finished_at=timezone.now())
    assert api("viewer").get(f"{URL}/{pk}").json()["capsule"] is True
    assert api("viewer").get(f"{URL}/{pk}/capsule").status_code == 404
    folder = files.ensure_local_path(files.build_study_name(six.graph_id, pk))
    folder.mkdir(parents=True)
    (folder / "capsule.zip").write_bytes(b"PK")
    answer = api("viewer").get(f"{URL}/{pk}/capsule")
    assert b"".join(answer.streaming_content) == b"PK"


def test_variants_are_shown_in_the_order_they_were_written(api, started):
    names = ["zebra", "a variant of a longer name", "ant"]
    variants = [{"name": name, "method": "rel-rag-path", "config": {"epochs": 1}} for name in names]
    study = started(variants=variants).json()["study"]
    shown = api("viewer").get(f"{URL}/{study['id']}").json()
    assert [one["name"] for one in shown["plan"]["variants"]] == names
