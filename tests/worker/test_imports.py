"""Importing for real: what stands afterwards, and what is left of an import that failed."""

import gzip
import shutil
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from retrieval.errors import SourceError
from retrieval.kg.build import from_files
from retrieval.linking import relation_index
from retrieval.linking.passage_index import PassageIndex
from tests.support import children
from webapp.answers import services as answers
from webapp.answers.models import RunState
from webapp.graphs import files, snapshots
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph, GraphState, ImportProblem, IndexState
from webapp.jobs import services
from webapp.jobs.models import Job, JobKind, JobState
from worker import answerers, answering, identity, imports, indexing, job_runs

FACTS = b"Switzerland\tborders\tFrance\nbad row\nFrance\tcapital\tParis\n"


@pytest.fixture
def upload(users):
    def make(*contents, name="Graph", filename="facts.tsv", **options):
        sent = [SimpleUploadedFile(f"{i or ''}{filename}", content) for i, content in enumerate(contents)]
        return graphs.create_graph(
            name=name,
            description="",
            visibility="public",
            files=sent,
            options=graphs.ReadOptions(**options),
            user=users["admin"],
        )

    return make


@pytest.fixture
def job(tiny_graph):
    return services.create(kind=JobKind.INDEX, title="Work", graph=tiny_graph, user=None)


def stored(graph, kind):
    return sorted(p.name for p in files.ensure_local_path(f"{kind}/{graph.pk}").glob("*"))


def test_an_import_makes_a_graph_that_can_be_asked(upload, redis):
    graph, job = upload(FACTS, gzip.compress(b"Paris\tin\tEurope\n"))
    channel = redis.pubsub(ignore_subscribe_messages=True)
    channel.psubscribe("*warm*")
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    assert (graph.state, graph.index_state, graph.problem_count) == (GraphState.READY, IndexState.BUILDING, 1)
    assert (graph.snapshot.entities, graph.snapshot.relations, graph.snapshot.triples) == (4, 3, 3)
    assert (job.state, job.result["triples"], job.result["problems"]) == (JobState.DONE, 3, 1)
    assert snapshots.open_current(graph).find_entity("Paris") is not None
    problem = ImportProblem.objects.get()
    assert (problem.file, problem.line, problem.text) == ("facts.tsv", 2, "bad row")
    index = Job.objects.get(kind=JobKind.INDEX)
    assert (index.state, index.graph_id) == (JobState.QUEUED, graph.pk)
    sent = [channel.get_message(timeout=1) for _ in range(4)]
    assert len([message for message in sent if message is not None]) == 1  # workers are to open it
    channel.close()


def test_an_import_keeps_passages_and_attributes(upload):
    passages = b'{"id": "p", "text": "Paris is in Europe.", "triples": [["Paris", "in", "Europe"]]}\n'
    edges = b"source,relation,target,since\nParis,twin,Rome,1956\n"
    graph, job = upload(passages, edges)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    kept = graph.snapshot
    assert (kept.triples, kept.passages, kept.attributes) == (2, 1, 1)
    assert snapshots.open_current(graph).passages.get_text(0) == "Paris is in Europe."


def test_text_alone_makes_a_graph(upload):
    graph, job = upload(b'{"id": "p", "text": "Paris is in Europe."}\n')
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot.triples, graph.snapshot.passages) == (GraphState.READY, 0, 1)
    index = Job.objects.get(kind=JobKind.INDEX)
    indexing.index_graph(index.pk)
    graph.refresh_from_db()
    assert graph.index_state == IndexState.READY
    found = PassageIndex.open(snapshots.open_current(graph), answerers.get_encoder()).search("Where is Paris?", 1)
    assert [passage for passage, _ in found] == [0]


def test_what_an_earlier_version_left_unindexed_is_indexed_when_a_worker_starts(upload):
    graph, job = upload(FACTS)
    imports.import_graph(job.pk)
    indexing.update_indexes()  # it is being indexed: nothing to do
    assert Job.objects.filter(kind=JobKind.INDEX).count() == 1
    indexing.index_graph(Job.objects.get(kind=JobKind.INDEX).pk)
    indexing.update_indexes()
    assert Job.objects.filter(kind=JobKind.INDEX).count() == 1
    graph.refresh_from_db()
    snapshot, encoder = snapshots.open_current(graph), answerers.get_encoder()
    shutil.rmtree(relation_index.get_directory(snapshot, encoder.name))
    indexing.update_indexes()
    graph.refresh_from_db()
    assert graph.index_state == IndexState.BUILDING
    again = Job.objects.filter(kind=JobKind.INDEX).latest("pk")
    indexing.index_graph(again.pk)
    graph.refresh_from_db()
    assert (graph.index_state, relation_index.is_built(snapshot, encoder.name)) == (IndexState.READY, True)


