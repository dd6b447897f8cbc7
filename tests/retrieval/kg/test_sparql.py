"""A graph that stays in a SPARQL endpoint: a real one, over HTTP."""

import pytest

from retrieval.errors import Cancelled, ConfigError, EndpointError, QuestionError, UnknownEntityError
from retrieval.kg import endpoint, search
from retrieval.kg.sparql import SparqlGraph, SparqlOptions, options_from
from tests.retrieval import world
from tests.support.sparql_server import SparqlServer

FILMS = """
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix wikibase: <http://wikiba.se/ontology#> .
:jaws rdfs:label "Jaws"@en , "Der weiße Hai"@de ; :directedBy :s ; :year 1975 ; :genre :horror ; :note "Hai"@de .
:et rdfs:label "E.T. the Extra-Terrestrial"@en ; :directedBy :s .
:s rdfs:label "Steven Spielberg"@en ; skos:altLabel "Spielberg" ; :born :ohio ; :P106 :director .
:ohio rdfs:label "Ohio"@en ; :partOf :usa .
:usa rdfs:label "United States"@en .
:horror rdfs:label "Horror" .
:jaws2 rdfs:label "Jaws"@en .
:Occupation wikibase:directClaim :P106 ; rdfs:label "occupation"@en .
:cast :film :jaws ; :part [ :actor :s ] .
"""


@pytest.fixture
def server():
    with SparqlServer(FILMS) as running:
        yield running


@pytest.fixture
def graph(server):
    with SparqlGraph(server.url) as opened:
        yield opened


def facts(snapshot):
    return {
        (
            snapshot.entity_label(int(h)),
            snapshot.relation_label(int(r)),
            snapshot.entity_label(int(t)),
        )
        for h, r, t in zip(snapshot.heads, snapshot.relations, snapshot.tails, strict=True)
    }


def test_names_are_found_and_of_several_the_one_of_most_facts(graph):
    assert graph.find(["Jaws", "Spielberg", "http://x/usa", "Nobody"]) == {
        "Jaws": "http://x/jaws",
        "Spielberg": "http://x/s",
        "http://x/usa": "http://x/usa",
    }


def test_a_question_is_linked_by_its_longest_names(graph):
    assert graph.link("who directed E.T. the Extra-Terrestrial and Jaws?") == {
        "E.T. the Extra-Terrestrial": "http://x/et",
        "Jaws": "http://x/jaws",
    }
    assert graph.link("films of steven spielberg") == {"steven spielberg": "http://x/s"}
    assert graph.link("what is it of?") == {}
    with pytest.raises(QuestionError):
        graph.link(" ? ")


def test_what_is_near_becomes_a_snapshot(graph, server):
    found = graph.subgraph(["http://x/jaws"])
    assert not found.truncated
    assert facts(found.snapshot) == {
        ("Jaws", "directed by", "Steven Spielberg"),
        ("Jaws", "year", "1975"),
        ("Jaws", "genre", "Horror"),
        ("cast", "film", "Jaws"),
        ("cast", "part", "_:b.1"),
        ("_:b.1", "actor", "Steven Spielberg"),
        ("E.T. the Extra-Terrestrial", "directed by", "Steven Spielberg"),
        ("Steven Spielberg", "born", "Ohio"),
        ("Steven Spielberg", "occupation", "director"),
        ("Steven Spielberg", "alt label", "Spielberg"),
    }
    (topic,) = found.topics
    assert found.snapshot.entity_label(topic) == "Jaws"
    assert found.snapshot.entity_iri(topic) == "http://x/jaws"
    assert found.snapshot.labels.resolve("spielberg") == world.ids(found.snapshot, "Steven Spielberg")[0]
    born = found.snapshot.find_relation("http://x/born"), False
    directed = found.snapshot.find_relation("http://x/directedBy"), False
    reached = search.execute(found.snapshot, [topic], [directed, born])[-1]
    assert world.labels(found.snapshot, reached) == ["Ohio"]
    asked = len(server.queries)
    assert graph.subgraph(["http://x/jaws"]) is found  # kept
    assert len(server.queries) == asked == found.queries


