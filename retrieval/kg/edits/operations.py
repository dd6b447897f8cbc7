"""The operations of an edit, their JSON form and their wording. They name entities and relations by label, so that they
can be applied to any version of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.errors import EditError
from retrieval.kg.edits.effects import Effect
from retrieval.kg.table import LABEL_LIMIT

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class AddFact:
    """Add a fact. Ends that the graph lacks become entities."""

    fact: Triple

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Add {_render_fact(self.fact)}"


@dataclass(frozen=True, slots=True)
class RemoveFact:
    """Remove a fact, and the attribute of its head that says the same."""

    fact: Triple

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Remove {_render_fact(self.fact)}"


@dataclass(frozen=True, slots=True)
class ChangeFact:
    """Replace a fact by another one, which takes over its attributes and passages."""

    fact: Triple
    replacement: Triple

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Change {_render_fact(self.fact)} to {_render_fact(self.replacement)}"


@dataclass(frozen=True, slots=True)
class RenameEntity:
    """Give an entity another name."""

    entity: str
    name: str

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Rename {self.entity} to {self.name}"


@dataclass(frozen=True, slots=True)
class MergeEntities:
    """Move the facts and attributes of ``other`` to ``entity``. The name of ``other`` remains as an alias.

    Facts between the two are dropped: a merge makes no fact from an entity to itself.
    """

    entity: str
    other: str

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Merge {self.other} into {self.entity}"


@dataclass(frozen=True, slots=True)
class RevertEffect:
    """Undo an earlier operation by its recorded effect: a merge is split, a removed fact comes back."""

    description: str
    effect: Effect

    def describe(self) -> str:
        """Return the operation as a sentence."""
        return f"Undo: {self.description}"


Correction = AddFact | RemoveFact | ChangeFact | RenameEntity | MergeEntities
Operation = Correction | RevertEffect

_CLASSES: dict[str, type[Correction]] = {
    "add_fact": AddFact,
    "remove_fact": RemoveFact,
    "change_fact": ChangeFact,
    "rename_entity": RenameEntity,
    "merge_entities": MergeEntities,
}
OPERATIONS = tuple(_CLASSES)


def parse_operation(value: Mapping[str, Any]) -> Correction:
    """Return the operation of a JSON object ``{"op": ..., ...}``; labels are trimmed.

    Raises:
        EditError: the operation is unknown, or a field is missing, empty, too long or not a text.
    """
    operation_class = _CLASSES.get(str(value.get("op")))
    if operation_class is None:
        raise EditError(f"{value.get('op')!r} is not an operation.", hint=f"Choose one of {', '.join(OPERATIONS)}.")
    fields: dict[str, Any] = {}
    for name in operation_class.__dataclass_fields__:
        raw = value.get(name)
        if name in ("fact", "replacement"):
            if not isinstance(raw, list | tuple) or len(raw) != 3:
                raise EditError(f"{name} is not a fact.", hint="Give head, relation and tail.")
            head, relation, tail = raw
            fields[name] = (_clean(head, "head"), _clean(relation, "relation"), _clean(tail, "tail"))
        else:
            fields[name] = _clean(raw, name)
    return operation_class(**fields)


def to_json(operation: Correction) -> dict[str, Any]:
    """Return an operation as the JSON object that :func:`parse_operation` reads."""
    name = next(name for name, operation_class in _CLASSES.items() if isinstance(operation, operation_class))
    return {"op": name, **{key: list(v) if isinstance(v, tuple) else v for key, v in asdict(operation).items()}}


def _clean(value: object, name: str) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not text:
        raise EditError(f"The {name} is empty.", hint="Give a text.")
    if len(text.encode()) > LABEL_LIMIT:
        raise EditError(f"The {name} is longer than {LABEL_LIMIT:,} bytes.", hint="Shorten it.")
    return text


def _render_fact(fact: Triple) -> str:
    return " · ".join(fact)
