"""The prompts that ask a language model for rational paths and for first relations.

Each prompt is the paper's, with its in-context example: ``reg`` (ReG, Fig. 6), ``rapl`` (RAPL, Fig. 26, its example
from Fig. 5), ``rel-rag`` (REL-RAG, Fig. 12, its example from Fig. 5) and ``relations`` (RAPL, Fig. 27).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from retrieval.errors import ConfigError
from retrieval.kg.snapshot import Snapshot
from retrieval.llm import prompts
from retrieval.llm.constraints import make_chosen_lines
from retrieval.llm.prompts import wrap_fenced, wrap_fenced_lines
from retrieval.llm.replies import Request

NAME_LIMIT = 200
"""Characters of one entity's label in a prompt."""

ANSWERS_SHOWN = 10
"""Answers that a prompt names; a set of hundreds says no more than ten of it."""

#: The pool that each paper's prompt was written for.
CANDIDATES_OF: Mapping[str, str] = MappingProxyType({"reg": "reg", "rapl": "rapl", "rel-rag": "shortest"})
#: Above what a reply lists, as the prompts have it.
PATHS, RELATIONS = "The rational paths are:", "The possible relations for this question are:"
PROMPTS = tuple(CANDIDATES_OF)
_SPACE = re.compile(r"\s+")


def require(name: str) -> None:
    """Refuse a prompt that does not exist.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in CANDIDATES_OF:
        raise ConfigError(f"No prompt is called {name!r}.", hint=f"There are: {', '.join(PROMPTS)}.")


def build_path_request(prompt: str, question: str, answers: Sequence[str], shown: Sequence[str]) -> Request:
    """Which of the shown paths are rational? They are numbered from 0."""
    names = [format_name(answer) for answer in answers[:ANSWERS_SHOWN]]
    if len(answers) > ANSWERS_SHOWN:
        names.append(f"and {len(answers) - ANSWERS_SHOWN:,} more")
    paths = [f"Path {number}. {text}" for number, text in enumerate(shown)]
    listed = wrap_fenced_lines(paths)
    filled = {
        "question": wrap_fenced(format_name(question)),
        "answers": wrap_fenced("; ".join(names)),
        "paths": listed,
    }
    # ReG's example answers by numbers, the others repeat the path.
    numbers = [f"Path {number}" for number in range(len(shown))]
    held = make_chosen_lines(numbers, before="ans: ") if prompt == "reg" else make_chosen_lines(paths, heading=PATHS)
    return Request.from_prompt(prompts.load(prompt), **filled).apply_constraint(held)


def build_relation_request(question: str, entity: str, relations: Sequence[str]) -> Request:
    """Which of an entity's relations may the question mean? (RAPL's R_*)"""
    lines = [f"Relation {number}. {text}" for number, text in enumerate(relations)]
    listed = wrap_fenced_lines(lines)
    filled = {
        "question": wrap_fenced(format_name(question)),
        "entity": wrap_fenced(format_name(entity)),
        "relations": listed,
    }
    return Request.from_prompt(prompts.load("relations"), **filled).apply_constraint(
        make_chosen_lines(lines, heading=RELATIONS)
    )


def format_path(snapshot: Snapshot, arcs: Sequence[int], *, brackets: bool) -> str:
    """A path as a chain of entities, ``h1 → [r1] → t1 → [r2] → t2`` (ReG, App. F); RAPL writes no brackets."""
    hops = [snapshot.get_hop(arc) for arc in arcs]
    parts = [format_name(hops[0].source.label)]
    for hop in hops:
        relation = format_relation(hop.step.name, inverse=hop.step.inverse)
        parts += [f"[{relation}]" if brackets else relation, format_name(hop.target.label)]
    return " → ".join(parts)


def format_relation(name: str, *, inverse: bool) -> str:
    """A directed relation in a prompt: as the graph spells it, ``inverse of`` it when walked backward."""
    return format_name(f"inverse of {name}" if inverse else name)


def format_name(text: str) -> str:
    """A name that cannot break out of its line, shortened."""
    flat = _SPACE.sub(" ", wrap_fenced(text))
    return flat if len(flat) <= NAME_LIMIT else flat[:NAME_LIMIT].rstrip() + " …"
