"""Language models by environment and page: who may do what, what is shown, what is spent."""

from dataclasses import replace
from importlib import metadata

import pytest
from django.conf import settings
from django.db import connection

from retrieval import plugins
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from retrieval.types import Usage
from tests.support.plugin_packages import add_package
from webapp.language_models import encryption, selectors, services
from webapp.language_models.models import Provider, ProviderChange

LOCAL = {"name": "Local", "base_url": "http://localhost:11434/v1/", "model": "small", "api_key": "sk-secret"}


@pytest.fixture
def environment(monkeypatch):
    """A language model set by the environment."""
    llm = LLMSettings("http://env/v1", "env-model", "sk-env", prompt_price=1.0)
    monkeypatch.setattr(settings, "CLEW", replace(settings.CLEW, llm=llm))


def rows(client):
    return client.get("/api/v1/language-models").json()["results"]


def test_without_any_there_is_none(api):
    assert rows(api("viewer")) == []
    assert api("viewer").get("/api/v1/status").json()["llm"] == {
        "configured": False,
        "model": None,
        "name": None,
    }


def test_the_first_is_the_default_and_its_key_is_never_shown_again(api):
    answer = api().post("/api/v1/language-models", {**LOCAL, "prompt_price": 0.5}, format="json")
    assert answer.status_code == 201
    shown = answer.json()
    assert (shown["base_url"], shown["key_set"], shown["default"]) == (
        "http://localhost:11434/v1",
        True,
        True,
    )
    assert (shown["source"], shown["prompt_price"], shown["completion_price"]) == ("page", 0.5, None)
    assert "sk-secret" not in answer.content.decode()
    row = Provider.objects.get()
    assert "sk-secret" not in row.encrypted_key
    assert encryption.decrypt(row.encrypted_key) == "sk-secret"
    assert api("viewer").get("/api/v1/status").json()["llm"] == {
        "configured": True,
        "model": "small",
        "name": "Local",
    }
    changes = api().get("/api/v1/language-models/changes").json()["results"]
    assert [(c["user"], c["name"], c["action"], c["fields"]["api_key"]) for c in changes] == [
        ("admin", "Local", "created", ["", "set"])
    ]


def test_a_key_of_another_installation_is_said_to_be_unreadable(api, monkeypatch):
    sealed = encryption.encrypt("sk-secret")
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    with pytest.raises(ConfigError, match="stored with another secret key"):
        encryption.decrypt(sealed)


def test_others_see_names_and_change_nothing(api):
    key = api().post("/api/v1/language-models", LOCAL, format="json").json()["id"]
    shown = rows(api("analyst"))[0]
    assert (shown["name"], shown["model"], shown["default"]) == ("Local", "small", True)
    assert (shown["base_url"], shown["key_set"], shown["requests_per_minute"]) == (None, None, None)
    for client in (api("analyst"), api("viewer")):
        assert client.post("/api/v1/language-models", LOCAL, format="json").status_code == 403
        assert client.patch(f"/api/v1/language-models/{key}", {}, format="json").status_code == 403
        assert client.delete(f"/api/v1/language-models/{key}").status_code == 403
        assert client.post(f"/api/v1/language-models/{key}/test").status_code == 403
        assert client.get("/api/v1/language-models/changes").status_code == 403
        assert client.patch("/api/v1/language-limits", {"run_tokens": 1}, format="json").status_code == 403


def test_the_environments_is_read_only_and_the_default_until_another_is(api, environment):
    assert [(r["id"], r["name"], r["source"], r["default"], r["key_set"]) for r in rows(api())] == [
        (0, "env-model", "environment", True, True)
    ]
    refused = api().patch("/api/v1/language-models/0", {"name": "x"}, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    own = api().post("/api/v1/language-models", LOCAL, format="json").json()
    assert own["default"] is False
    api().patch(f"/api/v1/language-models/{own['id']}", {"default": True}, format="json")
    assert [r["default"] for r in rows(api())] == [False, True]


def test_one_default_and_the_disabled_are_not_used(api):
    first = api().post("/api/v1/language-models", LOCAL, format="json").json()["id"]
    second = api().post("/api/v1/language-models", {**LOCAL, "name": "B", "default": True}, format="json").json()["id"]
    assert {r["id"]: r["default"] for r in rows(api())} == {first: False, second: True}
    api().patch(f"/api/v1/language-models/{second}", {"enabled": False}, format="json")
    assert selectors.get_default() is None


def test_a_changed_model_keeps_its_key_until_it_is_taken_away(api):
    key = api().post("/api/v1/language-models", LOCAL, format="json").json()["id"]
    assert api().patch(f"/api/v1/language-models/{key}", {"model": "big"}, format="json").json()["key_set"] is True
    assert ProviderChange.objects.first().fields == {"model": ["small", "big"]}
    assert api().patch(f"/api/v1/language-models/{key}", {"api_key": ""}, format="json").json()["key_set"] is False
    assert ProviderChange.objects.first().fields == {"api_key": ["set", ""]}
    assert api().delete(f"/api/v1/language-models/{key}").status_code == 204
    assert ProviderChange.objects.first().action == "deleted"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"base_url": "localhost:1"}, "base_url"),
        ({"base_url": "http://user:pw@host/v1"}, "base_url"),
        ({"base_url": "http://host/v1?key=1"}, "base_url"),
        ({"base_url": "plugin:missing"}, "base_url"),
        ({"prompt_price": -1}, "prompt_price"),
        ({"prompt_price": "nan"}, "prompt_price"),
        ({"context_length": 100}, "context_length"),
        ({"name": ""}, "name"),
    ],
)
def test_wrong_values_are_named(api, values, field):
    answer = api().post("/api/v1/language-models", {**LOCAL, **values}, format="json")
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, [field])


