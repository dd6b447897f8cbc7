"""Programs with names in place of ids, so that they outlive the version of a graph that they were made on."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.programs.algebra.operations import Program
from retrieval.programs.algebra.program_json import from_json, to_json
from retrieval.programs.rendering.directions import split_direction

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_NEAREST = 3


def to_named_json(snapshot: Snapshot, program: Program) -> dict[str, Any]:
    """As :func:`~.algebra.program_json.to_json`, with names: entities are labels, relations name and direction.

    ``{"op": "Having", "relation": {"name": "capital", "inverse": false}}``

    Raises:
        ProgramError: it names what the graph lacks.
    """

    def get_label(item: int) -> str:
        if not 0 <= item < snapshot.num_entities:
            raise ProgramError(f"The graph has no entity {item}.")
        return snapshot.get_entity_label(item)

    def describe_relation(item: int) -> dict[str, Any]:
        inverse, forward = split_direction(snapshot, item)
        return {"name": snapshot.get_relation_name(forward), "inverse": inverse}

    named_json: dict[str, Any] = map_names(to_json(program), get_label, describe_relation)
    return named_json


def from_named_json(snapshot: Snapshot, data: Any) -> Program:
    """The program of a snapshot that :func:`to_named_json` wrote, perhaps for another version of the graph.

    Raises:
        ProgramError: the graph lacks a name, with the nearest that it has; or the data are no program.
    """

    def find_entity(item: Any) -> int:
        if not isinstance(item, str):
            raise ProgramError(f"An entity must be given by its label, not as {item!r}.")
        entity_id = snapshot.find_entity(item)
        if entity_id is None:
            near = [match.node.label for match in snapshot.labels.search(item, limit=_NEAREST)]
            raise ProgramError(f"The graph has no entity “{item}”.", hint=_write_hint(near))
        return entity_id

    def find_relation(item: Any) -> int:
        name, inverse = parse_relation(item)
        relation_id = snapshot.find_relation(name)
        if relation_id is None:
            raise ProgramError(f"The graph has no relation “{name}”.", hint=_write_hint(_find_nearest(snapshot, name)))
        return relation_id + snapshot.num_relations * inverse

    try:
        return from_json(map_names(data, find_entity, find_relation))
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"This is no program: {error}") from None


def require_program(data: Any) -> None:
    """Refuse what is no program, whatever it names.

    Raises:
        ProgramError: it is none.
    """

    def check_entity(item: Any) -> int:
        if not isinstance(item, str):
            raise ProgramError(f"An entity must be given by its label, not as {item!r}.")
        return 0

    def check_relation(item: Any) -> int:
        parse_relation(item)
        return 0

    try:
        from_json(map_names(data, check_entity, check_relation))
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"This is no program: {error}") from None


def parse_relation(item: Any) -> tuple[str, bool]:
    """The name of a relation as a program gives it, and whether it is walked the other way.

    Raises:
        ProgramError: it is given otherwise.
    """
    name, inverse = (item.get("name"), item.get("inverse", False)) if isinstance(item, dict) else (None, False)
    if not isinstance(name, str) or not isinstance(inverse, bool):
        raise ProgramError(f"A relation must be given by its name and direction, not as {item!r}.")
    return name, inverse


def map_names(data: Any, entity: Callable[[Any], Any], relation: Callable[[Any], Any]) -> Any:
    """The same JSON with what stands for entities and relations exchanged."""
    if isinstance(data, list):
        return [map_names(item, entity, relation) for item in data]
    if not isinstance(data, dict):
        return data
    out: dict[str, Any] = {}
    for name, value in data.items():
        if name == "ids" and isinstance(value, list):
            out[name] = [entity(item) for item in value]
        elif name in ("path", "per", "times", "less") and isinstance(value, list):
            out[name] = [relation(item) for item in value]
        elif name == "relation" and not (value is None and data.get("op") == "TextFilter"):
            out[name] = relation(value)
        else:
            out[name] = map_names(value, entity, relation)
    if out.get("op") == "TextFilter":
        out.setdefault("relation", None)  # the name itself
    return out


def _find_nearest(snapshot: Snapshot, name: str) -> list[str]:
    lowered = {known.casefold(): known for known in snapshot.relation_names}
    return [lowered[near] for near in difflib.get_close_matches(name.casefold(), lowered, _NEAREST, 0.6)]


def _write_hint(near: list[str]) -> str:
    return f"The nearest are {', '.join(f'“{name}”' for name in near)}." if near else "Nothing there is like it."
