"""Budgets, prices, pace and context length, against a real HTTP endpoint."""

import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from retrieval import environment
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, LLMError, LLMKeyError, LLMPromptError, OverBudgetError
from retrieval.llm import pacing
from retrieval.llm.asking import ask
from retrieval.llm.metering import Limit, Meter, estimate, use_meter
from retrieval.llm.pacing import LocalPace
from retrieval.llm.replies import Asker, ReplyStore, Request
from retrieval.types import Usage
from tests.retrieval.reasoning.endpoint import Endpoint, cut, fails, says, talks_without_end

CHAT = [{"role": "user", "content": "x" * 30}]  # about ten tokens


def settings(endpoint, **changes):
    patience = {"silence_timeout": 2, "total_timeout": 5.0, "backoff": 0.01, "max_tokens": 100}
    return LLMSettings(endpoint.url, "tiny", **{**patience, **changes})


def test_what_is_asked_within_is_counted_by_every_meter_around():
    run, day = Meter(), Meter(spent=Usage(3, 100, 10))
    with Endpoint(says("yes")) as endpoint:
        with use_meter(day):
            with use_meter(run):
                ask(settings(endpoint, prompt_price=1.0, completion_price=2.0), CHAT)
            ask(settings(endpoint), CHAT)
        ask(settings(endpoint), CHAT)
    assert run.usage == Usage(1, 11, 7, cost=pytest.approx(25e-6))
    assert day.usage == Usage(5, 122, 24, cost=pytest.approx(25e-6))


def test_a_budget_shortens_the_reply_and_then_allows_no_request():
    meter = Meter(Limit(tokens=60))
    with Endpoint(says("yes")) as endpoint, use_meter(meter):
        ask(settings(endpoint), CHAT)
        ask(settings(endpoint), CHAT)
        with pytest.raises(OverBudgetError, match="The language-model budget of this run is spent: 60 tokens"):
            ask(settings(endpoint), CHAT)
        # 60 - 10 of the prompt; then 60 - 18 - 10; then fewer than a reply is worth.
        assert [body["max_tokens"] for body in endpoint.bodies] == [50, 32]
    with pytest.raises(OverBudgetError, match="60 tokens"):
        meter.require_open()
    assert meter.usage == Usage(2, 22, 14)


def test_a_budget_of_cost_counts_prices():
    priced = {"prompt_price": 1e6, "completion_price": 1e6}  # one for each token
    meter = Meter(Limit(cost=50))
    with Endpoint(says("yes")) as endpoint, use_meter(meter):
        ask(settings(endpoint, **priced), CHAT)
        with pytest.raises(OverBudgetError, match="a cost of 50"):
            ask(settings(endpoint, **priced, max_tokens=200), [{"role": "user", "content": "x" * 60}])
        ask(settings(endpoint), CHAT)  # no price, no cost
    assert [body["max_tokens"] for body in endpoint.bodies] == [40, 100]


@pytest.mark.parametrize(("behaviour", "spent"), [(cut, Usage(1, 10, 3)), (fails(500), Usage(1))])
def test_a_reply_that_breaks_off_is_counted_and_an_error_costs_nothing(behaviour, spent):
    meter = Meter()
    with Endpoint(behaviour) as endpoint, use_meter(meter), pytest.raises(LLMError):
        ask(settings(endpoint, retries=0), CHAT)
    assert meter.usage == spent


def test_an_endpoint_that_counts_nothing_is_estimated():
    def uncounted(connection):
        connection.begin()
        connection.piece("yes!" * 3)
        connection.end()

    with Endpoint(uncounted) as endpoint:
        assert ask(settings(endpoint), CHAT).usage == Usage(1, 10, 4)


def test_a_reply_that_nobody_reads_to_its_end_is_counted(monkeypatch):
    monkeypatch.setattr("retrieval.llm.asking.REPLY_LIMIT", 20)
    meter = Meter()
    with Endpoint(talks_without_end) as endpoint, use_meter(meter), pytest.raises(LLMError):
        ask(settings(endpoint), CHAT)
    assert meter.usage == Usage(1, 10, 9)  # five times "word " is more than 20 characters


def test_threads_of_an_asker_stand_under_the_meter_and_stop_at_its_limit(tmp_path):
    meter = Meter(Limit(tokens=79))
    asked = [Request("p_v1", (("user", str(i) * 30),)) for i in range(9)]
    with Endpoint(says("yes")) as endpoint:
        asker = Asker(settings(endpoint), ReplyStore(tmp_path), concurrency=1)
        with use_meter(meter), pytest.raises(OverBudgetError):
            list(asker.ask(asked))
        assert len(endpoint.bodies) == 3
        assert len(list(asker.ask(asked))) == 9  # with a new budget: what is kept is not paid for again
        assert len(endpoint.bodies) == 9
    assert meter.usage == Usage(3, 33, 21)


