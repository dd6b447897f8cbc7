"""Resumable uploads: the tus 1.0 protocol, what is made of them, and how they end."""

import base64
import fcntl
import gzip
import hashlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.db import connections
from django.utils import timezone

from webapp.accounts.services import create_token
from webapp.graphs.models import Graph, SourceFile
from webapp.project.asgi import application
from webapp.uploads import services, tus
from webapp.uploads.models import Upload, get_folder

URL = "/api/v1/uploads"
FACTS = b"a\tr\tb\nb\tr\tc\n"
TUS = {"Tus-Resumable": "1.0.0"}


def coded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def begin(client, length=len(FACTS), name="facts.tsv", **headers):
    return client.post(
        URL,
        headers={
            **TUS,
            "Upload-Length": str(length),
            "Upload-Metadata": f"filename {coded(name)}",
            **headers,
        },
    )


def add(client, url, data, offset=0, content_type=tus.CONTENT_TYPE, **headers):
    return client.generic("PATCH", url, data, content_type, headers={**TUS, "Upload-Offset": str(offset), **headers})


def head(client, url):
    return client.head(url, headers=TUS)


def complete(client, data=FACTS, name="facts.tsv"):
    url = begin(client, len(data), name)["Location"]
    assert add(client, url, data).status_code == 204
    return url.rsplit("/", 1)[-1]


def code(answer):
    return (answer.status_code, answer.json()["error"]["code"])


def incoming():
    return sorted(path.name for path in get_folder().iterdir()) if get_folder().is_dir() else []


# --- the protocol -------------------------------------------------------------------------------------


def test_options_say_what_is_offered(api):
    answer = api("analyst").options(URL)
    assert answer.status_code == 204
    assert {name: answer[name] for name in ("Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size")} == {
        "Tus-Resumable": "1.0.0",
        "Tus-Version": "1.0.0",
        "Tus-Extension": "creation,termination,expiration,checksum",
        "Tus-Max-Size": str(64 * 1024**3),
    }


def test_an_upload_arrives_in_pieces(api):
    client = api("analyst")
    begun = begin(client)
    assert (begun.status_code, begun["Tus-Resumable"]) == (201, "1.0.0")
    url = begun["Location"]
    assert url.startswith(f"{URL}/")
    first = add(client, url, FACTS[:5])
    assert (first.status_code, first["Upload-Offset"], first.content) == (204, "5", b"")
    assert "Upload-Expires" in first
    asked = head(client, url)
    assert (asked.status_code, asked["Upload-Offset"], asked["Upload-Length"]) == (200, "5", str(len(FACTS)))
    assert (asked["Cache-Control"], asked["Upload-Metadata"]) == (
        "no-store",
        f"filename {coded('facts.tsv')}",
    )
    assert add(client, url, FACTS[5:], 5)["Upload-Offset"] == str(len(FACTS))
    shown = client.get(url).json()
    assert (shown["name"], shown["offset"], shown["complete"]) == ("facts.tsv", len(FACTS), True)
    assert Upload.objects.get().path.read_bytes() == FACTS
    assert [row["id"] for row in client.get(URL).json()["results"]] == [shown["id"]]


def test_another_version_of_the_protocol_is_refused(api):
    answer = api("analyst").post(URL, headers={"Tus-Resumable": "0.2.2", "Upload-Length": "3"})
    assert code(answer) == (412, "wrong_protocol")
    assert (answer["Tus-Version"], Upload.objects.count()) == ("1.0.0", 0)
    assert code(api("analyst").post(URL, headers={"Upload-Length": "3"})) == (412, "wrong_protocol")


def test_a_piece_goes_at_the_end_or_nowhere(api):
    client = api("analyst")
    url = begin(client)["Location"]
    assert add(client, url, FACTS[:5]).status_code == 204
    for offset in (0, 4, 6):
        assert code(add(client, url, b"x", offset)) == (409, "conflict")
    assert code(add(client, url, b"x", "-1")) == (400, "invalid")
    assert code(add(client, url, b"x", 5, content_type="text/plain")) == (415, "unsupported_media_type")
    assert head(client, url)["Upload-Offset"] == "5"


