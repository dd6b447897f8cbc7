"""A graph that stays in a SPARQL endpoint: a real one, over HTTP."""

import contextlib
import gc
import json
import socket
import threading
import time

import pytest

from retrieval.errors import (
    Cancelled,
    ConfigError,
    EmptySourceError,
    EndpointError,
    QuestionError,
    UnknownEntityError,
)
from retrieval.kg import search
from retrieval.kg.sparql import endpoint
from retrieval.kg.sparql.graph import SparqlGraph
from retrieval.kg.sparql.names import NameCandidate
from retrieval.kg.sparql.options import SparqlOptions, parse_options
from retrieval.kg.sparql.subgraph_cache import SubgraphCache
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
            snapshot.get_entity_label(int(h)),
            snapshot.get_relation_label(int(r)),
            snapshot.get_entity_label(int(t)),
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
    assert graph.link("who directed http://x/jaws?") == {"http://x/jaws": "http://x/jaws"}
    assert graph.link("who directed http://x/<jaws>?") == {}
    with pytest.raises(QuestionError):
        graph.link(" ? ")


def test_what_is_near_becomes_a_snapshot(graph, server):
    found = graph.fetch_subgraph(["http://x/jaws"])
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
    assert found.snapshot.get_entity_label(topic) == "Jaws"
    assert found.snapshot.get_entity_iri(topic) == "http://x/jaws"
    assert found.snapshot.labels.resolve("spielberg") == world.ids(found.snapshot, "Steven Spielberg")[0]
    born = found.snapshot.find_relation("http://x/born"), False
    directed = found.snapshot.find_relation("http://x/directedBy"), False
    reached = search.execute(found.snapshot, [topic], [directed, born])[-1]
    assert world.labels(found.snapshot, reached) == ["Ohio"]
    asked = len(server.queries)
    assert graph.fetch_subgraph(["http://x/jaws"]) is found  # kept
    assert len(server.queries) == asked == found.queries


def test_limits_hold_and_are_told(server):
    with SparqlGraph(server.url, SparqlOptions(hops=1)) as near:
        assert ("Steven Spielberg", "born", "Ohio") not in facts(near.fetch_subgraph(["http://x/jaws"]).snapshot)
    many = "@prefix : <http://x/> . " + " ".join(f":e{i} :in :hub . :hub :has :v{i} ." for i in range(50))
    with SparqlServer(f"{many} :a :in :hub .") as hub:
        with SparqlGraph(hub.url, SparqlOptions(hops=2, per_entity=5)) as graph:
            found = graph.fetch_subgraph(["http://x/a"])
            assert found.truncated
            assert found.snapshot.num_triples <= 1 + 5 + 5
            assert found.snapshot.num_triples >= 10
        with SparqlGraph(hub.url, SparqlOptions(max_triples=7)) as graph:
            found = graph.fetch_subgraph(["http://x/hub"])
            assert (found.snapshot.num_triples, found.truncated) == (7, True)


def test_what_was_pulled_is_removed(server):
    with SparqlGraph(server.url) as graph:
        path = graph.fetch_subgraph(["http://x/jaws"]).snapshot.path
        assert path.is_dir()
    gc.collect()
    assert not path.parent.exists()
    with pytest.raises(EndpointError, match="was closed"):
        graph.fetch_subgraph(["http://x/usa"])


def test_a_name_cannot_break_out_of_its_query(graph):
    assert graph.find(['"} ?e ?p ?o } #', "back\\slash", "new\nline"]) == {}
    with pytest.raises(ValueError, match="IRI"):
        graph.fetch_subgraph(["http://x/a> ?p ?o . <http://x/b"])


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
    assert parse_options({"hops": 1, "languages": "en, de"}) == SparqlOptions(hops=1, languages=("en", "de"))
    with pytest.raises(ConfigError, match="'speed' is no option"):
        parse_options({"speed": 1})
    with pytest.raises(ConfigError, match="hops is many"):
        SparqlGraph("http://x/", parse_options({"hops": "many"}))
    with pytest.raises(UnknownEntityError, match="knows no facts"):
        graph.fetch_subgraph(["http://x/nothing"])


