"""Snapshots in object storage: sent, fetched once a machine, making way, deleted; against a server of the protocol."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.errors import ConfigError
from tests.support.s3_server import connect, run_s3_server
from webapp.api.errors import StorageAwayError
from webapp.graphs import files, object_storage, services, snapshots, trash
from webapp.graphs.models import Graph, GraphState, IndexState
from webapp.jobs.models import Job, JobKind, JobState
from webapp.project import env
from webapp.project.settings.data import build_remote_storage
from worker import imports, indexing

FACTS = b"Paris\tin\tFrance\nRome\tin\tItaly\n"
BUCKET = "clew"


@pytest.fixture(scope="module")
def server():
    """The address of an S3 server."""
    with run_s3_server() as address:
        yield address


@pytest.fixture(scope="module")
def storage(server):
    """A client of the server."""
    return connect(server)


@pytest.fixture
def bucket(server, storage, settings, monkeypatch):
    """An empty bucket, with Clew set up to store there."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    made = storage.Bucket(BUCKET)
    made.create()
    address = f"s3://{BUCKET}/some/prefix?endpoint={server}&region=us-east-1"
    settings.STORAGES = {**settings.STORAGES, "remote": build_remote_storage(address)}
    object_storage._looked.clear()
    yield made
    made.objects.all().delete()
    made.delete()


def keys(bucket):
    return sorted(one.key.removeprefix("some/prefix/") for one in bucket.objects.all())


@pytest.fixture
def graph(bucket, users):
    made, job = services.create_graph(
        name="Cities",
        description="",
        files=[SimpleUploadedFile("facts.tsv", FACTS)],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    Graph.objects.filter(pk=made.pk).update(visibility="public")
    made.refresh_from_db()
    assert made.state == GraphState.READY
    return made


def forget(graph):
    """Be another machine, which has nothing yet."""
    snapshots._open.clear()
    object_storage._looked.clear()
    for kind in ("snapshots", "uploads", "fetching"):
        shutil.rmtree(files.get_path(kind), ignore_errors=True)


def test_what_is_made_is_sent(graph, bucket):
    version = f"snapshots/{graph.pk}/1"
    there = keys(bucket)
    assert f"uploads/{graph.pk}/0.tsv" in there
    assert f"{version}/{object_storage.LISTED}" in there
    local = {
        f"{version}/{path.relative_to(files.get_path(version)).as_posix()}"
        for path in files.get_path(version).rglob("*")
        if path.is_file()
    }
    assert {key for key in there if key.startswith(version)} == local | {f"{version}/{object_storage.LISTED}"}


def test_another_machine_fetches_it_once(graph, api, monkeypatch):
    fetched = []
    real = object_storage._fetch
    monkeypatch.setattr(
        object_storage, "_fetch", lambda bucket, key, path: fetched.append(key) or real(bucket, key, path)
    )
    forget(graph)
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(files.ensure_local_path, [graph.snapshot.path] * 4))
    inode = {path: path.stat().st_ino for path in paths}
    found = api("viewer").get(f"/api/v1/graphs/{graph.pk}/entities", {"q": "paris"}).json()
    assert found[0]["label"] == "Paris"
    assert {path: path.stat().st_ino for path in paths} == inode
    assert 1 <= len(fetched) <= 4
    object_storage._looked.clear()
    assert files.ensure_local_path(graph.snapshot.path).stat().st_ino == next(iter(inode.values()))


def test_the_index_comes_after(graph, bucket):
    index = Job.objects.get(kind=JobKind.INDEX)
    path = files.ensure_local_path(graph.snapshot.path)
    elsewhere = path.with_name("elsewhere")
    shutil.copytree(path, elsewhere)
    indexing.index_graph(index.pk)
    graph.refresh_from_db()
    assert graph.index_state == IndexState.READY
    made = {p.relative_to(path).as_posix(): p.stat().st_size for p in path.rglob("*") if p.is_file()}
    assert any(name.startswith("cache/") for name in made)
    shutil.rmtree(path)
    elsewhere.rename(path)  # another machine, which has the snapshot without its index
    object_storage._get_stamp_path(path).write_text("{}")
    object_storage._looked.clear()
    files.ensure_local_path(graph.snapshot.path)
    assert {p.relative_to(path).as_posix(): p.stat().st_size for p in path.rglob("*") if p.is_file()} == made


def test_the_work_of_another_machine_can_be_gone_on_with(graph, users):
    forget(graph)
    job = Job.objects.get(kind=JobKind.IMPORT)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    imports.import_graph(job.pk)  # its file was uploaded to the other machine
    job.refresh_from_db()
    assert (job.state, job.result["unchanged"]) == (JobState.DONE, True)


def test_what_is_half_sent_is_not_there(graph, bucket):
    bucket.Object(f"some/prefix/{graph.snapshot.path}/{object_storage.LISTED}").delete()
    forget(graph)
    assert not files.ensure_local_path(graph.snapshot.path).exists()


