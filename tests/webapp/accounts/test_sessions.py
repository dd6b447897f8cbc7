"""Logging in and out, roles, tokens, throttling."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from rest_framework.test import APIClient

from tests.conftest import PASSWORD
from webapp.accounts import services
from webapp.accounts.models import ApiToken
from webapp.accounts.services import ensure_admin


def browser():
    """A client that is checked for CSRF as a browser is, with the token of a fresh session."""
    client = APIClient(enforce_csrf_checks=True)
    token = client.get("/api/v1/session").json()["csrf"]
    return client, {"HTTP_X_CSRFTOKEN": token}


def login(client, headers, username="viewer", password=PASSWORD):
    return client.post("/api/v1/session", {"username": username, "password": password}, format="json", **headers)


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


def attempt(username, password="wrong", **headers):
    body = {"username": username, "password": password}
    return APIClient().post("/api/v1/token", body, format="json", **headers).status_code


def test_a_header_that_clients_write_themselves_changes_nothing(users, settings):
    settings.LOGIN_FAILURES = 3
    codes = [attempt("viewer", HTTP_X_FORWARDED_FOR=f"10.0.0.{number}") for number in range(6)]
    assert codes == [401] * 3 + [429] * 3


def test_tries_at_once_are_counted_before_a_password_is_looked_at(users, settings, monkeypatch):
    looked, look = [], services.authenticate

    def slowly(**given):
        looked.append(given)
        time.sleep(0.05)
        return look(**given)

    monkeypatch.setattr(services, "authenticate", slowly)

    def one(_):
        try:
            return attempt("viewer")
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        codes = Counter(pool.map(one, range(40)))
    assert (codes, len(looked)) == ({401: settings.LOGIN_FAILURES, 429: 40 - settings.LOGIN_FAILURES}, 10)


def test_one_address_does_not_try_many_names(users, settings):
    settings.LOGIN_FAILURES_OF_ADDRESS = 5
    assert [attempt(f"name{number}") for number in range(7)] == [401] * 5 + [429] * 2
    assert attempt("viewer", PASSWORD) == 429
    assert attempt("viewer", PASSWORD, REMOTE_ADDR="10.1.1.1") == 200
    networks = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::", "2001:db8:0:1::"]
    settings.LOGIN_FAILURES_OF_ADDRESS = 2
    assert [attempt("nobody", REMOTE_ADDR=one) for one in networks] == [401, 401, 429, 401]


def test_many_addresses_do_not_try_one_name_for_ever(users, settings):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 4
    codes = [attempt("Viewer", REMOTE_ADDR=f"10.1.1.{number}") for number in range(6)]
    assert codes == [401] * 4 + [429] * 2
    assert attempt("analyst", PASSWORD) == 200


def test_who_knows_the_password_uses_nothing_up(users, settings):
    settings.LOGIN_FAILURES = settings.LOGIN_FAILURES_OF_ADDRESS = settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    assert [attempt("viewer", PASSWORD) for _ in range(5)] == [200] * 5
    assert [attempt("viewer"), attempt("viewer", PASSWORD)] == [401, 200], "a wrong one before is forgotten"


def test_the_window_ends(users, settings, redis):
    settings.LOGIN_FAILURES = 1
    assert [attempt("viewer"), attempt("viewer")] == [401, 429]
    waits = {redis.ttl(key) for key in redis.keys("clew:login:*")}
    assert len(waits) >= 1
    assert all(0 < wait <= settings.LOGIN_WINDOW_S for wait in waits)


@pytest.mark.parametrize("password", [" " * 8, "\u200b" * 12, " \t\u3000\u00a0" * 4, "a b c d e f "])
def test_spaces_are_no_password(users, password):
    client, headers = browser()
    fresh = {"HTTP_X_CSRFTOKEN": login(client, headers).json()["csrf"]}
    body = {"old_password": PASSWORD, "new_password": password}
    answer = client.post("/api/v1/session/password", body, format="json", **fresh)
    assert answer.status_code == 400
    assert "characters other than spaces" in str(answer.json()["error"]["fields"]["new_password"])


def test_a_disabled_user_cannot_log_in(users):
    users["viewer"].is_active = False
    users["viewer"].save()
    client, headers = browser()
    assert login(client, headers).status_code == 401


def test_a_token_opens_the_api_and_is_not_kept_in_clear(users):
    token = (
        APIClient().post("/api/v1/token", {"username": "analyst", "password": PASSWORD}, format="json").json()["token"]
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
