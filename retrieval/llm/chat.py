"""A streaming chat client whose every wait can be stopped.

The request runs in an event loop of its own thread; the caller reads pieces from a queue and looks at
``cancelled`` between them, so a silent endpoint delays Stop by a tenth of a second and no more. Cancelling
the task closes the connection at once, which is what makes an endpoint stop generating.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retrieval.errors import Cancelled, LLMError, LLMTimeoutError
from retrieval.llm.settings import LLMSettings

if TYPE_CHECKING:
    import openai

POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """Tokens of one reply as the endpoint counts them; ``calls`` are the requests made, retries included.

    ``cut``: the reply ended because it had reached ``max_tokens``.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


def stream_chat(
    settings: LLMSettings, messages: list[dict[str, str]], *, cancelled: Callable[[], bool]
) -> Iterator[str | ChatUsage]:
    """Pieces of the reply as they come, then one :class:`ChatUsage`.

    Raises:
        Cancelled: ``cancelled`` said so; the connection is closed.
        LLMTimeoutError: the endpoint was silent, or slower than ``total_timeout``.
        LLMError: the endpoint cannot be reached, refuses the request, or breaks off.
    """
    request = _Request(settings, messages)
    request.start()
    try:
        while True:
            if cancelled():
                raise Cancelled("The run was stopped.")
            try:
                item = request.pieces.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, ChatUsage):
                return
    finally:
        request.close()


class _Request(threading.Thread):
    """One reply being fetched. ``pieces`` ends with a ChatUsage or an exception."""

    def __init__(self, settings: LLMSettings, messages: list[dict[str, str]]) -> None:
        super().__init__(name="llm-reply", daemon=True)
        self.pieces: queue.SimpleQueue[str | ChatUsage | Exception] = queue.SimpleQueue()
        self._settings = settings
        self._messages = messages
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._ready = threading.Event()

    def run(self) -> None:
        """Fetch the reply until it ends, breaks or is closed."""
        try:
            self._task = self._loop.create_task(self._fetch())
            self._ready.set()
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._task)
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        except Exception as error:
            self.pieces.put(error)
        finally:
            self._loop.close()

    def close(self) -> None:
        """Stop fetching and wait until the connection is closed."""
        self._ready.wait()
        task = self._task
        if task is not None and self.is_alive():
            # The loop may have closed between the check and the call.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(task.cancel)
        self.join(timeout=2.0)

    async def _fetch(self) -> None:
        import openai  # noqa: PLC0415 - a second of import that only LLM users pay

        settings = self._settings
        timeout = openai.Timeout(settings.silence_timeout, connect=settings.connect_timeout)
        client = openai.AsyncOpenAI(
            base_url=settings.base_url,
            api_key=settings.api_key or "none",
            timeout=timeout,
            max_retries=0,
        )
        async with client:
            try:
                await asyncio.wait_for(self._attempts(client), settings.total_timeout)
            except TimeoutError as error:
                raise LLMTimeoutError(
                    f"The language model took longer than {settings.total_timeout:g} s.",
                    hint="Use a faster model, or allow more time.",
                ) from error

    async def _attempts(self, client: openai.AsyncOpenAI) -> None:
        import openai  # noqa: PLC0415

        retried = (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError)
        for attempt in range(self._settings.retries + 1):
            try:
                await self._reply(client, calls=attempt + 1)
                return
            except openai.APITimeoutError as error:
                raise _silent(self._settings) from error
            except _BrokenOffError as error:
                raise _explain(error.reason, self._settings) from error.reason
            except retried as error:
                if attempt == self._settings.retries:
                    raise _explain(error, self._settings) from error
                await asyncio.sleep(self._settings.backoff * 2**attempt)
            except openai.OpenAIError as error:
                raise _explain(error, self._settings) from error

    async def _reply(self, client: openai.AsyncOpenAI, *, calls: int) -> None:
        """One attempt. Once a piece has come, any error is a :class:`_BrokenOffError`: no second try."""
        import openai  # noqa: PLC0415

        settings = self._settings
        broken: tuple[type[Exception], ...] = (openai.OpenAIError, *_transport_errors())
        usage = ChatUsage(calls)
        begun = finished = cut = False
        try:
            # The messages are plain dicts of the right keys, which the typed overloads do not see.
            create: Any = client.chat.completions.create
            stream = await create(
                model=settings.model,
                messages=self._messages,
                stream=True,
                stream_options={"include_usage": True},
                temperature=settings.temperature,
                max_tokens=settings.max_tokens,
            )
            async with stream:
                async for chunk in stream:
                    if chunk.usage is not None:
                        usage = ChatUsage(calls, chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
                    for choice in chunk.choices or ():
                        finished = finished or choice.finish_reason is not None
                        cut = cut or choice.finish_reason == "length"
                        if choice.delta is not None and choice.delta.content:
                            begun = True
                            self.pieces.put(choice.delta.content)
        except openai.APITimeoutError:
            raise
        except broken as error:
            if isinstance(error, openai.OpenAIError) and not begun:
                raise
            raise _BrokenOffError(error) from error
        if not finished:
            raise _BrokenOffError(ConnectionError("the stream ended before the reply did"))
        self.pieces.put(replace(usage, cut=cut))


class _BrokenOffError(Exception):
    """The stream broke after it had begun."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


def _transport_errors() -> tuple[type[Exception], ...]:
    """What the HTTP client raises in mid-stream, where openai does not wrap it, and malformed chunks."""
    import httpx2  # noqa: PLC0415 - openai's own HTTP client

    return (httpx2.HTTPError, ValueError, AttributeError, TypeError)


def _silent(settings: LLMSettings) -> LLMTimeoutError:
    return LLMTimeoutError(
        f"The language model at {settings.base_url} was silent for {settings.silence_timeout:g} s.",
        hint="Check that the endpoint is not overloaded.",
    )


def _explain(error: Exception, settings: LLMSettings) -> LLMError:
    """The error as a person can act on it; never the key, never a traceback."""
    import openai  # noqa: PLC0415

    where = f"The language model at {settings.base_url}"
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return LLMError(f"{where} refuses the key.", hint="Check LLM_API_KEY.")
    if isinstance(error, openai.NotFoundError):
        return LLMError(
            f"{where} knows no model {settings.model!r}.",
            hint="Check LLM_MODEL and that LLM_BASE_URL ends in /v1.",
        )
    if isinstance(error, openai.RateLimitError):
        return LLMError(f"{where} allows no more requests now.", hint="Wait, or raise the limit.")
    if isinstance(error, openai.APIStatusError):
        return LLMError(f"{where} answers with error {error.status_code}.", hint="Look at its log.")
    if isinstance(error, openai.APIConnectionError):
        return LLMError(f"{where} cannot be reached.", hint="Start it, or correct LLM_BASE_URL.")
    return LLMError(f"{where} broke off its reply.", hint="Look at its log, then ask again.")
