"""The Python client as docs/client.md says: its code, run against a web server and a worker; and what goes wrong."""

import http.server
import json
import subprocess
import sys
import threading
import types as py_types
import typing
from uuid import UUID

import pytest
from drf_spectacular.generators import SchemaGenerator

import clew
from clew import calls, types
from retrieval.events import AnswerDelta, AnswerFinal, RunFailed, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from tests.support.clew import free_port
from tests.support.guides import run_page
from tests.support.tcp_proxy import TcpProxy
from tests.webapp.review.calls import DRAFTS
from webapp.accounts.models import Scope, User
from webapp.accounts.services import create_token
from webapp.experiments import label_sets
from webapp.jobs import cancel
from webapp.review.services import queues
from webapp.uploads.models import Upload

START = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
BERN = AnswerFinal((Answer("Bern", 0.9),), None, "", (), Usage(), 1.0, sentence="It is Bern.")


@pytest.fixture
def client(server):
    with clew.Client(server.url, server.token("admin")) as opened:
        yield opened


@pytest.fixture
def viewer_token(server):
    return server.token("viewer")


@pytest.mark.slow
def test_the_page_works_as_written(demo, server, tmp_path, monkeypatch):
    monkeypatch.setenv("CLEW_TOKEN", server.token("admin"))
    monkeypatch.setenv("CLEW_URL", server.url)
    changes = {"(1, ": f"({demo.pk}, ", "graph=1": f"graph={demo.pk}"}
    printed, promised = run_page("client.md", tmp_path, changes)
    assert {name: printed[name] for name in promised} == promised


def test_it_loads_no_engine_and_no_server():
    code = "import sys, clew; print({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"retrieval", "webapp", "django", "torch", "numpy", "pydantic"} & set(eval(done.stdout))


def list_schema_kinds(shape, components):
    """The JSON types that a schema allows."""
    if "$ref" in shape:
        return list_schema_kinds(components[shape["$ref"].rpartition("/")[2]], components)
    several = [part for key in ("oneOf", "anyOf", "allOf") for part in shape.get(key, ())]
    if several:
        return {kind for part in several for kind in list_schema_kinds(part, components)}
    kinds = shape.get("type", "object")
    return {kinds} if isinstance(kinds, str) else set(kinds)


JSON_KINDS = {int: "integer", float: "number", str: "string", bool: "boolean", list: "array", type(None): "null"}


def list_hint_kinds(hint):
    """The JSON types that a type hint allows."""
    if isinstance(hint, py_types.UnionType):
        return {kind for part in typing.get_args(hint) for kind in list_hint_kinds(part)}
    return {JSON_KINDS.get(typing.get_origin(hint) or hint, "object")}


def test_types_are_those_of_the_schema():
    components = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    shapes = [shape for shape in vars(types).values() if typing.is_typeddict(shape)]
    wrong = []
    for shape in shapes:
        schema = components[shape.__name__]
        for name, hint in typing.get_type_hints(shape).items():
            allowed = list_schema_kinds(schema["properties"].get(name, {"type": "absent"}), components)
            if list_hint_kinds(hint) != allowed:
                wrong.append((shape.__name__, name, allowed))
        wrong += [(shape.__name__, name) for name in shape.__required_keys__ - {*schema["required"]}]
    assert (wrong, len(shapes)) == ([], 20)


def refuse(call):
    """Status and code of the error, and its message."""
    with pytest.raises(clew.ApiError) as caught:
        call()
    return caught.value.status, caught.value.code, str(caught.value)


def test_errors_say_what_to_do(client, server, tiny_graph, scripted, monkeypatch):
    monkeypatch.delenv("CLEW_TOKEN", raising=False)
    assert refuse(clew.Client)[1:] == (
        "no_token",
        "There is no API token. Make one on the page Account, and give it as `token` or in CLEW_TOKEN.",
    )
    reader = create_token(user=User.objects.get(username="viewer"), scopes=[Scope.READ])
    for token, found in (("wrong", (401, "not_authenticated")), (reader, (403, "forbidden"))):
        with clew.Client(server.url, token) as other:
            assert refuse(lambda other=other: other.ask(tiny_graph.pk, "Where?"))[:2] == found
    assert client.call("GET", f"graphs/{tiny_graph.pk}")["name"] == "Tiny"
    assert refuse(lambda: client.call("GET", "nothing"))[:2] == (404, "not_found")
    assert refuse(lambda: client.ask(99, "Where?"))[:2] == (404, "not_found")
    assert refuse(lambda: client.ask(tiny_graph.pk, "Where?", method="magic"))[:2] == (400, "unknown_method")
    assert refuse(lambda: client.retrieve(tiny_graph.pk, "Where?", budget=-1))[0] == 400
    assert refuse(lambda: client.evaluate(tiny_graph.pk, 99))[:2] == (404, "not_found")
    assert refuse(lambda: list(client.follow_run("00000000-0000-4000-8000-000000000000")))[:2] == (0, "not_found")
    with clew.Client(f"http://127.0.0.1:{free_port()}", "token") as away:
        status, code, message = refuse(lambda: away.ask(1, "Where?"))
        assert (status, code) == (0, "no_response")
        assert message.endswith("(ConnectError). Start it with `clew up`, or correct the URL.")
    scripted(START, RunFailed("damaged", "A file is broken.", "Import the graph again."))
    damaged = 0, "damaged", "A file is broken. Import the graph again."
    assert refuse(lambda: client.ask(tiny_graph.pk, "Where?")) == damaged
    assert refuse(lambda: list(client.stream(tiny_graph.pk, "Where?"))) == damaged
    answers = client.ask_all(tiny_graph.pk, ["Where?"] * 2)
    assert [(answer.labels, str(answer)) for answer in answers] == [
        ([], "A file is broken. Import the graph again.")
    ] * 2


