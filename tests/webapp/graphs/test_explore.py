"""What Explore draws: entities with the facts among them, and paths between two."""

from dataclasses import replace

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.support.sparql_server import SparqlServer
from webapp.graphs.kinds import find_kinds, list_commonest
from webapp.graphs.places import find_places
from webapp.graphs.similar import find_similar

FILMS = """
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:jaws a :Film ; rdfs:label "Jaws"@en ; :directedBy :s ; :year 1975 ; :starring :r .
:et a :Film ; rdfs:label "E.T."@en ; :directedBy :s .
:s rdfs:label "Steven Spielberg"@en ; :born :ohio .
:r rdfs:label "Roy Scheider"@en .
:Film rdfs:label "film"@en .
"""


@pytest.fixture
def asked(api, tiny_graph):
    """``asked(what, **query)``: what Explore is answered."""

    def answer(what, role="viewer", **query):
        return api(role).get(f"/api/v1/graphs/{tiny_graph.pk}/{what}", query)

    return answer


@pytest.fixture
def number(asked):
    def of(name):
        return asked("entities", q=name).json()[0]["id"]

    return of


def facts(hops):
    """Facts as they are said, head to tail."""
    return [(hop["source"]["label"], hop["step"]["name"], hop["target"]["label"]) for hop in hops]


def test_a_picture_has_the_facts_among_its_entities_alone(asked, number):
    germany, berlin, swiss = number("germany"), number("berlin"), number("switzerland")
    picture = asked("picture", entities=f"{swiss},{germany},{berlin},{germany}").json()
    assert [node["label"] for node in picture["nodes"]] == ["Berlin", "Germany", "Switzerland"]
    assert [node["degree"] for node in picture["nodes"]] == [1, 3, 3]
    assert facts(picture["hops"]) == [
        ("Germany", "capital", "Berlin"),
        ("Switzerland", "borders", "Germany"),
    ]
    assert (picture["total"], picture["missing"]) == (2, [])
    assert asked("picture", entities=f"{berlin},{swiss},{germany}").json() == picture  # whatever the order


def test_what_a_version_lacks_is_said(asked, number):
    picture = asked("picture", entities=f"{number('berlin')},99,100").json()
    assert [node["label"] for node in picture["nodes"]] == ["Berlin"]
    assert picture["missing"] == [99, 100]
    assert asked("picture", entities="99").json() == {
        "nodes": [],
        "hops": [],
        "total": 0,
        "missing": [99],
        "kinds": picture["kinds"],
    }


@pytest.mark.parametrize("entities", ["", "x", "1,-2", "1,²", ",".join(map(str, range(501)))])
def test_a_picture_of_nonsense(asked, entities):
    answer = asked("picture", entities=entities)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_paths_are_the_shortest_whichever_way_facts_point(asked, number):
    found = asked("paths", source=number("berlin"), target=number("switzerland")).json()
    assert [facts(path) for path in found["paths"]] == [
        [("Berlin", "capital", "Germany"), ("Germany", "borders", "Switzerland")]
    ]
    assert [hop["step"]["inverse"] for hop in found["paths"][0]] == [True, True]
    assert found["truncated"] is False
    near = asked("paths", source=number("berlin"), target=number("switzerland"), hops=1).json()
    assert near == {"paths": [], "truncated": False}
    assert asked("paths", source=0, target=0).json()["paths"] == []
    for query in ({"source": 0, "target": 99}, {"source": 0}, {"source": 0, "target": 1, "hops": 7}):
        assert asked("paths", **query).status_code == 400


def test_a_graph_that_one_may_not_see_is_not_drawn(asked, tiny_graph):
    tiny_graph.visibility = "private"
    tiny_graph.owner = None
    tiny_graph.save()
    assert asked("picture", entities="0").status_code == 404
    assert asked("paths", source=0, target=1).status_code == 404


@pytest.fixture
def films(api, settings):
    """Of a graph in an endpoint: ``asked(what, **query)``."""
    with SparqlServer(FILMS) as server:
        settings.CLEW = replace(settings.CLEW, import_hosts=(server.url.split("/")[2],))
        body = {"name": "Films", "url": server.url, "visibility": "public"}
        made = api("admin").post("/api/v1/endpoints", body, format="json").json()

        def answer(what, **query):
            return api("viewer").get(f"/api/v1/graphs/{made['id']}/{what}", query)

        yield answer


