"""The prompts, each a set of files here: ``NAME_vN.PART.txt``, the parts being those of a chat.

``system`` and ``user`` are what is asked, ``example`` and ``reply`` a worked example before it. A prompt whose words
change gets a new version; the newest one is used. What fills a prompt's ``{places}`` is data that anyone may have
written (labels of a graph, passages, a question): only text that was :func:`wrap_fenced` can be filled in, and it
stands between tags, or on lines of its own, that it cannot close or leave. The prompt itself says that it gives no
orders.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NewType

from retrieval.errors import ConfigError

Fenced = NewType("Fenced", str)
"""Text that cannot leave its fence; see :func:`wrap_fenced` and :func:`wrap_fenced_lines`."""

Message = dict[str, str]
"""``{"role": system | user | assistant, "content": text}``."""

ROLES = {"system": "system", "example": "user", "reply": "assistant", "user": "user"}
"""The parts of a prompt in their order, and who says them."""

_FILE = re.compile(r"(?P<name>[a-z0-9-]+)_v(?P<version>\d+)\.(?P<part>system|example|reply|user)\.txt")
_PLACES = re.compile(r"\{(\w+)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of a prompt. ``parts`` are (part, text) in the order of ``ROLES``."""

    name: str
    version: int
    parts: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        """``answer_v1``: the name under which replies to it are kept."""
        return f"{self.name}_v{self.version}"

    @property
    def hash(self) -> str:
        """Twelve digits over the words of all parts: shows a prompt that was changed and kept its version."""
        written = "\0".join(f"{part}\0{text}" for part, text in self.parts)
        return hashlib.sha256(written.encode()).hexdigest()[:12]

    @property
    def places(self) -> tuple[str, ...]:
        """What has to be filled in, in the order of the text."""
        return tuple(dict.fromkeys(_PLACES.findall(dict(self.parts)["user"])))

    def render_messages(self, **values: Fenced) -> list[Message]:
        """The chat messages.

        Raises:
            KeyError: a place has no value.
        """
        messages = []
        for part, text in self.parts:
            # One pass, not str.format: a label or a question may hold braces of its own.
            filled = _PLACES.sub(lambda m: values[m.group(1)], text) if part == "user" else text
            messages.append({"role": ROLES[part], "content": filled})
        return messages


@cache
def load(name: str) -> Prompt:
    """The newest version of a prompt.

    Raises:
        ConfigError: there is none of that name.
    """
    versions = _load_parts()
    if name not in versions:
        raise ConfigError(f"No prompt is called {name!r}.", hint=f"There are: {', '.join(sorted(versions))}.")
    newest = max(versions[name])
    texts = {part: versions[name][newest].get(part) for part in ROLES}
    return Prompt(name, newest, tuple((part, text) for part, text in texts.items() if text is not None))


def list_prompts() -> tuple[str, ...]:
    """Every prompt that there is."""
    return tuple(sorted(_load_parts()))


def describe_prompts(*names: str) -> dict[str, str]:
    """Prompts as a run names them: ``{"answer": "v1 3f0c59ab21de"}``."""
    return {name: f"v{load(name).version} {load(name).hash}" for name in names}


def wrap_fenced(text: str) -> Fenced:
    """Text as data: one line, and no tag that could close the fence around it."""
    return Fenced(_replace_tags(_CONTROL.sub(" ", text)).strip())


def wrap_fenced_lines(lines: Iterable[str]) -> Fenced:
    """Several texts as data, each on a line of its own that it cannot leave."""
    return Fenced("\n".join(wrap_fenced(line) for line in lines))


def _replace_tags(text: str) -> str:
    return text.replace("<", "‹").replace(">", "›")


@cache
def _load_parts() -> dict[str, dict[int, dict[str, str]]]:
    """Text of every part, by name and version."""
    parts: dict[str, dict[int, dict[str, str]]] = {}
    for file in resources.files(__name__).iterdir():
        match = _FILE.fullmatch(file.name)
        if match is not None:
            version = parts.setdefault(match["name"], {}).setdefault(int(match["version"]), {})
            version[match["part"]] = file.read_text(encoding="utf-8").strip()
    return parts
