"""What a client sends to ``/v1/chat/completions``, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from webapp.api.errors import InvalidError

MESSAGES_MAX = 10_000
TEXT_MAX = 100_000
"""Characters of one message; a question may have far fewer."""


class ParameterError(InvalidError):
    """A parameter of a chat has a value that is not supported.

    Attributes:
        param: its name.
    """

    code = "invalid_parameter"

    def __init__(self, message: str, *, param: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.param = param


class _Part(BaseModel):
    type: str
    text: str = Field("", max_length=TEXT_MAX)


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[_Part] | None = None


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _Format(BaseModel):
    type: str = "text"


class _ChatForm(BaseModel):
    """What of a request is read; everything else, such as the temperature, changes nothing."""

    model: str = Field(max_length=1000)
    messages: list[_Message] = Field(min_length=1, max_length=MESSAGES_MAX)
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    n: int | None = None
    seed: int | None = None
    tool_choice: str | dict[str, Any] | None = None
    function_call: str | dict[str, Any] | None = None
    response_format: _Format | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat to be answered.

    Attributes:
        questions: of the user, oldest first, with plain spaces; the last one is to be answered.
        usage: whether a stream ends with what it cost.
    """

    model: str
    questions: tuple[str, ...]
    stream: bool = False
    usage: bool = False


def parse_chat(data: Any) -> Chat:
    """Check the body of a request.

    Raises:
        ParameterError: it asks for what is not supported, or does not end with a question.
    """
    try:
        form = _ChatForm.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = ".".join(map(str, first["loc"]))
        raise ParameterError(
            f"{param}: {first['msg']}", param=param, hint="See docs/api.md for what is read."
        ) from None
    if form.n not in (None, 1):
        raise ParameterError("A question has one answer.", param="n", hint="Leave n out, or set it to 1.")
    _require_no_tools("tool_choice", form.tool_choice)
    _require_no_tools("function_call", form.function_call)
    if form.response_format is not None and form.response_format.type != "text":
        raise ParameterError(
            "Answers are text.",
            param="response_format",
            hint="Read the field clew of the answer for its parts as JSON.",
        )
    questions = [text for number, each in enumerate(form.messages) if (text := _read_question(number, each))]
    if form.messages[-1].role != "user" or not _read_question(len(form.messages) - 1, form.messages[-1]):
        raise ParameterError(
            "The last message is no question.", param="messages", hint="End with a message of the user."
        )
    return Chat(
        form.model,
        tuple(questions),
        bool(form.stream),
        form.stream_options is not None and form.stream_options.include_usage,
    )


def _require_no_tools(param: str, choice: str | dict[str, Any] | None) -> None:
    """Tools that may be called are never called; a call cannot be demanded."""
    if choice not in (None, "auto", "none"):
        raise ParameterError("Clew calls no tools.", param=param, hint=f"Leave {param} out, or set it to none.")


def _read_question(number: int, message: _Message) -> str:
    """The text of a message of the user; empty for those of others."""
    if message.role != "user" or message.content is None:
        return ""
    if isinstance(message.content, str):
        return " ".join(message.content.split())
    for part in message.content:
        if part.type != "text":
            raise ParameterError(
                f"Clew reads text, and no {part.type}.",
                param=f"messages.{number}.content",
                hint="Send the question as text.",
            )
    return " ".join(" ".join(part.text for part in message.content).split())
