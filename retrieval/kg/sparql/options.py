"""What is pulled from a SPARQL endpoint, and how long it may take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from retrieval.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SparqlOptions:
    """What is pulled, and how long an endpoint may take.

    Attributes:
        timeout: seconds for one query.
        hops: how far from the topics.
        max_triples: facts of a subgraph at most.
        per_entity: facts of one entity and direction at most; topics may have five times as many.
        languages: of literals; those without a language always count.
        graph: the named graph that is asked, None for the endpoint's default.
    """

    timeout: float = 20.0
    hops: int = 2
    max_triples: int = 5000
    per_entity: int = 100
    languages: tuple[str, ...] = ("en",)
    graph: str | None = None


def parse_options(raw_values: Mapping[str, Any]) -> SparqlOptions:
    """Options by name; ``languages`` may be one text with commas.

    Raises:
        ConfigError: there is none of that name.
    """
    known = {field.name for field in fields(SparqlOptions)}
    unknown = sorted(raw_values.keys() - known)
    if unknown:
        raise ConfigError(f"{unknown[0]!r} is no option.", hint=f"There are {', '.join(sorted(known))}.")
    values = dict(raw_values)
    if isinstance(values.get("languages"), str):
        values["languages"] = tuple(part.strip() for part in values["languages"].split(",") if part.strip())
    return SparqlOptions(**values)


def check(options: SparqlOptions) -> None:
    """Refuse options that make no sense.

    Raises:
        ConfigError: one does not.
    """
    for name, least, most in (
        ("timeout", 0.1, 600),
        ("hops", 1, 4),
        ("max_triples", 1, 100_000),
        ("per_entity", 1, 10_000),
    ):
        value = getattr(options, name)
        if not isinstance(value, (int, float)) or not least <= value <= most:
            raise ConfigError(f"{name} is {value}.", hint=f"It must be between {least} and {most}.")
    for language in options.languages:
        if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ConfigError(f"{language!r} is no language.", hint="Write en, de, pt-BR or their like.")