def test_inses_is_answered_once_the_graph_is_indexed_and_says_so_before(upload, users):
    graph, job = upload(FACTS)
    imports.import_graph(job.pk)
    graph.refresh_from_db()

    def ask():
        question = answers.Ask("What is the capital of France?", method="inses")
        run = answers.create_run(graph=graph, ask=question, user=users["viewer"])
        answering.answer(str(run.pk))
        run.refresh_from_db()
        return run

    assert ask().error_code == "not_indexed"
    indexing.index_graph(Job.objects.get(kind=JobKind.INDEX).pk)
    assert ask().state == RunState.DONE


def test_importing_twice_does_the_work_once(upload):
    graph, job = upload(FACTS)
    imports.import_graph(job.pk)
    imports.import_graph(job.pk)
    assert graph.snapshots.count() == 1
    assert Job.objects.filter(kind=JobKind.INDEX).count() == 1


def test_what_an_attempt_that_died_left_is_no_snapshot(upload):
    graph, job = upload(FACTS)
    half = files.ensure_local_path(files.build_snapshot_name(graph.pk, 1))
    half.mkdir(parents=True)
    (half / "heads.npy").write_bytes(b"half")
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert snapshots.open_current(graph).num_triples == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no triple here\nnor here\n", "facts.tsv"),
        (gzip.compress(FACTS * 1000, mtime=0)[:-20], "facts.tsv"),
    ],
    ids=["no good row", "gzip cut off"],
)
def test_a_file_with_nothing_good_fails_with_the_reason_and_leaves_nothing(upload, content, says):
    graph, job = upload(content)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    assert (graph.state, job.state) == (GraphState.FAILED, JobState.FAILED)
    assert graph.error_code == job.error_code
    assert graph.error_code in {"empty_source", "bad_source"}
    assert says in graph.error_message
    assert str(files.ensure_local_path("")) not in graph.error_message
    assert stored(graph, "snapshots") == []
    assert len(stored(graph, "uploads")) == 1  # to be read otherwise


