"""Versions of a graph: made, compared, gone back to, deleted; what used one keeps it."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from webapp.answers import services as answers
from webapp.answers.models import RunState
from webapp.api.errors import VersionGoneError
from webapp.graphs import files, selectors, services, trash, versions
from webapp.graphs.models import Graph, GraphState, GraphVersion, IndexState, Mode, SourceFile
from webapp.jobs.models import Job, JobKind, JobState
from worker import answering, imports, indexing

FIRST = b"Paris\tin\tFrance\nRome\tin\tItaly\n"
MORE = b"Berlin\tin\tGermany\nParis\ttwin of\tRome\nRome\tin\tItaly\nbad row\n"
LESS = b"Rome\tin\tItaly\nnot\tin the\tgraph\n"


def facts(snapshot):
    from webapp.graphs import snapshots

    opened = snapshots.open_snapshot(snapshot.path)
    hops = (opened.get_hop(i) for i in range(opened.num_triples))
    return {(h.source.label, h.step.name, h.target.label) for h in hops}


@pytest.fixture
def graph(users):
    made, job = services.create_graph(
        name="Cities",
        description="",
        visibility="public",
        files=[SimpleUploadedFile("first.tsv", FIRST)],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    made.refresh_from_db()
    return made


@pytest.fixture
def change(api, graph):
    """``change("append", content)`` makes the next version over HTTP and by a worker; its job."""

    def make(mode, content, *, name="more.tsv", run=True, **more):
        body = {"mode": mode, "files": [SimpleUploadedFile(name, content)], **more}
        answer = api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart")
        assert answer.status_code == 202, answer.content
        job = Job.objects.get(pk=answer.json()["id"])
        if run:
            imports.import_graph(job.pk)
            graph.refresh_from_db()
            job.refresh_from_db()
        return job

    return make


def listed(api, graph):
    return api("viewer").get(f"/api/v1/graphs/{graph.pk}/versions").json()


def test_adding_removing_and_replacing_make_versions(api, graph, change):
    job = change("append", MORE, note="More cities")
    assert (job.title, job.state, job.result["triples"]) == ("Add to Cities", JobState.DONE, 4)
    assert facts(graph.snapshot) == {
        ("Paris", "in", "France"),
        ("Rome", "in", "Italy"),
        ("Berlin", "in", "Germany"),
        ("Paris", "twin of", "Rome"),
    }
    change("remove", LESS)
    assert facts(graph.snapshot) == {
        ("Paris", "in", "France"),
        ("Berlin", "in", "Germany"),
        ("Paris", "twin of", "Rome"),
    }
    change("replace", b"Oslo\tin\tNorway\n")
    assert facts(graph.snapshot) == {("Oslo", "in", "Norway")}
    rows = listed(api, graph)
    assert [(r["version"], r["mode"], r["base"], r["triples"], r["current"]) for r in rows] == [
        (4, "replace", None, 1, True),
        (3, "remove", 2, 3, False),
        (2, "append", 1, 4, False),
        (1, "replace", None, 2, False),
    ]
    second = rows[2]
    assert (second["note"], second["created_by"], second["problems"]) == ("More cities", "admin", 1)
    assert second["files"] == [{"name": "more.tsv", "size": len(MORE)}]
    assert second["bytes"] == files.measure_size(selectors.list_versions(graph).get(version=2).path)
    assert second["bytes"] > 0


def test_the_current_version_is_asked_until_the_next_one_stands(graph, change):
    before = graph.snapshot_id
    job = change("append", MORE, run=False)
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot_id) == (GraphState.READY, before)
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert graph.snapshot_id != before


def test_a_change_that_fails_leaves_the_graph_as_it_was(api, graph, change):
    before = graph.snapshot_id
    job = change("append", b"nothing here\n")
    assert job.state == JobState.FAILED
    assert (graph.state, graph.snapshot_id, graph.error_code) == (GraphState.READY, before, "")
    assert [r["version"] for r in listed(api, graph)] == [1]
    everything = change("remove", FIRST)
    assert (everything.state, everything.error_code) == (JobState.FAILED, "empty_source")
    assert graph.snapshot_id == before
    assert sorted(p.name for p in files.ensure_local_path(f"snapshots/{graph.pk}").iterdir()) == ["1"]


def test_the_same_file_again_makes_no_version(api, graph, change):
    job = change("append", FIRST)
    assert (job.state, job.result["unchanged"]) == (JobState.DONE, True)
    assert [r["version"] for r in listed(api, graph)] == [1]
    assert SourceFile.objects.filter(graph=graph).count() == 1


def test_one_change_at_a_time(api, graph, change):
    change("append", MORE, run=False)
    body = {"mode": "append", "files": [SimpleUploadedFile("x.tsv", b"a\tr\tb\n")]}
    second = api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart")
    assert (second.status_code, second.json()["error"]["code"]) == (409, "conflict")
    assert "Add to Cities" in second.json()["error"]["message"]
    assert len(list(files.ensure_local_path(f"uploads/{graph.pk}").iterdir())) == 2
    refused = api("analyst").post(f"/api/v1/graphs/{graph.pk}/versions", {"mode": "append"}, format="json")
    assert refused.status_code == 403


def test_a_graph_whose_import_failed_can_be_replaced_and_not_added_to(api, users):
    made, job = services.create_graph(
        name="Broken",
        description="",
        files=[SimpleUploadedFile("x.tsv", b"no fact\n")],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    url = f"/api/v1/graphs/{made.pk}/versions"

    def post(mode):
        body = {"mode": mode, "files": [SimpleUploadedFile("y.tsv", b"a\tr\tb\n")]}
        return api().post(url, body, format="multipart")

    assert post("append").json()["error"]["code"] == "graph_not_ready"
    answer = post("replace")
    made.refresh_from_db()
    assert (answer.status_code, made.state, made.error_code) == (202, GraphState.IMPORTING, "")
    imports.import_graph(answer.json()["id"])
    made.refresh_from_db()
    assert (made.state, made.snapshot.triples, made.problem_count) == (GraphState.READY, 1, 0)


def test_problems_are_of_the_version_that_is_asked(api, graph, change):
    url = f"/api/v1/graphs/{graph.pk}"
    change("append", MORE)
    assert [row["text"] for row in api().get(f"{url}/problems").json()["results"]] == ["bad row"]
    assert api().get(url).json()["problems"] == 1
    api().post(f"{url}/versions/1/activate")
    assert api().get(f"{url}/problems").json()["count"] == 0
    assert api().get(url).json()["problems"] == 0


def test_going_back_and_forward(api, graph, change):
    change("append", MORE)
    first = selectors.list_versions(graph).get(version=1)
    for job in Job.objects.filter(kind=JobKind.INDEX):
        indexing.index_graph(job.pk)
    graph.refresh_from_db()
    assert graph.index_state == IndexState.READY
    answer = api().post(f"/api/v1/graphs/{graph.pk}/versions/1/activate")
    assert (answer.status_code, answer.json()["triples"], answer.json()["snapshot"]["version"]) == (200, 2, 1)
    index = Job.objects.filter(kind=JobKind.INDEX).latest("pk")
    assert index.params == {"snapshot": first.pk}
    indexing.index_graph(index.pk)
    graph.refresh_from_db()
    assert (graph.snapshot_id, graph.index_state) == (first.pk, IndexState.READY)
    assert api().post(f"/api/v1/graphs/{graph.pk}/versions/2/activate").json()["triples"] == 4
    assert api().post(f"/api/v1/graphs/{graph.pk}/versions/9/activate").status_code == 404


def test_an_index_job_of_another_version_says_nothing_of_this_one(graph, change):
    first = Job.objects.get(kind=JobKind.INDEX)
    change("append", MORE)
    assert first.params == {"snapshot": selectors.list_versions(graph).get(version=1).pk}
    indexing.index_graph(first.pk)
    graph.refresh_from_db()
    assert graph.index_state == IndexState.BUILDING


def test_what_used_a_version_keeps_it(api, graph, change, users):
    ask = answers.Ask("Where is Berlin?", entities=())
    old = answers.create_run(graph=graph, ask=answers.Ask("What is in Italy?"), user=users["viewer"])
    change("append", MORE)
    answering.answer(str(old.pk))
    old.refresh_from_db()
    first = selectors.list_versions(graph).get(version=1)
    assert (old.state, old.snapshot_hash) == (RunState.DONE, first.hash)
    new = answers.create_run(graph=graph, ask=ask, user=users["viewer"])
    assert new.snapshot_hash == graph.snapshot.hash
    rows = {row["version"]: row["used_by"]["runs"] for row in listed(api, graph)}
    assert rows == {1: 1, 2: 1}
    url = f"/api/v1/graphs/{graph.pk}"
    around = api().get(f"{url}/entities", {"q": "berlin", "snapshot": first.hash}).json()
    assert "Berlin" not in {row["label"] for row in around}
    assert api().get(f"{url}/entities", {"q": "berlin"}).json()[0]["label"] == "Berlin"
    missing = api().get(f"{url}/relations", {"snapshot": "0" * 64})
    assert (missing.status_code, missing.json()["error"]["code"]) == (409, "version_gone")


def test_a_version_goes_to_the_trash_when_nothing_points_at_it(api, graph, change, users):
    run = answers.create_run(graph=graph, ask=answers.Ask("What is in Italy?"), user=users["viewer"])
    change("append", MORE)
    url = f"/api/v1/graphs/{graph.pk}/versions"
    current = api().delete(f"{url}/2")
    assert (current.status_code, "is asked" in current.json()["error"]["message"]) == (409, True)
    used = api().delete(f"{url}/1")
    assert (used.status_code, used.json()["error"]["message"]) == (409, "Version 1 is used by 1 runs.")
    run.delete()
    first = selectors.list_versions(graph).get(version=1)
    uploaded = first.files.get().path
    assert api().delete(f"{url}/1").status_code == 204
    assert [r["version"] for r in listed(api, graph)] == [2]
    for path in (f"{url}/1", f"{url}/diff?from=1&to=2", f"{url[:-9]}/relations?snapshot={first.hash}"):
        assert api().get(path).status_code in (404, 409), path
    assert api().post(f"{url}/1/activate").status_code == 404
    assert api().get(f"{url[:-9]}/dependents").json()["versions"] == 1
    row = api().get("/api/v1/trash").json()[0]
    assert (row["id"], row["name"], row["version"], row["triples"]) == (graph.pk, "Cities", 1, 2)
    assert (row["owner"], row["deleted_by"]) == ("admin", "admin")
    assert api("analyst").get("/api/v1/trash").json() == []
    back = f"/api/v1/trash/{graph.pk}/versions/1"
    assert api("analyst").post(f"{back}/restore").status_code == 404
    assert api().post(f"{back}/restore").json()["snapshot"]["version"] == 2
    assert [r["version"] for r in listed(api, graph)] == [2, 1]
    assert api().get("/api/v1/trash").json() == []
    api().delete(f"{url}/1")
    assert api().delete(back).json()["error"]["code"] == "confirm_needed"
    assert files.ensure_local_path(first.path).is_dir()
    assert api().delete(f"{back}?confirm=Cities").status_code == 204
    assert not files.ensure_local_path(first.path).exists()
    assert files.ensure_local_path(uploaded).exists()  # the current version is made of it too


def test_a_version_that_was_in_the_trash_for_long_is_gone(api, graph, change, settings):
    change("append", MORE)
    first = selectors.list_versions(graph).get(version=1)
    api().delete(f"/api/v1/graphs/{graph.pk}/versions/1")
    trash.remove_expired()
    assert files.ensure_local_path(first.path).is_dir()
    long_ago = timezone.now() - timedelta(days=settings.CLEW.trash_days, seconds=1)
    GraphVersion.objects.filter(pk=first.pk).update(deleted_at=long_ago)
    trash.remove_expired()
    assert not files.ensure_local_path(first.path).exists()
    assert [one.version for one in graph.snapshots.all()] == [2]


def test_a_deleted_version_comes_back_when_work_under_way_used_it(api, graph, change, checkpoint):
    change("append", MORE)
    first = selectors.list_versions(graph).get(version=1)
    url = f"/api/v1/trash/{graph.pk}/versions/1?confirm=Cities"
    api().delete(f"/api/v1/graphs/{graph.pk}/versions/1")
    made = checkpoint(graph=graph, snapshot=first)
    assert api().delete(url).json()["error"]["code"] == "conflict"
    assert [r["version"] for r in listed(api, graph)] == [2, 1]
    made.delete()
    api().delete(f"/api/v1/graphs/{graph.pk}/versions/1")
    checkpoint(graph=graph, snapshot=first)
    GraphVersion.objects.filter(pk=first.pk).update(deleted_at=timezone.now() - timedelta(days=400))
    trash.remove_expired()
    assert [r["version"] for r in listed(api, graph)] == [2, 1]


def test_a_version_that_was_deleted_meanwhile_is_not_made_current(api, graph, change, users):
    change("append", MORE)
    first = selectors.list_versions(graph).get(version=1)
    api().delete(f"/api/v1/graphs/{graph.pk}/versions/1")
    with pytest.raises(VersionGoneError, match="Version 1 was deleted"):
        versions.activate(graph=graph, snapshot=first, user=users["admin"])


def test_versions_of_a_deleted_graph_go_and_come_with_it(api, graph, change):
    change("append", MORE)
    api().delete(f"/api/v1/graphs/{graph.pk}/versions/1")
    api().delete(f"/api/v1/graphs/{graph.pk}?confirm=Cities")
    assert [(r["name"], r["version"]) for r in api().get("/api/v1/trash").json()] == [("Cities", None)]
    api().post(f"/api/v1/trash/{graph.pk}/restore", {}, format="json")
    assert [(r["name"], r["version"]) for r in api().get("/api/v1/trash").json()] == [("Cities", 1)]


def test_numbers_of_deleted_versions_are_not_used_again(api, graph, change):
    change("append", MORE)
    url = f"/api/v1/graphs/{graph.pk}/versions"
    api().post(f"{url}/1/activate")
    assert api().delete(f"{url}/2").status_code == 204
    change("append", MORE)
    assert [r["version"] for r in listed(api, graph)] == [3, 1]


def test_a_diff_names_what_came_and_went(api, graph, change):
    change("append", MORE)
    change("remove", LESS)
    url = f"/api/v1/graphs/{graph.pk}/versions/diff"
    whole = api("viewer").get(url, {"from": 1, "to": 3}).json()
    assert (whole["added"], whole["removed"], whole["kept"]) == (2, 1, 1)
    assert sorted(whole["added_sample"]) == [["Berlin", "in", "Germany"], ["Paris", "twin of", "Rome"]]
    assert whole["removed_sample"] == [["Rome", "in", "Italy"]]
    assert (whole["relations_gained"], whole["relations_lost"]) == (["twin of"], [])
    assert (whole["entities_gained"], whole["entities_lost"]) == (2, 1)
    assert whole["entities_lost_sample"] == ["Italy"]
    last = api().get(url).json()
    assert (last["added"], last["removed"]) == (0, 1)
    assert api().get(url, {"to": 1}).json()["error"]["code"] == "invalid"
    assert api().get(url, {"from": 1, "to": 7}).status_code == 404


def test_what_goes_with_a_graph_is_counted(api, graph, change, users):
    answers.create_run(graph=graph, ask=answers.Ask("What is in Italy?"), user=users["viewer"])
    change("append", MORE)
    counted = api().get(f"/api/v1/graphs/{graph.pk}/dependents").json()
    assert counted == {
        "versions": 2,
        "runs": 1,
        "checkpoints": 0,
        "queues": 0,
        "label_sets": 0,
        "trajectory_sets": 0,
        "reports": 0,
        "studies": 0,
        "tests": 0,
        "question_sets": 0,
        "edits": 0,
    }


def test_a_change_during_which_the_worker_died_is_done_again(graph, change):
    job = change("append", MORE, run=False)
    half = files.ensure_local_path(files.build_snapshot_name(graph.pk, 2))
    half.mkdir(parents=True)
    (half / "heads.npy").write_bytes(b"half")
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    assert (graph.snapshot.version, graph.snapshot.triples) == (2, 4)


def test_versions_start_from_what_is_asked(graph, change, users):
    change("append", MORE)
    first = selectors.list_versions(graph).get(version=1)
    versions.activate(graph=graph, snapshot=first, user=users["admin"])
    change("append", b"Oslo\tin\tNorway\n")
    third = selectors.list_versions(graph).get(version=3)
    assert (third.mode, third.base_id, third.triples) == (Mode.APPEND, first.pk, 3)
    assert Graph.objects.get(pk=graph.pk).last_version == 3
