"""Graphs that live in a SPARQL endpoint: connecting, checking, changing and looking around. A real one, over HTTP."""

import threading
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.sparql_server import SparqlServer
from webapp.graphs import endpoints
from webapp.graphs.models import EndpointTerm, Graph, GraphEndpoint
from webapp.jobs.models import Job

FILMS = """
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:jaws rdfs:label "Jaws"@en ; :directedBy :s ; :year 1975 ; :part [ :actor :s ] .
:et rdfs:label "E.T."@en ; :directedBy :s .
:s rdfs:label "Steven Spielberg"@en ; :born :ohio .
:jaws2 rdfs:label "Jaws"@en .
"""


@pytest.fixture
def server():
    with SparqlServer("<http://x/a> <http://x/p> 1 .", graphs={"http://x/films": FILMS}) as running:
        yield running


@pytest.fixture
def allow(settings):
    def set_(*hosts):
        settings.CLEW = replace(settings.CLEW, import_hosts=hosts)

    return set_


@pytest.fixture
def connect(api, server, allow):
    """``connect()`` makes a graph of the films; the answer."""

    def made(role="admin", **values):
        allow(server.url.split("/")[2])
        body = {"name": "Films", "url": server.url, "named_graph": "http://x/films"}
        body |= {"visibility": "public", **values}
        return api(role).post("/api/v1/endpoints", body, format="json")

    return made


@pytest.fixture
def films(connect):
    return connect().json()


def refused(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_an_endpoint_becomes_a_graph(connect, server):
    answer = connect(description="About films", languages=["en", "de"], hops=1)
    assert answer.status_code == 201, answer.content
    graph = answer.json()
    assert (graph["name"], graph["state"], graph["snapshot"], graph["owner"]) == (
        "Films",
        "ready",
        None,
        "admin",
    )
    endpoint = graph["endpoint"]
    assert endpoint.pop("checked_at").startswith("20")
    assert endpoint.pop("took_ms") > 0
    assert endpoint == {
        "url": server.url,
        "named_graph": "http://x/films",
        "languages": ["en", "de"],
        "hops": 1,
        "max_triples": 5000,
        "per_entity": 100,
        "timeout": 20.0,
        "named": True,
        "error": None,
    }
    assert Job.objects.count() == 0  # nothing is imported


def test_others_than_administrators_connect_nothing(connect):
    assert refused(connect("analyst")) == (403, "forbidden")
    assert Graph.objects.count() == 0


def test_only_hosts_that_the_operator_lists_are_asked(connect, server, allow, api):
    for url in (
        "http://127.0.0.1:1/sparql",
        "http://169.254.169.254/latest",
        "http://localhost/sparql",
        "file:///etc/passwd",
        server.url.replace("http://", "http://user:secret@"),
    ):
        assert refused(connect(url=url)) == (403, "not_allowed")
    allow()
    answer = api().post("/api/v1/endpoints", {"name": "x", "url": server.url}, format="json")
    assert refused(answer) == (403, "not_allowed")
    assert "CLEW_IMPORT_HOSTS" in answer.json()["error"]["hint"]
    assert server.queries == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (("503 Service Unavailable", b"busy"), "answered 503 (busy)"),
        (("302 Found", b""), "points to http://elsewhere.test/sparql"),
        (("200 OK", b"<html>hello</html>"), "did not answer with SPARQL results"),
    ],
)
def test_what_is_no_endpoint_is_not_kept(connect, server, broken, said):
    server.broken = broken
    answer = connect()
    assert refused(answer) == (502, "endpoint_unavailable")
    assert said in answer.json()["error"]["message"]
    assert Graph.objects.count() == 0


def test_an_endpoint_that_is_slow_empty_or_gone_is_not_kept(connect, server, allow, api):
    answer = connect(named_graph="http://x/no-such-graph")
    assert refused(answer) == (400, "empty_source")
    assert "no facts in the graph http://x/no-such-graph" in answer.json()["error"]["message"]
    server.delay = 1
    answer = connect(timeout=0.5)
    assert "did not answer within 0.5 seconds" in answer.json()["error"]["message"]
    allow("127.0.0.1:1")
    gone = {"name": "Gone", "url": "http://127.0.0.1:1/sparql"}
    answer = api().post("/api/v1/endpoints", gone, format="json")
    assert refused(answer) == (502, "endpoint_unavailable")
    assert "cannot be reached" in answer.json()["error"]["message"]
    assert Graph.objects.count() == 0