def test_a_failed_import_is_tried_again_with_corrections(upload, api):
    graph, job = upload("K\xf6ln\tin\tDeutschland\n".encode("latin-1"), encoding="utf-8")
    imports.import_graph(job.pk)
    url = f"/api/v1/jobs/{job.pk}"
    assert api().get(url).json()["state"] == "failed"
    assert api("analyst").post(f"{url}/retry", {}, format="json").status_code == 403
    answer = api().post(f"{url}/retry", {"encoding": "latin-1"}, format="json")
    assert (answer.status_code, answer.json()["state"], answer.json()["error"]) == (202, "queued", None)
    graph.refresh_from_db()
    assert (graph.state, graph.error_code) == (GraphState.IMPORTING, "")
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot.triples) == (GraphState.READY, 1)
    again = api().post(f"{url}/retry", {}, format="json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    lines = [(row["level"], row["text"]) for row in api("viewer").get(f"{url}/log").json()]
    assert lines[0] == ("info", "Queued.")
    assert lines[1] == ("info", f"Begun by the worker {identity.NAME}.")
    assert "facts.tsv" in next(text for level, text in lines if level == "error")
    assert ("info", "Queued again.") in lines
    assert lines[-1] == ("info", "Ended: done.")


def test_a_stopped_job_can_be_tried_again(upload, api):
    graph, job = upload(FACTS)
    services.cancel_job(job=job)
    graph.refresh_from_db()
    assert graph.state == GraphState.FAILED
    assert api().post(f"/api/v1/jobs/{job.pk}/retry", {}, format="json").status_code == 202
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert graph.state == GraphState.READY


def test_one_import_of_a_graph_at_a_time_also_when_tried_again(upload, api):
    graph, job = upload(b"no fact\n")
    imports.import_graph(job.pk)
    body = {"mode": "replace", "files": [SimpleUploadedFile("x.tsv", FACTS)]}
    assert api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart").status_code == 202
    answer = api().post(f"/api/v1/jobs/{job.pk}/retry", {}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    job.refresh_from_db()
    assert job.state == JobState.FAILED


def test_only_imports_are_told_how_to_read(api, job):
    services.fail(job_id=job.pk, error=SourceError("No."))
    answer = api().post(f"/api/v1/jobs/{job.pk}/retry", {"encoding": "latin-1"}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_files_of_imports_that_failed_go_after_a_while(upload, settings):
    graph, job = upload(b"no fact\n")
    imports.import_graph(job.pk)
    graphs.clean_files()
    assert len(stored(graph, "uploads")) == 1
    Job.objects.update(finished_at=timezone.now() - timedelta(days=settings.CLEW.trash_days, seconds=1))
    graphs.clean_files()
    assert stored(graph, "uploads") == []
    services.retry(job=Job.objects.get(pk=job.pk))
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (
        JobState.FAILED,
        "The files of this import are not kept any more.",
    )


def test_a_disk_that_becomes_full_in_the_middle_leaves_nothing_and_says_so(upload, monkeypatch):
    graph, job = upload(FACTS)
    monkeypatch.setattr(from_files, "write_version", children.write_to_a_full_disk)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "storage_full")
    assert job.error_hint == "Make room where Clew keeps its data, and start it again."
    assert (graph.state, graph.snapshot_id) == (GraphState.FAILED, None)
    assert list(files.ensure_local_path(f"snapshots/{graph.pk}").iterdir()) == []
    monkeypatch.setattr(from_files, "write_version", children.write)
    services.retry(job=job)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert graph.snapshot.triples == 2


def test_what_a_killed_build_left_is_removed_by_the_next(upload):
    graph, job = upload(FACTS)
    half = files.ensure_local_path(f"snapshots/{graph.pk}/.1.building-abc")
    half.mkdir(parents=True)
    imports.import_graph(job.pk)
    assert sorted(p.name for p in half.parent.iterdir()) == ["1"]


def test_a_chosen_format_is_used(upload):
    graph, job = upload(b"a;r;b\n", delimiter=";")
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert graph.snapshot.triples == 1


def test_an_import_can_be_stopped(upload, monkeypatch):
    graph, job = upload(FACTS)
    real = job_runs.Context.update_progress

    def progress(context, said):
        services.cancel_job(job=Job.objects.get(pk=job.pk))
        real(context, said)

    monkeypatch.setattr(job_runs.Context, "update_progress", progress)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, graph.state, graph.error_code) == (JobState.CANCELLED, GraphState.FAILED, "cancelled")
    assert stored(graph, "snapshots") == []


def test_a_graph_deleted_in_the_middle_is_let_go(upload, monkeypatch):
    graph, job = upload(FACTS)

    def delete(*args, **more):
        graphs.purge_graph(graph=graph)
        raise FileNotFoundError

    monkeypatch.setattr(job_runs.Context, "update_progress", delete)
    imports.import_graph(job.pk)
    assert (Graph.objects.count(), Job.objects.count()) == (0, 0)
    assert stored(graph, "snapshots") == []


def test_a_file_that_breaks_its_reader_ends_the_job_in_words(upload, monkeypatch):
    """Polars ends the whole process at some broken Parquet files: that was a worker, and its job ran for ever."""
    graph, job = upload(FACTS, filename="facts.parquet")
    monkeypatch.setattr(from_files, "write_version", children.crash)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, graph.state) == (JobState.FAILED, GraphState.FAILED)
    assert job.error_message == "facts.parquet could not be read: its reader broke (SIGABRT)."
    assert stored(graph, "snapshots") == []


def test_an_import_has_a_limit_of_memory(upload, settings):
    settings.CLEW = replace(settings.CLEW, import_memory=150 << 20)
    graph, job = upload(b"a\tr\tb\n" * 10_000_000)
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "too_much_to_read")
    assert "took more than 0.146 GB of memory" in job.error_message
    assert stored(graph, "snapshots") == []


def test_an_import_that_gets_no_further_is_broken_off(upload, monkeypatch):
    _, job = upload(FACTS)
    monkeypatch.setattr(imports, "SILENCE_S", 0.3)
    monkeypatch.setattr(from_files, "write_version", children.wait)
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "too_much_to_read")