def test_more_bytes_than_announced_are_not_kept(api):
    client = api("analyst")
    url = begin(client, 6)["Location"]
    assert add(client, url, b"1234").status_code == 204
    assert code(add(client, url, b"56789", 4)) == (413, "too_large")
    assert head(client, url)["Upload-Offset"] == "4"
    assert add(client, url, b"56", 4)["Upload-Offset"] == "6"


def test_a_checksum_decides_whether_a_piece_is_kept(api):
    client = api("analyst")
    url = begin(client)["Location"]
    right = f"sha1 {coded(hashlib.sha1(FACTS[:5]).digest())}"
    answer = add(client, url, b"wrong", **{"Upload-Checksum": right})
    assert code(answer) == (460, "bad_checksum")
    assert head(client, url)["Upload-Offset"] == "0"
    assert add(client, url, FACTS[:5], **{"Upload-Checksum": right})["Upload-Offset"] == "5"
    unknown = add(client, url, b"x", 5, **{"Upload-Checksum": "crc32 AAAA"})
    assert code(unknown) == (400, "invalid")


def test_an_upload_can_be_stopped(api):
    client = api("analyst")
    url = begin(client)["Location"]
    assert client.delete(url, headers=TUS).status_code == 204
    assert (head(client, url).status_code, incoming()) == (404, [])


def test_methods_can_be_named_in_a_header(api):
    client = api("analyst")
    url = begin(client)["Location"]
    named = {**TUS, "X-HTTP-Method-Override": "PATCH", "Upload-Offset": "0"}
    answer = client.generic("POST", url, FACTS, tus.CONTENT_TYPE, headers=named)
    assert (answer.status_code, answer["Upload-Offset"]) == (204, str(len(FACTS)))


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"Upload-Length": "-1"}, "Upload-Length"),
        ({"Upload-Length": "many"}, "Upload-Length"),
        ({"Upload-Length": "9" * 16}, "Upload-Length"),
        ({"Upload-Metadata": "filename not*base64"}, "base64"),
        ({"Upload-Metadata": f"filename {coded(bytes([255]))}"}, "base64"),
        ({"Upload-Metadata": f"a {coded('1')},a {coded('2')}"}, "twice"),
    ],
)
def test_nonsense_is_refused(api, headers, says):
    answer = begin(api("analyst"), **headers)
    assert code(answer) == (400, "invalid")
    assert says in answer.json()["error"]["message"]
    assert (Upload.objects.count(), incoming()) == (0, [])


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs/x.tsv", "C:\\x.tsv", "a\0b.tsv", "x" * 300, ""])
def test_a_hostile_name_names_no_path(api, name):
    begin(api("analyst"), name=name)
    upload = Upload.objects.get()
    assert 0 < len(upload.name) <= 255
    assert not set(upload.name) & {"/", "\\", "\0"}
    assert incoming() == [str(upload.pk)]


def test_uploads_are_their_owners(api):
    url = begin(api("analyst"))["Location"]
    for answer in (head(api("admin"), url), add(api("admin"), url, FACTS), api("admin").get(url)):
        assert answer.status_code == 404
    assert api("admin").get(URL).json()["count"] == 0
    assert begin(api("viewer")).status_code == 403
    assert begin(api(None)).status_code == 401


def test_a_session_needs_its_csrf_token(users):
    from rest_framework.test import APIClient

    client = APIClient(enforce_csrf_checks=True)
    client.force_login(users["analyst"])
    assert begin(client).status_code == 403
    assert Upload.objects.count() == 0


# --- bounds -------------------------------------------------------------------------------------------


