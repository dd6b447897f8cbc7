"""Reading bodies."""

from __future__ import annotations

import math
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEPTH_MAX = 100
"""How deep lists and objects may lie in each other. Nothing that is sent here needs more than a few."""


class Json(JSONParser):
    """JSON that is not deeper than anybody needs, and whose numbers are numbers.

    What is deeper breaks programs that read it by calling themselves; ``1e999`` is read as infinite, which nothing
    can keep. Texts are the fields' to check, which say where they are wrong.
    """

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """The content.

        Raises:
            ParseError: it is no JSON, too deep, or holds a number that is too large.
        """
        try:
            content = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError(_TOO_DEEP) from None
        level: list[Any] = [content]
        depth = -1
        while level:
            if any(isinstance(value, float) and not math.isfinite(value) for value in level):
                raise ParseError("The JSON holds a number that is too large.")
            level = [inner for value in level for inner in _list_children(value)]
            depth += 1
            if depth > DEPTH_MAX:
                raise ParseError(_TOO_DEEP)
        return content


_TOO_DEEP = f"The JSON is more than {DEPTH_MAX} lists or objects deep."


def _list_children(content: Any) -> list[Any]:
    if isinstance(content, dict):
        return list(content.values())
    return content if isinstance(content, list) else []
