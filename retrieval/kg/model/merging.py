"""Models as JSON, put together: of two choices about the same thing the later one holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any


def merge_models(base: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of two models; where both say something about the same thing, those of ``chosen``."""
    base_kinds = {kind["table"]: kind for kind in base.get("kinds", ())}
    chosen_kinds = {kind["table"]: kind for kind in chosen.get("kinds", ())}
    kinds = []
    for table in base_kinds | chosen_kinds:
        models = base_kinds.get(table, {}), chosen_kinds.get(table, {})
        columns = _merge_rows(*(model.get("columns", ()) for model in models), key=itemgetter("name"))
        kinds.append({**models[0], **models[1], "columns": columns})
    place = itemgetter("table", "column")
    references = _merge_rows(base.get("references", ()), chosen.get("references", ()), key=place)
    return {"kinds": kinds, "references": references}


def _merge_rows(
    base: Sequence[Mapping[str, Any]], chosen: Sequence[Mapping[str, Any]], *, key: Callable[[Any], Hashable]
) -> list[dict[str, Any]]:
    merged: dict[Hashable, dict[str, Any]] = {key(row): dict(row) for row in base}
    for row in chosen:
        merged[key(row)] = merged.get(key(row), {}) | dict(row)
    return list(merged.values())
