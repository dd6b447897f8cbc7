"""Answering on a graph that lives in a SPARQL endpoint: a real one, over HTTP."""

import threading
import time
from dataclasses import replace

import pytest

from retrieval.events import from_payload
from retrieval.methods import registry
from tests.support.sparql_server import SparqlServer
from webapp.answers import services
from webapp.answers.models import Run
from webapp.graphs import endpoints
from webapp.graphs.models import EndpointTerm, Graph
from worker import answering

FILMS = """
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:jaws rdfs:label "Jaws"@en ; :directedBy :s ; :year 1975 .
:et rdfs:label "E.T."@en ; :directedBy :s .
:s rdfs:label "Steven Spielberg"@en ; :born :ohio .
:ohio rdfs:label "Ohio"@en .
:directedBy rdfs:label "directed by"@en .
"""


@pytest.fixture
def server(settings):
    with SparqlServer(FILMS) as running:
        settings.CLEW = replace(settings.CLEW, import_hosts=(running.url.split("/")[2],))
        yield running


@pytest.fixture
def films(server, users):
    """A graph of the films, where they are."""
    endpoints.get_subgraph_cache().clear()
    connection = endpoints.Connection(server.url, "", ("en",), 2, 5000, 100, 5.0)
    made = endpoints.connect(name="Films", description="", connection=connection, user=users["admin"])
    Graph.objects.filter(pk=made.pk).update(visibility="public")
    made.refresh_from_db()
    return made


@pytest.fixture
def ask(films, users, events):
    """``ask(question)`` asks it to its end; the run and its events."""

    def asked(question, **values):
        run = services.create_run(graph=films, ask=services.Ask(question, **values), user=users["viewer"])
        answering.answer(str(run.pk))
        run.refresh_from_db()
        return run, events(run)

    return asked


def types(log):
    return [event["type"] for event in log]


def of(log, kind):
    return next(event for event in log if event["type"] == kind)


def test_a_synonym_is_used_by_the_next_question(api, ask, films, server):
    address = f"/api/v1/graphs/{films.pk}/vocabulary"
    listed = {term["label"]: term for term in api("admin").get(address).json()["terms"]}
    assert (listed["directed by"]["name"], listed["directed by"]["count"]) == ("http://x/directedBy", 2)
    term = {"category": "relation", "name": "http://x/directedBy", "synonyms": ["helmed by"]}
    saved = api("admin").put(address, term, format="json").json()["terms"]
    assert {row["name"]: row["synonyms"] for row in saved}["http://x/directedBy"] == ["helmed by"]
    _, log = ask("who is Jaws helmed by?")
    answers = of(log, "answer.final")["answers"]
    assert [answer["label"] for answer in answers] == ["Steven Spielberg"]
    server.broken = ("503 Service Unavailable", b"under repair")
    endpoints.get_subgraph_cache().clear()
    away = api("admin").put(address, {**term, "synonyms": []}, format="json")
    assert (away.status_code, away.json()["error"]["code"]) == (502, "endpoint_unavailable")
    assert films.vocabulary.get().synonyms == ["helmed by"]
    server.broken = None
    cleared = api("admin").put(address, {**term, "synonyms": []}, format="json").json()["terms"]
    assert {row["name"]: row["synonyms"] for row in cleared}["http://x/directedBy"] == []


def test_a_question_is_answered_by_what_is_pulled(ask, server, films):
    run, log = ask("who directed Jaws?")
    kinds = types(log)
    assert kinds[:3] == ["run.started", "question.linked", "subgraph.extracted"]
    assert (kinds[-1], "path.retrieved" in kinds, kinds.count("question.linked")) == ("answer.final", True, 1)
    assert (run.state, run.answers, run.snapshot_hash) == ("done", ["Steven Spielberg"], "")
    for event in log:
        from_payload(event)  # every one is as the contract says
    started, linked, extracted = log[:3]
    assert (started["snapshot"], started["endpoint"]) == ("", server.url)
    (topic,) = linked["entities"]
    assert (topic["mention"], topic["start"], topic["end"], topic["entity"]["label"]) == (
        "Jaws",
        13,
        17,
        "Jaws",
    )
    assert (extracted["triples"], extracted["entities"]) == (4, 5)
    pulled = extracted["pulled"]
    assert (pulled["queries"], pulled["truncated"], len(pulled["hash"]) > 10) == (13, False, True)
    assert pulled["at"] <= extracted["at"]
    (answer,) = log[-1]["answers"]
    assert answer["verified"]
    term = EndpointTerm.objects.get(graph=films, pk=answer["entity"]["id"])
    assert term.term == "<http://x/s"
    assert of(log, "path.retrieved")["hops"][0]["source"]["id"] == topic["entity"]["id"]