def test_an_endpoint_is_drawn_alike(films):
    jaws, spielberg, et = (films("entities", q=name).json()[0]["id"] for name in ("Jaws", "Steven Spielberg", "E.T."))
    around = films("neighbours", entity=jaws).json()
    year = next(hop["target"]["id"] for hop in around["hops"] if hop["target"]["label"] == "1975")
    picture = films("picture", entities=f"{jaws},{spielberg},{year},{et},999999").json()
    assert {(node["label"], node["kind"], node["type"], node["iri"]) for node in picture["nodes"]} == {
        ("Jaws", "entity", "film", "http://x/jaws"),
        ("E.T.", "entity", "film", "http://x/et"),
        ("Steven Spielberg", "entity", "", "http://x/s"),
        ("1975", "literal", "", ""),
    }
    assert {(f[0], f[2]) for f in facts(picture["hops"])} == {
        ("Jaws", "Steven Spielberg"),
        ("Jaws", "1975"),
        ("E.T.", "Steven Spielberg"),
    }
    assert (picture["total"], picture["missing"]) == (3, [999999])
    assert {hop["source"]["id"] for hop in picture["hops"]} == {jaws, et}
    assert films("picture", entities="999999").json()["missing"] == [999999]


def test_paths_through_an_endpoint(films):
    scheider, et = (films("entities", q=name).json()[0]["id"] for name in ("Roy Scheider", "E.T."))
    found = films("paths", source=scheider, target=et).json()
    middle = [[hop["target"]["label"] for hop in path] for path in found["paths"]]
    assert sorted(middle) == [["Jaws", "Steven Spielberg", "E.T."], ["Jaws", "film", "E.T."]]
    assert found["paths"][0][-1]["target"]["id"] == et


PLACES = [
    ("Lyon", "country", "France"),
    ("Nice", "country", "France"),
    ("Bonn", "country", "Germany"),
    ("Lyon", "latitude", "45.76"),
    ("Lyon", "longitude", "4.84"),
    ("Nice", "coordinates", "Point(7.27 43.70)"),
    ("Bonn", "coordinates", "50.73, 7.10"),
    ("Paris", "country", "France"),
    ("Paris", "latitude", "148.9"),
    ("Paris", "longitude", "2.35"),
    ("Lyon", "twin", "Bonn"),
    ("Nice", "twin", "Bonn"),
]


@pytest.fixture
def cities(tmp_path):
    return build_snapshot(TripleTable.from_facts(PLACES), tmp_path / "cities")


def of(snapshot, name):
    return snapshot.labels.search(name, 1)[0].entity


def test_where_entities_lie(cities):
    ids = [of(cities, name) for name in ("Lyon", "Nice", "Bonn", "Paris", "France")]
    assert find_places(cities, ids) == [(45.76, 4.84), (43.7, 7.27), (50.73, 7.1), None, None]


def test_kinds_are_told_by_relations_where_the_graph_has_none(cities):
    ids = [of(cities, name) for name in ("France", "Germany", "Lyon")]
    assert find_kinds(cities, ids)[:2] == ["country", "country"]
    assert "country" in list_commonest(cities)


def test_what_a_graph_says_of_kinds_stands_above_that(tmp_path):
    facts = [("Jaws", "type", "film"), ("Jaws", "country", "France"), ("Lyon", "country", "France")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "films")
    assert find_kinds(snapshot, [of(snapshot, "Jaws"), of(snapshot, "France")]) == ["film", ""]
    assert list_commonest(snapshot) == ["film"]


def test_similar_entities_share_facts(cities):
    found = find_similar(cities, of(cities, "Lyon"))
    assert [(one["node"]["label"], one["count"]) for one in found] == [("Nice", 2), ("Paris", 1)]
    assert [(hop["step"]["name"], hop["target"]["label"]) for hop in found[0]["hops"]] == [
        ("twin", "Bonn"),  # two cities have it, three are in France
        ("country", "France"),
    ]


def test_similar_entities_are_told_by_the_api(asked, number):
    answer = asked("similar", entity=number("germany"))
    assert (answer.status_code, [one["node"]["label"] for one in answer.json()]) == (
        200,
        ["France", "Switzerland"],
    )
    assert asked("similar", entity=99).status_code == 400
    assert asked("similar").status_code == 400
