"""From a table of labelled facts to the files of a snapshot. Needs polars; only builders import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.errors import EmptySourceError, SnapshotError
from retrieval.kg.attribute_building import write_attributes
from retrieval.kg.columns import positions, save_series
from retrieval.kg.details import Details, content_hash
from retrieval.kg.label_building import write_label_index
from retrieval.kg.manifest import FORMAT_VERSION, MANIFEST, Manifest, manifest_json
from retrieval.kg.naming import humanise_relation
from retrieval.kg.passage_building import write_passages
from retrieval.kg.snapshot import KINDS
from retrieval.kg.storage import StringTable, published, save_array, save_json, sorted_unique
from retrieval.kg.table import TripleTable
from retrieval.types import Progress

CVT = r"^[mg]\.[0-9a-z_]+$"
#: Numbers, years and ISO dates or times; such a label is an entity all the same where it heads a fact.
LITERAL = (
    r"^(?:[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?"
    r"|[+-]?\d{1,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)$"
)

#: Below this many possible facts, a fact is sorted as one number.
KEY_LIMIT = 2**62


@dataclass(frozen=True)
class Coded:
    """Facts by id, sorted and without repeats, with the labels that the ids stand for.

    ``fact_of_row`` is the fact that each row of the table became; empty where nothing asks for it.
    """

    heads: np.ndarray
    relations: np.ndarray
    tails: np.ndarray
    entity_labels: pl.Series
    relation_names: pl.Series
    duplicates: int
    fact_of_row: np.ndarray


def build_snapshot(
    table: TripleTable, out: Path, *, progress: Callable[[Progress], None] | None = None
) -> None:
    """Write the snapshot of ``table`` to ``out``. See :func:`retrieval.kg.snapshot.build`."""
    if not len(table) and (table.passages is None or not table.passages.height):
        raise EmptySourceError("The source holds no fact.", hint="Give a file with head, relation and tail.")
    if out.exists() and not (out / MANIFEST).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise SnapshotError(
            f"{out} exists and is not a snapshot.", hint="Choose another place, or remove it first."
        )

    def say(stage: str, done: int) -> None:
        if progress is not None:
            progress(Progress(stage, done, 3, "steps"))

    say("sorting facts", 0)
    coded = encode(table)
    with published(out) as directory:
        say("writing adjacency", 1)
        _write_facts(directory, coded)
        say("writing labels", 2)
        entity_table, relation_table = _write_labels(directory, table, coded)
        attributes = write_attributes(directory, table, coded)
        manifest = Manifest(
            entities=len(coded.entity_labels),
            relations=len(coded.relation_names),
            triples=len(coded.heads),
            content_hash="",
            format_version=FORMAT_VERSION,
            sources=table.sources,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            duplicates=coded.duplicates,
            problems=table.problems,
            passages=write_passages(directory, table, coded),
            entity_attributes=attributes.get("entity", 0),
            fact_attributes=attributes.get("fact", 0),
        )
        facts = (coded.heads, coded.relations, coded.tails)
        digest = content_hash(entity_table, relation_table, facts, Details.load(directory, manifest))
        manifest = replace(manifest, content_hash=digest)
        save_json(directory / MANIFEST, manifest_json(manifest))
    say("snapshot ready", 3)


def encode(table: TripleTable) -> Coded:
    """Replace labels by ids in byte order, sort the facts, drop repeats."""
    facts = table.facts
    mentioned = [facts["head"], facts["tail"]]
    for known in (table.nodes, table.node_attributes):
        if known is not None:
            mentioned.append(known["label"].cast(pl.String))
    labels = pl.concat([column.alias("label") for column in mentioned]).unique().sort()
    names = facts["relation"].unique().sort()
    traced = table.fact_attributes is not None or table.fact_passages is not None
    rows = [
        positions(facts["head"], labels),
        positions(facts["relation"], names),
        positions(facts["tail"], labels),
    ]
    (heads, relations, tails), fact_of_row = _sorted_facts(rows, len(labels), len(names), traced=traced)
    return Coded(
        heads.astype(np.int32),
        relations.astype(np.int32),
        tails.astype(np.int32),
        labels,
        names,
        facts.height - len(heads),
        fact_of_row,
    )


def _sorted_facts(
    rows: list[np.ndarray], entities: int, kinds: int, *, traced: bool
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Sorted columns without repeats, and, where ``traced``, the fact that each row became. Empties ``rows``."""
    heads, relations, tails = rows
    rows.clear()  # so that nothing is held twice while it is sorted
    fact_of_row = np.zeros(0, np.int64)
    if entities * entities * kinds < KEY_LIMIT:
        row_keys = (heads * kinds + relations) * entities + tails
        keys = sorted_unique(row_keys)
        if traced:
            fact_of_row = np.searchsorted(keys, row_keys)
        del row_keys
        pair, tails = np.divmod(keys, max(entities, 1))
        heads, relations = np.divmod(pair, max(kinds, 1))
        return (heads, relations, tails), fact_of_row
    order = np.lexsort((tails, relations, heads))
    heads, relations, tails = heads[order], relations[order], tails[order]
    fresh = np.ones(len(heads), bool)
    fresh[1:] = (np.diff(heads) != 0) | (np.diff(relations) != 0) | (np.diff(tails) != 0)
    if traced:
        fact_of_row = np.empty(len(order), np.int64)
        fact_of_row[order] = np.cumsum(fresh) - 1
    return (heads[fresh], relations[fresh], tails[fresh]), fact_of_row


