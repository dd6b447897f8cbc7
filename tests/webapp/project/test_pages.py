"""The front end's page, its files, headers, and the schema."""

import gzip
import json
import re
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.management import call_command
from django.test import Client

from webapp.project import openapi
from webapp.project.handler import OneHopHandler
from webapp.project.uploads import limit_body


@pytest.fixture
def dist(tmp_path, settings):
    (tmp_path / "index.html").write_text("<!doctype html><title>Clew</title>")
    pages = ["/", "/login", "/runs/:id", "/graphs", "/graphs/:id/tests", "/history"]
    (tmp_path / "pages.json").write_text(json.dumps(pages))
    settings.FRONTEND_DIST = tmp_path
    return tmp_path


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
@pytest.mark.parametrize(
    "path", ["/", "/runs/123", "/graphs", "/graphs/", "/Graphs", "/login", "/runs/a.b", "/graphs/7/tests"]
)
def test_every_page_is_the_one_page(dist, path, accept):
    answer = Client().get(path, headers={"accept": accept})
    assert answer.status_code == 200
    assert b"<title>Clew</title>" in answer.content
    assert answer["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    ["/admin/", "/metrics", "/wp-login.php", "/graphs/7/nothing", "/runs", "/runs/1/2", "/graphs//tests"],
)
def test_an_address_that_is_no_page_is_not_found(dist, path):
    browser = Client().get(path, headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (browser.status_code, b"<title>Clew</title>" in browser.content) == (404, True)
    script = Client().get(path, headers={"accept": "*/*"})
    assert (script.status_code, script["Content-Type"]) == (404, "text/plain; charset=utf-8")


def test_pages_of_a_new_build_are_found_without_a_restart(dist):
    assert Client().get("/question-sets").status_code == 404
    (dist / "pages.json").write_text(json.dumps(["/question-sets"]))
    assert Client().get("/question-sets").status_code == 200


def _asked_first(answer) -> list[str]:
    return [link.split(">")[0].strip(" <") for link in answer["Link"].split(",")]


def test_a_page_says_what_it_will_ask_for_first(dist, settings):
    run = "0a1b2c3d-0000-4000-8000-000000000000"
    assert _asked_first(Client().get(f"/runs/{run}")) == ["/api/v1/session"]
    signed_in = Client()
    signed_in.cookies[settings.SESSION_COOKIE_NAME] = "whoever"
    session, status, graphs = "/api/v1/session", "/api/v1/status", "/api/v1/graphs?page_size=200"
    of_run = [f"/api/v1/runs/{run}/events", f"/api/v1/runs/{run}"]
    assert _asked_first(signed_in.get("/")) == [session, graphs, status]
    assert _asked_first(signed_in.get(f"/runs/{run}")) == [session, *of_run, graphs, status]
    assert _asked_first(signed_in.get("/history")) == [session, status]


@pytest.mark.parametrize("path", ["/assets/gone.js", "/favicon.svg", "/robots.txt"])
def test_a_file_that_is_not_there_is_no_page(dist, path):
    answer = Client().get(path)
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/plain")


def test_pages_only_read(dist):
    assert Client().post("/").status_code == 405


def test_without_a_build_the_page_says_how_to_make_one(tmp_path, settings):
    settings.FRONTEND_DIST = tmp_path
    answer = Client().get("/")
    assert answer.status_code == 503
    assert b"make build" in answer.content


def test_headers_that_protect(dist):
    headers = Client().get("/").headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["script-src"] == "'self'"
    assert policy["default-src"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_another_host_name_is_refused(dist):
    assert Client().get("/", headers={"host": "evil.example"}).status_code == 400


def test_the_schema_is_valid_without_a_warning(tmp_path):
    target = tmp_path / "schema.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the validator's own packages
        call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", "--file", str(target))
    schema = json.loads(target.read_text())
    assert schema["openapi"].startswith("3.")
    assert {path.removeprefix("/api/v1/") for path in schema["paths"]} == {
        "session",
        "session/password",
        "token",
        "status",
        "trash/{kind}/{key}",
        "trash/{kind}/{key}/restore",
        "review/items/{id}/answers",
        "review/items/{id}/programs",
        "endpoints",
        "graphs/{id}/endpoint",
        "graphs/{id}/endpoint/check",
        "graphs",
        "graphs/{id}",
        "graphs/{id}/problems",
        "graphs/{id}/relations",
        "graphs/{id}/entities",
        "graphs/{id}/neighbours",
        "graphs/{id}/fact",
        "graphs/{id}/picture",
        "across",
        "across/{id}",
        "retrieve",
        "graphs/{id}/paths",
        "graphs/{id}/similar",
        "graphs/{id}/passages",
        "graphs/{id}/passages/{number}",
        "graphs/{id}/train",
        "graphs/{id}/error-limit",
        "graphs/{id}/promotions",
        "graphs/{id}/rollback",
        "graphs/{id}/extract",
        "graphs/{id}/index",
        "graphs/{id}/versions",
        "graphs/{id}/versions/{version}",
        "graphs/{id}/versions/{version}/activate",
        "graphs/{id}/versions/diff",
        "graphs/{id}/dependents",
        "graphs/{id}/sample-questions",
        "graphs/{id}/program-corrections",
        "graphs/{id}/program-corrections/download",
        "graphs/{id}/report",
        "graphs/{id}/statistics",
        "graphs/{id}/schema",
        "graphs/{id}/model",
        "graphs/{id}/duplicates",
        "graphs/{id}/edits",
        "graphs/{id}/edits/preview",
        "graphs/{id}/edits/{number}/undo",
        "graphs/{id}/facts/sources",
        "graphs/{id}/export",
        "graphs/{id}/shapes",
        "graphs/{id}/sparql",
        "graphs/{id}/source",
        "graphs/{id}/source/check",
        "graphs/{id}/source/refresh",
        "graphs/{id}/source/refreshes/{refresh}/confirm",
        "graphs/{id}/vocabulary",
        "graphs/{id}/vocabulary/file",
        "uploads/model/convert",
        "uploads/formats",
        "uploads/preview",
        "uploads/model",
        "question-sets/{id}/check",
        "language-models",
        "language-models/{id}",
        "language-models/{id}/test",
        "language-models/tests/{id}",
        "runs/{id}/table",
        "runs/{id}/table/cell",
        "runs/{id}/why-not",
        "runs/{id}/why-not/{key}",
        "language-models/changes",
        "language-limits",
        "language-usage",
        "question-sets",
        "question-sets/{id}",
        "question-sets/{id}/dataset",
        "question-sets/{id}/questions",
        "methods/{name}",
        "checkpoints",
        "checkpoints/{id}",
        "label-sets",
        "label-sets/combine",
        "label-sets/{id}",
        "label-sets/{id}/dataset",
        "label-sets/{id}/download",
        "reports",
        "reports/{id}",
        "reports/{id}/resume",
        "reports/{id}/questions",
        "reports/{id}/download",
        "reports/compare",
        "reports/compare/questions",
        "reports/compare/paired",
        "comparisons",
        "comparisons/{id}",
        "jobs",
        "jobs/{id}",
        "jobs/{id}/cancel",
        "jobs/{id}/retry",
        "jobs/{id}/log",
        "runs",
        "runs/{id}",
        "runs/{id}/events",
        "runs/{id}/cancel",
        "runs/{id}/flag",
        "runs/{id}/pause",
        "runs/{id}/steer",
        "trajectory-sets",
        "trajectory-sets/{id}",
        "trajectory-sets/{id}/trajectories",
        "trajectory-sets/{id}/download",
        "review/queues",
        "review/queues/{id}",
        "review/queues/{id}/next",
        "review/queues/{id}/undo",
        "review/queues/{id}/redo",
        "review/queues/{id}/disagreements",
        "review/queues/{id}/import",
        "review/queues/{id}/import/undo",
        "review/queues/{id}/events",
        "review/queues/{id}/accept-unanimous",
        "review/queues/{id}/accept-unanimous/undo",
        "review/queues/{id}/items",
        "review/queues/{id}/statistics",
        "review/queues/{id}/dataset",
        "review/queues/{id}/export",
        "review/items/{id}",
        "review/items/{id}/drawing",
        "review/items/{id}/hops",
        "review/items/{id}/topics",
        "review/items/{id}/candidates",
        "review/items/{id}/adjudicate",
        "review/items/{id}/submit",
        "review/items/{id}/release",
        "review/items/{id}/adjudicate/undo",
        "review/queues/deleted",
        "review/queues/{id}/restore",
        "review/queues/{id}/trainings",
        "checkpoints/{id}/curves",
        "checkpoints/{id}/download",
        "uploads",
        "trash",
        "trash/{id}",
        "trash/{id}/restore",
        "trash/{id}/versions/{version}",
        "trash/{id}/versions/{version}/restore",
        "storage",
        "tokens",
        "tokens/{id}",
        "shared-links",
        "shared-links/{id}",
        "shared/{token}",
        "sharing-policy",
        "webhooks",
        "webhooks/{id}",
        "webhooks/{id}/deliveries",
        "webhooks/{id}/deliveries/{number}/resend",
        "webhooks/{id}/rotate-secret",
        "webhooks/{id}/test",
        "users",
        "users/{id}",
        "users/{id}/deactivate",
        "users/{id}/password",
        "users/{id}/unlock",
        "checkpoints/{id}/compare",
        "review/items/{id}/draft",
        "review/queues/{id}/carry-over",
        "groups",
        "groups/{id}",
        "uploads/{id}",
        "checkpoints/{id}/promote",
        "corrections",
        "corrections/download",
        "runs/{id}/export",
        "runs/{id}/provenance",
        "graphs/{id}/tests",
        "graphs/{id}/tests/ask",
        "graphs/{id}/tests/download",
        "graphs/{id}/tests/policy",
        "question-sets/{id}/leaderboard",
        "studies",
        "studies/presets",
        "studies/{id}",
        "studies/{id}/capsule",
        "studies/{id}/download",
        "studies/{id}/resume",
        "test-rounds",
        "test-rounds/{id}",
        "test-rounds/{id}/accept",
        "tests/{id}",
        "tests/{id}/history",
        "tests/{id}/through-time",
        "watches",
        "watches/{id}",
    }


def test_the_schema_is_sent_from_the_file_of_the_build(dist):
    content = json.dumps({"openapi": "3.1.0", "info": {"title": "Clew"}}).encode()
    (dist / openapi.FILE).write_bytes(content)
    (dist / f"{openapi.FILE}.gz").write_bytes(gzip.compress(content))
    answer = Client().get("/api/v1/schema")
    assert (answer.status_code, answer.content, answer["Vary"]) == (200, content, "Accept-Encoding")
    assert answer["Content-Type"] == "application/vnd.oai.openapi+json"
    zipped = Client().get("/api/v1/schema", headers={"accept-encoding": "br, gzip"})
    assert (zipped["Content-Encoding"], gzip.decompress(zipped.content)) == ("gzip", content)
    again = Client().get("/api/v1/schema", headers={"if-none-match": zipped["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_without_a_build_the_schema_is_built_once(dist, monkeypatch):
    openapi._build_document.cache_clear()
    generator, built = openapi.SchemaGenerator.get_schema, []

    def get_schema(*given, **named):
        built.append(1)
        return generator(*given, **named)

    monkeypatch.setattr(openapi.SchemaGenerator, "get_schema", get_schema)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Client().get("/api/v1/schema"), range(8)))
    assert [answer.status_code for answer in answers] == [200] * 8
    assert answers[0].json()["info"]["title"] == "Clew"
    assert {answer.content for answer in answers} == {answers[0].content}
    assert built == [1]


def test_the_explorer_needs_nothing_from_other_hosts():
    page = Client().get("/api/v1/explorer").content.decode()
    files = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert files == [
        "/static/swagger-ui/favicon-32x32.png",
        *(f"/static/swagger-ui/swagger-ui{end}" for end in (".css", "-bundle.js", "-standalone-preset.js")),
        "/api/v1/explorer?script=",
    ]
    assert "<script>" not in page  # the policy of all pages refuses it
    script = Client().get(files[-1])
    assert script["Content-Type"] == "application/javascript"
    assert 'url: "/api/v1/schema"' in script.content.decode().replace("\\u002D", "-")
    for file in files[:-1]:
        answer = Client().get(file)
        assert (answer.status_code, len(b"".join(answer)) > 500) == (200, True)
        answer.close()


def test_json_is_compressed_and_pages_are_not(dist, api):
    asked = {"accept-encoding": "gzip"}
    plain = api("viewer").get("/api/v1/methods/inses")
    zipped = api("viewer").get("/api/v1/methods/inses", headers=asked)
    assert "Content-Encoding" not in plain
    assert zipped["Content-Encoding"] == "gzip"
    assert len(zipped.content) < len(plain.content) / 2
    assert gzip.decompress(zipped.content) == plain.content
    (dist / "index.html").write_text("<!doctype html>" + "<p>A page</p>" * 1000)
    assert "Content-Encoding" not in Client().get("/", headers=asked)


async def test_assets_are_streamed_and_kept_for_ever(tmp_path, settings):
    (tmp_path / "assets").mkdir()
    content = bytes(range(256)) * 600
    (tmp_path / "assets" / "index-abcd1234.js").write_bytes(content)
    settings.WHITENOISE_ROOT = tmp_path
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/assets/index-abcd1234.js",
        "query_string": b"",
        "headers": [],
    }
    browser = ApplicationCommunicator(OneHopHandler(), {**scope, "headers": [(b"host", b"localhost")]})
    await browser.send_input({"type": "http.request"})
    start = await browser.receive_output(timeout=5)
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert start["status"] == 200
    assert headers["cache-control"] == "max-age=315360000, public, immutable"
    assert "access-control-allow-origin" not in headers
    assert headers["x-content-type-options"] == "nosniff"
    body, more = b"", True
    while more:
        message = await browser.receive_output(timeout=5)
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await browser.wait(timeout=5)
    assert body == content


@pytest.mark.parametrize(
    ("accepts", "encoding"),
    [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("identity", None), ("", None)],
)
async def test_assets_go_out_as_the_build_compressed_them(tmp_path, settings, accepts, encoding):
    (tmp_path / "assets").mkdir()
    plain = b"export const clew = 1;\n" * 5000
    files = {None: plain, "gzip": gzip.compress(plain), "br": b"what the build made of it"}
    for name, content in files.items():
        suffix = {None: "", "gzip": ".gz", "br": ".br"}[name]
        (tmp_path / "assets" / f"index-abcd1234.js{suffix}").write_bytes(content)
    settings.WHITENOISE_ROOT = tmp_path
    scope = {"type": "http", "method": "GET", "path": "/assets/index-abcd1234.js", "query_string": b""}
    sent = [(b"host", b"localhost"), (b"accept-encoding", accepts.encode())]
    browser = ApplicationCommunicator(OneHopHandler(), {**scope, "headers": sent})
    await browser.send_input({"type": "http.request"})
    start = await browser.receive_output(timeout=5)
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    body, more = b"", True
    while more:
        message = await browser.receive_output(timeout=5)
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await browser.wait(timeout=5)
    assert body == files[encoding]
    assert headers.get("content-encoding") == encoding
    assert headers["content-length"] == str(len(body))
    assert headers["content-type"].startswith("text/javascript")
    assert headers["vary"] == "Accept-Encoding"
    assert headers["cache-control"] == "max-age=315360000, public, immutable"
    assert headers["etag"]


async def call(chunks, headers=()):
    sent = []

    async def application(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        body = chunks.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(chunks)}

    async def send(message):
        sent.append(message)

    await limit_body(application)({"type": "http", "headers": list(headers)}, receive, send)
    return sent[0]["status"]


async def test_a_body_over_the_limit_is_refused_while_it_arrives(settings):
    settings.UPLOAD_MAX_BYTES = 10
    assert await call([b"12345", b"67890"]) == 200
    assert await call([b"12345", b"678901", b"x"]) == 413
    assert await call([b"1"], headers=[(b"content-length", b"11")]) == 413
