"""Logging in and out, roles, tokens, throttling."""

import pytest
from rest_framework.test import APIClient

from tests.conftest import PASSWORD
from webapp.accounts.models import ApiToken
from webapp.accounts.services import ensure_admin


def browser():
    """A client that is checked for CSRF as a browser is, with the token of a fresh session."""
    client = APIClient(enforce_csrf_checks=True)
    token = client.get("/api/v1/session").json()["csrf"]
    return client, {"HTTP_X_CSRFTOKEN": token}


def login(client, headers, username="viewer", password=PASSWORD):
    return client.post(
        "/api/v1/session", {"username": username, "password": password}, format="json", **headers
    )


def test_nobody_is_logged_in_at_first(users):
    answer = APIClient().get("/api/v1/session").json()
    assert answer["user"] is None
    assert len(answer["csrf"]) == 64


def test_log_in_and_out(users):
    client, headers = browser()
    answer = login(client, headers)
    assert answer.status_code == 200
    user = {"username": "viewer", "role": "viewer", "must_change_password": False}
    assert answer.json()["user"] == user
    assert client.get("/api/v1/runs").status_code == 200
    fresh = {"HTTP_X_CSRFTOKEN": answer.json()["csrf"]}
    assert client.delete("/api/v1/session", **fresh).status_code == 204
    assert client.get("/api/v1/runs").status_code == 401


def test_a_wrong_password_is_refused(users):
    client, headers = browser()
    answer = login(client, headers, password="wrong")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "bad_login"


def test_logging_in_needs_the_csrf_token(users):
    client, _ = browser()
    answer = login(client, {})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "bad_csrf"


def test_writing_in_a_session_needs_the_csrf_token(users, tiny_graph):
    client, headers = browser()
    login(client, headers, "admin")
    answer = client.patch(f"/api/v1/graphs/{tiny_graph.pk}", {"name": "New"}, format="json")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"


def test_too_many_wrong_passwords_make_the_next_wait(users, settings):
    settings.LOGIN_FAILURES = 3
    client, headers = browser()
    for _ in range(3):
        assert login(client, headers, password="wrong").status_code == 401
    answer = login(client, headers)
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "too_many_logins"
    assert login(client, headers, "analyst").status_code == 200  # others are not locked out


def test_a_disabled_user_cannot_log_in(users):
    users["viewer"].is_active = False
    users["viewer"].save()
    client, headers = browser()
    assert login(client, headers).status_code == 401


def test_a_token_opens_the_api_and_is_not_kept_in_clear(users):
    token = (
        APIClient()
        .post("/api/v1/token", {"username": "analyst", "password": PASSWORD}, format="json")
        .json()["token"]
    )
    row = ApiToken.objects.get()
    assert token not in (row.digest, str(row))
    client = APIClient()
    assert client.get("/api/v1/runs", HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 200
    refused = client.get("/api/v1/runs", HTTP_AUTHORIZATION=f"Bearer {token}x")
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "not_authenticated"


def test_a_token_needs_the_password(users):
    answer = APIClient().post("/api/v1/token", {"username": "analyst", "password": "wrong"}, format="json")
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "status",
        "graphs",
        "question-sets",
        "checkpoints",
        "jobs",
        "runs",
        "graphs/1",
        "graphs/1/entities",
        "jobs/1",
    ],
)
def test_nothing_is_shown_to_nobody(users, path):
    answer = APIClient().get(f"/api/v1/{path}")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "not_authenticated"


ADMIN_ONLY = [("post", "graphs"), ("patch", "graphs/{g}"), ("delete", "graphs/{g}")]
ANALYST_UP = [
    ("post", "question-sets"),
    ("delete", "question-sets/{q}"),
    ("post", "graphs/{g}/train"),
    ("post", "jobs/1/cancel"),
]


@pytest.mark.parametrize(("verb", "path"), ADMIN_ONLY + ANALYST_UP)
def test_viewers_may_not(api, tiny_graph, question_set, verb, path):
    answer = getattr(api("viewer"), verb)(f"/api/v1/{path.format(g=tiny_graph.pk, q=question_set.pk)}")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"


@pytest.mark.parametrize(("verb", "path"), ADMIN_ONLY)
def test_analysts_may_not(api, tiny_graph, verb, path):
    assert getattr(api("analyst"), verb)(f"/api/v1/{path.format(g=tiny_graph.pk)}").status_code == 403


@pytest.mark.parametrize(("verb", "path"), ANALYST_UP)
def test_analysts_may(api, tiny_graph, question_set, verb, path):
    answer = getattr(api("analyst"), verb)(f"/api/v1/{path.format(g=tiny_graph.pk, q=question_set.pk)}")
    assert answer.status_code != 403


def test_the_first_admin_gets_a_password_that_works(stored):
    made = ensure_admin(password=None)
    assert made is not None
    assert len(made) >= 16
    client, headers = browser()
    assert login(client, headers, "admin", made).json()["user"]["role"] == "admin"
    assert ensure_admin(password=None) is None


def test_the_first_admin_can_bring_a_password(stored):
    assert ensure_admin(password="brought along") is None
    client, headers = browser()
    assert login(client, headers, "admin", "brought along").status_code == 200
