"""The words of Cypher scripts: statements as lists of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<space>(?>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))+)"
    r"|(?P<string>'(?>[^'\\]+|\\.)*'|\"(?>[^\"\\]+|\\.)*\")"
    r"|(?P<quoted>`(?>[^`]+|``)*`)"
    r"|(?P<open>['\"`].*)"
    r"|(?P<number>0x[0-9a-fA-F]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
#: A command of the shell, on a line of its own: ":begin", ":param x => 1".
_COMMAND = re.compile(r":\w+[^\n]*")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a script.

    Attributes:
        kind: what it is; names in backticks are of the kind ``quoted``, signs ``mark``.
        text: a string without quotes, other tokens as they stand.
        line: where it stands, from 1.
    """

    kind: Literal["string", "quoted", "number", "word", "mark"]
    text: str
    line: int


def split_statements(script: str) -> Iterator[list[Token]]:
    """Yield the tokens of each statement without the semicolon; commands of the shell are left out."""
    statement: list[Token] = []
    position, line = 0, 1
    while position < len(script):
        command = None if statement else _COMMAND.match(script, position)
        if command is not None:
            position = command.end()
            continue
        match = _TOKEN.match(script, position)
        if match is None:
            return
        position, text = match.end(), match[0]
        match match.lastgroup:
            case "string":
                statement.append(Token("string", _unescape(text[1:-1]), line))
            case "quoted":
                statement.append(Token("quoted", text[1:-1].replace("``", "`"), line))
            case "number":
                statement.append(Token("number", text, line))
            case "open":
                statement.append(Token("mark", text[0], line))
            case "word":
                statement.append(Token("word", text, line))
            case "mark" if text == ";":
                if statement:
                    yield statement
                statement = []
            case "mark":
                statement.append(Token("mark", text, line))
        line += text.count("\n")
    if statement:
        yield statement


def _unescape(text: str) -> str:
    """A string with its escapes resolved; half of a character outside the basic plane becomes U+FFFD."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_replace_escape, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _replace_escape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2])
