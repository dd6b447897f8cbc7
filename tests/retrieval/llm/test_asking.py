"""Asking one thing of a real HTTP endpoint, well-behaved and not."""

import pytest

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError, LLMReplyError, LLMTimeoutError
from retrieval.llm.asking import ask, ask_json, find_json
from retrieval.types import Usage
from tests.retrieval.reasoning.endpoint import (
    Endpoint,
    cut,
    fails,
    runs_out,
    says,
    silent,
    talks_without_end,
)

CHAT = [{"role": "user", "content": "Where is Bern?"}]


def settings(endpoint, **changes):
    patience = {"silence_timeout": 0.5, "connect_timeout": 0.5, "total_timeout": 5.0, "backoff": 0.01}
    return LLMSettings(endpoint.url, "tiny", **{**patience, **changes})


def country(value):
    if not isinstance(value, dict):
        raise TypeError("it is no JSON object")
    if value["country"] not in {"Switzerland", "Germany"}:
        raise ValueError(f'"country" is {value["country"]!r}, which is no country')
    return value["country"]


def test_a_reply_comes_whole_with_what_it_cost():
    with Endpoint(says("In Switz", "erland.")) as endpoint:
        plain = ask(settings(endpoint), CHAT)
        priced = ask(settings(endpoint, prompt_price=2.0, completion_price=10.0), CHAT)
    assert (plain.text, plain.usage) == ("In Switzerland.", Usage(1, 11, 7))
    assert priced.usage == Usage(1, 11, 7, cost=pytest.approx((11 * 2 + 7 * 10) / 1e6))


def test_good_json_is_read_at_once():
    with Endpoint(says('{"country": ', '"Switzerland"}')) as endpoint:
        assert ask_json(settings(endpoint), CHAT, country) == ("Switzerland", Usage(1, 11, 7))
        assert endpoint.bodies[0]["messages"] == CHAT


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        (says("It is in Switzerland."), "it holds no JSON object."),
        (says("<think>so</think>"), "it is empty."),
        (says('{"country": Switzerland}'), "its JSON cannot be read (Expecting value at character 13)."),
        (says('{"land": "Switzerland"}'), "the field 'country' is missing."),
        (says('{"country": "Bern"}'), "\"country\" is 'Bern', which is no country."),
        (says('["Switzerland"]'), "it is no JSON object."),
        (runs_out('{"country": "Swi'), "it is longer than allowed and was cut off."),
    ],
)
def test_a_bad_reply_is_shown_to_the_model_with_what_is_wrong(first, problem):
    with Endpoint(first, says('{"country": "Switzerland"}')) as endpoint:
        assert ask_json(settings(endpoint), CHAT, country) == ("Switzerland", Usage(2, 22, 14))
        asked, reply, repair = endpoint.bodies[1]["messages"]
    assert asked == CHAT[0]
    assert reply["role"] == "assistant"
    assert "<think>" not in reply["content"]
    assert repair["content"].startswith(f"Your reply could not be used: {problem}\n")


def test_a_second_bad_reply_is_refused_with_the_reason():
    with Endpoint(says("no"), says("I cannot help with that.")) as endpoint:
        with pytest.raises(LLMReplyError, match="no usable reply: it holds no JSON object"):
            ask_json(settings(endpoint), CHAT, country)
        assert len(endpoint.bodies) == 2
    with Endpoint(says("no")) as endpoint:
        with pytest.raises(LLMReplyError):
            ask_json(settings(endpoint), CHAT, country, repairs=0)
        assert len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    ("behaviour", "error", "message"),
    [
        (silent, LLMTimeoutError, "silent"),
        (cut, LLMError, "broke off"),
        (fails(429), LLMError, "no more requests"),
        (fails(401), LLMError, "refuses the key"),
        (talks_without_end, LLMReplyError, "more than 100 characters"),
    ],
)
def test_an_endpoint_in_trouble_is_no_bad_reply(behaviour, error, message, monkeypatch):
    monkeypatch.setattr("retrieval.llm.asking.REPLY_LIMIT", 100)
    with Endpoint(behaviour) as endpoint, pytest.raises(error, match=message):
        ask_json(settings(endpoint, retries=0), CHAT, country)
    assert len(endpoint.bodies) == 1


def test_stopping_ends_the_wait():
    with Endpoint(silent) as endpoint:
        with pytest.raises(Cancelled):
            ask(settings(endpoint), CHAT, cancelled=lambda: bool(endpoint.bodies))
        assert endpoint.hung_up.wait(5)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        (
            'Here is the JSON you asked for:\n{"a": {"b": [1, 2]}}\nI hope it helps {smile}.',
            {"a": {"b": [1, 2]}},
        ),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('First I thought {"a": 0}. Then: {"a": 1}', {"a": 1}),
        ('As [1] says: {"a": 1} [2]', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
    ],
)
def test_json_is_found_in_what_models_write(reply, value):
    assert find_json(reply) == value


@pytest.mark.parametrize("reply", ["", "no", "[]", '{"a": {"b": 1}, oops', '{"a": {"b": 1}', "[" * 10_000])
def test_no_json_and_parts_of_broken_json_are_refused(reply):
    with pytest.raises(ValueError, match=r"it is empty|its JSON|holds no JSON"):
        find_json(reply)