def test_an_entity_has_one_number_in_every_run(ask):
    _, first = ask("who directed Jaws?")
    _, second = ask("who directed E.T.?")
    assert first[-1]["answers"][0]["entity"] == second[-1]["answers"][0]["entity"]


def test_an_entity_that_is_given_is_asked_about(ask, films):
    (number,) = endpoints.assign_numbers(films.pk, ["<http://x/et"]).values()
    run, log = ask("who directed it?", entities=(number,))
    (topic,) = of(log, "question.linked")["entities"]
    assert (topic["source"], topic["entity"]) == ("given", {"id": number, "label": "E.T.", "kind": "entity"})
    assert run.answers == ["Steven Spielberg"]


def test_what_was_pulled_lately_is_asked_again_and_says_when(ask, server):
    _, first = ask("who directed Jaws?")
    asked = len(server.queries)
    _, second = ask("in which year came Jaws?")
    assert len(server.queries) > asked  # names are looked up
    assert not any("UNION" in query for query in server.queries[asked:])  # facts are not
    pulled, again = (of(log, "subgraph.extracted")["pulled"] for log in (first, second))
    assert (again["at"], again["hash"]) == (pulled["at"], pulled["hash"])


def test_a_question_that_names_nothing_is_a_typed_no_answer(ask, films):
    run, log = ask("who directed Casablanca?")
    assert types(log) == ["run.started", "question.linked", "answer.final"]
    assert (run.state, run.no_answer["reason"]) == ("done", "entity_not_linked")
    (number,) = endpoints.assign_numbers(films.pk, ["<http://x/nothing"]).values()
    run, log = ask("who directed it?", entities=(number,))
    assert (types(log)[-1], run.no_answer["reason"]) == ("answer.final", "no_path")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (("503 Service Unavailable", b"busy"), "answered 503"),
        (("200 OK", b"<html>hello</html>"), "did not answer with SPARQL results"),
        (("302 Found", b""), "points to http://elsewhere.test/sparql"),
    ],
)
def test_an_endpoint_that_breaks_fails_the_run_and_can_be_asked_again(ask, server, broken, said):
    server.broken = broken
    run, log = ask("who directed Jaws?")
    assert types(log) == ["run.started", "run.failed"]
    assert (run.state, run.error_code) == ("failed", "endpoint_unavailable")
    assert said in run.error_message
    assert run.error_hint
    server.broken = None
    assert ask("who directed Jaws?")[0].answers == ["Steven Spielberg"]


def test_an_endpoint_that_breaks_in_the_middle_keeps_what_was_found(ask, server):
    server.breaks_at = "UNION"  # of the facts: names are still found
    run, log = ask("who directed Jaws?")
    assert types(log) == ["run.started", "question.linked", "run.failed"]
    assert (run.state, run.error_code, run.incomplete) == ("failed", "endpoint_unavailable", True)


def test_an_endpoint_that_says_too_much_or_is_slow_fails_the_run(ask, server, films, monkeypatch):
    monkeypatch.setattr("retrieval.kg.sparql.endpoint.ANSWER_LIMIT", 100)
    run, _ = ask("who directed Jaws?")
    assert "answered with more than" in run.error_message
    films.endpoint.timeout = 0.5
    films.endpoint.save()
    server.delay = 1.5
    run, _ = ask("who directed Jaws?")
    assert "did not answer within 0.5 seconds" in run.error_message


def test_stop_reaches_a_run_that_waits_for_its_endpoint(films, users, events, server):
    server.delay = 4
    run = services.create_run(graph=films, ask=services.Ask("who directed Jaws?"), user=users["viewer"])
    threading.Timer(0.5, lambda: services.cancel_run(run=Run.objects.get())).start()
    began = time.monotonic()
    answering.answer(str(run.pk))
    assert time.monotonic() - began < 3
    run.refresh_from_db()
    assert (run.state, types(events(run))) == ("cancelled", ["run.started", "run.cancelled"])