def _write_facts(directory: Path, coded: Coded) -> None:
    heads, relations, tails = coded.heads, coded.relations, coded.tails
    entities, kinds = len(coded.entity_labels), len(coded.relation_names)
    in_order = np.lexsort((heads, relations, tails)).astype(np.int32)
    save_array(directory, "heads", heads)
    save_array(directory, "relations", relations)
    save_array(directory, "tails", tails)
    save_array(directory, "in_order", in_order)
    save_array(directory, "in_heads", heads[in_order])
    bounds = np.arange(entities + 1)
    save_array(directory, "out_offsets", np.searchsorted(heads, bounds).astype(np.int64))
    save_array(directory, "in_offsets", np.searchsorted(tails[in_order], bounds).astype(np.int64))
    _write_groups(directory, "out", heads.astype(np.int64) * kinds + relations)
    _write_groups(directory, "in", tails[in_order].astype(np.int64) * kinds + relations[in_order])


def _write_groups(directory: Path, direction: str, keys: np.ndarray) -> None:
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    save_array(directory, f"{direction}_group_keys", keys[starts])
    save_array(directory, f"{direction}_group_starts", np.append(starts, len(keys)).astype(np.int64))


def _write_labels(directory: Path, table: TripleTable, coded: Coded) -> tuple[StringTable, StringTable]:
    entity_table = save_series(directory, "entity_labels", coded.entity_labels)
    relation_table = save_series(directory, "relation_names", coded.relation_names)
    own = table.relation_labels or {}
    shown = [own.get(name) or humanise_relation(name) for name in coded.relation_names]
    save_series(directory, "relation_labels", pl.Series(shown, dtype=pl.String))
    known = _known_nodes(table, coded)
    kinds = _kinds(coded, known)
    save_array(directory, "kinds", kinds)
    write_label_index(directory, coded, kinds, table.node_attributes)
    iris = pl.Series([], dtype=pl.String) if known is None else known["iri"].fill_null("")
    if not (iris != "").any():
        iris = iris.head(0)
    save_series(directory, "entity_iris", iris)
    return entity_table, relation_table


def _known_nodes(table: TripleTable, coded: Coded) -> pl.DataFrame | None:
    """What the reader knew of each entity (nulls where nothing), in entity order."""
    if table.nodes is None:
        return None
    entities = pl.DataFrame({"label": coded.entity_labels})
    nodes = table.nodes.unique("label", keep="first", maintain_order=True)
    return entities.join(nodes, on="label", how="left", maintain_order="left")


def _kinds(coded: Coded, known: pl.DataFrame | None) -> np.ndarray:
    """Node kinds, uint8 [E]: what the reader said, else guessed from the label."""
    kinds = guessed_kinds(coded.entity_labels, coded.heads)
    if known is not None:
        for code, kind in enumerate(KINDS):
            kinds[(known["kind"] == kind).fill_null(False).to_numpy()] = code
    return kinds


def guessed_kinds(labels: pl.Series, heads: np.ndarray) -> np.ndarray:
    """Node kinds by label, uint8 [E]; what looks like a number or a date and heads a fact is an entity."""
    kinds = np.zeros(len(labels), np.uint8)
    heads_a_fact = np.zeros(len(labels), bool)
    heads_a_fact[heads] = True
    kinds[labels.str.contains(LITERAL).to_numpy() & ~heads_a_fact] = KINDS.index("literal")
    kinds[labels.str.contains(CVT).to_numpy()] = KINDS.index("cvt")
    return kinds
