"""Extracting as a job: what is missing is said, a failed job is gone on with, nothing is paid for twice."""

import json

import pytest

from retrieval.kg import snapshot as kg
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.types import Passage
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says
from webapp.graphs import files
from webapp.graphs.models import Graph, GraphState, GraphVersion
from webapp.jobs.models import Job, JobState
from webapp.language_models import selectors, services
from worker import extraction

PASSAGES = [
    Passage(0, "p0", "Bern", "Bern is the capital of Switzerland."),
    Passage(1, "p1", "Ulm", "Einstein was born in Ulm."),
]


def reply(subject, relation, target):
    fact = {"subject": subject, "relation": relation, "object": target, "sentence": 1}
    return says(json.dumps({"triples": [fact]}))


BERN, ULM = reply("Bern", "is the capital of", "Switzerland"), reply("Einstein", "was born in", "Ulm")


@pytest.fixture
def corpus(users):
    """A graph of two passages and no facts."""
    graph = Graph.objects.create(name="Texts", created_by=users["admin"], state=GraphState.READY, visibility="public")
    name = files.build_snapshot_name(graph.pk, 1)
    files.ensure_local_path(name).parent.mkdir(parents=True)
    built = build_snapshot(TripleTable.from_facts([], passages=PASSAGES), files.ensure_local_path(name))
    graph.snapshot = GraphVersion.objects.create(
        graph=graph, version=1, hash=built.hash, path=name, entities=0, relations=0, triples=0
    )
    graph.save()
    return graph


def add_model(user, url):
    return services.create_provider(
        values={"name": "Local", "base_url": url, "model": "m", "prompt_price": 1.0, "completion_price": 1.0},
        user=user,
    )


def start(api, corpus, **more):
    # Equal names only: these tests need no encoder.
    body = {"name": "Facts", "merge": 1, **more}
    return api().post(f"/api/v1/graphs/{corpus.pk}/extract", body, format="json")


def test_what_is_missing_and_what_still_works_is_said(api, corpus, tiny_graph):
    url = "/api/v1/graphs/{}/extract"
    found = api("viewer").get(url.format(corpus.pk)).json()
    assert (found["available"], found["passages"], found["llm"]) == (False, 2, None)
    assert found["missing"]["code"] == "llm_not_configured"
    assert "text-rag" in found["missing"]["hint"]
    assert api().get(url.format(tiny_graph.pk)).json()["missing"]["code"] == "no_passages"
    refused = start(api, corpus)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "llm_not_configured")
    assert api("analyst").post(url.format(corpus.pk), {"name": "x"}, format="json").status_code == 403


def test_a_graph_is_read_and_can_be_opened(api, corpus, users):
    with Endpoint(BERN, ULM) as endpoint:
        add_model(users["admin"], endpoint.url)
        assert api().get(f"/api/v1/graphs/{corpus.pk}/extract").json()["available"] is True
        begun = start(api, corpus)
        assert begun.status_code == 202
        extraction.extract(begun.json()["job"]["id"])
    job = Job.objects.get(pk=begun.json()["job"]["id"])
    assert (job.state, job.error_message) == (JobState.DONE, "")
    assert (job.result["facts"], job.result["entities"]) == (2, 4)
    assert job.metrics["tokens"] == 36
    graph = Graph.objects.get(name="Facts")
    opened = kg.open(files.ensure_local_path(graph.snapshot.path))
    assert (graph.state, opened.num_triples, len(opened.passages)) == (GraphState.READY, 2, 2)
    assert sorted(opened.get_fact_attributes(i)["sentence"] for i in range(2)) == [p.text for p in PASSAGES]
    assert selectors.get_usage(users["admin"].pk).llm_calls == 2


def test_facts_are_asked_for_in_the_form_that_was_chosen(api, corpus, users):
    records = {
        name: f'("relationship"<|>{name}<|>{other}<|>joined<|>5)<|COMPLETE|>'
        for name, other in (("Bern", "Switzerland"), ("Einstein", "Ulm"))
    }
    with Endpoint(says(records["Bern"]), says(records["Einstein"])) as endpoint:
        add_model(users["admin"], endpoint.url)
        begun = start(api, corpus, form="graphrag").json()
        extraction.extract(begun["job"]["id"])
        assert all("<|COMPLETE|>" in body["messages"][-1]["content"] for body in endpoint.bodies)
    job = Job.objects.get(pk=begun["job"]["id"])
    assert (job.state, job.params["form"], job.result["form"]) == (JobState.DONE, "graphrag", "graphrag")
    assert start(api, corpus, form="openie").json()["error"]["code"] == "invalid"


def test_a_key_that_stops_working_is_said_and_the_job_goes_on_where_it_was(api, corpus, users):
    # Requests run four at a time: the first reply comes before the key is refused.
    with Endpoint(BERN, fails(401)) as endpoint:
        row = add_model(users["admin"], endpoint.url)
        first = start(api, corpus).json()
        extraction.extract(first["job"]["id"])
    job, graph = Job.objects.get(pk=first["job"]["id"]), Graph.objects.get(name="Facts")
    assert (job.state, job.error_code) == (JobState.FAILED, "llm_bad_key")
    assert (graph.state, graph.error_code) == (GraphState.FAILED, "llm_bad_key")
    kept = len(list((files.ensure_local_path(corpus.snapshot.path) / "cache" / "replies").glob("*/*.json")))
    assert kept == 1
    with Endpoint(ULM, BERN) as endpoint:
        services.update_provider(key=row.pk, values={"base_url": endpoint.url}, user=users["admin"])
        again = start(api, corpus).json()
        assert again["graph"]["id"] == first["graph"]["id"]
        extraction.extract(again["job"]["id"])
        assert len(endpoint.bodies) == 1
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot.triples) == (GraphState.READY, 2 if kept else 1)


def test_a_limit_of_the_job_stops_it(api, corpus, users):
    with Endpoint(BERN) as endpoint:
        add_model(users["admin"], endpoint.url)
        begun = start(api, corpus, max_tokens=20).json()
        extraction.extract(begun["job"]["id"])
        assert endpoint.bodies == []
    job = Job.objects.get(pk=begun["job"]["id"])
    assert (job.state, job.error_code) == (JobState.FAILED, "over_budget")


def test_names_and_numbers_are_checked(api, corpus, users):
    add_model(users["admin"], "http://localhost:1/v1")
    assert start(api, corpus, merge=0).json()["error"]["code"] == "invalid"
    assert start(api, corpus, name="Texts").json()["error"]["code"] == "name_taken"
    assert start(api, corpus, llm=2_000_000_000).json()["error"]["code"] == "invalid"
    assert start(api, corpus, max_cost="nan").status_code == 400
    Graph.objects.create(name="Failed", owner=users["admin"], state=GraphState.FAILED)
    assert start(api, corpus, name="Failed").status_code == 202  # an import that failed gives its name up
