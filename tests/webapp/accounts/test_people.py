"""Making people, their roles, passwords and quotas, and sending them away at once."""

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from channels.layers import channel_layers
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from tests.conftest import PASSWORD
from tests.support.sockets import Socket
from tests.webapp.accounts.test_sessions import browser, login
from webapp.accounts import people, quotas
from webapp.accounts.models import ApiToken, Role, User
from webapp.api.errors import LastAdminError

URL = "/api/v1/users"


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def make(api, **values):
    body = {"username": "ann", "role": "analyst", **values}
    answer = api().post(URL, body, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def choose(client, answer, old, new):
    headers = {"HTTP_X_CSRFTOKEN": answer.json()["csrf"]}
    body = {"old_password": old, "new_password": new}
    return client.post("/api/v1/session/password", body, format="json", **headers)


def test_a_person_is_made_and_chooses_a_password_at_the_first_login(api):
    made = make(api, quota=5)
    password = made.pop("password")
    assert (made["username"], made["role"], made["is_active"], made["must_change_password"]) == (
        "ann",
        "analyst",
        True,
        True,
    )
    assert (made["quota"], made["limit"], made["used"], made["last_seen_at"]) == (5, 5, 0, None)
    assert len(password) == 16
    assert "password" not in api().get(f"{URL}/{made['id']}").json()
    client, headers = browser()
    answer = login(client, headers, "ann", password)
    assert answer.json()["user"] == {"username": "ann", "role": "analyst", "must_change_password": True}
    for path in ("graphs", "uploads", "tokens", "status", "trash"):
        assert code(client.get(f"/api/v1/{path}")) == (403, "password_change_needed"), path
    changed = choose(client, answer, password, PASSWORD)
    assert changed.json()["user"]["must_change_password"] is False
    assert client.get("/api/v1/graphs").status_code == 200
    assert code(login(*browser(), "ann", password)) == (401, "bad_login")
    assert login(*browser(), "ann", PASSWORD).status_code == 200


def test_a_password_that_was_made_opens_nothing_else_and_not_for_ever(api):
    password = make(api)["password"]
    body = {"username": "ann", "password": password}
    assert code(APIClient().post("/api/v1/token", body, format="json")) == (403, "password_change_needed")
    User.objects.filter(username="ann").update(one_time_until=timezone.now() - timedelta(seconds=1))
    assert code(login(*browser(), "ann", password)) == (401, "bad_login")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "two words"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"role": "root"}, "role"),
        ({"quota": -1}, "quota"),
    ],
)
def test_wrong_people_are_refused(api, wrong, field):
    answer = api().post(URL, {"username": "ann", "role": "viewer", **wrong}, format="json")
    assert code(answer) == (400, "invalid")
    assert list(answer.json()["error"]["fields"]) == [field]


def test_a_name_is_given_once_in_whatever_capitals(api):
    make(api)
    assert code(api().post(URL, {"username": "Ann", "role": "viewer"}, format="json")) == (409, "name_taken")


def test_only_administrators_manage_people(api, users):
    of = f"{URL}/{users['viewer'].pk}"
    calls = [
        ("get", URL),
        ("post", URL),
        ("get", of),
        ("patch", of),
        ("post", f"{of}/deactivate"),
        ("post", f"{of}/password"),
    ]
    for role in ("viewer", "analyst"):
        for verb, path in calls:
            assert code(getattr(api(role), verb)(path, {}, format="json")) == (403, "forbidden")
    assert User.objects.get(username="viewer").check_password(PASSWORD)


def test_one_changes_ones_own_password_and_other_sessions_end(users):
    here, headers = browser()
    answer = login(here, headers)
    there, other_headers = browser()
    login(there, other_headers)
    assert choose(here, answer, "wrong", "another-good-one").json()["error"]["fields"] == {
        "old_password": ["This is not your password."]
    }
    changed = choose(here, answer, PASSWORD, "another-good-one")
    assert changed.status_code == 200
    assert here.get("/api/v1/graphs").status_code == 200
    assert code(there.get("/api/v1/graphs")) == (401, "not_authenticated")