def test_a_file_may_be_too_large_for_any_upload(api, settings):
    settings.RESUMABLE_MAX_BYTES = 10
    assert code(begin(api("analyst"), 11)) == (413, "too_large")
    assert begin(api("analyst"), 10).status_code == 201


def test_what_the_disk_cannot_hold_is_refused_at_once(api, settings):
    settings.RESUMABLE_MAX_BYTES = 10**15
    answer = begin(api("analyst"), 2 * shutil.disk_usage(settings.CLEW.home).free)
    assert code(answer) == (507, "storage_full")
    assert (Upload.objects.count(), incoming()) == (0, [])


def test_a_disk_that_becomes_full_leaves_nothing(api):
    client = api("analyst")
    url = begin(client)["Location"]
    path = Upload.objects.get().path
    path.unlink()
    path.symlink_to("/dev/full")  # every write to it ends as on a full disk
    answer = add(client, url, FACTS)
    assert code(answer) == (507, "storage_full")
    assert "nothing of it is left" in answer.json()["error"]["message"]
    assert (Upload.objects.count(), incoming()) == (0, [])


def test_two_requests_at_once_do_not_mix(api):
    client = api("analyst")
    url = begin(client)["Location"]
    with Upload.objects.get().path.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert code(add(client, url, FACTS)) == (423, "busy")
    assert add(client, url, FACTS).status_code == 204


def test_uploads_expire(api, monkeypatch):
    client = api("analyst")
    urls = [begin(client)["Location"] for _ in range(2)]
    old = Upload.objects.get(pk=urls[0].rsplit("/", 1)[-1])
    Upload.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert code(add(client, urls[0], FACTS)) == (410, "gone")
    assert client.get(URL).json()["count"] == 1
    (get_folder() / "stray").write_bytes(b"x")
    kept = urls[1].rsplit("/", 1)[-1]
    services.drop_expired()
    assert incoming() == sorted([kept, "stray"])  # it may be of an upload that begins just now
    monkeypatch.setattr(services, "STRAY_AFTER_S", 0.0)
    services.drop_expired()
    assert incoming() == [kept]


# --- a connection that breaks -------------------------------------------------------------------------


async def half(url, token, pieces):
    """PATCH by the real ASGI application, with a connection that breaks after ``pieces``."""
    headers = [
        (b"host", b"localhost"),
        (b"authorization", f"Bearer {token}".encode()),
        (b"tus-resumable", b"1.0.0"),
        (b"upload-offset", b"0"),
        (b"content-type", tus.CONTENT_TYPE.encode()),
        (b"content-length", str(len(FACTS)).encode()),
    ]
    scope = {
        "type": "http",
        "method": "PATCH",
        "path": url,
        "raw_path": url.encode(),
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
        "scheme": "http",
        "server": ("localhost", 8000),
        "client": ("127.0.0.1", 1),
    }
    connection = ApplicationCommunicator(application, scope)
    for piece in pieces:
        await connection.send_input({"type": "http.request", "body": piece, "more_body": True})
    await connection.send_input({"type": "http.disconnect"})
    answer = await connection.receive_output(10)
    await connection.wait(10)
    return answer


def test_a_broken_connection_keeps_what_had_come(api, users):
    client = api("analyst")
    url = begin(client)["Location"]
    token = create_token(user=users["analyst"])
    answer = async_to_sync(half)(url, token, [FACTS[:4], FACTS[4:7]])
    assert (answer["status"], dict(answer["headers"])[b"Upload-Offset"]) == (204, b"7")
    assert head(client, url)["Upload-Offset"] == "7"
    assert add(client, url, FACTS[7:], 7).status_code == 204
    assert Upload.objects.get().path.read_bytes() == FACTS


# --- what is made of uploads --------------------------------------------------------------------------