def test_snapshots_that_were_not_used_for_long_make_way(graph, users, settings, monkeypatch):
    other, job = services.create_graph(
        name="Other",
        description="",
        files=[SimpleUploadedFile("facts.tsv", b"a\tr\tb\n")],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    other.refresh_from_db()
    first, second = graph.snapshot.path, other.snapshot.path
    settings.CLEW = replace(settings.CLEW, cache_gb=0.0)
    shutil.rmtree(files.get_path(second))
    object_storage._looked.clear()
    files.ensure_local_path(second)
    assert files.get_path(first).is_dir()  # in use lately
    monkeypatch.setattr(object_storage, "IN_USE_S", -1.0)
    shutil.rmtree(files.get_path(second))
    object_storage._looked.clear()
    files.ensure_local_path(second)
    assert (files.get_path(first).is_dir(), files.get_path(second).is_dir()) == (False, True)
    assert snapshots.open_snapshot(first).num_triples == 2
    assert files.get_path(first).is_dir()


def test_deleting_deletes_it_there_too(graph, bucket, api):
    body = {"mode": "append", "files": [SimpleUploadedFile("more.tsv", b"Oslo\tin\tNorway\n")]}
    job = api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart").json()
    imports.import_graph(job["id"])
    assert any(key.startswith(f"snapshots/{graph.pk}/2/") for key in keys(bucket))
    assert api().delete(f"/api/v1/graphs/{graph.pk}/versions/1").status_code == 204
    assert any(key.startswith(f"snapshots/{graph.pk}/1/") for key in keys(bucket))  # in the trash
    assert api().delete(f"/api/v1/trash/{graph.pk}/versions/1?confirm=Cities").status_code == 204
    assert not any(key.startswith(f"snapshots/{graph.pk}/1/") for key in keys(bucket))
    for file in ("0.tsv", "1.tsv"):  # version 2 was made from both
        assert any(key.startswith(f"uploads/{graph.pk}/{file}") for key in keys(bucket))
    graph.refresh_from_db()
    trash.put_graph(graph=graph, confirm="Cities", user=None)
    services.purge_graph(graph=graph)
    assert keys(bucket) == []


def test_removing_one_name_leaves_those_that_begin_alike(bucket):
    for name in ("uploads/1/0.tsv", "uploads/1/0.tsv.gz", "uploads/1/0.tsvx"):
        bucket.put_object(Key=f"some/prefix/{name}", Body=b"x")
    files.remove("uploads/1/0.tsv")
    assert keys(bucket) == ["uploads/1/0.tsv.gz", "uploads/1/0.tsvx"]


def test_a_storage_that_is_away_says_so_and_copies_go_on(graph, settings, api):
    gone = f"s3://{BUCKET}/some/prefix?endpoint=http://127.0.0.1:9&region=us-east-1"
    settings.STORAGES = {**settings.STORAGES, "remote": build_remote_storage(gone)}
    object_storage._looked.clear()
    assert files.ensure_local_path(graph.snapshot.path).is_dir()
    forget(graph)
    with pytest.raises(StorageAwayError, match="object storage"):
        files.ensure_local_path(graph.snapshot.path)
    answer = api().get(f"/api/v1/graphs/{graph.pk}/relations")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "storage_away")


@pytest.mark.parametrize(
    "wrong", ["s3", "s3://", "ftp://x", "s3://b?endpoint=nowhere", "s3://b?colour=red", "s3://key:secret@b"]
)
def test_wrong_addresses_stop_the_start(wrong):
    with pytest.raises(ConfigError, match="CLEW_STORAGE"):
        env.read({"CLEW_STORAGE": wrong})


def test_addresses_are_read():
    address = "s3://b/p/q?endpoint=https://s3.example.org&region=eu"
    assert env.read({"CLEW_STORAGE": address}).storage == address
    assert build_remote_storage(address)["OPTIONS"] == {
        "bucket_name": "b",
        "location": "p/q",
        "endpoint_url": "https://s3.example.org",
        "region_name": "eu",
        "addressing_style": "path",
    }


def test_what_is_stored_there_is_counted_there(graph, bucket, api):
    trained = files.build_checkpoint_name(graph.pk, 7)
    files.get_path(trained).mkdir(parents=True)
    (files.get_path(trained) / "weights.pt").write_bytes(b"1234567")
    files.send(trained)
    shutil.rmtree(files.get_path("checkpoints"))
    sizes = {one.key.removeprefix("some/prefix/"): one.size for one in bucket.objects.all()}

    def stored(prefix, inside=""):
        return sum(size for key, size in sizes.items() if key.startswith(prefix) and inside in key)

    row = api().get("/api/v1/storage").json()["graphs"][0]
    caches = stored("snapshots/", "/cache/")
    assert row["uploads"] == stored("uploads/") >= len(FACTS)
    assert (row["snapshots"], row["caches"]) == (stored("snapshots/") - caches, caches)
    assert row["others"] == 7 + stored(trained, object_storage.LISTED)
    assert row["total"] == sum(sizes.values())