def test_names_are_taken_once(connect, films):
    assert refused(connect()) == (409, "name_taken")
    assert GraphEndpoint.objects.count() == 1


def test_a_failed_import_gives_its_name_up(connect, users):
    failed = Graph.objects.create(name="Films", owner=users["admin"], state="failed")
    assert connect().status_code == 201
    failed.refresh_from_db()
    assert failed.deleted_by == users["admin"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"hops": 5},
        {"max_triples": 0},
        {"per_entity": 10_001},
        {"timeout": 61},
        {"languages": ['en") || true']},
    ],
)
def test_settings_that_make_no_sense_are_refused(connect, wrong):
    answer = connect(**wrong)
    assert refused(answer) == (400, "invalid")
    assert set(answer.json()["error"]["fields"]) == set(wrong)


def test_it_says_that_nothing_has_a_name_in_these_languages(connect):
    assert connect(languages=["fr"]).json()["endpoint"]["named"] is False


def test_settings_change_only_when_the_endpoint_answers(api, films, server):
    path = f"/api/v1/graphs/{films['id']}/endpoint"
    changed = api().patch(path, {"hops": 3, "languages": ["de"]}, format="json").json()["endpoint"]
    assert (changed["hops"], changed["languages"], changed["named"], changed["url"]) == (
        3,
        ["de"],
        False,
        server.url,
    )
    assert refused(api().patch(path, {"url": "http://127.0.0.1:1/"}, format="json")) == (403, "not_allowed")
    assert refused(api().patch(path, {"named_graph": "http://x/none"}, format="json")) == (
        400,
        "empty_source",
    )
    assert refused(api("analyst").patch(path, {"hops": 1}, format="json")) == (403, "forbidden")
    row = GraphEndpoint.objects.get()
    assert (row.url, row.named_graph, row.hops) == (server.url, "http://x/films", 3)


def test_a_check_says_what_is_wrong_and_when_it_is_right_again(api, films, server):
    path = f"/api/v1/graphs/{films['id']}/endpoint/check"
    server.broken = ("503 Service Unavailable", b"busy")
    down = api().post(path)
    assert down.status_code == 200
    assert down.json()["endpoint"]["error"]["code"] == "endpoint_unavailable"
    assert down.json()["endpoint"]["took_ms"] is None
    assert down.json()["endpoint"]["checked_at"] > films["endpoint"]["checked_at"]
    assert down.json()["state"] == "ready"
    server.broken = None
    up = api().post(path).json()["endpoint"]
    assert (up["error"], up["took_ms"] > 0) == (None, True)
    assert refused(api("viewer").post(path)) == (403, "forbidden")


def test_only_graphs_in_an_endpoint_have_one(api, tiny_graph):
    assert api().get(f"/api/v1/graphs/{tiny_graph.pk}").json()["endpoint"] is None
    assert api().post(f"/api/v1/graphs/{tiny_graph.pk}/endpoint/check").status_code == 404


def test_it_is_shared_renamed_and_deleted_like_any_other(api, films):
    path = f"/api/v1/graphs/{films['id']}"
    api().patch(path, {"name": "Movies", "visibility": "private"}, format="json")
    assert api("viewer").get(path).status_code == 404
    assert api("viewer").get(f"{path}/entities?q=Jaws").status_code == 404
    assert api().delete(f"{path}?confirm=Movies").status_code == 204
    assert api().get(path).status_code == 404
    restored = api().post(f"/api/v1/trash/{films['id']}/restore").json()
    assert (restored["name"], restored["endpoint"]["named_graph"]) == ("Movies", "http://x/films")
    api().delete(f"{path}?confirm=Movies")
    assert api().delete(f"/api/v1/trash/{films['id']}?confirm=Movies").status_code == 204
    assert (Graph.objects.count(), GraphEndpoint.objects.count()) == (0, 0)


