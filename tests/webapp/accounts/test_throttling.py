"""Limits on log-ins: whom wrong passwords keep out, for how long, and the owner's way back."""

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from rest_framework.test import APIClient

from tests.conftest import PASSWORD
from webapp.accounts import throttling


def attempt(username="viewer", password="wrong", *, address="10.0.0.1", client=None):
    """The answer to a log-in from an address, by a client or a new one."""
    client = client or APIClient()
    csrf = client.get("/api/v1/session", REMOTE_ADDR=address).json()["csrf"]
    body = {"username": username, "password": password}
    more = {"HTTP_X_CSRFTOKEN": csrf, "REMOTE_ADDR": address}
    return client.post("/api/v1/session", body, format="json", **more)


def codes(count, **values):
    return [attempt(**values).status_code for _ in range(count)]


def lock_account(count, username="viewer"):
    """Try wrong passwords, each from an address of its own."""
    return [attempt(username, address=f"10.9.{n // 250}.{n % 250}").status_code for n in range(count)]


def test_wrong_passwords_from_one_address_lock_nobody_else_out(users):
    assert codes(105) == [401] * 10 + [429] * 95
    assert attempt(password=PASSWORD).status_code == 429
    assert attempt(password=PASSWORD, address="10.0.0.2").status_code == 200
    assert attempt(address="10.0.0.2").status_code == 401, "ten of the account's hundred are used up"


def test_refused_attempts_neither_count_nor_extend_the_lock(users, settings, redis):
    settings.LOGIN_FAILURES = 2
    codes(2)
    counters = {key: redis.get(key) for key in redis.keys("clew:login:*")}
    for key in counters:
        redis.expire(key, 7)
    assert codes(20) == [429] * 20
    assert {key: redis.get(key) for key in redis.keys("clew:login:*")} == counters
    assert {redis.ttl(key) for key in counters} <= {6, 7}


def test_the_answer_says_how_long_to_wait(users, settings, redis):
    settings.LOGIN_FAILURES = 1
    attempt()
    answer = attempt()
    assert answer.json()["error"]["code"] == "too_many_logins"
    assert answer.json()["error"]["hint"] == "Wait 5 minutes and try again."
    assert 299 <= int(answer["Retry-After"]) <= 300
    for key in redis.keys("clew:login:*:address:*"):
        redis.pexpire(key, 41_500)
    answer = attempt()
    assert (answer.json()["error"]["hint"], answer["Retry-After"]) == ("Wait 42 seconds and try again.", "42")


def test_a_known_device_is_exempt_from_what_others_tried(users, settings):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 5
    owner = APIClient()
    assert attempt(password=PASSWORD, client=owner).status_code == 200
    owner.cookies.pop(configured.SESSION_COOKIE_NAME)
    assert lock_account(6) == [401] * 5 + [429]
    assert attempt(password=PASSWORD, address="10.0.0.3").status_code == 429, "a new device waits"
    codes(20)
    assert attempt(password=PASSWORD, client=owner).status_code == 200, "from the attacker's address too"


def test_a_known_device_has_a_limit_of_its_own(users, settings):
    settings.LOGIN_FAILURES = 3
    owner = APIClient()
    attempt(password=PASSWORD, client=owner)
    assert codes(5, client=owner) == [401] * 3 + [429] * 2
    assert attempt(password=PASSWORD).status_code == 200, "what the device tried is not the address's"


@pytest.mark.parametrize("forge", [lambda own: own[:-2], lambda own: "x", lambda own: own + "é"])
def test_a_forged_device_is_a_new_one(users, settings, forge):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    owner = APIClient()
    attempt(password=PASSWORD, client=owner)
    lock_account(2)
    name = configured.DEVICE_COOKIE_NAME
    owner.cookies[name] = forge(owner.cookies[name].value)
    assert attempt(password=PASSWORD, client=owner).status_code == 429


def test_a_device_is_known_to_its_account_alone(users, settings):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    client = APIClient()
    attempt("analyst", PASSWORD, client=client)
    lock_account(2)
    client.cookies.pop(configured.SESSION_COOKIE_NAME)
    assert attempt(password=PASSWORD, client=client).status_code == 429
    assert attempt("analyst", PASSWORD, client=client).status_code == 200


def test_a_device_is_known_for_a_limited_time(users, settings):
    cookie = throttling.create_device("viewer")
    assert throttling.read_device(cookie, "Viewer") != ""
    settings.DEVICE_COOKIE_AGE = -1
    assert throttling.read_device(cookie, "viewer") == ""


def test_each_lock_of_an_account_is_longer_than_the_one_before(users, settings, redis):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    waits = []
    for _ in range(6):
        lock_account(2)
        waits.append(throttling.list_locks(["viewer"])["viewer"])
        for key in redis.keys("clew:login:*"):
            if not key.endswith(":level"):
                redis.delete(key)  # the time is over
    assert [round(wait / 60) for wait in waits] == [5, 10, 20, 40, 60, 60]


def test_an_administrator_sees_and_lifts_a_lock(users, settings, api):
    settings.LOGIN_FAILURES_OF_ACCOUNT = settings.LOGIN_FAILURES = 2
    lock_account(2)
    codes(3)
    admin, person = api("admin"), users["viewer"].pk
    shown = {one["username"]: one["login_locked_s"] for one in admin.get("/api/v1/users").json()}
    assert 290 < shown.pop("viewer") <= 300
    assert set(shown.values()) == {0}
    answer = admin.post(f"/api/v1/users/{person}/unlock")
    assert (answer.status_code, answer.json()["login_locked_s"]) == (200, 0)
    assert attempt(password=PASSWORD).status_code == 200


def test_a_new_password_and_the_command_lift_a_lock(users, settings, api):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    lock_account(3)
    made = api("admin").post(f"/api/v1/users/{users['viewer'].pk}/password").json()["password"]
    assert attempt(password=made).status_code == 200
    lock_account(3)
    assert attempt(password=made, address="10.0.0.4").status_code == 429
    call_command("unlock", "VIEWER")
    assert attempt(password=made, address="10.0.0.4").status_code == 200


def test_who_is_logged_in_changes_the_password_of_a_locked_account(users, settings):
    settings.LOGIN_FAILURES_OF_ACCOUNT = 2
    client = APIClient()
    attempt(password=PASSWORD, client=client)
    client.cookies.pop(configured.DEVICE_COOKIE_NAME)
    lock_account(2)
    body = {"old_password": PASSWORD, "new_password": "another-horse-battery"}
    assert client.post("/api/v1/session/password", body, format="json").status_code == 200