@pytest.mark.parametrize("weak", ["short", "password123", "4711471147", "viewer-1", PASSWORD])
def test_weak_passwords_are_refused(users, weak):
    client, headers = browser()
    refused = choose(client, login(client, headers), PASSWORD, weak)
    assert list(refused.json()["error"]["fields"]) == ["new_password"]
    assert User.objects.get(username="viewer").check_password(PASSWORD)


def test_a_token_cannot_change_the_password(api, users):
    body = {"username": "viewer", "password": PASSWORD}
    token = APIClient().post("/api/v1/token", body, format="json").json()["token"]
    body = {"old_password": PASSWORD, "new_password": "another-good-one"}
    answer = APIClient().post("/api/v1/session/password", body, format="json", HTTP_AUTHORIZATION=f"Bearer {token}")
    assert code(answer) == (401, "not_authenticated")


def test_who_is_deactivated_is_out_at_once_and_comes_back_with_another_password(api, users):
    client, headers = browser()
    login(client, headers, "analyst")
    body = {"username": "analyst", "password": PASSWORD}
    token = APIClient().post("/api/v1/token", body, format="json").json()["token"]
    of = f"{URL}/{users['analyst'].pk}"
    gone = api().post(f"{of}/deactivate")
    assert (gone.status_code, gone.json()["is_active"]) == (200, False)
    assert client.get("/api/v1/graphs").status_code == 401
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert APIClient().get("/api/v1/graphs", **bearer).status_code == 401
    assert code(login(*browser(), "analyst")) == (401, "bad_login")
    back = api().post(f"{of}/password").json()
    assert (back["is_active"], back["must_change_password"]) == (True, True)
    assert client.get("/api/v1/graphs").status_code == 401  # the session of before stays ended
    assert APIClient().get("/api/v1/graphs", **bearer).status_code == 401
    assert login(*browser(), "analyst", back["password"]).status_code == 200


def test_a_reset_ends_sessions_and_tokens(api, users):
    client, headers = browser()
    login(client, headers)
    ApiToken.objects.create(user=users["viewer"], digest="d")
    made = api().post(f"{URL}/{users['viewer'].pk}/password").json()["password"]
    assert client.get("/api/v1/graphs").status_code == 401
    assert not ApiToken.objects.exists()
    assert login(*browser(), "viewer", made).json()["user"]["must_change_password"] is True


def test_what_somebody_made_stays(api, tiny_graph, question_set, users):
    api().patch(f"/api/v1/graphs/{tiny_graph.pk}", {"owner": "analyst"}, format="json")
    api().post(f"{URL}/{users['analyst'].pk}/deactivate")
    assert api().get(f"/api/v1/graphs/{tiny_graph.pk}").json()["owner"] == "analyst"
    assert api().get(f"/api/v1/question-sets/{question_set.pk}").status_code == 200


def test_the_last_administrator_stays_one(api, users):
    me = f"{URL}/{users['admin'].pk}"
    assert code(api().patch(me, {"role": "viewer"}, format="json")) == (409, "last_admin")
    assert code(api().post(f"{me}/deactivate")) == (409, "conflict")
    assert code(api().post(f"{me}/password")) == (409, "conflict")
    # One who has never logged in does not count: their password may have got lost.
    second = make(api, username="second", role="admin")
    assert code(api().patch(me, {"role": "viewer"}, format="json")) == (409, "last_admin")
    client, headers = browser()
    choose(client, login(client, headers, "second", second["password"]), second["password"], PASSWORD)
    assert api().patch(me, {"role": "viewer"}, format="json").json()["role"] == "viewer"
    assert code(api().get(URL)) == (403, "forbidden")


