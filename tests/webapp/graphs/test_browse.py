"""Looking around in a graph: relations, entities, neighbours, facts, passages."""

import pytest

from webapp.graphs import browse
from webapp.graphs.models import Graph


def test_relations_come_most_frequent_first(api, tiny_graph):
    answer = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/relations").json()
    assert answer[0] == {"name": "official_language", "label": "official language", "count": 3}
    assert [(r["name"], r["count"]) for r in answer[1:]] == [("borders", 2), ("capital", 1)]


def test_entities_are_found_by_a_part_of_their_name(api, tiny_graph):
    client = api("viewer")
    found = client.get(f"/api/v1/graphs/{tiny_graph.pk}/entities", {"q": "germ"}).json()
    assert [e["label"] for e in found][:2] == ["Germany", "German"]
    exact = client.get(f"/api/v1/graphs/{tiny_graph.pk}/entities", {"q": "german", "limit": 1}).json()
    assert len(exact) == 1
    assert (exact[0]["label"], exact[0]["source"], exact[0]["degree"]) == ("German", "exact", 2)
    assert set(exact[0]) == {"id", "label", "kind", "about", "degree", "score", "source"}


def test_entities_for_no_text_are_the_best_connected(api, tiny_graph):
    found = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/entities?q=&limit=2").json()
    assert [(e["label"], e["degree"]) for e in found] == [("Germany", 3), ("Switzerland", 3)]


def test_neighbours_come_in_groups_and_pages(api, tiny_graph):
    client = api("viewer")
    url = f"/api/v1/graphs/{tiny_graph.pk}/neighbours"
    germany = client.get(f"/api/v1/graphs/{tiny_graph.pk}/entities?q=germany").json()[0]["id"]
    around = client.get(url, {"entity": germany}).json()
    assert around["node"] == {"id": germany, "label": "Germany", "kind": "entity", "attributes": {}, "names": []}
    assert {(h["attributes"] == {}, h["passages"] == []) for h in around["hops"]} == {(True, True)}
    assert {(g["relation"], g["direction"], g["count"]) for g in around["groups"]} == {
        ("official_language", "out", 1),
        ("capital", "out", 1),
        ("borders", "in", 1),
    }
    assert (around["total"], around["shown"], len(around["hops"])) == (3, 3, 3)
    inverse = [hop for hop in around["hops"] if hop["step"]["inverse"]]
    assert [(h["source"]["label"], h["step"]["name"], h["target"]["label"]) for h in inverse] == [
        ("Germany", "borders", "Switzerland")
    ]
    page = client.get(url, {"entity": germany, "limit": 1, "offset": 1}).json()
    assert (page["total"], page["shown"], page["hops"]) == (3, 1, [around["hops"][1]])
    one = client.get(url, {"entity": germany, "relation": "capital", "direction": "out"}).json()
    assert [h["target"]["label"] for h in one["hops"]] == ["Berlin"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({}, "invalid"),
        ({"entity": "x"}, "invalid"),
        ({"entity": "99"}, "unknown_entity"),
        ({"entity": "0", "relation": "nope"}, "unknown_entity"),
        ({"entity": "0", "limit": "501"}, "invalid"),
        ({"entity": "0", "direction": "up"}, "invalid"),
        ({"entity": str(10**30)}, "unknown_entity"),
    ],
)
def test_neighbours_of_nonsense(api, tiny_graph, query, code):
    answer = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/neighbours", query)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


SOURCE = [{"id": 0, "name": "de", "title": "Germany"}]


def test_neighbours_and_facts_have_attributes_and_sources(api, text_graph):
    client = api("viewer")
    url = f"/api/v1/graphs/{text_graph.pk}"
    germany, berlin = (client.get(f"{url}/entities?q={n}").json()[0]["id"] for n in ("germany", "berlin"))
    about = {row["label"]: row["about"] for row in client.get(f"{url}/entities").json()}
    assert (about["Germany"], about["Berlin"]) == ("Country: A country in Europe.", "")
    assert client.get(f"{url}/entities?q=germany").json()[0]["about"] == "Country: A country in Europe."
    around = client.get(f"{url}/neighbours", {"entity": germany}).json()
    assert around["node"]["attributes"] == {"description": "A country in Europe.", "type": "Country"}
    assert {h["step"]["name"]: (h["attributes"], h["passages"]) for h in around["hops"]} == {
        "capital": ({"since": "1990"}, SOURCE),
        "official_language": ({}, SOURCE),
        "borders": ({}, []),
    }
    fact = client.get(f"{url}/fact", {"head": germany, "relation": "capital", "tail": berlin}).json()
    assert (fact["source"]["label"], fact["target"]["label"], fact["passages"]) == (
        "Germany",
        "Berlin",
        SOURCE,
    )
    for query in ({"head": berlin, "tail": germany}, {"head": 999, "tail": berlin}):
        wrong = client.get(f"{url}/fact", {**query, "relation": "capital"})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "unknown_entity")
    assert client.get(f"{url}/fact", {"head": berlin}).json()["error"]["code"] == "invalid"


def test_passages_are_listed_searched_and_shown_with_their_facts(api, text_graph):
    client = api("viewer")
    url = f"/api/v1/graphs/{text_graph.pk}"
    graph = client.get(url).json()
    assert (graph["passages"], graph["attributes"]) == (2, 3)
    everything = client.get(f"{url}/passages").json()
    assert everything["count"] == 2
    assert everything["results"][0] == {
        **SOURCE[0],
        "document": "atlas.txt",
        "url": "https://example.org/de",
        "excerpt": "Berlin is the capital of Germany. German is spoken there.",
        "facts": 2,
    }
    found = {q: client.get(f"{url}/passages", {"q": q}).json() for q in ("ÄPFEL", "capital OF", "germany", "xyz")}
    assert {q: [row["id"] for row in page["results"]] for q, page in found.items()} == {
        "ÄPFEL": [1],
        "capital OF": [0],
        "germany": [0],
        "xyz": [],
    }
    second = client.get(f"{url}/passages", {"page_size": 1, "page": 2}).json()
    assert [row["name"] for row in second["results"]] == ["fruit"]
    one = client.get(f"{url}/passages/0").json()
    assert one["text"] == "Berlin is the capital of Germany. German is spoken there."
    assert one["total"] == 2
    assert {h["step"]["name"] for h in one["facts"]} == {"capital", "official_language"}
    missing = client.get(f"{url}/passages/2")
    assert (missing.status_code, missing.json()["error"]["code"]) == (400, "unknown_entity")


def test_a_graph_without_passages_lists_none(api, tiny_graph):
    url = f"/api/v1/graphs/{tiny_graph.pk}"
    assert api("viewer").get(f"{url}/passages").json()["results"] == []
    assert api("viewer").get(f"{url}/passages/0").json()["error"]["code"] == "unknown_entity"


def test_an_excerpt_shows_what_was_searched():
    text = "a" * 1000 + " Needle " + "b" * 1000
    shown = browse.extract_excerpt(text, "needle")
    assert shown == "… " + "a" * 99 + " Needle " + "b" * 193 + " …"
    assert browse.extract_excerpt("short", "ort") == "short"
    assert browse.extract_excerpt("c" * 301, "") == "c" * 300 + " …"


@pytest.mark.parametrize("what", ["relations", "entities?q=x", "neighbours?entity=0", "passages", "passages/0"])
def test_a_graph_that_is_still_importing_cannot_be_browsed(api, users, what):
    graph = Graph.objects.create(name="Soon", visibility="public")
    answer = api("viewer").get(f"/api/v1/graphs/{graph.pk}/{what}")
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "graph_not_ready"
