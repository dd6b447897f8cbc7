"""Reading bodies."""

from __future__ import annotations

import math
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEPTH_MAX = 100
"""How deep lists and objects may lie in each other. Nothing that is sent here needs more than a few."""


class Json(JSONParser):
    """JSON that can be read, kept and shown again.

    It is not deeper than anybody needs, which breaks programs that read it by calling themselves, and what it holds
    PostgreSQL and UTF-8 can hold too: no NUL, no lone surrogate, no number that is none.
    """

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """The content.

        Raises:
            ParseError: it is no JSON, too deep, or holds what nobody can keep.
        """
        try:
            content = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError(_TOO_DEEP) from None
        level, depth = [content], -1
        while level:
            for one in level:
                _require_kept(one)
            level = [inner for one in level for inner in _within(one)]
            depth += 1
            if depth > DEPTH_MAX:
                raise ParseError(_TOO_DEEP)
        return content


_TOO_DEEP = f"The JSON is more than {DEPTH_MAX} lists or objects deep."


def _within(content: Any) -> list[Any]:
    if isinstance(content, dict):
        return [*content, *content.values()]
    return content if isinstance(content, list) else []


def _require_kept(one: Any) -> None:
    if isinstance(one, float) and not math.isfinite(one):
        raise ParseError("The JSON holds a number that is too large.")
    if isinstance(one, str) and not one.isascii():
        try:
            one.encode()
        except UnicodeEncodeError:
            raise ParseError("The JSON holds half of a character (a lone surrogate).") from None
    if isinstance(one, str) and "\0" in one:
        raise ParseError("The JSON holds the character NUL.")
