"""Data sets of the data-model suite: where their files lie, and the model that their owner would write down.

The expectations are in ``tests/data_models``, a file for each part. A set belongs to the part that the hash of its id
says, so that nobody chooses; nobody looks at ``held`` while inference is tuned.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HOME = Path(__file__).resolve().parents[1] / "data_models"
Part = Literal["tune", "held"]
PARTS: tuple[Part, ...] = ("tune", "held")
FORMS = ("", "semicolons", "xlsx", "fixture-tables", "graphml", "gexf", "csv", "headerless")
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Package:
    """What holds the files of some sets.

    Attributes:
        name: in its registry.
        registry: pip, npm, sdist for what pip has as source, or github; empty for a folder that is put
            beside them by hand.
        version: the one that the expectations were written for; a commit of github.
        root: where in the unpacked package the files of its sets lie.
    """

    name: str
    registry: str = ""
    version: str = ""
    root: str = "."

    @property
    def folder(self) -> str:
        """Name of the folder that it is unpacked into."""
        name = self.name.removeprefix("@").replace("/", "-")
        return "-".join(part for part in (self.registry, name, self.version) if part)


@dataclass(frozen=True, slots=True)
class ExpectedKind:
    """What is right for the things of a table; each attribute lists what is accepted.

    Attributes:
        table: the stem of its file, its sheet, its type, or the array that holds it.
        labels: what such a thing is called, singular; empty where the files do not say it: not scored.
        names: combinations of columns that name a thing; an empty one stands for measurements without names.
        keys: columns by which others refer to it; "" stands for none.
        is_optional: whether a model without it is right too, because the rows only relate other things.

    A column "#1" is the first of the table, where it has no heading or is the key of an object; "#2" is the second.
    """

    table: str
    labels: tuple[str, ...]
    names: tuple[frozenset[str], ...]
    keys: tuple[str, ...]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column of a table; no column stands for any, as does the table "*"."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class ExpectedReference:
    """A column, or nested array, and what it refers to."""

    source: ColumnRef
    target: ColumnRef


@dataclass(frozen=True, slots=True)
class ExpectedSet:
    """A data set with its right model.

    Attributes:
        id: unique in the suite.
        package: what holds its files.
        files: paths below the package's root.
        form: what the files are turned into before they are read; empty for as they are.
        rows: the first rows of each table that are read; 0 for all.
        kinds, references: those that a right model has.
        also: references that are right too, but not required.
        types, units: of some columns.
    """

    id: str
    package: Package
    files: tuple[str, ...]
    kinds: tuple[ExpectedKind, ...]
    references: tuple[ExpectedReference, ...] = ()
    also: tuple[ExpectedReference, ...] = ()
    types: tuple[tuple[ColumnRef, str], ...] = ()
    units: tuple[tuple[ColumnRef, str], ...] = ()
    form: str = ""
    rows: int = 0


def load_sets(parts: Sequence[Part] = PARTS) -> list[ExpectedSet]:
    """The sets of some parts, in the order of the files.

    Raises:
        ValueError: a set stands in the wrong part, or an expectation names an unknown table or form.
    """
    packages = dict(_load_packages())
    sets: list[ExpectedSet] = []
    for part in parts:
        for raw in tomllib.loads((HOME / f"{part}.toml").read_text(encoding="utf-8"))["set"]:
            if find_part(raw["id"]) != part:
                raise ValueError(f"{raw['id']} belongs to {find_part(raw['id'])}.toml, by the hash of its id")
            sets.append(parse_set(raw, packages))
    return sets


def find_part(set_id: str) -> Part:
    """The part that a set belongs to, by the hash of its id."""
    return PARTS[hashlib.sha256(set_id.encode()).digest()[0] % 2]


def parse_set(raw: Mapping[str, Any], packages: Mapping[str, Package]) -> ExpectedSet:
    """Read a set of a TOML file.

    Raises:
        ValueError: an expectation names an unknown table or form.
    """
    kinds = tuple(
        ExpectedKind(
            kind["table"],
            tuple(kind["label"]),
            tuple(_parse_name(name) for name in kind["name"]) or (frozenset(),),
            tuple(kind["key"]) or ("",),
            kind.get("optional", False),
        )
        for kind in raw["kinds"]
    )
    tables = {kind.table for kind in kinds}
    if raw.get("form", "") not in FORMS:
        raise ValueError(f"{raw['id']}: no form {raw['form']}")
    return ExpectedSet(
        raw["id"],
        packages[raw["package"]],
        tuple(raw["files"]),
        kinds,
        tuple(_parse_reference(text, tables) for text in raw.get("references", ())),
        tuple(_parse_reference(text, tables, strict=False) for text in raw.get("also", ())),
        tuple(_parse_fact(text, tables) for text in raw.get("types", ())),
        tuple(_parse_fact(text, tables) for text in raw.get("units", ())),
        raw.get("form", ""),
        raw.get("rows", 0),
    )


def _load_packages() -> Iterator[tuple[str, Package]]:
    for name, raw in tomllib.loads((HOME / "packages.toml").read_text(encoding="utf-8")).items():
        yield name, Package(**{"name": name, **raw})


def _parse_name(name: str | Sequence[str]) -> frozenset[str]:
    return frozenset([name] if isinstance(name, str) else name)


def _parse_reference(text: str, tables: set[str], *, strict: bool = True) -> ExpectedReference:
    source, _, target = text.partition(" -> ")
    return ExpectedReference(_parse_column(source, tables, strict=strict), _parse_column(target, tables, strict=strict))


def _parse_fact(text: str, tables: set[str]) -> tuple[ColumnRef, str]:
    column, _, value = text.rpartition(" = ")
    return _parse_column(column, tables), value


def _parse_column(text: str, tables: set[str], *, strict: bool = True) -> ColumnRef:
    """Split "table.column", where both may hold full stops."""
    known = [table for table in (*tables, _ANY) if text == table or text.startswith(f"{table}.")]
    if known:
        table = max(known, key=len)
        return ColumnRef(table, text[len(table) + 1 :])
    if strict:
        raise ValueError(f"{text} names none of the tables {', '.join(sorted(tables))}")
    return ColumnRef(*text.partition(".")[::2])
