"""The chat-completions protocol for a model on this machine: an ASGI application, streaming or whole replies."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from typing import Any

from retrieval.errors import ClewError
from retrieval.llm.local import Model, Spent
from retrieval.llm.token_choice import GenerationRequest

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
BODY_LIMIT = 4 * 1024 * 1024
"""Bytes of a request."""

_ROLES = {"system", "user", "assistant"}


class BadRequest(Exception):
    """A request that cannot be answered; its text says why."""


def build_application(model: Model, name: str) -> Callable[[dict[str, Any], Receive, Send], Awaitable[None]]:
    """The application.

    Args:
        model: who replies.
    """

    async def handle_request(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        where = scope["method"], scope["path"].rstrip("/")
        if where == ("GET", "/v1/models"):
            await _send_json(send, 200, {"object": "list", "data": [{"id": name, "object": "model"}]})
        elif where == ("POST", "/v1/chat/completions"):
            await _handle_completion(model, name, receive, send)
        else:
            await _send_error(send, 404, f"There is no {where[0]} {where[1]}.")

    return handle_request


async def _handle_completion(model: Model, name: str, receive: Receive, send: Send) -> None:
    try:
        body = await _read_body(receive)
        ask = read(body)
    except BadRequest as error:
        await _send_error(send, 400, str(error))
        return
    base = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": name}
    pieces: asyncio.Queue[str | Spent | Exception | None] = asyncio.Queue()
    loop, gone = asyncio.get_running_loop(), asyncio.Event()

    def generate() -> None:
        def put(item: str | Spent | Exception | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, item)

        try:
            with closing(model.stream_reply(ask)) as reply:  # type: ignore[type-var]
                for piece in reply:
                    put(piece)
                    if gone.is_set():
                        break
        except Exception as error:  # whatever a model raises is told to who asked
            put(error)
        put(None)

    watching = asyncio.create_task(_watch_disconnect(receive, gone))
    working = loop.run_in_executor(None, generate)
    try:
        if body.get("stream"):
            usage = (body.get("stream_options") or {}).get("include_usage", False)
            await _stream(pieces, base, send, usage=bool(usage))
        else:
            await _send_whole(pieces, base, send)
    finally:
        gone.set()
        watching.cancel()
        await working


async def _watch_disconnect(receive: Receive, gone: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


async def _stream(
    pieces: asyncio.Queue[str | Spent | Exception | None], base: Mapping[str, Any], send: Send, *, usage: bool
) -> None:
    begun = False

    async def send_data(value: Mapping[str, Any] | str) -> None:
        text = value if isinstance(value, str) else json.dumps({**base, "object": "chat.completion.chunk", **value})
        await send({"type": "http.response.body", "body": f"data: {text}\n\n".encode(), "more_body": True})

    while (item := await pieces.get()) is not None:
        if isinstance(item, Exception) and not begun:
            await _send_error(send, *_describe_error(item))
            return
        if not begun:
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            begun = True
        if isinstance(item, Exception):
            await send_data({"error": {"message": _describe_error(item)[1]}})
        elif isinstance(item, Spent):
            await send_data({"choices": [{"index": 0, "delta": {}, "finish_reason": item.reason}]})
            if usage:
                await send_data({"choices": [], "usage": _describe_usage(item)})
            await send_data("[DONE]")
        else:
            await send_data({"choices": [{"index": 0, "delta": {"content": item}, "finish_reason": None}]})
    await send({"type": "http.response.body", "body": b""})


async def _send_whole(
    pieces: asyncio.Queue[str | Spent | Exception | None], base: Mapping[str, Any], send: Send
) -> None:
    text, spent = "", Spent(0, 0, "stop")
    while (item := await pieces.get()) is not None:
        if isinstance(item, Exception):
            await _send_error(send, *_describe_error(item))
            return
        if isinstance(item, Spent):
            spent = item
        else:
            text += item
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": spent.reason}
    await _send_json(
        send, 200, {**base, "object": "chat.completion", "choices": [choice], "usage": _describe_usage(spent)}
    )


def read(body: Mapping[str, Any]) -> GenerationRequest:
    """What a request asks for.

    Raises:
        BadRequest: a field is wrong.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest('"messages" must be a list that is not empty.')
    chat = []
    for message in messages:
        role, content = (message.get(key) if isinstance(message, dict) else None for key in ("role", "content"))
        if role not in _ROLES or not isinstance(content, str):
            raise BadRequest('Each message has a "role" (system, user, assistant) and a text as "content".')
        chat.append({"role": role, "content": content})
    form = body.get("response_format") or {}
    schema = None
    if isinstance(form, dict) and form.get("type") == "json_schema":
        schema = (form.get("json_schema") or {}).get("schema")
    elif isinstance(form, dict) and form.get("type") == "json_object":
        schema = form.get("schema") or {"type": "object"}
    grammar = body.get("grammar") or ""
    if (schema is not None and not isinstance(schema, dict)) or not isinstance(grammar, str):
        raise BadRequest("The schema must be an object, and a grammar a text.")
    return GenerationRequest(
        chat,
        max_tokens=int(_read_number(body, "max_tokens", 1024)),
        temperature=_read_number(body, "temperature", 0.0),
        seed=int(_read_number(body, "seed", 0)),
        schema=schema,
        grammar=grammar,
    )


def _read_number(body: Mapping[str, Any], key: str, default: float) -> float:
    value = default if body.get(key) is None else body[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRequest(f'"{key}" must be a number.')
    return value


async def _read_body(receive: Receive) -> dict[str, Any]:
    raw = b""
    while True:
        message = await receive()
        raw += message.get("body", b"")
        if len(raw) > BODY_LIMIT:
            raise BadRequest(f"The request has more than {BODY_LIMIT:,} bytes.")
        if not message.get("more_body"):
            break
    try:
        body = json.loads(raw)
    except ValueError:
        raise BadRequest("The request is no JSON.") from None
    if not isinstance(body, dict):
        raise BadRequest("The request must be a JSON object.")
    return body


def _describe_usage(spent: Spent) -> dict[str, int]:
    return {
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "total_tokens": spent.prompt_tokens + spent.completion_tokens,
    }


def _describe_error(error: Exception) -> tuple[int, str]:
    if isinstance(error, ClewError):
        return 400, f"{error.message} {error.hint}".strip()
    return 500, f"The model broke: {error}"


async def _send_error(send: Send, status: int, message: str) -> None:
    await _send_json(send, status, {"error": {"message": message, "type": "invalid_request_error"}})


async def _send_json(send: Send, status: int, value: Mapping[str, Any]) -> None:
    raw = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})
