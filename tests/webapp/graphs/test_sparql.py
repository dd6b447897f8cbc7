"""A graph as an endpoint of the SPARQL 1.1 protocol, asked by SPARQLWrapper over a real server."""

import shutil

import pytest
from SPARQLWrapper import CSV, GET, JSON, N3, POST, POSTDIRECTLY, TSV, TURTLE, URLENCODED, XML, SPARQLWrapper

from retrieval.kg import snapshot as kg
from retrieval.programs.algebra.operations import Entities, Walk
from retrieval.programs.rendering.sparql import write_sparql
from tests.support.servers import WebServer
from tests.support.sparql_server import SparqlServer
from webapp.accounts.models import User
from webapp.accounts.services import create_token
from webapp.graphs import sparql
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import Visibility

NEIGHBOURS = "SELECT ?x WHERE { <urn:clew:e:Switzerland> <urn:clew:r:borders> ?x } ORDER BY ?x"
FRANCE, GERMANY = "urn:clew:e:France", "urn:clew:e:Germany"


@pytest.fixture
def server(users, tmp_path):
    with WebServer(tmp_path, {}) as running:
        yield running


def make_wrapper(server, graph, token):
    wrapper = SPARQLWrapper(f"{server.url}/api/v1/graphs/{graph.pk}/sparql")
    wrapper.addCustomHttpHeader("Authorization", f"Bearer {token}")
    return wrapper


def ask(wrapper, query, form=JSON):
    wrapper.setQuery(query)
    wrapper.setReturnFormat(form)
    return wrapper.query().convert()


def list_column(result, name="x"):
    return [row[name]["value"] for row in result["results"]["bindings"]]


@pytest.mark.slow
def test_the_protocol_as_a_client_speaks_it(server, tiny_graph):
    wrapper = make_wrapper(server, tiny_graph, create_token(user=User.objects.get(username="viewer"), scopes=["read"]))
    for method, encoding in ((GET, URLENCODED), (POST, URLENCODED), (POST, POSTDIRECTLY)):
        wrapper.setMethod(method)
        wrapper.setRequestMethod(encoding)
        assert list_column(ask(wrapper, NEIGHBOURS)) == [FRANCE, GERMANY]
    assert ask(wrapper, NEIGHBOURS, CSV) == f"x\r\n{FRANCE}\r\n{GERMANY}\r\n".encode()
    assert ask(wrapper, NEIGHBOURS, TSV) == f"?x\n<{FRANCE}>\n<{GERMANY}>\n".encode()
    table = ask(wrapper, NEIGHBOURS, XML)
    assert [node.firstChild.data for node in table.getElementsByTagName("uri")] == [FRANCE, GERMANY]
    assert ask(wrapper, f"ASK {{ <{GERMANY}> <urn:clew:r:capital> ?x }}")["boolean"] is True
    construct = "CONSTRUCT { ?s <urn:made> ?o } WHERE { ?s <urn:clew:r:capital> ?o }"
    assert ask(wrapper, construct, TURTLE) == f"<{GERMANY}> <urn:made> <urn:clew:e:Berlin> .\n".encode()
    assert ask(wrapper, construct, N3) == ask(wrapper, construct, TURTLE)
    with pytest.warns(DeprecationWarning, match="ConjunctiveGraph"):  # of the client's own
        (made,) = ask(wrapper, construct, XML)
    assert [str(term) for term in made] == [GERMANY, "urn:made", "urn:clew:e:Berlin"]
    described = ask(wrapper, f"DESCRIBE <{GERMANY}>", TURTLE).decode()
    assert f"<{GERMANY}>" in described
    assert '"Germany"' in described
    # The SPARQL that Clew shows beside an answer can be sent as it is.
    snapshot = kg.open(ensure_local_path(tiny_graph.snapshot.path))
    capital = Walk(Entities((snapshot.find_entity("Germany"),)), snapshot.find_relation("capital"))
    assert list_column(ask(wrapper, write_sparql(snapshot, capital)), "node") == ["urn:clew:e:Berlin"]


@pytest.fixture
def query(api, tiny_graph):
    """``query(text)``: the answer to a query of a viewer."""

    def answer(text, role="viewer", accept="application/json", **parameters):
        path = f"/api/v1/graphs/{tiny_graph.pk}/sparql"
        return api(role).get(path, {"query": text, **parameters}, headers={"accept": accept})

    return answer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "cannot be changed by SPARQL updates"),
        ("PREFIX a: <urn:a> # comment\n delete where { ?s ?p ?o }", "cannot be changed by SPARQL updates"),
        ("LOAD <http://example.org/data>", "cannot be changed by SPARQL updates"),
        ("SELECT ?x WHERE { ?x ?y", "The query is no SPARQL: error at 1:24"),
        ("What is the capital of Germany?", "The query is no SPARQL"),
        ("SELECT (<urn:nothing>(1) AS ?x) {}", "custom function <urn:nothing> is not supported"),
    ],
)
def test_what_is_no_query_is_refused(query, text, message):
    answer = query(text)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad_query")
    assert message in error["message"]
    assert error["hint"]