def test_two_administrators_do_not_send_each_other_away(users):
    import threading

    from django.db import connection

    other = User.objects.create_user("other", password=PASSWORD, role=Role.ADMIN)
    refused, at = [], threading.Barrier(2)

    def away(person, by):
        at.wait()
        try:
            people.deactivate(person=person, by=by)
        except LastAdminError as error:
            refused.append(error.code)
        finally:
            connection.close()

    pairs = [(users["admin"], other), (other, users["admin"])]
    threads = [threading.Thread(target=away, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["last_admin"]
    assert User.objects.filter(role=Role.ADMIN, is_active=True).count() == 1


def test_a_quota_of_ones_own_counts_instead_of_the_installations(api, users, monkeypatch):
    monkeypatch.setattr(quotas, "get_default_quota", lambda: 100)
    of = f"{URL}/{users['analyst'].pk}"
    assert api().get(of).json()["limit"] == 100
    assert api().patch(of, {"quota": 7}, format="json").json()["limit"] == 7
    assert quotas.get_quota(User.objects.get(pk=users["analyst"].pk)) == 7
    assert api("analyst").get("/api/v1/storage").json()["quota"] == 7
    assert api().patch(of, {"quota": None}, format="json").json()["limit"] == 100
    assert api().patch(of, {"role": "viewer"}, format="json").json()["quota"] is None


def test_what_people_keep_and_when_they_were_seen_is_listed(api, tiny_graph, users):
    tiny_graph.snapshot.bytes = 30
    tiny_graph.snapshot.save()
    tiny_graph.owner = users["analyst"]
    tiny_graph.save()
    tiny_graph.files.create(name="a", path="a", size=12)
    listed = {one["username"]: one for one in api().get(URL).json()}
    assert {name: one["used"] for name, one in listed.items()} == {"admin": 0, "analyst": 42, "viewer": 0}
    assert quotas.compute_usage(users["analyst"]) == 42
    assert listed["viewer"]["last_seen_at"] is None
    api("viewer").get("/api/v1/graphs")
    seen = User.objects.get(username="viewer").last_seen_at
    assert timezone.now() - seen < timedelta(minutes=1)
    api("viewer").get("/api/v1/graphs")
    assert User.objects.get(username="viewer").last_seen_at == seen


def _session_of(user):
    client = APIClient()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}".encode()


@pytest.mark.parametrize("how", ["deactivate", "password", "role"])
def test_sockets_end_when_what_a_person_may_do_changes(users, how):
    cookie, admin = _session_of(users["analyst"]), users["admin"]
    acts = {
        "deactivate": lambda: people.deactivate(person=users["analyst"], by=admin),
        "password": lambda: people.reset_password(person=users["analyst"], by=admin),
        "role": lambda: people.update_person(
            person=users["analyst"], role=Role.VIEWER, quota=None, sets_quota=False, by=admin
        ),
    }

    async def watch():
        from channels.db import database_sync_to_async

        from webapp.project.asgi import application

        channel_layers.backends.clear()
        headers = [(b"origin", b"http://localhost"), (b"cookie", cookie)]
        socket, other = Socket(application, "/ws/jobs", headers), Socket(application, "/ws/jobs", headers)
        assert await socket.connect()
        await socket.send_text('{"type": "ping"}')
        assert await socket.receive_json() == {"type": "pong"}
        await database_sync_to_async(acts[how])()
        ended = await socket.close_code()
        await socket.disconnect()
        assert await other.connect()
        after = None if how == "role" else await other.close_code()
        await other.disconnect()
        return ended, after

    assert async_to_sync(watch)() == (1012, None if how == "role" else 4401)


@pytest.mark.parametrize("how", ["deactivate", "viewer", "admin"])
def test_what_an_analyst_had_before_them_is_free_for_others_again(api, tiny_graph, users, how):
    from webapp.review.models import Item, Queue, Reservation

    queue = Queue.objects.create(name="R", graph=tiny_graph, snapshot=tiny_graph.snapshot, question_set_name="Q")
    item = Item.objects.create(queue=queue, position=0, key="q", question="q?", doubt=0.5, reason="r", shown="s")
    Reservation.objects.create(
        queue=queue, item=item, analyst=users["analyst"], until=timezone.now() + timedelta(minutes=15)
    )
    of = f"{URL}/{users['analyst'].pk}"
    if how == "deactivate":
        api().post(f"{of}/deactivate")
    else:
        api().patch(of, {"role": how}, format="json")
    assert Reservation.objects.exists() is (how == "admin")


def test_a_password_set_on_the_command_line_is_ones_own(api):
    make(api)
    person = User.objects.get(username="ann")
    person.set_password(PASSWORD)
    person.save()
    assert login(*browser(), "ann").json()["user"]["must_change_password"] is False