def test_stop_is_heard_while_an_answer_is_waited_for(server):
    server.delay = 3
    stopped = threading.Event()
    threading.Timer(0.3, stopped.set).start()
    began = time.monotonic()
    with SparqlGraph(server.url, cancelled=stopped.is_set) as graph, pytest.raises(Cancelled):
        graph.fetch_subgraph(["http://x/jaws"])
    assert time.monotonic() - began < 2


def test_a_trickle_does_not_hold_for_ever():
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def trickle():
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                for _ in range(50):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return
                    time.sleep(0.1)

        threading.Thread(target=trickle, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with (
            SparqlGraph(url, SparqlOptions(timeout=0.5)) as graph,
            pytest.raises(EndpointError, match="within"),
        ):
            graph.find(["Jaws"])


def test_a_trial_tells_whether_there_are_facts_and_names():
    films = {"http://x/films": FILMS}
    with SparqlServer("<http://x/a> <http://x/p> 1 .", graphs=films) as server:
        for graph, language, named in ((None, "en", False), ("http://x/films", "de", True)):
            options = SparqlOptions(graph=graph, languages=(language,))
            with SparqlGraph(server.url, options) as opened:
                assert opened.check_connection().named is named
        with (
            SparqlGraph(server.url, SparqlOptions(graph="http://x/none")) as opened,
            pytest.raises(EmptySourceError, match="no facts in the graph http://x/none"),
        ):
            opened.check_connection()
    with SparqlServer("") as server, SparqlGraph(server.url) as opened:
        with pytest.raises(EmptySourceError, match="has no facts") as caught:
            opened.check_connection()
        assert "Name the graph" in caught.value.hint


def test_entities_are_searched_by_name_or_iri(graph):
    assert graph.search("jaws") == [NameCandidate("http://x/jaws", 5), NameCandidate("http://x/jaws2", 1)]
    assert graph.search("Spielberg") == [NameCandidate("http://x/s", None)]
    assert graph.search("http://x/usa") == [NameCandidate("http://x/usa", 2)]
    assert graph.search("http://x/nothing") == graph.search("http://x/>") == graph.search(" ") == []
    assert graph.get_names(["http://x/jaws", "http://x/horror", "http://x/cast"]) == {
        "http://x/jaws": "Jaws",
        "http://x/horror": "Horror",
    }


def test_names_come_in_the_best_language(server):
    with SparqlGraph(server.url, SparqlOptions(languages=("de", "en"))) as graph:
        assert graph.get_names(["http://x/jaws", "http://x/et"]) == {
            "http://x/jaws": "Der weiße Hai",
            "http://x/et": "E.T. the Extra-Terrestrial",
        }


def test_blank_nodes_of_two_answers_are_not_taken_for_one():
    """Endpoints name blank nodes anew in each answer, so the same name may mean another."""
    turtle = "@prefix : <http://x/> . :a :p [ :q :b ] , :c . " + " ".join(f":a :p :n{i} ." for i in range(25))
    with SparqlServer(turtle + " :n24 :p [ :r :z ] .") as server:
        server.forgetful = True
        with SparqlGraph(server.url, SparqlOptions(hops=2)) as graph:
            found = graph.fetch_subgraph(["http://x/a"]).snapshot
        blanks = {found.get_entity_label(e) for e in range(found.num_entities) if found.get_kind(e) == "cvt"}
        assert len(blanks) == 2


def test_pulls_are_kept_for_a_while_and_few(server):
    pulls = SubgraphCache(size=1, seconds=0.3)
    with SparqlGraph(server.url, pulls=pulls) as graph:
        first = graph.fetch_subgraph(["http://x/jaws"])
        with SparqlGraph(server.url, pulls=pulls) as other:
            assert other.fetch_subgraph(["http://x/jaws"]) is first
        with SparqlGraph(server.url, SparqlOptions(hops=1), pulls=pulls) as near:
            assert near.fetch_subgraph(["http://x/jaws"]) is not first
        assert graph.fetch_subgraph(["http://x/jaws"]) is not first  # it made way
    again = graph_of(server, pulls).fetch_subgraph(["http://x/jaws"])
    time.sleep(0.4)
    assert graph_of(server, pulls).fetch_subgraph(["http://x/jaws"]) is not again  # too old


def graph_of(server, pulls):
    return SparqlGraph(server.url, pulls=pulls)


def rows(*found, names=()):
    """Results of SPARQL in JSON, each term as type and value."""
    bindings = [{name: {"type": kind, "value": value} for name, (kind, value) in row.items()} for row in found]
    names = names or sorted({name for row in found for name in row})
    return json.dumps({"head": {"vars": list(names)}, "results": {"bindings": bindings}}).encode()


FACT = {"s": ("uri", "http://y/a"), "p": ("uri", "http://y/b"), "o": ("uri", "http://y/c")}
NAME = {"label": ("literal", "Jaws"), "e": ("uri", "http://x/jaws"), "l": ("literal", "Jaws")}
DISHONEST = {
    "facts": rows(FACT),
    "names": rows(NAME),
    "everything": rows({**FACT, **NAME, "x": ("uri", "http://y/b"), "node": ("uri", "http://y/a")}),
    "a name that nobody asked about": rows({**NAME, "label": ("literal", "Other")}),
    "blank nodes": rows({**NAME, "e": ("bnode", "b0")}),
    "literals for entities": rows({**NAME, "e": ("literal", "x")}),
    "entities for names": rows({**NAME, "l": ("uri", "http://x/l"), "label": ("uri", "http://x/l")}),
    "literals for predicates": rows({**FACT, "p": ("literal", "x")}),
    "unbound": rows({}, names=("s", "p", "o", "e", "label", "l")),
    "no columns": rows({}, names=("other",)),
    "words for numbers": rows({"number": ("literal", "many"), "node": ("uri", "http://y/a")}),
    "yes": b'{"head": {}, "boolean": true}',
    "no results": b'{"head": {"vars": ["s"]}}',
    "a list": b"[]",
    "rows of numbers": b'{"head": {"vars": ["s"]}, "results": {"bindings": [1]}}',
    "half": rows(FACT)[:-10],
    "binary": b"\xff\xfe\x00",
    "nothing": b"",
}
CALLS = {
    "find": lambda graph: graph.find(["Jaws"]),
    "search": lambda graph: graph.search("Jaws"),
    "names": lambda graph: graph.get_names(["http://x/jaws"]),
    "link": lambda graph: graph.link("Who directed Jaws?"),
    "subgraph": lambda graph: graph.fetch_subgraph(["http://x/jaws"]),
    "overview": lambda graph: graph.sample_overview(),
    "probe": lambda graph: graph.check_connection(),
    "number": lambda graph: graph.select("SELECT ?number", number=endpoint.ResultColumn.MAYBE_NUMBER),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("answer", DISHONEST.values(), ids=DISHONEST)
def test_whatever_an_endpoint_answers_is_taken_or_is_its_error(graph, server, answer, call):
    server.same = answer
    with contextlib.suppress(EndpointError, EmptySourceError, UnknownEntityError):
        call(graph)


@pytest.mark.parametrize(
    ("call", "answer", "how"),
    [
        ("link", "facts", "with nothing for \\?label, which must be a literal"),
        ("link", "a name that nobody asked about", "about Other, which it was not asked about"),
        ("link", "blank nodes", "for \\?e, which must be an IRI"),
        ("names", "entities for names", "with <http://x/l> for \\?l, which must be a literal"),
        ("subgraph", "facts", "about http://y/a, which it was not asked about"),
        ("subgraph", "literals for predicates", "for \\?p, which must be an IRI"),
        ("number", "words for numbers", "for \\?number, which must be a number or nothing"),
    ],
)
def test_an_endpoint_that_does_not_answer_its_queries_is_told_how(graph, server, call, answer, how):
    server.same = DISHONEST[answer]
    with pytest.raises(EndpointError, match=f"does not answer its queries: it answered .*{how}") as caught:
        CALLS[call](graph)
    assert caught.value.hint
