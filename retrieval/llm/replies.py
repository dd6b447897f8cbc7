"""Asking a language model many things: each reply is kept on disk and never asked for again.

A reply is named by what was asked (model, prompt version, messages) and is on disk, synchronised, before
anybody sees it. Stopped work therefore goes on where it was, and pays only for what it lacks.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError, LLMKeyError, OverBudgetError
from retrieval.llm.chat import POLL_SECONDS, ChatUsage, stream_chat
from retrieval.llm.constraints import UNCONSTRAINED, Constraint
from retrieval.llm.metering import estimate
from retrieval.llm.prompts import Fenced, Prompt
from retrieval.types import Usage

REPLY_LIMIT = 20_000
"""Characters of a reply beyond which it is no longer read; what came is kept as it is, since it is paid for."""

PATIENCE = 3
"""Requests that may fail one after the other before the endpoint is given up."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: the prompt's name with its version, (role, content) messages, what the reply is held to."""

    prompt: str
    messages: tuple[tuple[str, str], ...]
    constraint: Constraint = UNCONSTRAINED

    @classmethod
    def from_prompt(cls, prompt: Prompt, **values: Fenced) -> Request:
        """A prompt, filled in."""
        return cls(prompt.id, tuple((m["role"], m["content"]) for m in prompt.render_messages(**values)))

    def apply_constraint(self, constraint: Constraint) -> Request:
        """The same, with a reply that can be nothing else, where the endpoint can hold a model to it."""
        return replace(self, constraint=constraint)

    def compute_key(self, settings: LLMSettings) -> str:
        """Names the reply: the same question to the same model, held to the same, is the same reply."""
        held = self.constraint.build_fields(settings)
        payload = json.dumps(
            [settings.model, self.prompt, self.messages, *([held] if held else [])], ensure_ascii=False
        )
        return hashlib.sha256(payload.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KeptReply:
    """What came back. ``kept`` when it was on disk; ``usage`` is then what it cost at the time."""

    text: str
    usage: ChatUsage
    kept: bool = False


class ReplyStore:
    """Replies in a directory, one file each. Several processes may share it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def find(self, key: str) -> KeptReply | None:
        """The kept reply; None when there is none, or when its file is damaged."""
        try:
            row = json.loads(self._get_path(key).read_text(encoding="utf-8"))
            return KeptReply(row["reply"], ChatUsage(**row["usage"]), kept=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, model: str, request: Request, reply: KeptReply) -> None:
        """Put a reply on disk; when this returns it survives a crash."""
        usage = reply.usage
        row = {
            "model": model,
            "prompt": request.prompt,
            "messages": request.messages,
            "reply": reply.text,
            "usage": {
                "calls": usage.calls,
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "cut": usage.cut,
                "reasoning_tokens": usage.reasoning_tokens,
            },
        }
        file = self._get_path(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        building = file.with_name(f".{key}.{os.getpid()}.{threading.get_ident()}")
        with building.open("w", encoding="utf-8") as out:
            json.dump(row, out, ensure_ascii=False)
            out.flush()
            os.fsync(out.fileno())
        building.replace(file)

    def _get_path(self, key: str) -> Path:
        return self.directory / key[:2] / f"{key}.json"


class Asker:
    """Asks a language model through a store.

    Args:
        store: where replies are kept.
        concurrency: requests under way at a time.

    Attributes:
        usage: spent by this asker so far; kept replies cost nothing.
        kept: replies found in the store.
        failed: requests that got no reply.
    """

    def __init__(self, settings: LLMSettings, store: ReplyStore, *, concurrency: int = 4) -> None:
        self.settings = settings
        self.store = store
        self.concurrency = concurrency
        self.usage = Usage()
        self.kept = 0
        self.failed = 0

    def ask(
        self, requests: Sequence[Request], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[int, KeptReply | None]]:
        """Replies as they come, each with the index of its request; None for one that failed.

        Equal requests are asked once. Requests that are under way when the endpoint is given up are
        waited for, since they are paid for.

        Raises:
            Cancelled: ``cancelled`` said so; connections are closed.
            OverBudgetError: a meter around the caller gives no leave.
            LLMKeyError: the endpoint refuses the key.
            LLMError: ``PATIENCE`` requests failed one after the other, or all of them.
        """
        places: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            places.setdefault(request.compute_key(self.settings), []).append(index)
        new: list[str] = []
        for key, indices in places.items():
            reply = self.store.find(key)
            if reply is None:
                new.append(key)
                continue
            self.kept += 1
            for index in indices:
                yield index, reply
        in_a_row, last = 0, LLMError("The language model was not asked.")
        answered = False
        for key, outcome in self._fetch({k: requests[places[k][0]] for k in new}, cancelled):
            if isinstance(outcome, (LLMKeyError, OverBudgetError)):
                raise outcome  # the next request would end no better
            if isinstance(outcome, LLMError):
                self.failed += 1
                in_a_row, last = in_a_row + 1, outcome
                if in_a_row >= PATIENCE:
                    raise outcome
            else:
                in_a_row, answered = 0, True
            for index in places[key]:
                yield index, None if isinstance(outcome, LLMError) else outcome
        if new and not answered:
            raise last

    def _fetch(
        self, wanted: dict[str, Request], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[str, KeptReply | LLMError]]:
        """Ask for all, ``concurrency`` at a time, in order; what is under way at the end is waited for."""
        rest = iter(wanted.items())
        running: dict[Future[KeptReply], str] = {}
        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="llm") as pool:
            while True:
                for key, request in islice(rest, self.concurrency - len(running)):
                    running[pool.submit(copy_context().run, self._fetch_reply, key, request, cancelled)] = key
                if not running:
                    return
                done, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
                if cancelled():
                    raise Cancelled("The work was stopped.")
                for future in done:
                    key = running.pop(future)
                    error = future.exception()
                    if error is not None and not isinstance(error, LLMError):
                        raise error
                    if error is None:
                        self._count(future.result().usage)
                    yield key, error if error is not None else future.result()

    def _fetch_reply(self, key: str, request: Request, cancelled: Callable[[], bool]) -> KeptReply:
        """One reply, on disk before it is returned."""
        messages = [{"role": role, "content": content} for role, content in request.messages]
        text, usage = "", ChatUsage(1)
        pieces = stream_chat(self.settings, messages, cancelled=cancelled, constraint=request.constraint)
        for item in pieces:
            if isinstance(item, ChatUsage):
                usage = item
            else:
                text += item
            if len(text) > REPLY_LIMIT:
                usage = ChatUsage(1, estimate(*(content for _, content in request.messages)), estimate(text))
                break
        reply = KeptReply(text, usage)
        self.store.keep(key, self.settings.model, request, reply)
        return reply

    def _count(self, spent: ChatUsage) -> None:
        self.usage = self.usage.add(spent.compute_usage(self.settings))
