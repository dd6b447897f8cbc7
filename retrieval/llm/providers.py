"""Language models of plug-ins: ``plugin:NAME`` in place of an endpoint's address."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import cache
from typing import Protocol

from retrieval import plugins
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, LLMError
from retrieval.llm.chat_errors import build_silent_error, build_slow_error
from retrieval.llm.constraints import Constraint
from retrieval.llm.prompts import Message
from retrieval.types import Usage


class Provider(Protocol):
    """An async generator that writes one reply. It is closed when nobody reads on, and awaits whatever waits."""

    def __call__(
        self, settings: LLMSettings, messages: Sequence[Message], constraint: Constraint
    ) -> AsyncGenerator[str | Usage, None]:
        """Pieces of the reply as they come, and its tokens where they are counted; else they are estimated.

        Args:
            settings: ``model``, ``api_key``, ``max_tokens`` and ``temperature`` among them.
            constraint: what the reply may be; a provider may leave it alone.
        """


@cache
def load_providers() -> tuple[plugins.Plugin, ...]:
    """The providers of plug-ins, those that cannot be used too."""
    return plugins.load_plugins(plugins.PROVIDERS, check_provider)


def check_provider(_name: str, provider: object) -> None:
    """Refuse what is no async generator function.

    Raises:
        ConfigError: it is not.
    """
    if not inspect.isasyncgenfunction(provider):
        raise ConfigError(f"It is of type {type(provider).__name__} and not an `async def` that yields.")


async def stream_reply(
    settings: LLMSettings, messages: Sequence[Message], constraint: Constraint
) -> AsyncGenerator[str | Usage, None]:
    """What the plug-in's provider yields, within the time-outs of the settings.

    Raises:
        LLMTimeoutError: it was silent, or slower than ``total_timeout``.
        LLMError: there is none of the name, it broke, or it gave something else than text.
    """
    usable = plugins.select_usable(load_providers())
    if settings.provider not in usable:
        raise LLMError(
            f"The language model plug-in {settings.provider!r} cannot be used.",
            hint="An administrator finds out more with `clew plug-ins`.",
            detail=plugins.explain_missing(load_providers(), settings.provider, usable or ["none"]),
        )
    provider: Provider = usable[settings.provider]
    deadline = asyncio.get_running_loop().time() + settings.total_timeout
    try:
        async with aclosing(provider(settings, messages, constraint)) as pieces:
            while True:
                left = deadline - asyncio.get_running_loop().time()
                try:
                    async with asyncio.timeout(min(left, settings.silence_timeout)):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError as error:
                    build = build_silent_error if settings.silence_timeout < left else build_slow_error
                    raise build(settings) from error
                if not isinstance(piece, str | Usage):
                    raise TypeError(f"it yielded a {type(piece).__name__} and no text")
                yield piece
    except LLMError:
        raise
    except Exception as error:  # whatever foreign code raises
        raise LLMError(
            f"The language model plug-in {settings.provider!r} broke.",
            hint="An administrator sees its error by testing it (Language models).",
            detail=f"{type(error).__name__}: {error}",
        ) from error
