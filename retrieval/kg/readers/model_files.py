"""Data models among the files of an import: they say how the others are read, and are never facts themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retrieval.errors import EmptySourceError
from retrieval.kg.model.merging import merge_models
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.archives import unpack_files
from retrieval.kg.readers.model_detection import find_model_in_file
from retrieval.kg.readers.options import ReadOptions

#: Files that are tables, whatever their rows look like, if a model is about them.
_TABLES = tuple(f"{end}{packed}" for end in (".csv", ".tsv") for packed in ("", ".gz", ".zst"))


@dataclass(frozen=True, slots=True)
class SeparatedFiles:
    """Files of data, how they are read by the models beside them, and what a person should know of these."""

    files: Sequence[Unpacked]
    options: ReadOptions
    notes: Sequence[tuple[str, str]]


@contextmanager
def open_files(paths: Sequence[Path], names: Sequence[str], options: ReadOptions) -> Iterator[SeparatedFiles]:
    """Unpack the files of an import, and take the models among them for choices; those of ``options`` go before.

    Raises:
        ConfigError: a model is broken.
        EmptySourceError: there is nothing but models.
        SourceError: as :func:`retrieval.kg.readers.archives.unpack_files`.
    """
    with unpack_files(paths, names, tables=True) as unpacked_files:
        models: list[tuple[Unpacked, dict[str, Any]]] = []
        for file in unpacked_files:
            if (model := find_model_in_file(file.path, file.name)) is not None:
                models.append((file, model))
        taken = [file for file, _ in models]
        data = [file for file in unpacked_files if file not in taken]
        if not data:
            raise EmptySourceError(
                f"{taken[0].name} is a data model, and there are no files of data beside it.",
                hint="Give it together with the files that it is about.",
            )
        notes: list[tuple[str, str]] = []
        merged: Mapping[str, Any] = {}
        for file, model in models:
            renamed, missing = _match_tables(model, [part.name for part in data])
            merged = merge_models(merged, renamed)
            described = {kind["table"] for kind in renamed["kinds"] if kind["table"].lower().endswith(_TABLES)}
            data = [replace(part, format=part.format or "table") if part.name in described else part for part in data]
            if missing:
                notes.append((file.name, f"The data model {file.name} is about {_join(missing)}, which is not here."))
        if models:
            options = replace(options, model=merge_models(merged, options.model or {}))
        yield SeparatedFiles(data, options, notes)


def _match_tables(model: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """A model about the tables of these names, where it calls them by the last part alone, and those not among them."""
    called: dict[str, str] = {}
    missing: list[str] = []
    for kind in model["kinds"]:
        table = kind["table"]
        alike = [name for name in names if _shorten(name) == _shorten(table)]
        if table in names or len(alike) == 1:
            called[table] = table if table in names else alike[0]
        elif ": " not in table:  # a kind inside a table
            missing.append(table)
    kinds = [{**kind, "table": called.get(kind["table"], kind["table"])} for kind in model["kinds"]]
    references = [
        {**row, "table": called.get(row["table"], row["table"]), "target": called.get(row["target"], row["target"])}
        for row in model["references"]
    ]
    return {"kinds": kinds, "references": references}, missing


def _shorten(name: str) -> str:
    """The last part of a name, without an ending."""
    return Path(name.rpartition("/")[2].casefold().removesuffix(".gz")).stem


def _join(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