def test_a_key_that_stops_working_is_not_tried_again_and_nothing_is_paid_twice(tmp_path):
    asked = [Request("p_v1", (("user", text),)) for text in "abcdef"]
    with Endpoint(says("a"), says("b"), fails(401), says("c")) as endpoint:
        asker = Asker(settings(endpoint), ReplyStore(tmp_path), concurrency=1)
        with pytest.raises(LLMKeyError, match="refuses the key"):
            list(asker.ask(asked))
        assert len(endpoint.bodies) == 3
        assert len(list(asker.ask(asked))) == 6
        assert len(endpoint.bodies) == 7


def test_the_context_length_bounds_prompt_and_reply():
    with Endpoint(says("yes")) as endpoint:
        ask(settings(endpoint, context_length=60), CHAT)
        assert endpoint.bodies[0]["max_tokens"] == 50
        with pytest.raises(LLMPromptError, match="about 10 tokens; tiny reads 20"):
            ask(settings(endpoint, context_length=20), CHAT)
        assert len(endpoint.bodies) == 1


def limited(wait):
    def behave(connection):
        connection.handler.send_response(429)
        connection.handler.send_header("Retry-After", wait)
        connection.handler.send_header("Content-Length", "0")
        connection.handler.end_headers()

    return behave


def test_an_endpoint_is_left_alone_for_as_long_as_it_asks():
    with Endpoint(limited("0.4"), says("yes")) as endpoint:
        began = time.monotonic()
        assert ask(settings(endpoint), CHAT).text == "yes"
        assert time.monotonic() - began >= 0.4
    with Endpoint(limited(formatdate(time.time() + 3600, usegmt=True))) as endpoint:
        with pytest.raises(LLMError, match=r"no more requests now\. Wait 3\d\d\d s"):
            ask(settings(endpoint), CHAT)
        assert len(endpoint.bodies) == 1


def test_the_pace_lets_so_many_requests_pass_in_any_minute(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("retrieval.llm.pacing.time.monotonic", lambda: now[0])
    pace, two = LocalPace(), LLMSettings("http://x/v1", "a", requests_per_minute=2)
    assert [pace.compute_delay(two) for _ in range(3)] == [0, 0, 60]
    assert pace.compute_delay(LLMSettings("http://x/v1", "b", requests_per_minute=2)) == 0
    assert pace.compute_delay(LLMSettings("http://x/v1", "a")) == 0
    now[0] += 45
    assert pace.compute_delay(two) == 15
    now[0] += 15
    assert [pace.compute_delay(two) for _ in range(3)] == [0, 0, 60]


def test_requests_wait_for_the_pace_and_do_not_wait_too_long(monkeypatch):
    monkeypatch.setattr(pacing, "WINDOW_S", 0.5)
    pacing.use(LocalPace())
    with Endpoint(says("yes")) as endpoint:
        paced = settings(endpoint, requests_per_minute=2)
        began = time.monotonic()
        with ThreadPoolExecutor(3) as pool:
            assert [reply.text for reply in pool.map(lambda _: ask(paced, CHAT), range(3))] == ["yes"] * 3
        assert time.monotonic() - began >= 0.5
        monkeypatch.setattr(pacing, "WINDOW_S", 60)
        hurried = settings(endpoint, requests_per_minute=1, longest_wait=0.1)
        with pytest.raises(LLMError, match="may be asked 1 times a minute"):
            ask(hurried, CHAT)


def test_tokens_are_estimated_rather_too_many():
    assert (estimate(""), estimate("abc"), estimate("abcd"), estimate("東京", "é")) == (0, 1, 2, 3)


def test_numbers_come_from_the_environment():
    found = environment.read_llm_settings(
        {
            "LLM_BASE_URL": "http://x/v1",
            "LLM_MODEL": "m",
            "LLM_CONTEXT_LENGTH": "8192",
            "LLM_PROMPT_PRICE": "0.15",
            "LLM_COMPLETION_PRICE": "",
            "LLM_REQUESTS_PER_MINUTE": " 30 ",
        }
    )
    assert (found.context_length, found.prompt_price, found.completion_price) == (8192, 0.15, None)
    assert found.requests_per_minute == 30
    with pytest.raises(ConfigError, match="LLM_CONTEXT_LENGTH is '8k'"):
        environment.read_llm_settings({"LLM_BASE_URL": "http://x/v1", "LLM_MODEL": "m", "LLM_CONTEXT_LENGTH": "8k"})
