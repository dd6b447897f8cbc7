"""Asking a language model one thing: a text, or JSON that is read, repaired once, or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from retrieval.environment import LLMSettings
from retrieval.errors import LLMReplyError
from retrieval.llm.chat import ChatUsage, stream_chat
from retrieval.llm.constraints import UNCONSTRAINED, Constraint
from retrieval.llm.prompts import Message, Prompt
from retrieval.llm.replies import KeptReply, ReplyStore, Request
from retrieval.types import Usage

REPLY_LIMIT = 20_000
"""Characters of a reply beyond which it is called nonsense and no longer read."""

T = TypeVar("T")

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_REPAIR = (
    "Your reply could not be used: {problem}\n"
    "Answer the same task again. Write the JSON object that was asked for and nothing else."
)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a language model wrote, and what that cost. ``cut``: the endpoint ended it at its longest length."""

    text: str
    usage: Usage = field(default_factory=Usage)
    cut: bool = False


def ask(
    settings: LLMSettings,
    messages: Sequence[Message],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    kept: tuple[ReplyStore, Prompt] | None = None,
) -> ModelReply:
    """One reply, whole.

    Args:
        kept: where replies to this prompt are kept; one that is there costs nothing and is not asked for again.

    Raises:
        Cancelled: ``cancelled`` said so; the connection is closed.
        LLMError: the endpoint is down, slow, over its limits or breaks off.
        LLMReplyError: the reply has more than ``REPLY_LIMIT`` characters; it is not read to its end.
    """
    return _read_result(_stream_reply(settings, messages, cancelled, kept))