def test_an_installed_plug_in_takes_the_place_of_an_address(api, tmp_path, monkeypatch):
    add_package(tmp_path / "site", "mine", "[clew.llm]\nmine = mine:stream\n", "raise ValueError('not here')\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr(plugins, "_read_entry_points", metadata.entry_points)
    answer = api().post("/api/v1/language-models", {**LOCAL, "base_url": "plugin:mine"}, format="json")
    assert (answer.status_code, answer.json()["base_url"]) == (201, "plugin:mine")
    answer = api().post("/api/v1/language-models", {**LOCAL, "base_url": "plugin:other"}, format="json")
    said = "No such plug-in is installed here; there is: mine."
    assert answer.json()["error"]["fields"] == {"base_url": [said]}


def test_a_name_is_taken_once(api):
    api().post("/api/v1/language-models", LOCAL, format="json")
    again = api().post("/api/v1/language-models", LOCAL, format="json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "name_taken")


def test_a_run_names_its_language_model(api, tiny_graph, environment):
    own = api().post("/api/v1/language-models", LOCAL, format="json").json()["id"]
    asked = {"graph": tiny_graph.pk, "question": "what borders Switzerland?"}
    ask = lambda **more: api("viewer").post("/api/v1/runs", {**asked, **more}, format="json")  # noqa: E731
    assert ask().json()["llm"] == ""
    assert ask(reasoner="llm").json()["llm"] == "env-model"
    assert ask(reasoner="llm", llm=own).json()["llm"] == "Local"
    assert ask(reasoner="llm", llm=99).json()["error"]["code"] == "invalid"


def test_without_any_the_llm_reasoner_is_refused(api, tiny_graph):
    asked = {"graph": tiny_graph.pk, "question": "what borders Switzerland?", "reasoner": "llm"}
    answer = api("viewer").post("/api/v1/runs", asked, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "llm_not_configured")


def test_limits_are_changed_and_taken_away(api):
    url = "/api/v1/language-limits"
    nothing = {"run_tokens": None, "run_cost": None, "user_day_tokens": None, "user_day_cost": None}
    assert api("viewer").get(url).json() == nothing
    api().patch(url, {"run_tokens": 5000, "user_day_cost": 2.5}, format="json")
    changed = api().patch(url, {"run_tokens": None}, format="json").json()
    assert changed == {**nothing, "user_day_cost": 2.5}
    assert ProviderChange.objects.first().fields == {"run_tokens": [5000, None]}


def test_what_is_used_adds_up_over_a_day(api, users):
    services.count(user_id=users["viewer"].pk, usage=Usage(1, 100, 10))
    services.count(user_id=users["viewer"].pk, usage=Usage(2, 50, 5, cost=0.25))
    services.count(user_id=users["analyst"].pk, usage=Usage(1, 1, 1))
    mine = {"llm_calls": 3, "prompt_tokens": 150, "completion_tokens": 15, "cost": 0.25}
    viewer = api("viewer").get("/api/v1/language-usage").json()
    assert (viewer["mine"], viewer["users"]) == (mine, [])
    everyone = api().get("/api/v1/language-usage").json()["users"]
    assert [(row["user"], row["usage"]["llm_calls"]) for row in everyone] == [("analyst", 1), ("viewer", 3)]
    assert api().get("/api/v1/language-usage?day=2001-01-01").json()["users"] == []
    assert api().get("/api/v1/language-usage?day=x").status_code == 400
    connection.close()


def test_limits_are_kept_shown_to_administrators_and_have_a_range(api):
    limits = {
        "constraints": "grammar", "silence_timeout": 45.5, "total_timeout": 200.0, "loading_timeout": 0.0,
        "max_tokens": 2048, "temperature": 1.0,
    }  # fmt: skip
    made = api().post("/api/v1/language-models", {**LOCAL, **limits}, format="json").json()
    assert {name: made[name] for name in limits} == limits
    assert {rows(api("viewer"))[0][name] for name in limits} == {None}
    plain = api().post("/api/v1/language-models", {**LOCAL, "name": "Plain"}, format="json").json()
    known = LLMSettings("http://localhost", "m")
    assert {name: plain[name] for name in limits} == {name: getattr(known, name) for name in limits}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("constraints", "xml"),
        ("silence_timeout", 0),
        ("total_timeout", "nan"),
        ("max_tokens", 3),
        ("temperature", 9),
    ],
)
def test_limits_out_of_range_are_refused_by_field(api, field, value):
    answer = api().post("/api/v1/language-models", {**LOCAL, field: value}, format="json")
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, [field])
