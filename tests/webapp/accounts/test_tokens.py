"""What tokens are good for, and how they end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from webapp.accounts.models import ApiToken


def bearer(token):
    from rest_framework.test import APIClient

    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def make_token(client, *scopes, **more):
    answer = client.post("/api/v1/tokens", {"name": "script", "scopes": scopes, **more}, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_token_does_what_its_scopes_say(api, tiny_graph):
    graph = f"/api/v1/graphs/{tiny_graph.pk}"
    asking = ("post", "/api/v1/runs", {"graph": tiny_graph.pk, "question": "What borders Switzerland?"})
    calls = {
        "read": ("get", graph, None),
        "ask": asking,
        "write": ("patch", graph, {"description": "new"}),
        "admin": ("get", "/api/v1/tokens", None),
    }
    for scope in calls:
        client = bearer(make_token(api(), scope)["token"])
        got = {name: getattr(client, m)(url, body, format="json") for name, (m, url, body) in calls.items()}
        assert {name for name, answer in got.items() if answer.status_code < 300} == {scope}
        refused = next(answer for name, answer in got.items() if name != scope)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
        assert "lacks the scope" in refused.json()["error"]["message"]


def test_a_token_gives_no_more_than_its_user_has(api, tiny_graph):
    client = bearer(make_token(api("viewer"), "read", "ask", "write", "admin")["token"])
    changed = client.patch(f"/api/v1/graphs/{tiny_graph.pk}", {"name": "X"}, format="json")
    assert changed.status_code == 403


def test_tokens_are_listed_without_themselves_and_taken_back(api):
    made = make_token(api("viewer"), "read", expires_days=2)
    assert made["token"].startswith("clew_")
    client = bearer(made["token"])
    assert client.get("/api/v1/graphs").status_code == 200
    row = api("viewer").get("/api/v1/tokens").json()[0]
    assert (row["name"], row["scopes"], "token" in row) == ("script", ["read"], False)
    assert row["last_used_at"] is not None
    assert api("admin").get("/api/v1/tokens").json() == []
    assert api("admin").delete(f"/api/v1/tokens/{made['id']}").status_code == 404
    assert api("viewer").delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert client.get("/api/v1/graphs").status_code == 401


def test_tokens_expire(api):
    client = bearer(make_token(api("viewer"), "read", expires_days=1)["token"])
    assert client.get("/api/v1/graphs").status_code == 200
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get("/api/v1/graphs").status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [{"scopes": []}, {"scopes": ["root"]}, {"name": ""}, {"expires_days": 0}, {"expires_days": 10**6}],
)
def test_wrong_tokens_are_refused(api, wrong):
    body = {"name": "x", "scopes": ["read"], **wrong}
    answer = api().post("/api/v1/tokens", body, format="json")
    assert list(answer.json()["error"]["fields"]) == list(wrong)