def test_a_graph_is_made_of_uploads_without_copying_them(api):
    client = api()
    ids = [complete(client), complete(client, gzip.compress(FACTS), "more.tsv.gz")]
    inode = (get_folder() / ids[0]).stat().st_ino
    answer = client.post("/api/v1/graphs", {"name": "Big", "uploads": ids}, format="json")
    assert answer.status_code == 202, answer.content
    graph = answer.json()["graph"]["id"]
    kept = list(SourceFile.objects.values_list("name", "path", "size"))
    assert [row[:2] for row in kept] == [
        ("facts.tsv", f"uploads/{graph}/0.tsv"),
        ("more.tsv.gz", f"uploads/{graph}/1.tsv.gz"),
    ]
    from webapp.graphs.files import ensure_local_path

    assert kept[0][2] == len(FACTS)
    assert ensure_local_path(kept[0][1]).stat().st_ino == inode
    assert (Upload.objects.count(), incoming()) == (0, [])


def test_uploads_stay_when_nothing_becomes_of_them(api):
    client = api()
    Graph.objects.create(name="Taken")
    id = complete(client)
    answer = client.post("/api/v1/graphs", {"name": "Taken", "uploads": [id]}, format="json")
    assert code(answer) == (409, "name_taken")
    picture = complete(client, b"\x89PNG\r\n\x1a\n....", "picture.png")
    answer = client.post("/api/v1/graphs", {"name": "Free", "uploads": [picture]}, format="json")
    assert code(answer) == (400, "bad_source")
    assert sorted(incoming()) == sorted([id, picture])
    assert client.post("/api/v1/graphs", {"name": "Free", "uploads": [id]}, format="json").status_code == 202


def test_only_whole_uploads_of_ones_own_can_be_used(api):
    client = api()
    half = begin(client)["Location"].rsplit("/", 1)[-1]
    theirs, mine = complete(api("analyst")), complete(client)
    for ids, expected in (
        ([half], (409, "conflict")),
        ([theirs], (400, "invalid")),
        ([mine, mine], (400, "invalid")),
        (["nonsense"], (400, "invalid")),
        ([], (400, "invalid")),
    ):
        answer = client.post("/api/v1/graphs", {"name": "X", "uploads": ids}, format="json")
        assert code(answer) == expected
    assert Graph.objects.count() == 0


def test_two_graphs_of_one_name_at_once_are_one(api):
    clients = [api() for _ in range(4)]
    ids = [complete(client) for client in clients]

    def make(number):
        try:
            return (
                clients[number]
                .post("/api/v1/graphs", {"name": "Same", "uploads": [ids[number]]}, format="json")
                .status_code
            )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(make, range(4)))
    assert answers == [202, 409, 409, 409]
    assert (Graph.objects.count(), SourceFile.objects.count(), len(incoming())) == (1, 1, 3)


def test_one_upload_used_twice_at_once_makes_one_graph(api):
    clients = [api() for _ in range(3)]
    id = complete(clients[0])

    def make(number):
        try:
            body = {"name": f"G{number}", "uploads": [id]}
            return clients[number].post("/api/v1/graphs", body, format="json").status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(make, range(3)))
    assert answers.count(202) == 1
    assert set(answers) <= {202, 400, 409}
    assert (Graph.objects.count(), SourceFile.objects.count()) == (1, 1)


def test_a_question_set_is_made_of_an_upload(api, tiny_graph):
    client = api("analyst")
    line = b'{"id": "1", "question": "capital of Germany?", "topic_entities": ["Germany"], "answers": ["Berlin"]}\n'
    id = complete(client, line, "questions.jsonl")
    body = {"name": "Q", "graph": tiny_graph.pk, "upload": id}
    answer = client.post("/api/v1/question-sets", body, format="json")
    assert (answer.status_code, answer.json()["questions"]) == (201, 1)
    assert incoming() == []
    neither = client.post("/api/v1/question-sets", {"name": "Q", "graph": tiny_graph.pk}, format="json")
    assert code(neither) == (400, "invalid")
