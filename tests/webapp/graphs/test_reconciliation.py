"""A graph as a reconciliation service: the requests that the specification of version 0.2 describes."""

import json
from datetime import timedelta
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from webapp.accounts.models import Scope, User
from webapp.accounts.services import create_token
from webapp.graphs import files, progress
from webapp.graphs.models import Visibility

RIVERS = [
    *(("Danube", "type", "River"), ("Danube", "flows_through", "Vienna"), ("Danube", "length_km", "2850")),
    *(("Rhine", "type", "River"), ("Rhine", "flows_through", "Basel"), ("Rhine", "flows_through", "Cologne")),
    *(("Rhine", "length_km", "1233"), ("Rhine Falls", "type", "Waterfall"), ("Rhine Falls", "height_m", "23.5")),
    *(("Vienna", "type", "City"), ("Basel", "type", "City"), ("Cologne", "type", "City")),
]


PLAIN = [{"id": "length_km"}, {"id": "height_m"}]


@pytest.fixture
def rivers(tiny_graph):
    """The graph with other facts."""
    name = files.build_snapshot_name(tiny_graph.pk, 2)
    built = build_snapshot(TripleTable.from_facts(RIVERS), files.ensure_local_path(name))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    tiny_graph.refresh_from_db()
    return tiny_graph


def make_address(graph, scopes=("reconcile",), role="viewer", **values):
    token = create_token(user=User.objects.get(username=role), scopes=scopes, **values)
    return f"/api/v1/reconcile/{token}/{graph.pk}"


@pytest.fixture
def address(rivers):
    """The service of a viewer, whom no cookie and no header names."""
    return make_address(rivers)


@pytest.fixture
def match(address):
    """``match(query=...)``: the candidates for one query, as names, scores and whether they match."""

    def find(**query):
        answer = post(address, queries={"q0": query}).json()
        return [(each["name"], each["score"], each["match"]) for each in answer["q0"]["result"]]

    return find


def post(address, **form):
    body = urlencode({name: json.dumps(value) for name, value in form.items()})
    return Client().post(address, body, content_type="application/x-www-form-urlencoded")


def test_the_manifest_says_where_all_parts_are(address, rivers):
    answer = Client().get(address)
    manifest = answer.json()
    url = f"http://testserver{address}"
    assert (manifest["versions"], manifest["name"], manifest["batchSize"]) == (["0.2"], "Tiny (Clew)", 50)
    assert manifest["identifierSpace"] == f"http://testserver/graphs/{rivers.pk}#entity="
    assert [each["id"] for each in manifest["defaultTypes"]] == ["City", "River", "Waterfall"]
    assert manifest["preview"] == {"url": f"{url}/preview?id={{{{id}}}}", "width": 400, "height": 240}
    assert manifest["extend"]["propose_properties"] == {"service_url": url, "service_path": "/properties"}
    for kind in ("entity", "type", "property"):
        place = manifest["suggest"][kind]
        assert place == {"service_url": url, "service_path": f"/suggest/{kind}"}
        assert Client().get(f"{address}{place['service_path']}", {"prefix": "r"}).status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_names_are_matched_by_how_alike_they_are(match):
    assert match(query="Rhine") == [("Rhine", 100.0, True), ("Rhine Falls", 62.5, False)]
    assert match(query="Rhein", limit=1) == [("Rhine", 80.0, False)]
    assert match(query="rhine", limit=1) == [("Rhine", 100.0, True)]
    assert match(query="2850") == []  # a value is no entity
    assert match(query="Amazon") == []


def test_types_leave_out_or_only_lower(match):
    assert match(query="Rhine", type="Waterfall") == [("Rhine Falls", 62.5, False), ("Rhine", 50.0, False)]
    assert match(query="Rhine", type=["Waterfall"], type_strict="any") == [("Rhine Falls", 62.5, False)]
    assert match(query="Rhine", type=["River", "City"], type_strict="all") == [("Rhine", 100.0, True)]


def test_properties_decide_together_with_the_name(match):
    assert match(query="Rhine", properties=[{"pid": "flows_through", "v": {"id": "Basel"}}])[0] == ("Rhine", 100, True)
    assert match(query="Rhine", properties=[{"pid": "flows_through", "v": ["Vienna", "Cologne"]}])[0] == (
        "Rhine",
        100,
        True,
    )
    (name, score, matches), *_ = match(query="Rhine", properties=[{"pid": "length_km", "v": 2850}])
    assert (name, score, matches) == ("Rhine", 66.67, False)
    # Without a name, entities are found by their values.
    assert match(properties=[{"pid": "length_km", "v": 2850}]) == [("Danube", 100.0, True)]
    assert match(properties=[{"pid": "length_km", "v": "2850.0"}, {"pid": "flows_through", "v": "Vienna"}]) == [
        ("Danube", 100.0, True)
    ]
    assert match(properties=[{"pid": "flows_through", "v": "Atlantis"}]) == []


def test_a_batch_has_a_result_for_each_query_with_features(address):
    queries = {"a": {"query": "Danube", "type": "River"}, "b": {"query": "Vienna"}}
    answer = post(address, queries=queries).json()
    assert answer["a"]["result"][0] == {
        **{"id": "Danube", "name": "Danube", "description": "", "score": 100.0, "match": True},
        **{"type": [{"id": "River", "name": "River"}]},
        "features": [{"id": "type", "value": True}, {"id": "name", "value": 100.0}],
    }
    assert [each["id"] for each in answer["b"]["result"]] == ["Vienna"]
    assert Client().get(address, {"queries": json.dumps(queries)}).json() == answer


