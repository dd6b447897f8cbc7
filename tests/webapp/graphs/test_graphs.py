"""Uploading, renaming and deleting graphs."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.errors import SourceError
from webapp.graphs import dependents, files, progress, services
from webapp.graphs.models import Graph, GraphState, GraphVersion, SourceFile, Visibility
from webapp.jobs.models import Job


def upload(client, content=b"a\tr\tb\n", *, filename="facts.tsv", name="Graph", **more):
    body = {"name": name, "files": [SimpleUploadedFile(filename, content)], "visibility": "public", **more}
    return client.post("/api/v1/graphs", body, format="multipart")


def stored_files():
    root = Path(settings.MEDIA_ROOT)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def queued(redis, queue):
    return redis.llen(f"clew:celery:{queue}")


def test_an_upload_is_stored_and_its_import_queued(api, redis):
    answer = upload(api(), description="About", format="tsv", header="false")
    assert answer.status_code == 202, answer.content
    graph, job = answer.json()["graph"], answer.json()["job"]
    assert (graph["name"], graph["description"], graph["state"], graph["created_by"]) == (
        "Graph",
        "About",
        "importing",
        "admin",
    )
    assert (graph["entities"], graph["snapshot"], graph["checkpoint"], graph["error"]) == (
        0,
        None,
        None,
        None,
    )
    assert (job["kind"], job["state"], job["graph"], job["title"]) == (
        "import",
        "queued",
        graph["id"],
        "Import Graph",
    )
    assert Job.objects.get().params == {
        "format": "tsv",
        "delimiter": None,
        "header": False,
        "encoding": None,
        "columns": None,
        "model": None,
    }
    assert stored_files() == [f"uploads/{graph['id']}/0.tsv"]
    assert queued(redis, "jobs") == 1


def test_several_files_make_one_graph(api):
    two = [SimpleUploadedFile("a.nt.gz", gzip.compress(b"x")), SimpleUploadedFile("b.csv", b"a,r,b\n")]
    answer = api().post("/api/v1/graphs", {"name": "Two", "files": two}, format="multipart")
    assert answer.status_code == 202
    kept = list(SourceFile.objects.values_list("name", "path"))
    graph = answer.json()["graph"]["id"]
    assert kept == [("a.nt.gz", f"uploads/{graph}/0.nt.gz"), ("b.csv", f"uploads/{graph}/1.csv")]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "...", "a\\b.tsv", "/abs.tsv", "x." + "y" * 300, "ü\u202e.tsv", ".tsv"]
)
def test_a_hostile_file_name_stays_inside_the_storage(api, name):
    answer = upload(api(), filename=name)
    if answer.status_code == 202:
        graph = answer.json()["graph"]["id"]
        assert [path.startswith(f"uploads/{graph}/0") for path in stored_files()] == [True]
        assert "/" not in SourceFile.objects.get().name
    else:
        assert answer.status_code == 400
        assert stored_files() == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x89PNG\r\n\x1a\n....", "an image"),
        (b"\0\1\0\0Standard Jet DB....", "a Microsoft Access database"),
        (b"a\tb\x00c", "a binary file"),
        (b"", "empty"),
        (b"\x1f\x8b\x08garbage that is no deflate stream", "broken gzip"),
        (gzip.compress(b"\x89PNG\r\n", mtime=0), "an image"),
    ],
)
def test_the_wrong_kind_of_file_is_refused_and_nothing_stays(api, content, says):
    answer = upload(api(), content)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "bad_source"
    assert says in error["message"]
    assert error["hint"]
    assert (Graph.objects.count(), Job.objects.count(), stored_files()) == (0, 0, [])


def test_a_name_can_be_used_once_and_the_second_upload_leaves_nothing(api):
    assert upload(api()).status_code == 202
    before = stored_files()
    answer = upload(api())
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "name_taken"
    assert (Graph.objects.count(), stored_files()) == (1, before)


def test_a_failed_import_gives_its_name_up_and_can_be_restored(api):
    first = upload(api()).json()["graph"]["id"]
    graph = Graph.objects.get(pk=first)
    Job.objects.update(state="failed")
    progress.mark_import_failed(graph=graph, error=SourceError("No row could be used.", hint="Check it."))
    answer = upload(api())
    assert answer.status_code == 202
    second = answer.json()["graph"]["id"]
    assert [row["id"] for row in api().get("/api/v1/graphs").json()["results"]] == [second]
    assert [row["id"] for row in api().get("/api/v1/trash").json()] == [first]
    assert upload(api()).status_code == 409  # this one is being imported


def test_a_failed_import_of_somebody_else_keeps_its_name(api, users):
    failed = Graph.objects.create(name="Graph", owner=users["analyst"], state=GraphState.FAILED)
    answer = upload(api())
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        {
            "code": "name_taken",
            "message": "There is a graph named Graph.",
            "hint": "It is somebody else's, and its import failed: choose another name, or ask its owner to delete it.",
        },
    )
    assert list(Graph.objects.values_list("pk", "deleted_at")) == [(failed.pk, None)]
    assert stored_files() == []


def test_a_failed_import_gives_its_name_up_to_a_graph_that_is_renamed_or_restored(api, tiny_graph, users):
    url = f"/api/v1/graphs/{tiny_graph.pk}"
    first = Graph.objects.create(name="Graph", owner=users["admin"], state=GraphState.FAILED)
    assert api().patch(url, {"name": "Graph"}, format="json").json()["name"] == "Graph"
    assert api().patch(url, {"name": "Graph"}, format="json").status_code == 200
    assert api().delete(f"{url}?confirm=Graph").status_code == 204
    second = Graph.objects.create(name="Graph", owner=users["admin"], state=GraphState.FAILED)
    assert api().post(f"/api/v1/trash/{tiny_graph.pk}/restore", {}, format="json").status_code == 200
    assert {row.pk: row.deleted_at is None for row in Graph.objects.all()} == {
        tiny_graph.pk: True,
        first.pk: False,
        second.pk: False,
    }


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"format": "docx"}, "format"),
        ({"header": "perhaps"}, "header"),
    ],
)
def test_wrong_fields_are_named(api, fields, wrong):
    answer = upload(api(), **fields)
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [wrong]


def test_an_upload_without_files_is_refused(api):
    answer = api().post("/api/v1/graphs", {"name": "x"}, format="multipart")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == ["files"]


def test_an_upload_over_the_limit_is_refused(api, settings):
    settings.UPLOAD_MAX_BYTES = 100
    answer = upload(api(), b"a\tr\tb\n" * 100)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


def test_a_ready_graph_is_shown_with_its_counts(api, tiny_graph):
    graph = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}").json()
    assert (graph["state"], graph["entities"], graph["relations"], graph["triples"]) == ("ready", 6, 3, 6)
    assert graph["snapshot"]["version"] == 1
    assert graph["snapshot"]["hash"] == tiny_graph.snapshot.hash
    listed = api("viewer").get("/api/v1/graphs").json()
    assert (listed["count"], listed["next"], listed["previous"]) == (1, None, None)
    assert listed["results"] == [graph]


def test_pages_have_a_limit(api, users):
    for i in range(3):
        Graph.objects.create(name=f"G{i}", visibility="public")
    page = api("viewer").get("/api/v1/graphs?page_size=2").json()
    assert (page["count"], len(page["results"])) == (3, 2)
    assert "page=2" in page["next"]
    assert api("viewer").get("/api/v1/graphs?page=9").status_code == 404
    from webapp.api.pagination import Pages

    assert Pages.max_page_size == 200


def test_renaming(api, tiny_graph):
    Graph.objects.create(name="Other", visibility="public")
    url = f"/api/v1/graphs/{tiny_graph.pk}"
    assert api().patch(url, {"description": "New"}, format="json").json()["description"] == "New"
    assert api().patch(url, {"name": "Renamed"}, format="json").json()["name"] == "Renamed"
    assert api().patch(url, {"name": "Other"}, format="json").status_code == 409


def test_a_graph_is_indexed_again_once_at_a_time(api, tiny_graph, redis):
    url = f"/api/v1/graphs/{tiny_graph.pk}/index"
    assert api("analyst").post(url).status_code == 403
    answer = api().post(url)
    assert (answer.status_code, answer.json()["kind"], queued(redis, "jobs")) == (202, "index", 1)
    assert api().get(f"/api/v1/graphs/{tiny_graph.pk}").json()["index_state"] == "building"
    again = api().post(url)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    empty = Graph.objects.create(name="Empty", visibility="public")
    assert api().post(f"/api/v1/graphs/{empty.pk}/index").json()["error"]["code"] == "graph_not_ready"


def test_what_a_crash_left_is_removed_and_nothing_else(api):
    kept = upload(api()).json()["graph"]["id"]
    for left in ("uploads/999", "snapshots/999", "snapshots/.building-1", "checkpoints/999"):
        (Path(settings.MEDIA_ROOT) / left).mkdir(parents=True)
    half = Path(settings.FILE_UPLOAD_TEMP_DIR) / "half.upload"
    half.write_bytes(b"half")
    services.remove_leftovers()
    assert not half.exists()
    left = sorted(p.name for kind in files.KINDS for p in (Path(settings.MEDIA_ROOT) / kind).glob("*"))
    assert left == [str(kept)]


@pytest.mark.parametrize("path", ["graphs/999", "graphs/999/entities", "nothing", "graphs/x", ""])
def test_what_is_not_there_is_404_as_json(api, path):
    answer = api().get(f"/api/v1/{path}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_archives_are_taken(api):
    packed, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("facts.tsv", "a\tr\tb\n")
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        info = tarfile.TarInfo("facts.tsv")
        info.size = 6
        archive.addfile(info, io.BytesIO(b"a\tr\tb\n"))
    for number, (name, content) in enumerate({"a.zip": packed, "a.tar.gz": tarred}.items()):
        sent = SimpleUploadedFile(name, content.getvalue())
        answer = api().post("/api/v1/graphs", {"name": f"G{number}", "files": [sent]}, format="multipart")
        assert answer.status_code == 202, answer.content
    assert Graph.objects.filter(visibility=Visibility.PRIVATE).count() == 2


def test_a_version_that_comes_while_versions_are_listed_breaks_nothing(api, tiny_graph, monkeypatch):
    listed = dependents.count_by_version

    def slow(graph):
        found = listed(graph)
        GraphVersion.objects.create(graph=graph, version=2, hash="new", path="p", entities=1, relations=1, triples=1)
        return found

    monkeypatch.setattr(dependents, "count_by_version", slow)
    url = f"/api/v1/graphs/{tiny_graph.pk}/versions"
    assert [row["version"] for row in api("viewer").get(url).json()] == [1]
    monkeypatch.undo()
    assert [row["version"] for row in api("viewer").get(url).json()] == [2, 1]
