"""A version with other labels of kinds and relations, or fewer columns, made of a snapshot alone. Needs polars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from retrieval.errors import EmptySourceError
from retrieval.kg.build.columns import load_series
from retrieval.kg.build.from_table import build_snapshot
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.model.data_model import DataModel, Kind, ModelChoices
from retrieval.kg.model.relabelling import update_labels
from retrieval.kg.model.storage import load_model
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.relation_names import TYPE, format_relation_name
from retrieval.types import Progress

_ATTRIBUTE = ("label", "key", "value")


def write_relabelled(
    base: Path, out: Path, choices: Mapping[str, Any], *, progress: Callable[[Progress], None] | None = None
) -> None:
    """Write the snapshot of ``base`` with the labels of a changed model to ``out``.

    Args:
        base: a snapshot with a data model.
        choices: the changed model, see :func:`retrieval.kg.model.relabelling.update_labels`.

    Raises:
        ConfigError: a change needs the files.
        EmptySourceError: nothing would be left of the graph.
    """
    snapshot = Snapshot(base)
    before = load_model(base) or DataModel()
    after = update_labels(before, ModelChoices.from_json(choices))
    labels, names = load_series(snapshot.entity_labels), load_series(snapshot.relation_names)
    facts = pl.DataFrame(
        {
            "head": labels.gather(snapshot.heads),
            "relation": names.gather(snapshot.relations),
            "tail": labels.gather(snapshot.tails),
        }
    )
    attributes = convert_to_table(snapshot).node_attributes
    rows = (
        [facts] if attributes is None else [facts, attributes.rename(dict(zip(_ATTRIBUTE, facts.columns, strict=True)))]
    )
    for kind, changed in zip(before.kinds, after.kinds, strict=True):
        members = facts.filter((pl.col("relation") == TYPE) & (pl.col("tail") == kind.label))["head"].unique()
        spelt = {name for frame in rows for name in frame["relation"].drop_nulls().unique()}
        renamed = _find_renamed(kind, changed, spelt, before, after)
        rows = [_rename(frame, members, renamed, (kind.label, changed.label)) for frame in rows]
    left = np.flatnonzero(rows[0]["relation"].is_not_null().to_numpy())
    if not len(left):
        raise EmptySourceError("Nothing would be left of the graph.", hint="Leave fewer columns out.")
    table = convert_to_table(snapshot, left)
    facts, *described = (frame.filter(pl.col("relation").is_not_null()) for frame in rows)
    if described:
        stays = pl.concat([facts["head"], facts["tail"]]).unique()
        described = [described[0].filter(pl.col("head").is_in(stays.implode()))]
    table = replace(
        table,
        facts=facts,
        relation_labels=None,
        node_attributes=described[0].rename(dict(zip(facts.columns, _ATTRIBUTE, strict=True))) if described else None,
        kept=None,
        model=after,
    )
    build_snapshot(table, out, progress=progress)


def _find_renamed(
    kind: Kind, changed: Kind, names: set[str], before: DataModel, after: DataModel
) -> dict[str, str | None]:
    """What the relations of a kind are called now; None where they are left out."""
    renamed: dict[str, str | None] = {}
    for column, new in zip(kind.columns, changed.columns, strict=True):
        spellings = before.list_relation_names(kind.table, column)
        called = [name for name in names if format_relation_name(name) in spellings]
        label = next(iter(after.list_reference_labels(kind.table, column.name)), None)
        if new.is_ignored:
            renamed |= dict.fromkeys(called)
        elif label is not None and label not in before.list_reference_labels(kind.table, column.name):
            renamed |= dict.fromkeys(called, label)
        elif (new.label, new.unit) != (column.label, column.unit):
            renamed |= dict.fromkeys(called, new.relation)
    return renamed


def _rename(
    rows: pl.DataFrame, members: pl.Series, renamed: Mapping[str, str | None], labels: tuple[str, str]
) -> pl.DataFrame:
    """The facts or attributes of a kind with other relations, null where they are left out, and another kind."""
    is_member = pl.col("head").is_in(members.implode())
    if renamed:
        relation = pl.col("relation")
        is_renamed = is_member & relation.is_in(list(renamed))
        rows = rows.with_columns(
            pl.when(is_renamed).then(relation.replace(renamed)).otherwise(relation).alias("relation")
        )
    if labels[0] != labels[1]:
        is_kind = is_member & (pl.col("relation") == TYPE) & (pl.col("tail") == labels[0])
        rows = rows.with_columns(tail=pl.when(is_kind).then(pl.lit(labels[1])).otherwise("tail"))
    return rows