def test_a_host_that_is_not_listed_any_more_is_not_asked(films, users, server, settings):
    run = services.create_run(graph=films, ask=services.Ask("who directed Jaws?"), user=users["viewer"])
    settings.CLEW = replace(settings.CLEW, import_hosts=())
    asked = len(server.queries)
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.error_code, len(server.queries)) == ("failed", "not_allowed", asked)


def test_a_run_on_an_endpoint_cannot_be_flagged_for_review(ask, api):
    run, _ = ask("who directed Jaws?")
    body = {"id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "kind": "answer-wrong"}
    answer = api("viewer").post(f"/api/v1/runs/{run.pk}/flag", body, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_imported")


def test_every_method_that_is_offered_answers(ask):
    offered = [name for name, spec in registry.METHODS.items() if spec.on_endpoints]
    assert len(offered) == 6
    for method in offered:
        assert ask("who directed Jaws?", method=method)[0].answers == ["Steven Spielberg"], method


def test_a_program_is_computed_by_the_endpoint_and_can_be_edited(ask, films):
    run, log = ask("how many films did Steven Spielberg direct?")
    assert (run.state, run.answers) == ("done", ["2"])
    told = of(log, "program.executed")
    assert [step["count"] for step in told["steps"]] == [2, 2, 0]
    assert (told["cypher"], "COUNT(DISTINCT" in told["sparql"]) == ("", True)
    numbers = [node["id"] for node in told["steps"][1]["nodes"]]
    assert sorted(endpoints.require_iris(films.pk, numbers)) == ["http://x/et", "http://x/jaws"]
    edited, log = ask("which?", program=told["read"]["program"]["source"], corrects=run)
    assert (edited.state, sorted(edited.answers)) == ("done", ["E.T.", "Jaws"])
    assert of(log, "program.executed")["by"] == "person"


CITIES = """
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:film rdfs:label "film" . :novel rdfs:label "novel" . :person rdfs:label "person" .
:jaws a :film ; rdfs:label "Jaws" ; :director :s ; :year 1975 .
:duel a :film ; rdfs:label "Duel" ; :director :s ; :year 1971 .
:book a :novel ; rdfs:label "Jaws" ; :author :b ; :year 1974 ; :publisher :doubleday ; :sequel :more .
:s a :person ; rdfs:label "Steven Spielberg" ; :born :ohio .
:b a :person ; rdfs:label "Peter Benchley" ; :born :york .
:ohio rdfs:label "Ohio" . :york rdfs:label "New York" . :doubleday rdfs:label "Doubleday" . :more rdfs:label "More" .
:director rdfs:label "director" . :author rdfs:label "author" . :year rdfs:label "year" . :born rdfs:label "born in" .
"""


@pytest.fixture
def thread(settings, users, events):
    """``thread(question, ...)`` asks questions of an endpoint, each following the one before; their runs and events."""
    endpoints.get_subgraph_cache().clear()
    with SparqlServer(CITIES) as server:
        settings.CLEW = replace(settings.CLEW, import_hosts=(server.url.split("/")[2],))
        connection = endpoints.Connection(server.url, "", ("en",), 2, 5000, 100, 5.0)
        graph = endpoints.connect(name="Both", description="", connection=connection, user=users["admin"])
        Graph.objects.filter(pk=graph.pk).update(visibility="public")

        def asked(*questions):
            found, before = [], None
            for question in questions:
                ask = services.Ask(question, follows=before)
                before = services.create_run(graph=graph, ask=ask, user=users["viewer"])
                answering.answer(str(before.pk))
                before.refresh_from_db()
                found.append((before, events(before)))
            return found

        yield asked


def test_a_follow_up_leans_on_what_the_endpoint_answered(thread):
    (first, _), (second, log) = thread("Who is the director of Duel?", "and where was he born?")
    assert first.answers == ["Steven Spielberg"]
    rewritten = of(log, "question.rewritten")
    assert "Steven Spielberg" in rewritten["question"]
    (denoted,) = rewritten["denoted"]
    assert EndpointTerm.objects.get(pk=denoted["ids"][0]).term == "<http://x/s"
    assert second.answers == ["Ohio"]
    assert second.thread == first.pk


def test_no_the_film_takes_the_other_of_that_name(thread):
    (first, _), (second, log) = thread("What is the year of Jaws?", "no, the film")
    assert first.answers == ["1974"]  # of the novel, of which more is known
    (denoted,) = of(log, "question.rewritten")["denoted"]
    assert EndpointTerm.objects.get(pk=denoted["ids"][0]).term == "<http://x/jaws"
    assert second.answers == ["1975"]
