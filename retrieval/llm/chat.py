"""A streaming chat client whose every wait can be stopped.

The request runs in an event loop of its own thread; the caller reads pieces from a queue and looks at
``cancelled`` between them, so a silent endpoint delays Stop by a tenth of a second and no more. Cancelling
the task closes the connection at once, which is what makes an endpoint stop generating.

A request needs the leave of the meters around it, keeps the endpoint's pace, and is counted however it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import TYPE_CHECKING, Any

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError, LLMPromptError
from retrieval.llm import failures, pacing, providers
from retrieval.llm.chat_errors import (
    BrokenOffError,
    build_loading_error,
    build_silent_error,
    build_slow_error,
    explain,
    list_transport_errors,
    read_retry_after,
)
from retrieval.llm.constraints import UNCONSTRAINED, Constraint
from retrieval.llm.metering import BYTES_OF_TOKEN, SHORTEST_REPLY, estimate, list_meters
from retrieval.llm.parameters import (
    build_optional_fields,
    find_refused,
    get_refused,
    is_loading,
    save_refused,
)
from retrieval.llm.prompts import Message
from retrieval.types import Usage

if TYPE_CHECKING:
    import openai

POLL_SECONDS = 0.1
LOADING_POLL_SECONDS = 1.0
"""How often a model that is still loading is asked again."""


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """Tokens of one reply as the endpoint counts them; ``calls`` are the requests made, retries included.

    ``cut``: the reply ended because it had reached ``max_tokens``. ``reasoning_tokens``: of the completion's, those
    that the endpoint says were thought and not written.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False
    reasoning_tokens: int = 0

    def compute_usage(self, settings: LLMSettings) -> Usage:
        """The same with its cost."""
        return settings.compute_usage(self.calls, self.prompt_tokens, self.completion_tokens, self.reasoning_tokens)


def stream_chat(
    settings: LLMSettings,
    messages: Sequence[Message],
    *,
    cancelled: Callable[[], bool],
    constraint: Constraint = UNCONSTRAINED,
) -> Iterator[str | ChatUsage]:
    """Pieces of the reply as they come, then one :class:`ChatUsage`.

    An endpoint that does not say how many tokens it used has them estimated, and so has a reply that is not read
    to its end. An endpoint that understands no constraint gets none, and a field that a model refuses is sent to it
    no more.

    Raises:
        Cancelled: ``cancelled`` said so; the connection is closed.
        OverBudgetError: a meter around the caller gives no leave.
        LLMPromptError: the prompt is longer than the model can read.
        LLMTimeoutError: the endpoint was silent, or slower than ``total_timeout``.
        LLMError: the endpoint cannot be reached, refuses the request, or breaks off.
    """
    around = list_meters()
    prompt_tokens = estimate(*(message["content"] for message in messages))
    longest = min(
        [
            _compute_max_tokens(settings, prompt_tokens),
            *(m.check_budget(settings, prompt_tokens) for m in around),
        ]
    )
    request = _Request(replace(settings, max_tokens=longest), messages, constraint)
    request.start()
    written = 0
    spent: ChatUsage | None = None
    try:
        while spent is None:
            if cancelled():
                raise Cancelled("The run was stopped.")
            try:
                item = request.pieces.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                if isinstance(item, LLMError):
                    failures.log_failure(settings, item)
                raise item
            if isinstance(item, ChatUsage):
                # An endpoint that counts nothing cannot have been free.
                counted = item.prompt_tokens or item.completion_tokens
                item = item if counted else _estimate_usage(item.calls, prompt_tokens, written)
                spent = item
            else:
                written += len(item.encode())
            yield item
    finally:
        request.close()
        if spent is None and request.calls:
            # Endpoints charge for what they accepted, not for errors.
            spent = (
                _estimate_usage(request.calls, prompt_tokens, written) if request.accepted else ChatUsage(request.calls)
            )
        if spent is not None:
            for meter in around:
                meter.count(spent.compute_usage(settings))


def _compute_max_tokens(settings: LLMSettings, prompt_tokens: int) -> int:
    """The longest reply that fits into the model's context after the prompt.

    Raises:
        LLMPromptError: none does.
    """
    if not settings.context_length:
        return settings.max_tokens
    left = settings.context_length - prompt_tokens
    if left < SHORTEST_REPLY:
        raise LLMPromptError(
            f"The prompt has about {prompt_tokens:,} tokens; {settings.title} reads {settings.context_length:,}.",
            hint="Use a model with a longer context, or ask about less.",
        )
    return min(settings.max_tokens, left)