def test_entities_are_found_by_their_whole_name_or_iri(api, films):
    path = f"/api/v1/graphs/{films['id']}/entities"
    (first, second) = api("viewer").get(path, {"q": "jaws"}).json()
    assert {k: first[k] for k in ("label", "kind", "about", "degree", "source")} == {
        "label": "Jaws",
        "kind": "entity",
        "about": "http://x/jaws",
        "degree": 4,
        "source": "exact",
    }
    assert (second["about"], second["degree"]) == ("http://x/jaws2", 1)
    (again,) = api("viewer").get(path, {"q": "http://x/jaws"}).json()
    assert again["id"] == first["id"]  # an entity keeps its number
    assert api("viewer").get(path, {"q": "Jaw"}).json() == []
    assert api("viewer").get(path).json() == []


def find(api, graph, name):
    return api("viewer").get(f"/api/v1/graphs/{graph['id']}/entities", {"q": name}).json()[0]["id"]


def around(api, graph, entity, **more):
    return api("viewer").get(f"/api/v1/graphs/{graph['id']}/neighbours", {"entity": entity, **more})


def test_what_lies_around_an_entity_is_asked_for(api, films, server):
    spielberg = find(api, films, "Steven Spielberg")
    found = around(api, films, spielberg).json()
    assert (found["node"]["label"], found["total"], found["shown"], found["cut"]) == (
        "Steven Spielberg",
        4,
        4,
        False,
    )
    assert {(g["label"], g["direction"], g["count"]) for g in found["groups"]} == {
        ("born", "out", 1),
        ("directed by", "in", 2),
        ("actor", "in", 1),
    }
    asked = len(server.queries)
    (hop,) = around(api, films, spielberg, relation="http://x/born", direction="out").json()["hops"]
    assert (hop["source"]["id"], hop["target"]["label"], hop["verified"]) == (spielberg, "ohio", True)
    assert len(server.queries) == asked  # what was just pulled is not pulled again
    beyond = around(api, films, hop["target"]["id"]).json()  # one goes on from there
    assert [h["target"]["id"] for h in beyond["hops"]] == [spielberg]


def test_values_and_nameless_nodes_lead_nowhere(api, films):
    jaws = find(api, films, "http://x/jaws")
    hops = around(api, films, jaws).json()["hops"]
    for kind, said in (("literal", "“1975” is a value"), ("cvt", "no name of its own")):
        (node,) = [hop["target"] for hop in hops if hop["target"]["kind"] == kind]
        answer = around(api, films, node["id"])
        assert refused(answer) == (400, "unknown_entity")
        assert said in answer.json()["error"]["message"]
    assert refused(around(api, films, 2**31)) == (400, "unknown_entity")


def test_a_hub_is_cut_and_says_so(connect, api, server):
    for i in range(30):
        server.add(f"<http://x/e{i}> <http://x/in> <http://x/hub> .")
    hub = connect(named_graph="", per_entity=2).json()
    found = around(api, hub, find(api, hub, "http://x/hub")).json()
    assert (found["total"], found["cut"]) == (10, True)


def test_an_endpoint_that_is_away_says_so_when_it_is_looked_at(api, films, server):
    spielberg = find(api, films, "Steven Spielberg")
    endpoints.get_subgraph_cache().clear()
    server.broken = ("200 OK", b"<html>")
    assert refused(around(api, films, spielberg)) == (502, "endpoint_unavailable")
    answer = api("viewer").get(f"/api/v1/graphs/{films['id']}/entities", {"q": "Jaws"})
    assert refused(answer) == (502, "endpoint_unavailable")


def test_a_slow_endpoint_does_not_take_everybodys_place(api, films, monkeypatch):
    monkeypatch.setattr(endpoints, "_waiting", threading.BoundedSemaphore(1))
    spielberg = find(api, films, "Steven Spielberg")
    with endpoints._waiting:
        assert refused(around(api, films, spielberg)) == (423, "busy")
    assert around(api, films, spielberg).status_code == 200