class Busy(http.server.BaseHTTPRequestHandler):
    """A server that answers with what is next in ``plan``: status, a header or None, and a body."""

    plan: typing.ClassVar[list] = []
    seen: typing.ClassVar[list] = []

    def do_GET(self):
        status, again, content = self.plan.pop(0)
        self.seen.append(self.path)
        self.send_response(status)
        if again:
            self.send_header("Retry-After", again)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def test_a_busy_server_is_called_again():
    rows = json.dumps({"results": [{"id": 1}], "next": None}).encode()
    full = b'{"error": {"code": "too_many_runs", "message": "Too many wait.", "hint": "Wait."}}'
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) as busy:
        threading.Thread(target=busy.serve_forever).start()
        with clew.Client(f"http://127.0.0.1:{busy.server_port}", "token") as client:
            Busy.plan[:] = [(429, "0", full), (503, "0", b"<html>"), (200, None, rows)]
            assert client.list_graphs() == [{"id": 1}]
            assert len(Busy.seen) == 3
            Busy.plan[:] = [(429, "3600", full)]
            assert refuse(client.list_graphs) == (429, "too_many_runs", "Too many wait. Wait.")
            Busy.plan[:] = [(429, "0", full)] * 6
            assert refuse(client.list_graphs)[0] == 429
            Busy.plan[:] = [(200, None, b"<html>")]
            assert refuse(client.list_graphs)[1] == "not_clew"
        busy.shutdown()


def test_events_come_through_broken_connections(server, tiny_graph, scripted):
    with TcpProxy(server.port) as proxy:
        cut = threading.Event()
        scripted(START, AnswerDelta("It is "), lambda: cut.wait(30), AnswerDelta("Bern."), BERN)
        with clew.Client(f"http://127.0.0.1:{proxy.port}", server.token("viewer")) as client:
            seen = []
            for event in client.stream(tiny_graph.pk, "Where?"):
                seen.append(event["seq"])
                if event["type"] == "answer.delta" and not cut.is_set():
                    proxy.drop()
                    proxy.restore()
                    cut.set()
    assert seen == [1, 2, 3, 4]


def test_leaving_the_loop_stops_the_run(server, tiny_graph, scripted):
    left = threading.Event()
    scripted(START, lambda: left.wait(30), BERN)
    with clew.Client(server.url, server.token("viewer")) as client:
        events = client.stream(tiny_graph.pk, "Where?")
        run = next(events)["run"]
        assert not cancel.make_stop_check("run", UUID(run))()
        events.close()
        assert cancel.make_stop_check("run", UUID(run))()
        left.set()
        client.stop_run(client.wait_for_answer(run).run["id"])  # one that has ended stays as it is


async def test_the_asynchronous_client_does_the_same(server, tiny_graph, scripted, viewer_token):
    scripted(START, AnswerDelta("It is "), BERN)
    async with clew.AsyncClient(server.url, viewer_token) as client:
        assert [graph["name"] for graph in await client.list_graphs()] == ["Tiny"]
        answer = await client.ask(tiny_graph.pk, "Where?")
        assert (str(answer), answer.labels, answer.confidence) == ("It is Bern.", ["Bern"], 0.9)
        events = [event["type"] async for event in client.stream(tiny_graph.pk, "Where?", follows=answer.run["id"])]
        assert events == ["run.started", "answer.delta", "answer.final"]


def test_an_upload_goes_on_where_a_connection_broke(server, users, tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "PIECE", 16)
    (tmp_path / "facts.tsv").write_text("Bern\tin\tSwitzerland\nParis\tin\tFrance\n")
    with TcpProxy(server.port) as proxy:
        sent = []

        def cut(done, size):
            sent.append((done, size))
            proxy.drop()
            proxy.restore()

        with clew.Client(f"http://127.0.0.1:{proxy.port}", server.token("admin")) as client:
            graph = client.upload_graph("Cities", [tmp_path / "facts.tsv"], progress=cut, visibility="public")
    assert (graph["state"], graph["triples"], sent) == ("ready", 2, [(16, 36), (32, 36), (36, 36)])
    assert not Upload.objects.exists()


def test_a_review_is_exported(client, tiny_graph, question_set):
    labels = label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="One", user=None
    )
    label_sets.save_label_set(label_set=labels, questions=2, labels=2)
    labels.refresh_from_db()
    queue = queues.start_queue(
        graph=tiny_graph, question_set=question_set, label_sets=[labels], plan=queues.Plan(), user=None
    )
    queues.save_items(queue=queue, drafts=DRAFTS)
    assert [row["items"] for row in client.list_review_queues()] == [len(DRAFTS)]
    header, *rows = client.export_review(queue.pk, "csv").splitlines()
    assert (header.split(",")[0], rows) == ("position", [])
    assert refuse(lambda: client.export_review(queue.pk, "pdf"))[0] == 400