def _estimate_usage(calls: int, prompt_tokens: int, written: int) -> ChatUsage:
    """What a reply of so many bytes must have used."""
    return ChatUsage(calls, prompt_tokens, -(-written // BYTES_OF_TOKEN))


class _Request(threading.Thread):
    """One reply being fetched. ``pieces`` ends with a ChatUsage or an exception; ``calls`` are the attempts made.

    ``accepted``: the endpoint took one of them.
    """

    def __init__(self, settings: LLMSettings, messages: Sequence[Message], constraint: Constraint) -> None:
        super().__init__(name="llm-reply", daemon=True)
        self._constraint = constraint
        self.pieces: queue.SimpleQueue[str | ChatUsage | Exception] = queue.SimpleQueue()
        self._settings = settings
        self._messages = list(messages)
        self.calls = 0
        self.accepted = False
        self._refused = get_refused(settings)
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
        if self._settings.provider:
            await self._fetch_from_plugin()
            return
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
            await self._run_attempts(client)

    async def _fetch_from_plugin(self) -> None:
        """The reply of a plug-in's provider, which is asked once."""
        await self._acquire_turn()
        self.calls, self.accepted = 1, True
        usage = ChatUsage(1)
        async with contextlib.aclosing(
            providers.stream_reply(self._settings, self._messages, self._constraint)
        ) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    self.pieces.put(piece)
                else:
                    usage = ChatUsage(1, piece.prompt_tokens, piece.completion_tokens)
        self.pieces.put(usage)

    async def _run_attempts(self, client: openai.AsyncOpenAI) -> None:
        import openai  # noqa: PLC0415

        settings = self._settings
        retried = (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError)
        attempt, loading_since = 0, None
        while True:
            await self._acquire_turn()
            self.calls += 1
            try:
                await asyncio.wait_for(self._fetch_adapted(client), settings.total_timeout)
                return
            except TimeoutError as error:
                raise build_slow_error(settings) from error
            except openai.APITimeoutError as error:
                raise build_silent_error(settings) from error
            except BrokenOffError as error:
                raise explain(error.reason, settings) from error.reason
            except retried as error:
                if isinstance(error, openai.InternalServerError) and is_loading(error):
                    loading_since = time() if loading_since is None else loading_since
                    if time() - loading_since + LOADING_POLL_SECONDS > settings.loading_timeout:
                        raise build_loading_error(error, settings) from error
                    await asyncio.sleep(LOADING_POLL_SECONDS)
                    continue
                wait = max(settings.backoff * 2**attempt * random.uniform(1, 1.25), read_retry_after(error))
                if attempt == settings.retries or wait > settings.longest_wait:
                    raise explain(error, settings, wait) from error
                attempt += 1
                await asyncio.sleep(wait)
            except openai.OpenAIError as error:
                raise explain(error, settings) from error

    async def _fetch_adapted(self, client: openai.AsyncOpenAI) -> None:
        """One attempt, repeated without each optional field that the endpoint refuses."""
        import openai  # noqa: PLC0415

        first: openai.APIStatusError | None = None
        while True:
            fields = build_optional_fields(self._settings, self._constraint, self._refused)
            try:
                await self._stream_reply(client, fields)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                first = first or error
                refused = find_refused(error, fields)
                if refused is None:
                    raise first from error
                self._refused |= {refused}
                self.calls += 1
            else:
                if first is not None:
                    save_refused(self._settings, self._refused)
                return

    async def _acquire_turn(self) -> None:
        """Wait until the endpoint's pace allows one more request."""
        waited = 0.0
        while (delay := pacing.get_pace().compute_delay(self._settings)) > 0:
            if waited + delay > self._settings.longest_wait:
                raise LLMError(
                    f"{self._settings.title} may be asked {self._settings.requests_per_minute} times a minute, "
                    "and others wait already.",
                    hint="Try again in a minute, or raise the limit.",
                )
            await asyncio.sleep(delay)
            waited += delay

    async def _stream_reply(self, client: openai.AsyncOpenAI, fields: Mapping[str, Any]) -> None:
        """One attempt. Once a piece has come, any error is a :class:`BrokenOffError`: no second try."""
        import openai  # noqa: PLC0415

        settings = self._settings
        broken: tuple[type[Exception], ...] = (openai.OpenAIError, *list_transport_errors())
        usage = ChatUsage(self.calls)
        begun = finished = cut = False
        try:
            # The messages are plain dicts of the right keys, which the typed overloads do not see.
            create: Any = client.chat.completions.create
            stream = await create(
                model=settings.model,
                messages=self._messages,
                stream=True,
                **fields,
            )
            self.accepted = True
            async with stream:
                async for chunk in stream:
                    if chunk.usage is not None:
                        details = chunk.usage.completion_tokens_details
                        usage = ChatUsage(
                            self.calls,
                            chunk.usage.prompt_tokens,
                            chunk.usage.completion_tokens,
                            reasoning_tokens=(details.reasoning_tokens or 0) if details else 0,
                        )
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
            raise BrokenOffError(error) from error
        if not finished:
            raise BrokenOffError(ConnectionError("the stream ended before the reply did"))
        self.pieces.put(replace(usage, cut=cut))