@pytest.mark.parametrize(
    "call",
    [
        "SERVICE {0} {{ ?s ?p ?o }}",
        "service  silent\n{0}{{ ?s ?p ?o }}",
        "FILTER(1 <2)SERVICE#>\n{0}#{{\n{{ ?s ?p ?o }}",
        "VALUES ?w {{ {0} }} SERVICE?w{{ ?s ?p ?o }}",
        "VALUES ?w {{ {0} }} SERVICE $w # }}\n {{ ?s ?p ?o }}",
        "SERVICE there:sparql {{ ?s ?p ?o }}",
        "SERVICE there:%73parq\\l {{ ?s ?p ?o }}",
        r"\u0053ERVICE {0} {{ ?s ?p ?o }}",
    ],
)
def test_no_other_server_is_called(query, call):
    with SparqlServer("<urn:a> <urn:b> <urn:c> .") as other:
        prefix = f"PREFIX there: <{other.url.removesuffix('sparql')}> "
        answer = query(f"{prefix}SELECT * WHERE {{ {call.format(f'<{other.url}>')} }}")
        assert answer.json()["error"]["code"] == "bad_query"
        assert other.queries == []


def test_names_that_resemble_a_call_are_allowed(query):
    text = "PREFIX service: <urn:service#>\nASK { ?service service:service ?s . FILTER(?s != 'a service <b>') }"
    assert query(text).json() == {"head": {}, "boolean": False}


def test_formats_follow_the_order_of_preference(query):
    def choose(text, accept):
        return query(text, accept=accept).headers["Content-Type"]

    construct = "CONSTRUCT WHERE { ?s ?p ?o }"
    assert choose(NEIGHBOURS, "text/csv;q=0.5, text/tab-separated-values") == "text/tab-separated-values; charset=utf-8"
    assert choose(NEIGHBOURS, "text/html, */*;q=0.1") == "application/sparql-results+json"
    assert choose(construct, "text/csv, text/turtle;q=0.2") == "text/turtle"
    assert choose(construct, "*/*") == "application/n-triples"


def test_limits_and_mistakes_of_a_request(query, api, tiny_graph, monkeypatch):
    path = f"/api/v1/graphs/{tiny_graph.pk}/sparql"
    for answer in (
        query(""),
        query(NEIGHBOURS, **{"default-graph-uri": "urn:g"}),
        api("viewer").get(path),
        api("viewer").get(f"{path}?update=CLEAR+ALL&query=x"),
        api("viewer").post(path, "CLEAR ALL", content_type="application/sparql-update"),
        api("viewer").post(path, b"\xff", content_type="application/sparql-query"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert api("viewer").post(path, "{}", content_type="application/json").status_code == 415
    assert api(None).get(path).status_code == 401
    with monkeypatch.context() as patch:
        patch.setattr(sparql, "BUILD_LIMITS", sparql.child_process.Limits(seconds=1e-9))
        assert query(NEIGHBOURS).json()["error"]["message"].startswith("Preparing this graph for SPARQL took more than")
    with monkeypatch.context() as patch:
        patch.setattr(sparql, "RESULT_BYTES_MAX", 20)
        assert "more than 2e-05 MB" in query(NEIGHBOURS).json()["error"]["message"]
    with monkeypatch.context() as patch:
        patch.setattr(sparql, "QUERY_LIMITS", sparql.child_process.Limits(seconds=0.3))
        endless = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(12)) + " }"
        assert "took more than 0.3 s" in query(endless).json()["error"]["message"]
    with monkeypatch.context() as patch:
        patch.setattr(sparql, "FACTS_MAX", 5)
        assert "more than 5 facts" in query(NEIGHBOURS).json()["error"]["message"]
    assert query(NEIGHBOURS).status_code == 200


def test_versions_are_queried_each_by_itself(query, tiny_graph, make_version):
    first = tiny_graph.snapshot.hash
    assert len(query(NEIGHBOURS).json()["results"]["bindings"]) == 2
    make_version(("Switzerland", "borders", "Austria"))
    assert len(query(NEIGHBOURS).json()["results"]["bindings"]) == 3
    assert len(query(NEIGHBOURS, snapshot=first).json()["results"]["bindings"]) == 2
    assert query(NEIGHBOURS, snapshot="0").json()["error"]["code"] == "version_gone"


def test_whoever_does_not_see_a_graph_does_not_query_it(query, tiny_graph):
    tiny_graph.visibility = Visibility.PRIVATE
    tiny_graph.save(update_fields=["visibility"])
    assert query(NEIGHBOURS).status_code == 404
    assert query(NEIGHBOURS, role="admin").status_code == 200


def test_a_store_that_was_deleted_is_made_again(query, tiny_graph):
    answer = query(NEIGHBOURS).content
    shutil.rmtree(ensure_local_path(tiny_graph.snapshot.path) / "cache")
    assert query(NEIGHBOURS).content == answer
