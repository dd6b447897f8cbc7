"""The chat client against real endpoints that refuse fields, load their model, or explain their errors."""

from __future__ import annotations

import pytest

from retrieval.environment import LLMSettings, read_llm_settings
from retrieval.errors import ConfigError, LLMError, LLMTimeoutError
from retrieval.llm import failures
from retrieval.llm.asking import ask
from retrieval.llm.chat import stream_chat
from retrieval.llm.constraints import make_answer_lines, make_json_object
from tests.retrieval.reasoning.endpoint import Endpoint, fails, refuses, says, silent

CHAT = [{"role": "user", "content": "Say yes."}]


def settings(url, **changes):
    patience = {"silence_timeout": 0.5, "connect_timeout": 0.5, "total_timeout": 5.0, "backoff": 0.01}
    return LLMSettings(url, "tiny", **{**patience, **changes})


@pytest.fixture
def recorded():
    seen = []
    failures.use(lambda settings, error: seen.append((settings.title, error.detail)))
    yield seen
    failures.use(failures._log)


@pytest.mark.parametrize("names_parameter", [True, False])
def test_refused_fields_are_renamed_or_left_out_once_for_each_model(names_parameter):
    behaviour = refuses("max_tokens", "temperature", then=says("yes"), names_parameter=names_parameter)
    with Endpoint(behaviour) as endpoint:
        first = ask(settings(endpoint.url, max_tokens=77), CHAT)
        second = ask(settings(endpoint.url, max_tokens=77), CHAT)
    assert (first.text, first.usage.llm_calls, second.text, second.usage.llm_calls) == ("yes", 3, "yes", 1)
    plain = {"model": "tiny", "messages": CHAT, "stream": True, "stream_options": {"include_usage": True}}
    assert endpoint.bodies[0] == plain | {"temperature": 0.0, "max_tokens": 77}
    assert endpoint.bodies[2] == endpoint.bodies[3] == plain | {"max_completion_tokens": 77}


@pytest.mark.parametrize(
    ("constraint", "field"),
    [(make_json_object(a={"type": "string"}), "response_format"), (make_answer_lines(["A"]), "grammar")],
)
def test_a_refused_constraint_is_left_out(constraint, field):
    with Endpoint(refuses(field, then=says("yes"))) as endpoint:
        asked = settings(endpoint.url, constraints="grammar")
        pieces = list(stream_chat(asked, CHAT, cancelled=lambda: False, constraint=constraint))
    assert pieces[0] == "yes"
    assert [field in body for body in endpoint.bodies] == [True, False]


def test_a_bad_request_about_something_else_fails_with_the_endpoints_words(recorded):
    with (
        Endpoint(fails(400, "The model refuses key-123 today.")) as endpoint,
        pytest.raises(LLMError) as caught,
    ):
        ask(settings(endpoint.url, api_key="key-123"), CHAT)
    assert len(endpoint.bodies) == 1
    assert "error 400" in caught.value.message
    assert "refuses" not in str(caught.value)
    assert caught.value.detail == "The model refuses (key) today."
    assert recorded == [("tiny", "The model refuses (key) today.")]


def test_a_field_that_is_refused_under_both_names_is_explained_by_the_first_error(recorded):
    behaviour = refuses("max_tokens", "max_completion_tokens", then=says("yes"))
    with Endpoint(behaviour) as endpoint, pytest.raises(LLMError) as caught:
        ask(settings(endpoint.url), CHAT)
    assert "'max_tokens'" in caught.value.detail
    assert [("max_tokens" in body, "max_completion_tokens" in body) for body in endpoint.bodies] == [
        (True, False),
        (False, True),
    ]


def test_a_model_that_is_loading_is_waited_for(monkeypatch):
    monkeypatch.setattr("retrieval.llm.chat.LOADING_POLL_SECONDS", 0.01)
    loading = fails(503, "Loading model")
    with Endpoint(loading, loading, loading, loading, loading, says("yes")) as endpoint:
        assert ask(settings(endpoint.url), CHAT).text == "yes"
    assert len(endpoint.bodies) == 6


def test_a_model_that_loads_for_too_long_is_given_up(recorded):
    with Endpoint(fails(503, "Model x is currently loading")) as endpoint:
        with pytest.raises(LLMTimeoutError, match=r"still loading after 0\.5 s"):
            ask(settings(endpoint.url, loading_timeout=0.5), CHAT)
        assert len(endpoint.bodies) == 1
    assert recorded == [("tiny", "Model x is currently loading")]


def test_limits_come_from_the_environment():
    chosen = read_llm_settings(
        {
            "LLM_BASE_URL": "http://localhost:1/v1", "LLM_MODEL": "tiny", "LLM_SILENCE_TIMEOUT": "60.5",
            "LLM_TOTAL_TIMEOUT": "300", "LLM_LOADING_TIMEOUT": "0", "LLM_MAX_TOKENS": "4096", "LLM_TEMPERATURE": "0.7",
        }
    )  # fmt: skip
    assert chosen is not None
    assert (chosen.silence_timeout, chosen.total_timeout, chosen.loading_timeout) == (60.5, 300.0, 0.0)
    assert (chosen.max_tokens, chosen.temperature) == (4096, 0.7)


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("LLM_MAX_TOKENS", "4", "Give 16 to"),
        ("LLM_TEMPERATURE", "3", "Give 0 to 2"),
        ("LLM_SILENCE_TIMEOUT", "0", "Give 0.1 to"),
        ("LLM_MAX_TOKENS", "many", "whole number"),
    ],
)
def test_limits_out_of_range_are_refused_by_name(name, value, hint):
    with pytest.raises(ConfigError, match=name) as caught:
        read_llm_settings({"LLM_BASE_URL": "http://localhost:1/v1", "LLM_MODEL": "tiny", name: value})
    assert hint in caught.value.hint


def test_a_longer_silence_may_be_allowed():
    with Endpoint(silent) as endpoint, pytest.raises(LLMTimeoutError, match=r"silent for 0\.2 s"):
        ask(settings(endpoint.url, silence_timeout=0.2), CHAT)
