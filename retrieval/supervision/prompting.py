"""The prompts that ask a language model for rational paths and for first relations.

Each prompt is the paper's, with its in-context example, as files under ``prompts/``: ``reg_v1`` (ReG, Fig. 6),
``rapl_v1`` (RAPL, Fig. 26, its example from Fig. 5), ``rel-rag_v1`` (REL-RAG, Fig. 12, its example from Fig. 5) and
``relations_v1`` (RAPL, Fig. 27). A reply is kept under the prompt's name with its version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

from retrieval.errors import ConfigError
from retrieval.kg.snapshot import Snapshot
from retrieval.llm.replies import Request

NAME_LIMIT = 200
"""Characters of one entity's label in a prompt."""

ANSWERS_SHOWN = 10
"""Answers that a prompt names; a set of hundreds says no more than ten of it."""

#: The pool that each paper's prompt was written for.
CANDIDATES_OF: Mapping[str, str] = MappingProxyType({"reg": "reg", "rapl": "rapl", "rel-rag": "shortest"})
PROMPTS = tuple(CANDIDATES_OF)
_VERSION = "v1"
_SEPARATE = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\s]+")
_PLACES = re.compile(r"\{(\w+)\}")


def require(name: str) -> None:
    """Refuse a prompt that does not exist.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in CANDIDATES_OF:
        raise ConfigError(f"No prompt is called {name!r}.", hint=f"There are: {', '.join(PROMPTS)}.")


def path_request(prompt: str, question: str, answers: Sequence[str], shown: Sequence[str]) -> Request:
    """Which of the shown paths are rational? They are numbered from 0."""
    names = [one_line(answer) for answer in answers[:ANSWERS_SHOWN]]
    if len(answers) > ANSWERS_SHOWN:
        names.append(f"and {len(answers) - ANSWERS_SHOWN:,} more")
    listed = "\n".join(f"Path {number}. {text}" for number, text in enumerate(shown))
    return _request(prompt, question=one_line(question), answers="; ".join(names), paths=listed)


def relation_request(question: str, entity: str, relations: Sequence[str]) -> Request:
    """Which of an entity's relations may the question mean? (RAPL's R_*)"""
    listed = "\n".join(f"Relation {number}. {text}" for number, text in enumerate(relations))
    return _request("relations", question=one_line(question), entity=one_line(entity), relations=listed)


def path_text(snapshot: Snapshot, arcs: Sequence[int], *, brackets: bool) -> str:
    """A path as a chain of entities, ``h1 → [r1] → t1 → [r2] → t2`` (ReG, App. F); RAPL writes no brackets."""
    hops = [snapshot.hop(arc) for arc in arcs]
    parts = [one_line(hops[0].source.label)]
    for hop in hops:
        relation = relation_name(hop.step.name, inverse=hop.step.inverse)
        parts += [f"[{relation}]" if brackets else relation, one_line(hop.target.label)]
    return " → ".join(parts)


def relation_name(name: str, *, inverse: bool) -> str:
    """A directed relation in a prompt: as the graph spells it, ``inverse of`` it when walked backward."""
    return one_line(f"inverse of {name}" if inverse else name)


def one_line(text: str) -> str:
    """A name that cannot break out of its line, shortened."""
    flat = _SEPARATE.sub(" ", text).strip()
    return flat if len(flat) <= NAME_LIMIT else flat[:NAME_LIMIT].rstrip() + " …"


@cache
def _part(prompt: str, part: str) -> str | None:
    file = resources.files("retrieval.supervision") / "prompts" / f"{prompt}_{_VERSION}.{part}.txt"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def _request(prompt: str, **values: str) -> Request:
    """The messages of a prompt: those of system, example, reply and user that it has."""
    roles = {"system": "system", "example": "user", "reply": "assistant", "user": "user"}
    messages = []
    for part, role in roles.items():
        text = _part(prompt, part)
        if text is not None:
            # One pass, not str.format: a label or a question may hold braces of its own.
            filled = _PLACES.sub(lambda m: values[m.group(1)], text) if part == "user" else text
            messages.append((role, filled))
    return Request(f"{prompt}_{_VERSION}", tuple(messages))