def test_several_methods_are_compared_on_it(api, films):
    body = {
        "graph": films["id"],
        "question": "Who directed Jaws?",
        "methods": [{"method": "rel-rag-path"}, {"method": "rapl"}],
    }
    answer = api("viewer").post("/api/v1/comparisons", body, format="json")
    assert [run["snapshot"] for run in answer.json()["runs"]] == ["", ""]
    body["methods"].append({"method": "inses"})
    assert refused(api("viewer").post("/api/v1/comparisons", body, format="json")) == (400, "unknown_method")


def test_no_questions_are_kept_for_it(api, films):
    file = SimpleUploadedFile("q.jsonl", b'{"id": "1", "question": "q", "topic_entities": [], "answers": ["x"]}')
    body = {"name": "Questions", "graph": films["id"], "file": file}
    answer = api("analyst").post("/api/v1/question-sets", body, format="multipart")
    assert refused(answer) == (409, "not_imported")


def test_numbers_stand_for_one_thing_each(films):
    first = endpoints.assign_numbers(films["id"], ["<http://x/a", '"a'])
    again = endpoints.assign_numbers(films["id"], ['"a', "<http://x/b", "<http://x/a"])
    assert (first["<http://x/a"], first['"a']) == (again["<http://x/a"], again['"a'])
    assert len(set(again.values())) == 3
    assert EndpointTerm.objects.filter(graph=films["id"]).count() == 3
    assert endpoints.require_iris(films["id"], [again["<http://x/b"], again["<http://x/a"]]) == [
        "http://x/b",
        "http://x/a",
    ]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "statistics"),
        ("get", "schema"),
        ("get", "report"),
        ("get", "relations"),
        ("get", "passages"),
        ("post", "index"),
        ("post", "sample-questions"),
    ],
)
def test_what_needs_an_import_says_so(api, films, method, path):
    answer = getattr(api(), method)(f"/api/v1/graphs/{films['id']}/{path}")
    assert refused(answer) == (409, "not_imported")
    assert "upload it as a graph of its own" in answer.json()["error"]["hint"]


def test_no_files_are_put_over_an_endpoint(api, films, tmp_path):
    (tmp_path / "facts.tsv").write_text("a\tr\tb\n")
    with (tmp_path / "facts.tsv").open("rb") as file:
        body = {"mode": "replace", "files": [file]}
        answer = api().post(f"/api/v1/graphs/{films['id']}/versions", body, format="multipart")
    assert refused(answer) == (409, "not_imported")


@pytest.mark.parametrize("method", ["inses", "router", "graph-s3", "text-rag", "llm-only"])
def test_methods_that_need_more_say_which_do_not(api, films, method):
    body = {"graph": films["id"], "question": "Who directed Jaws?", "method": method}
    answer = api("viewer").post("/api/v1/runs", body, format="json")
    assert refused(answer) == (400, "unknown_method")
    assert "lives in a SPARQL endpoint" in answer.json()["error"]["message"]
    assert "rel-rag-path" in answer.json()["error"]["hint"]


def test_a_run_is_queued_and_names_no_snapshot(api, films):
    body = {"graph": films["id"], "question": "Who directed Jaws?", "entities": [find(api, films, "Jaws")]}
    run = api("viewer").post("/api/v1/runs", body, format="json").json()
    assert (run["state"], run["snapshot"], run["method"], run["checkpoint"]) == (
        "queued",
        "",
        "rel-rag-path",
        None,
    )
    body["entities"] = [2**31 - 1]
    assert refused(api("viewer").post("/api/v1/runs", body, format="json")) == (400, "unknown_entity")


def test_status_tells_which_methods_ask_endpoints(api):
    found = {m["id"]: m["on_endpoints"] for m in api().get("/api/v1/status").json()["methods"]}
    assert {method for method, can in found.items() if can} == {
        "rel-rag-path",
        "rel-rag-triple",
        "rapl",
        "reg-triple",
        "reg-entity",
        "reg-path",
    }
