"""The edges of a model: between which kinds they lead, and what becomes of their attributes. Needs polars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import polars as pl

from retrieval.kg.model.data_model import EdgeAttribute, EdgeKind, EdgeUse
from retrieval.kg.model.edge_attributes import find_measures, select_asked
from retrieval.kg.model.profile import profile_column
from retrieval.kg.snapshot.relation_names import format_relation_name

#: Edges between two kinds by one relation that are listed, those with most edges first.
_LISTED = 200
Edge = tuple[str, str, str]
"""Source, relation and target."""


def describe_edges(
    edges: Iterable[Edge], attributes: Iterable[tuple[int, str, str]], kinds: Mapping[str, str]
) -> tuple[EdgeKind, ...]:
    """The edges by the kinds of their ends and their relation, those of most edges first.

    Args:
        edges: of all files.
        attributes: (position in ``edges``, key, value).
        kinds: the table that describes each node; other nodes have none.
    """
    places: dict[int, tuple[str, str, str]] = {}
    heads: dict[int, str] = {}
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for position, (source, relation, target) in enumerate(edges):
        places[position] = (kinds.get(source, ""), relation, kinds.get(target, ""))
        heads[position] = source
        counts[places[position]] += 1
    rows = [(i, heads[i], places[i][1], key, value.strip()) for i, key, value in attributes if i in places]
    uses = _find_uses(rows)
    values: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for position, _, _, key, value in rows:
        values[places[position]][key].append(value)
    ranked = sorted(counts, key=lambda place: -counts[place])[:_LISTED]
    return tuple(
        EdgeKind(
            table=place[0],
            relation=format_relation_name(place[1]),
            target=place[2],
            count=counts[place],
            attributes=tuple(
                _describe_attribute(key, texts, uses[place[1], key]) for key, texts in values[place].items()
            ),
        )
        for place in ranked
    )


def _find_uses(rows: list[tuple[int, str, str, str, str]]) -> Mapping[tuple[str, str], EdgeUse]:
    """What becomes of each attribute of each relation."""
    uses: dict[tuple[str, str], EdgeUse] = {(relation, key): "kept" for _, _, relation, key, _ in rows}
    schema = {"fact": pl.Int64, **dict.fromkeys(("head", "relation", "key", "value"), pl.String)}
    askable = select_asked(pl.DataFrame(rows, schema=schema, orient="row"))
    for relation, key, measures in askable.select("relation", "key", find_measures(askable)).unique().iter_rows():
        uses[relation, key] = "measure" if measures else "fact"
    return uses


def _describe_attribute(key: str, values: list[str], use: EdgeUse) -> EdgeAttribute:
    profile = profile_column(key, 0, values)
    return EdgeAttribute(key, format_relation_name(key), profile.type, profile.filled, profile.first_rows, use)
