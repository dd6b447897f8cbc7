"""Where facts come from, over HTTP."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store

from retrieval.events import AnswerFinal, ChainsBuilt
from retrieval.kg.build import build_snapshot
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.build.versions import merge
from retrieval.kg.table import TripleTable
from retrieval.results import Answer
from retrieval.types import EvidenceChain, Usage
from webapp.answers.publish import publish
from webapp.graphs import files, progress, provenance, snapshots
from webapp.graphs.models import Graph, GraphVersion

FACTS = [("Ann", "lives_in", "Oslo"), ("Bob", "lives_in", "Rome"), ("Ann", "knows", "Bob")]


@pytest.fixture
def located_graph(tiny_graph: Graph, tmp_path: Path) -> Graph:
    """A graph of two lines of a file and a fact that was added by edit 7."""
    (tmp_path / "people.tsv").write_text("".join("\t".join(fact) + "\n" for fact in FACTS[:2]))
    base, _ = build_from_files(tmp_path / "people.tsv", tmp_path / "base", problems=pytest.fail)
    edit = TripleTable.from_facts(FACTS[2:], sources=("edit:7",))
    built = build_snapshot(merge(base, edit), files.ensure_local_path(files.build_snapshot_name(tiny_graph.pk, 2)))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    tiny_graph.refresh_from_db()
    return tiny_graph


def write_key(client, url: str, head: str, relation: str, tail: str) -> str:
    ends = [client.get(f"{url}/entities", {"q": name}).json()[0]["id"] for name in (head, tail)]
    return f"{ends[0]}|{relation}|{ends[1]}"


def test_facts_have_file_and_row_or_the_person_who_added_them(api, located_graph, monkeypatch):
    monkeypatch.setattr(provenance, "_find_authors", [])
    at = datetime(2026, 1, 2, tzinfo=UTC)
    provenance.register_authors(
        lambda graph, numbers: {number: provenance.EditAuthor("Ada", at, f"seen in {graph.name}") for number in numbers}
    )
    client, url = api("viewer"), f"/api/v1/graphs/{located_graph.pk}"
    keys = [*(write_key(client, url, *fact) for fact in FACTS), "0|lives_in|0", "0|nope|1", "999|lives_in|0"]

    answer = client.get(f"{url}/facts/sources", {"fact": keys, "snapshot": located_graph.snapshot.hash})

    assert answer.json() == [
        {"fact": keys[0], "source": {"type": "file", "name": "people.tsv", "row": 1, "edit": None, "author": None}},
        {"fact": keys[1], "source": {"type": "file", "name": "people.tsv", "row": 2, "edit": None, "author": None}},
        {
            "fact": keys[2],
            "source": {
                "type": "edit",
                "name": "edit:7",
                "row": None,
                "edit": 7,
                "author": {"person": "Ada", "edited_at": "2026-01-02T00:00:00Z", "reason": "seen in Tiny"},
            },
        },
        *({"fact": key, "source": None} for key in keys[3:]),
    ]


def run_with_evidence(client, graph: Graph) -> str:
    """A run whose evidence is that Bob lives in Rome, walked backward, and a guess."""
    snapshot = snapshots.open_current(graph)
    asked = {"graph": graph.pk, "question": "Who lives in Rome?"}
    run = client.post("/api/v1/runs", asked, format="json").json()["id"]
    relation = snapshot.find_relation("lives_in")
    bob, rome = snapshot.find_entity("Bob"), snapshot.find_entity("Rome")
    hop = snapshot.get_hop(snapshot.find_fact(bob, relation, rome) + snapshot.num_triples)
    guess = replace(hop, target=snapshot.get_node(snapshot.find_entity("Ann")), verified=False)
    chain = EvidenceChain(hop.source, (hop.step,), ((hop.target,),), (1,), (hop, guess), 0.9)
    final = AnswerFinal((Answer("Bob", 0.75, chains=(0,)),), None, "", (), Usage(), 1.0)
    publish(uuid.UUID(run), after=0, events=[ChainsBuilt((chain,), 1, 2, 1.0), final])
    return run


def test_the_export_of_a_run_has_the_sources_of_its_evidence(api, located_graph):
    run = run_with_evidence(api("viewer"), located_graph)

    assert api("viewer").get(f"/api/v1/runs/{run}/export").json()["sources"] == [
        {
            **{"head": "Bob", "relation": "lives_in", "tail": "Rome"},
            "source": {"type": "file", "name": "people.tsv", "row": 2, "edit": None, "author": None},
        }
    ]
    GraphVersion.objects.filter(graph=located_graph).update(hash="another")
    assert api("viewer").get(f"/api/v1/runs/{run}/export").json()["sources"] == []


def test_a_graph_without_sources_answers_that_it_has_none(api, tiny_graph):
    assert api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/facts/sources?fact=0|borders|1").json() == [
        {"fact": "0|borders|1", "source": None}
    ]


@pytest.mark.parametrize(
    "query", [{}, {"fact": ["1|2"]}, {"fact": ["a|r|1"]}, {"fact": ["1||1"]}, {"fact": ["1|r|1"] * 51}]
)
def test_nonsense_is_refused(api, tiny_graph, query):
    answer = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/facts/sources", query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_a_graph_that_one_may_not_see_is_not_there(api, located_graph):
    located_graph.visibility = "private"
    located_graph.save()
    assert api("viewer").get(f"/api/v1/graphs/{located_graph.pk}/facts/sources?fact=0|r|1").status_code == 404


@pytest.mark.parametrize(("format", "type"), [("turtle", RdfFormat.TURTLE), ("json-ld", RdfFormat.JSON_LD)])
def test_the_provenance_of_a_run_leads_from_its_answer_to_a_row(api, located_graph, format, type):
    run = run_with_evidence(api("viewer"), located_graph)
    answer = api("viewer").get(f"/api/v1/runs/{run}/provenance", {"format": format})
    store = Store()
    store.load(answer.content, format=type)
    rows = store.query("""
        PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        SELECT ?run ?answer ?confidence ?fact ?row ?hash ?person WHERE {
            ?entity prov:wasGeneratedBy ?run; prov:value ?answer; <urn:clew:prov:confidence> ?confidence;
                prov:wasDerivedFrom [ rdfs:label ?fact; prov:hadPrimarySource [ rdfs:label ?row ] ] .
            ?run prov:used [ rdfs:label "Tiny"; prov:value ?hash ];
                prov:wasAssociatedWith [ prov:actedOnBehalfOf [ rdfs:label ?person ] ] .
        }""")
    assert [[cell.value for cell in row] for row in rows] == [
        [
            *(f"urn:uuid:{run}", "Bob", "0.75", "Bob lives_in Rome", "people.tsv, row 2"),
            *(located_graph.snapshot.hash, "viewer"),
        ]
    ]
    assert api("viewer").get(f"/api/v1/runs/{run}/provenance", {"format": "rdf"}).status_code == 400