def test_what_a_person_types_is_completed(address):
    def suggest(kind, prefix, **more):
        answer = Client().get(f"{address}/suggest/{kind}", {"prefix": prefix, **more})
        return [each["id"] for each in answer.json()["result"]]

    assert suggest("entity", "rhi") == ["Rhine", "Rhine Falls"]
    assert suggest("entity", "rhi", cursor=1) == ["Rhine Falls"]
    assert suggest("type", "wat") == ["Waterfall"]
    assert suggest("property", "") == ["type", "flows_through", "length_km", "height_m"]
    assert suggest("property", "through") == ["flows_through"]
    assert suggest("property", "length_km") == ["length_km"]
    entity = Client().get(f"{address}/suggest/entity", {"prefix": "Basel"}).json()["result"][0]
    assert entity["notable"] == [{"id": "City", "name": "City"}]
    assert Client().get(f"{address}/suggest/facts", {"prefix": "x"}).status_code == 404


def test_properties_are_proposed_and_fetched(address):
    proposed = Client().get(f"{address}/properties", {"type": "River", "limit": 2}).json()
    assert (proposed["type"], proposed["limit"]) == ("River", 2)
    assert [each["id"] for each in proposed["properties"]] == ["flows_through", "length_km"]
    answer = post(
        address,
        extend={
            "ids": ["Rhine", "Rhine Falls", "Atlantis"],
            "properties": [
                {"id": "flows_through", "settings": {"limit": "1"}},
                {"id": "length_km"},
                {"id": "height_m"},
            ],
        },
    ).json()
    assert answer["meta"][0] == {"id": "flows_through", "name": "flows through"}
    assert answer["rows"] == {
        "Rhine": {
            "flows_through": [{"id": "Basel", "name": "Basel"}],
            "length_km": [{"int": 1233}],
            "height_m": [],
        },
        "Rhine Falls": {"flows_through": [], "length_km": [], "height_m": [{"float": 23.5}]},
        "Atlantis": {"flows_through": [], "length_km": [], "height_m": []},
    }


class Tags(HTMLParser):
    """What the parser of a browser makes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_a_preview_may_be_framed_and_runs_nothing(address, make_version, rivers):
    answer = Client().get(f"{address}/preview", {"id": "Rhine"})
    assert "X-Frame-Options" not in answer.headers
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    page = Tags(answer.content.decode())
    assert "Rhine" in page.text
    assert "flows throughBasel" in page.text
    page = Tags(Client().get(f"{address}/preview", {"id": "<script>alert(1)</script>"}).content.decode())
    assert "script" not in page.tags
    assert "There is no such entity." in page.text


@pytest.mark.parametrize(
    ("field", "content", "status", "message"),
    [
        ("queries", "{", 400, "queries: Invalid JSON"),
        ("queries", "[]", 400, "queries: Input should be"),
        ("queries", '{"q": {"query": "x", "limit": 0}}', 400, "queries.q.limit: Input should be greater"),
        ("queries", '{"q": {"limit": 1}}', 400, "give query, properties or both"),
        ("queries", '{"q": {"query": "x", "props": []}}', 400, "queries.q.props: Extra inputs are not permitted"),
        ("queries", '{"q": {"properties": [{"v": "x"}]}}', 400, "queries.q.properties.0.pid: Field required"),
        ("queries", '{"q": {"query": "x", "properties": [{"pid": "no", "v": 1}]}}', 400, "no property no"),
        ("extend", '{"ids": ["Rhine"], "properties": [{"id": "no"}]}', 400, "no property no"),
        ("queries", json.dumps({str(i): {"query": "x"} for i in range(51)}), 413, "at most 50 queries"),
    ],
)
def test_malformed_requests_are_refused_readably(address, field, content, status, message):
    answer = Client().get(address, {field: content})
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_only_a_token_for_reconciling_alone_stands_in_an_address(rivers, users, api):
    assert Client().get(make_address(rivers)).status_code == 200
    old = timezone.now() - timedelta(days=1)
    for refused in (
        make_address(rivers, ["read"]),
        make_address(rivers, ["reconcile", "read"]),
        make_address(rivers, [*Scope]),
        make_address(rivers, expires_at=old),
        f"/api/v1/reconcile/none/{rivers.pk}",
    ):
        answer = Client().get(refused)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
        assert api("admin").get(refused).status_code == 404  # a session does not count
    token = create_token(user=users["viewer"], scopes=["reconcile"])
    header = {"authorization": f"Bearer {token}"}
    assert Client().get("/api/v1/graphs", headers=header).status_code == 403
    address = make_address(rivers)
    rivers.visibility = Visibility.PRIVATE
    rivers.save(update_fields=["visibility"])
    assert Client().get(address).status_code == 404
    assert Client().get(make_address(rivers, role="admin")).status_code == 200


def test_pages_of_other_sites_may_ask_first(address):
    answer = Client().options(address, headers={"origin": "http://other.example"})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, POST, OPTIONS"
    assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type"
