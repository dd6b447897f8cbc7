"""Answers of chats: runs that are followed to their end, whole or as a stream of chunks."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from channels.db import database_sync_to_async

from retrieval.errors import ClewError
from retrieval.events import AnswerDelta, AnswerFinal, RunFailed
from webapp.accounts.models import User
from webapp.answers import following, services, threads
from webapp.answers.models import Run, RunState
from webapp.api.errors import AnswerTimeoutError, ConflictError
from webapp.openai_api import rendering
from webapp.openai_api.chat import Chat
from webapp.openai_api.chat_models import ChatModel
from webapp.openai_api.errors import RunFailedError, render_chat_error

WAIT_S = 600.0
"""How long an answer that is not streamed is waited for; a client of OpenAI's waits as long."""

ASKED_AGAIN_MAX = 3
"""Earlier questions of a chat that are asked again where this server has not answered them."""


@dataclass(slots=True)
class Completion:
    """The answer of a chat: the run that is next, and the questions behind it that wait for its end."""

    chat: Chat
    model: ChatModel
    user: User
    run: Run
    waiting: list[str]
    created: int = field(default_factory=lambda: int(time.time()))

    async def answer(self) -> dict[str, Any]:
        """Return the whole completion.

        Raises:
            AnswerTimeoutError: it took too long.
            ClewError: the run failed or was stopped.
        """
        try:
            async with asyncio.timeout(WAIT_S), aclosing(self._follow()) as events:  # type: ignore[type-var]
                final, extension = await self._conclude([event async for event in events])
        except TimeoutError:
            raise AnswerTimeoutError("The answer took too long.", hint="Ask again with stream set to true.") from None
        message = {"role": "assistant", "content": rendering.render_text(final), "refusal": None}
        return {
            **self._build_head("chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": rendering.render_usage(final),
            **extension,
        }

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield server-sent events: chunks, an error where the run fails, and ``[DONE]``."""
        usage = {"usage": None} if self.chat.usage else {}
        try:
            yield self._encode({"role": "assistant", "content": ""}, **usage)
            seen, written = [], ""
            async with aclosing(self._follow()) as events:  # type: ignore[type-var]
                async for event in events:
                    seen.append(event)
                    if event["type"] == AnswerDelta.type:
                        written += event["text"]
                        yield self._encode({"content": event["text"]}, **usage)
                    elif event["type"] == AnswerFinal.type:
                        text = rendering.render_text(event).removeprefix(written)
                        yield self._encode({"content": text}, **usage)
            final, extension = await self._conclude(seen)
            yield self._encode({}, finish="stop", **usage, **extension)
            if self.chat.usage:
                yield self._encode(None, usage=rendering.render_usage(final))
        except ClewError as error:
            yield _encode_data(render_chat_error(error))
        yield b"data: [DONE]\n\n"

    async def _follow(self) -> AsyncIterator[dict[str, Any]]:
        """Ask what waits, each once the one before has ended; the events of the last run."""
        for question in self.waiting:
            async with aclosing(following.follow_run(self.run.pk)) as events:  # type: ignore[type-var]
                async for _ in events:
                    pass
            await database_sync_to_async(self._ask_next)(question)
        async with aclosing(following.follow_run(self.run.pk)) as events:  # type: ignore[type-var]
            async for event in events:
                yield event

    def close(self) -> None:
        """Stop the run where it goes on: its answer was sent, or nobody is there to read it."""
        with suppress(ConflictError, Run.DoesNotExist):  # it has ended, or was deleted
            self.run.refresh_from_db()
            services.cancel_run(run=self.run)

    def _ask_next(self, question: str) -> None:
        self.run.refresh_from_db()
        before = self.run if self.run.state == RunState.DONE else None
        self.run = create_chat_run(self.model, question, before, self.user)

    async def _conclude(self, events: Sequence[dict[str, Any]]) -> tuple[Mapping[str, Any], dict[str, Any]]:
        """The last event and the extension.

        Raises:
            ClewError: the run failed or was stopped.
        """
        if not events:
            raise ConflictError("The run was deleted.", hint="Ask again.")
        final = events[-1]
        if final["type"] == RunFailed.type:
            raise RunFailedError(final["message"], code=final["code"], hint=final["hint"])
        if final["type"] != AnswerFinal.type:
            raise ConflictError(final["message"], hint="Ask again.")
        return final, await database_sync_to_async(rendering.render_extension)(self.run, events)

    def _build_head(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self.run.pk}", "object": kind, "created": self.created, "model": self.chat.model}

    def _encode(self, delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        return _encode_data({**self._build_head("chat.completion.chunk"), "choices": choices, **more})


def begin_completion(chat: Chat, model: ChatModel, user: User) -> Completion:
    """Ask the question of a chat, in the thread in which the same person asked those before it.

    Earlier questions that this server has not answered, at most the last few, are asked again first.

    Raises:
        ClewError: as :func:`services.create_run`.
    """
    questions = list(chat.questions)
    before, known = None, max(0, len(questions) - 1 - ASKED_AGAIN_MAX)
    for count in range(len(questions) - 1, known, -1):
        before = threads.find_answered_run(model.graph, user, questions[:count])
        if before is not None:
            known = count
            break
    run = create_chat_run(model, questions[known], before, user)
    return Completion(chat, model, user, run, questions[known + 1 :])


def create_chat_run(model: ChatModel, question: str, before: Run | None, user: User) -> Run:
    """Ask a question of a chat.

    Raises:
        ClewError: as :func:`services.create_run`.
    """
    ask = services.Ask(question=question, method=model.method, follows=before)
    return services.create_run(graph=model.graph, ask=ask, user=user)


def _encode_data(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()
