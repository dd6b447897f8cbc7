"""Importing from the server's disk and from addresses, as far as the operator allows; and sampled questions."""

import threading
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from webapp.graphs import files
from webapp.graphs.models import Graph, SourceFile
from webapp.jobs.models import Job, JobState
from worker import imports

FACTS = b"Paris\tin\tFrance\nRome\tin\tItaly\n"


class Pages(BaseHTTPRequestHandler):
    """A few answers, by path."""

    def __init__(self, pages, *args):
        self.pages = pages
        super().__init__(*args)

    def do_GET(self):
        status, headers, body = self.pages.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def web():
    """``web(pages)`` serves them; its host and port."""
    servers = []

    def serve(pages):
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, pages))
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"127.0.0.1:{server.server_port}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def allow(settings):
    def set_(*, paths=(), hosts=()):
        settings.CLEW = replace(settings.CLEW, import_paths=tuple(paths), import_hosts=tuple(hosts))

    return set_


def make(api, *sources, name="Graph"):
    return api().post("/api/v1/graphs", {"name": name, "sources": sources}, format="json")


def imported(answer):
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(pk=answer.json()["job"]["id"])
    imports.import_graph(job.pk)
    job.refresh_from_db()
    return job


def refused(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_nothing_is_allowed_unless_the_operator_says_so(api, tmp_path):
    (tmp_path / "facts.tsv").write_bytes(FACTS)
    for source in (str(tmp_path / "facts.tsv"), "http://127.0.0.1:1/x", "file:///etc/passwd", "ftp://x/y"):
        answer = make(api, source)
        assert refused(answer) == (403, "not_allowed")
        assert "nothing so far" in answer.json()["error"]["hint"]
    assert Graph.objects.count() == 0


def test_a_file_of_the_server_is_imported(api, tmp_path, allow):
    allow(paths=[tmp_path])
    (tmp_path / "facts.tsv").write_bytes(FACTS)
    job = imported(make(api, str(tmp_path / "facts.tsv")))
    assert (job.state, job.result["triples"]) == (JobState.DONE, 2)
    row = SourceFile.objects.get()
    assert (row.name, row.size, row.snapshot_id) == ("facts.tsv", len(FACTS), job.graph.snapshots.get().pk)
    assert (tmp_path / "facts.tsv").read_bytes() == FACTS


def test_paths_do_not_lead_out(api, tmp_path, allow):
    inside, outside = tmp_path / "in", tmp_path / "secret.tsv"
    inside.mkdir()
    outside.write_bytes(FACTS)
    (inside / "link.tsv").symlink_to(outside)
    allow(paths=[inside])
    for path in (outside, inside / ".." / "secret.tsv", inside / "link.tsv", "in/x.tsv", f"{inside}2/x.tsv"):
        assert refused(make(api, str(path))) == (403, "not_allowed")
    assert refused(make(api, str(inside / "nothing.tsv"))) == (400, "bad_source")
    assert refused(make(api, str(inside))) == (400, "bad_source")


def test_a_link_that_is_bent_after_the_request_leads_nowhere(api, tmp_path, allow):
    inside, outside = tmp_path / "in", tmp_path / "secret.tsv"
    inside.mkdir()
    outside.write_bytes(FACTS)
    (inside / "facts.tsv").write_bytes(FACTS)
    allow(paths=[inside])
    answer = make(api, str(inside / "facts.tsv"))
    (inside / "facts.tsv").unlink()
    (inside / "facts.tsv").symlink_to(outside)
    job = imported(answer)
    assert (job.state, job.error_code) == (JobState.FAILED, "not_allowed")


def test_a_file_is_fetched_from_an_address(api, web, allow):
    host = web({"/data/facts.tsv": (200, {"Content-Length": str(len(FACTS))}, FACTS)})
    allow(hosts=[host])
    job = imported(make(api, f"http://{host}/data/facts.tsv"))
    assert (job.state, job.result["triples"]) == (JobState.DONE, 2)
    assert SourceFile.objects.get().name == "facts.tsv"
    assert any("Fetching facts.tsv" in line.text for line in job.log.all())


@pytest.mark.parametrize(
    "bend",
    ["http://user@{host}/x", "http://{host}.evil.example/x", "https://evil.example/{host}", "http://[::1/x"],
)
def test_only_listed_hosts_are_asked(api, web, allow, bend):
    host = web({})
    allow(hosts=[host])
    assert refused(make(api, bend.format(host=host))) == (403, "not_allowed")


def test_redirects_are_followed_to_listed_hosts_alone(api, web, allow):
    inner = web({"/secret.tsv": (200, {}, FACTS)})
    pages = {
        "/out": (302, {"Location": f"http://{inner}/secret.tsv"}, b""),
        "/file": (302, {"Location": "file:///etc/passwd"}, b""),
        "/near": (302, {"Location": "/facts.tsv"}, b""),
        "/round": (302, {"Location": "/round"}, b""),
        "/facts.tsv": (200, {}, FACTS),
    }
    host = web(pages)
    allow(hosts=[host])
    ends = {}
    for name in ("out", "file", "near", "round"):
        job = imported(make(api, f"http://{host}/{name}", name=name))
        ends[name] = (job.state, job.error_code)
    assert ends == {
        "out": ("failed", "not_allowed"),
        "file": ("failed", "bad_source"),
        "near": ("done", ""),
        "round": ("failed", "bad_source"),
    }


def test_what_breaks_off_or_is_missing_says_so_and_can_be_tried_again(api, web, allow):
    pages = {"/half.tsv": (200, {"Content-Length": str(len(FACTS) + 9)}, FACTS)}
    host = web(pages)
    allow(hosts=[host])
    job = imported(make(api, f"http://{host}/half.tsv"))
    assert (job.state, job.error_code) == (JobState.FAILED, "bad_source")
    assert list(files.ensure_local_path(f"uploads/{job.graph_id}").iterdir()) == []
    pages["/half.tsv"] = (200, {}, FACTS)
    assert api().post(f"/api/v1/jobs/{job.pk}/retry", {}, format="json").status_code == 202
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE
    missing = imported(make(api, f"http://{host}/nothing.tsv", name="Missing"))
    assert "answers 404" in missing.error_message


def test_a_file_that_is_too_large_is_left(api, web, allow, settings):
    host = web({"/facts.tsv": (200, {}, FACTS)})
    allow(hosts=[host])
    settings.RESUMABLE_MAX_BYTES = 10
    job = imported(make(api, f"http://{host}/facts.tsv"))
    assert (job.state, "more than 10 bytes" in job.error_message) == (JobState.FAILED, True)


def test_sources_are_looked_at_before(api, web, tmp_path, allow):
    (tmp_path / "a.csv").write_bytes(b"x;y;z\n")
    host = web({"/b.tsv": (200, {}, FACTS)})
    allow(paths=[tmp_path], hosts=[host])
    body = {"sources": [str(tmp_path / "a.csv"), f"http://{host}/b.tsv"]}
    seen = api().post("/api/v1/uploads/preview", body, format="json").json()
    assert [(one["name"], one["delimiter"], one["upload"]) for one in seen] == [
        ("a.csv", ";", None),
        ("b.tsv", "\t", None),
    ]
    assert seen[1]["source"] == f"http://{host}/b.tsv"
    outside = api().post("/api/v1/uploads/preview", {"sources": ["/etc/passwd"]}, format="json")
    assert refused(outside) == (403, "not_allowed")


def test_questions_are_made_from_a_graph_and_kept_on_demand(api, tiny_graph):
    url = f"/api/v1/graphs/{tiny_graph.pk}/sample-questions"
    first = api("viewer").post(url, {"n": 4, "seed": 1, "hops": [1]}, format="json")
    assert first.status_code == 200
    questions = first.json()["questions"]
    assert len(questions) == 4
    assert first.json()["question_set"] is None
    assert api("viewer").post(url, {"n": 4, "seed": 1, "hops": [1]}, format="json").json() == first.json()
    from tests.conftest import TINY

    for one in questions:
        assert one["hops"] == 1
        assert {answer for (fact,) in one["paths"] for answer in (fact[0], fact[2])} >= set(one["answers"])
        assert all(tuple(fact) in TINY for path in one["paths"] for fact in path)
    refused_ = api("viewer").post(url, {"n": 4, "name": "Samples"}, format="json")
    assert refused(refused_) == (403, "forbidden")
    kept = api("analyst").post(url, {"n": 4, "seed": 1, "hops": [1], "name": "Samples"}, format="json")
    assert (kept.status_code, kept.json()["question_set"]["questions"]) == (201, 4)
    check = api().get(f"/api/v1/question-sets/{kept.json()['question_set']['id']}/check").json()
    assert (check["askable"], check["measurable"]) == (4, 4)
    assert list(api().post(url, {"n": 0, "hops": [4]}, format="json").json()["error"]["fields"]) == [
        "n",
        "hops",
    ]


def test_a_question_set_is_imported_from_elsewhere(api, tiny_graph, tmp_path, web, allow):
    line = b'{"id": "1", "question": "capital of Germany?", "topic_entities": ["Germany"], "answers": ["Berlin"]}\n'
    (tmp_path / "q.jsonl").write_bytes(line)
    host = web({"/q.jsonl": (200, {}, line * 2)})

    def make(source, name):
        body = {"name": name, "graph": tiny_graph.pk, "source": source}
        return api("analyst").post("/api/v1/question-sets", body, format="json")

    assert refused(make(str(tmp_path / "q.jsonl"), "A")) == (403, "not_allowed")
    allow(paths=[tmp_path], hosts=[host])
    made = make(str(tmp_path / "q.jsonl"), "A")
    assert (made.status_code, made.json()["questions"], made.json()["format"]) == (201, 1, "jsonl")
    assert make(f"http://{host}/q.jsonl", "B").status_code == 201
    assert refused(make(f"http://{host}/none.jsonl", "C")) == (400, "bad_source")
    both = {"name": "D", "graph": tiny_graph.pk, "source": "/x", "upload": "0" * 32}
    assert refused(api("analyst").post("/api/v1/question-sets", both, format="json")) == (400, "invalid")