def _read_result(pieces: Generator[str, None, T]) -> T:
    """What a stream ends with."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            value: T = end.value
            return value


def _stream_reply(
    settings: LLMSettings,
    messages: Sequence[Message],
    cancelled: Callable[[], bool],
    kept: tuple[ReplyStore, Prompt] | None,
    constraint: Constraint = UNCONSTRAINED,
) -> Generator[str, None, ModelReply]:
    """See :func:`ask`; the pieces as they come, then the whole."""
    request = Request(kept[1].id if kept else "", tuple((m["role"], m["content"]) for m in messages))
    if kept is not None and (stored := kept[0].find(request.compute_key(settings))) is not None:
        return ModelReply(stored.text, cut=stored.usage.cut)
    pieces: list[str] = []
    size = 0
    spent = ChatUsage()
    for item in stream_chat(settings, messages, cancelled=cancelled, constraint=constraint):
        if isinstance(item, ChatUsage):
            spent = item
            continue
        pieces.append(item)
        size += len(item)
        if size > REPLY_LIMIT:
            raise LLMReplyError(
                f"The language model wrote more than {REPLY_LIMIT:,} characters.",
                hint="Use a model that follows instructions.",
            )
        yield item
    text = "".join(pieces)
    if kept is not None:
        kept[0].keep(request.compute_key(settings), settings.model, request, KeptReply(text, spent))
    return ModelReply(text, spent.compute_usage(settings), spent.cut)


def ask_json(
    settings: LLMSettings,
    messages: Sequence[Message],
    read: Callable[[object], T],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    repairs: int = 1,
    kept: tuple[ReplyStore, Prompt] | None = None,
    constraint: Constraint = UNCONSTRAINED,
) -> tuple[T, Usage]:
    """What ``read`` makes of the JSON in the reply, and what all requests cost together.

    A reply that holds no JSON, or that ``read`` refuses, is shown to the model again with what is wrong with it.

    Args:
        messages: the chat, from :meth:`prompts.Prompt.render_messages`.
        read: checks the value and turns it into what is wanted; raises ValueError, TypeError or KeyError with
            what is wrong, in words that the model can act on.
        repairs: how often a bad reply may be mended.
        kept: see :func:`ask`.
        constraint: what the endpoint holds the reply to, where it can.

    Raises:
        LLMReplyError: the last reply cannot be used either.
        LLMError: the endpoint is down, slow, over its limits or breaks off.
    """
    return _read_result(
        stream_json(
            settings,
            messages,
            read,
            shown="",
            cancelled=cancelled,
            repairs=repairs,
            kept=kept,
            constraint=constraint,
        )
    )


def stream_json(
    settings: LLMSettings,
    messages: Sequence[Message],
    read: Callable[[object], T],
    *,
    shown: str,
    cancelled: Callable[[], bool] = lambda: False,
    repairs: int = 1,
    kept: tuple[ReplyStore, Prompt] | None = None,
    constraint: Constraint = UNCONSTRAINED,
) -> Generator[str, None, tuple[T, Usage]]:
    """See :func:`ask_json`; yields what a field of the reply says while it is written, of the first reply that has it.

    Args:
        settings, messages, read, cancelled, repairs, kept, constraint: as of :func:`ask_json`.
        shown: the field, which holds a string; empty for none.

    Returns:
        What :func:`ask_json` does.

    Raises:
        Cancelled, LLMReplyError, LLMError: as :func:`ask_json`.
    """
    chat = list(messages)
    spent = Usage()
    was_shown = False
    for left in range(repairs, -1, -1):
        pieces = _stream_reply(settings, chat, cancelled, kept, constraint)
        if shown and not was_shown:
            reply, was_shown = yield from _stream_field(pieces, shown)
        else:
            reply = _read_result(pieces)
        spent = spent.add(reply.usage)
        try:
            return read(find_json(reply.text)), spent
        except (ValueError, TypeError, KeyError) as error:
            problem = _describe_problem(error, reply)
            if not left:
                raise LLMReplyError(
                    f"The language model gave no usable reply: {problem}",
                    hint="Ask again, or use a model that follows instructions.",
                ) from error
        chat = [*messages, *build_repair(reply.text, problem)]
    raise AssertionError("the loop returns or raises")


def _stream_field(pieces: Generator[str, None, ModelReply], name: str) -> Generator[str, None, tuple[ModelReply, bool]]:
    """New characters of one string field, as far as they can be read for certain.

    Returns:
        What the stream ends with, and whether there were any.
    """
    opening = re.compile(rf'"{re.escape(name)}"\s*:\s*"((?:[^"\\]|\\u[0-9a-fA-F]{{4}}|\\[^u])*)')
    text, sent = "", 0
    while True:
        try:
            text += next(pieces)
        except StopIteration as end:
            return end.value, bool(sent)
        match = opening.search(_THINKING.sub("", text))
        if match is None:
            continue
        try:
            value = json.loads(f'"{match.group(1)}"', strict=False)
        except json.JSONDecodeError:
            continue  # an escape that is none; what is wrong is told when the reply is read
        if "\ud800" <= value[-1:] <= "\udbff":
            value = value[:-1]  # half a character
        if len(value) > sent:
            yield value[sent:]
            sent = len(value)


def find_json(reply: str) -> object:
    """The JSON value of a reply: what models write around it (thoughts, code fences, prose) is left out.

    Where there are several objects, the last that stands on its own counts: drafts come before results.

    Raises:
        ValueError: there is none that can be read.
    """
    visible = _THINKING.sub("", reply).strip()
    if not visible:
        raise ValueError("it is empty")
    problem = "it holds no JSON object"
    values: list[object] = []
    decoder = json.JSONDecoder(strict=False)  # line breaks within strings are common and do no harm
    position = 0
    while (match := _OPENING.search(visible, position)) is not None:
        try:
            value, position = decoder.raw_decode(visible, match.start())
        except json.JSONDecodeError as error:
            if match.group() == "{":
                problem = f"its JSON cannot be read ({error.msg} at character {error.pos + 1})"
            position = max(error.pos, match.start() + 1)  # what lies within a broken object is no reply either
        except RecursionError:
            raise ValueError("its JSON is nested too deeply") from None
        else:
            values.append(value)
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        return objects[-1]
    if values and values[-1]:
        return values[-1]
    raise ValueError(problem)


def build_repair(reply: str, problem: str) -> list[Message]:
    """What goes on a chat whose reply could not be used: the reply, without its thoughts, and what is wrong with it.

    Args:
        problem: a sentence that begins with "it" and ends with a full stop.
    """
    return [
        {"role": "assistant", "content": _THINKING.sub("", reply).strip() or "(nothing)"},
        {"role": "user", "content": _REPAIR.format(problem=problem)},
    ]


def _describe_problem(error: Exception, reply: ModelReply) -> str:
    """What is wrong with a reply, in a sentence for the model and for a person."""
    if reply.cut:
        return "it is longer than allowed and was cut off."
    if isinstance(error, KeyError):
        return f"the field {error.args[0]!r} is missing."
    return f"{str(error).rstrip('.')}."
