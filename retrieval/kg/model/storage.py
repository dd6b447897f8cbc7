"""The data model that a graph was imported with, beside its snapshot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from retrieval.kg.model.data_model import Column, DataModel, EdgeAttribute, EdgeKind, Kind, ModelWarning, Reference

DATA_MODEL = "data_model.json"


def save_model(directory: Path, model: DataModel) -> None:
    """Write a model into the directory of a snapshot."""
    (directory / DATA_MODEL).write_text(json.dumps(model.to_json(), ensure_ascii=False, indent=1), encoding="utf-8")


def load_model(directory: Path) -> DataModel | None:
    """The model of a snapshot; None where it was made of facts alone."""
    path = directory / DATA_MODEL
    if not path.is_file():
        return None
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return DataModel(
        kinds=tuple(
            Kind(
                **{
                    **_to_tuples(kind),
                    "columns": tuple(Column(**_to_tuples(column)) for column in kind["columns"]),
                }
            )
            for kind in raw["kinds"]
        ),
        references=tuple(Reference(**_to_tuples(reference)) for reference in raw["references"]),
        warnings=tuple(
            ModelWarning(warning["table"], warning["message"], tuple((line, text) for line, text in warning["rows"]))
            for warning in raw["warnings"]
        ),
        is_sampled=raw["is_sampled"],
        edges=tuple(
            EdgeKind(**{**edge, "attributes": tuple(EdgeAttribute(**_to_tuples(row)) for row in edge["attributes"])})
            for edge in raw.get("edges", ())
        ),
        languages=tuple((tag, count) for tag, count in raw.get("languages", ())),
    )


def _to_tuples(value: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
