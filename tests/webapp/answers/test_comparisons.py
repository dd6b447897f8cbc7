"""One question asked of several methods, side by side."""

import uuid

import pytest

from retrieval.methods import registry
from webapp.answers.models import Run
from webapp.api.redis import get_redis_client

URL = "/api/v1/comparisons"


def compare(client, graph, methods, **fields):
    body = {"graph": graph.pk, "question": "What borders France?", "methods": methods, **fields}
    return client.post(URL, body, format="json")


@pytest.fixture
def compared(api, tiny_graph):
    """``compared(methods, **fields)`` is the answer to a viewer who compares them."""
    return lambda methods, **fields: compare(api("viewer"), tiny_graph, methods, **fields)


def test_a_question_goes_to_each_method_with_the_same_settings(api, tiny_graph, checkpoint, redis):
    first, second = checkpoint(adopted=True), checkpoint()
    methods = [
        {"method": "rel-rag-path"},
        {"method": "rel-rag-path", "checkpoint": second.pk},
    ]
    answer = compare(api("viewer"), tiny_graph, methods, budget=20, seed=3, entities=[1])
    assert answer.status_code == 201, answer.content
    group = answer.json()
    assert (group["graph"], group["graph_name"], group["question"]) == (
        tiny_graph.pk,
        "Tiny",
        "What borders France?",
    )
    assert [(r["method"], r["checkpoint"], r["budget"], r["seed"], r["state"]) for r in group["runs"]] == [
        ("rel-rag-path", first.pk, 20, 3, "queued"),
        ("rel-rag-path", second.pk, 20, 3, "queued"),
    ]
    assert {r["group"] for r in group["runs"]} == {group["id"]}
    assert redis.llen("clew:celery:answers") == 2
    assert list(Run.objects.values_list("entities", flat=True)) == [[1], [1]]
    assert api("viewer").get(f"{URL}/{group['id']}").json()["runs"] == group["runs"]
    listed = api("viewer").get("/api/v1/runs", {"group": group["id"]}).json()
    assert [r["id"] for r in listed["results"]] == [r["id"] for r in reversed(group["runs"])]


def test_each_method_has_settings_of_its_own(api, tiny_graph):
    methods = [
        {"method": "inses", "options": {"iterations": 2}},
        {"method": "inses", "options": {"iterations": 6}},
        {"method": "reg-path"},
    ]
    runs = compare(api("viewer"), tiny_graph, methods).json()["runs"]
    assert [run["options"] for run in runs] == [{"iterations": 2}, {}, {}]
    same = [methods[0], methods[0]]
    assert compare(api("viewer"), tiny_graph, same).json()["error"]["code"] == "invalid"


def test_every_trained_method_can_be_compared(api, tiny_graph):
    methods = [{"method": method} for method in sorted(registry.TRAINED)]
    runs = compare(api("viewer"), tiny_graph, methods).json()["runs"]
    assert [run["method"] for run in runs] == sorted(registry.TRAINED)


@pytest.mark.parametrize(
    ("methods", "fields", "code"),
    [
        ([], {}, "invalid"),
        ([{"method": "rel-rag-path"}] * 9, {}, "invalid"),
        ([{"method": "rel-rag-path"}] * 2, {}, "invalid"),
        ([{"method": "rel-rag-path"}, {"method": "guess"}], {}, "unknown_method"),
        ([{"checkpoint": 1}], {}, "invalid"),
        ([{"method": "rel-rag-path"}], {"question": " "}, "bad_question"),
        ([{"method": "rel-rag-path", "options": {"beam": 1}}], {}, "bad_config"),
        ([{"method": "rel-rag-path"}], {"budget": 0}, "invalid"),
        ([{"method": "rel-rag-path"}], {"entities": [99]}, "unknown_entity"),
    ],
)
def test_nothing_is_asked_when_one_cannot_be(compared, methods, fields, code):
    answer = compared(methods, **fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert (Run.objects.count(), get_redis_client().llen("clew:celery:answers")) == (0, 0)


def test_a_comparison_that_is_not_there(api, tiny_graph):
    assert api("viewer").get(f"{URL}/{uuid.uuid4()}").status_code == 404
    assert api("viewer").get(f"{URL}/x").status_code == 404
    assert api(None).post(URL, {}, format="json").status_code == 401
    assert api("viewer").get("/api/v1/runs", {"group": "x"}).status_code == 400
    assert compare(api("viewer"), tiny_graph, [{"method": "rel-rag-path", "checkpoint": 9}]).status_code == 404


def test_a_run_of_its_own_has_no_group(api, tiny_graph):
    body = {"graph": tiny_graph.pk, "question": "q?"}
    assert api("viewer").post("/api/v1/runs", body, format="json").json()["group"] is None
