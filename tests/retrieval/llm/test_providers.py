"""Language models of plug-ins are asked, counted, timed and stopped as endpoints are."""

import asyncio

import pytest

from retrieval.environment import LLMSettings, read_llm_settings
from retrieval.errors import Cancelled, LLMError, LLMTimeoutError
from retrieval.llm import providers
from retrieval.llm.asking import ask
from retrieval.llm.chat import ChatUsage, stream_chat
from retrieval.llm.constraints import make_choice
from retrieval.plugins import Plugin
from retrieval.types import Usage

CHAT = [{"role": "user", "content": "Say yes."}]
SETTINGS = LLMSettings("plugin:tried", "small", silence_timeout=0.2, total_timeout=0.5)


@pytest.fixture
def install(monkeypatch):
    def install(provider=None, problem=""):
        tried = Plugin("clew.llm", "tried", "trying 1.0", provider, problem)
        monkeypatch.setattr(providers, "load_providers", lambda: (tried,))

    return install


def test_a_reply_is_streamed_with_the_tokens_that_the_provider_counts(install):
    seen = []

    async def stream(settings, messages, constraint):
        seen.append((settings.model, settings.max_tokens, messages, constraint))
        yield "Y"
        yield Usage(prompt_tokens=7, completion_tokens=2)
        yield "es"

    install(stream)
    constraint = make_choice("Yes", "No")
    pieces = list(stream_chat(SETTINGS, CHAT, cancelled=lambda: False, constraint=constraint))
    assert pieces == ["Y", "es", ChatUsage(1, 7, 2)]
    assert seen == [("small", 1024, CHAT, constraint)]


def test_tokens_that_nobody_counts_are_estimated(install):
    async def stream(settings, messages, constraint):
        yield "abcdef"

    install(stream)
    reply = ask(SETTINGS, CHAT)
    assert (reply.text, reply.usage.llm_calls, reply.usage.completion_tokens) == ("abcdef", 1, 2)


def test_a_stopped_reply_closes_the_provider(install):
    closed = []

    async def stream(settings, messages, constraint):
        try:
            yield "begun"
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    install(stream)
    pieces = []
    with pytest.raises(Cancelled):
        pieces.extend(stream_chat(SETTINGS, CHAT, cancelled=lambda: bool(pieces)))
    assert (pieces, closed) == (["begun"], [True])


async def wait_for_ever(settings, messages, constraint):
    await asyncio.sleep(60)
    yield ""


async def drip(settings, messages, constraint):
    while True:
        await asyncio.sleep(0.05)
        yield "."


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        (wait_for_ever, "The language model at plugin:tried was silent for 0.2 s."),
        (drip, "The language model took longer than 0.5 s."),
    ],
)
def test_time_outs_hold(install, provider, said):
    install(provider)
    with pytest.raises(LLMTimeoutError) as caught:
        ask(SETTINGS, CHAT)
    assert caught.value.message == said


async def divide(settings, messages, constraint):
    yield str(1 // 0)


async def count(settings, messages, constraint):
    yield 3


async def refuse(settings, messages, constraint):
    raise LLMError("Not today.", hint="Tomorrow.")
    yield ""


@pytest.mark.parametrize(
    ("provider", "message", "detail"),
    [
        (divide, "The language model plug-in 'tried' broke.", "ZeroDivisionError: integer division or modulo by zero"),
        (count, "The language model plug-in 'tried' broke.", "TypeError: it yielded a int and no text"),
        (refuse, "Not today.", ""),
    ],
)
def test_a_provider_that_breaks_is_an_error_with_its_words_for_administrators(install, provider, message, detail):
    install(provider)
    with pytest.raises(LLMError) as caught:
        ask(SETTINGS, CHAT)
    assert (caught.value.message, caught.value.detail) == (message, detail)


@pytest.mark.parametrize(
    ("name", "detail"), [("tried", "Its plug-in (trying 1.0) is not used. No module."), ("other", "There is: none.")]
)
def test_a_provider_that_cannot_be_used_is_named(install, name, detail):
    install(problem="No module.")
    with pytest.raises(LLMError) as caught:
        ask(LLMSettings(f"plugin:{name}", "small"), CHAT)
    assert (caught.value.message, caught.value.detail) == (
        f"The language model plug-in '{name}' cannot be used.",
        detail,
    )


def test_the_environment_names_a_provider_and_needs_no_model():
    settings = read_llm_settings({"LLM_BASE_URL": "plugin:tried"})
    assert (settings.provider, settings.model) == ("tried", "tried")
    assert read_llm_settings({"LLM_BASE_URL": "http://h/v1", "LLM_MODEL": "m"}).provider == ""