def test_limits_hold_and_are_told(server):
    with SparqlGraph(server.url, SparqlOptions(hops=1)) as near:
        assert ("Steven Spielberg", "born", "Ohio") not in facts(near.subgraph(["http://x/jaws"]).snapshot)
    many = "@prefix : <http://x/> . " + " ".join(f":e{i} :in :hub . :hub :has :v{i} ." for i in range(50))
    with SparqlServer(f"{many} :a :in :hub .") as hub:
        with SparqlGraph(hub.url, SparqlOptions(hops=2, per_entity=5)) as graph:
            found = graph.subgraph(["http://x/a"])
            assert found.truncated
            assert found.snapshot.num_triples <= 1 + 5 + 5
            assert found.snapshot.num_triples >= 10
        with SparqlGraph(hub.url, SparqlOptions(max_triples=7)) as graph:
            found = graph.subgraph(["http://x/hub"])
            assert (found.snapshot.num_triples, found.truncated) == (7, True)


def test_what_was_pulled_is_removed(server):
    with SparqlGraph(server.url) as graph:
        path = graph.subgraph(["http://x/jaws"]).snapshot.path
        assert path.is_dir()
    assert not path.exists()
    with pytest.raises(EndpointError, match="was closed"):
        graph.subgraph(["http://x/usa"])


def test_a_name_cannot_break_out_of_its_query(graph):
    assert graph.find(['"} ?e ?p ?o } #', "back\\slash", "new\nline"]) == {}
    with pytest.raises(ValueError, match="IRI"):
        graph.subgraph(["http://x/a> ?p ?o . <http://x/b"])


@pytest.mark.parametrize(
    ("answer", "said", "hint"),
    [
        (("503 Service Unavailable", b"busy"), r"answered 503 \(busy\)", "Try again later"),
        (("404 Not Found", b""), "answered 404", "endpoint itself"),
        (("429 Too Many Requests", b""), "answered 429", "asked too much"),
        (("302 Found", b""), r"points to http://elsewhere\.test/sparql", "Redirects are not followed"),
        (("200 OK", b"<html>hello</html>"), "did not answer with SPARQL results", "endpoint itself"),
        (
            ("200 OK", b'{"head": {}, "boolean": true}'),
            "did not answer with SPARQL results",
            "endpoint itself",
        ),
    ],
)
def test_an_endpoint_that_fails_says_how(graph, server, answer, said, hint):
    server.broken = answer
    with pytest.raises(EndpointError, match=said) as caught:
        graph.find(["Jaws"])
    assert hint in caught.value.hint


def test_an_endpoint_that_is_slow_down_or_endless(server, monkeypatch):
    server.delay = 0.5
    with (
        SparqlGraph(server.url, SparqlOptions(timeout=0.1)) as graph,
        pytest.raises(EndpointError, match=r"within 0\.1 seconds"),
    ):
        graph.find(["Jaws"])
    server.delay = 0
    monkeypatch.setattr(endpoint, "ANSWER_LIMIT", 100)
    with SparqlGraph(server.url) as graph, pytest.raises(EndpointError, match="answered with more than"):
        graph.find(["Jaws"])
    with (
        SparqlGraph("http://127.0.0.1:1/sparql") as graph,
        pytest.raises(EndpointError, match="cannot be reached"),
    ):
        graph.find(["Jaws"])


def test_what_makes_no_sense_is_refused(graph):
    for address in ("file:///etc/passwd", "ftp://x/y", "nonsense", "http://"):
        with pytest.raises(ConfigError, match="no address"):
            SparqlGraph(address)
    with pytest.raises(ConfigError, match="hops is 9"):
        SparqlGraph("http://x/", SparqlOptions(hops=9))
    with pytest.raises(ConfigError, match="no language"):
        SparqlGraph("http://x/", SparqlOptions(languages=('en") || true',)))
    assert options_from({"hops": 1, "languages": "en, de"}) == SparqlOptions(hops=1, languages=("en", "de"))
    with pytest.raises(ConfigError, match="'speed' is no option"):
        options_from({"speed": 1})
    with pytest.raises(ConfigError, match="hops is many"):
        SparqlGraph("http://x/", options_from({"hops": "many"}))
    with pytest.raises(UnknownEntityError, match="knows no facts"):
        graph.subgraph(["http://x/nothing"])
    with pytest.raises(Cancelled):
        graph.subgraph(["http://x/jaws"], cancelled=lambda: True)
