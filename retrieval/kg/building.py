"""From a table of labelled facts to the files of a snapshot. Needs polars; only builders import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.errors import EmptySourceError, SnapshotError
from retrieval.kg.attribute_building import write_attributes
from retrieval.kg.coding import Coded, Coder
from retrieval.kg.columns import fact_places, load_series, positions, save_series
from retrieval.kg.details import Details, content_hash
from retrieval.kg.label_building import write_label_index
from retrieval.kg.manifest import FORMAT_VERSION, MANIFEST, Manifest, manifest_json
from retrieval.kg.naming import humanise_relation
from retrieval.kg.passage_building import write_passages
from retrieval.kg.snapshot import KINDS
from retrieval.kg.storage import StringTable, published, save_array, save_json
from retrieval.kg.table import Kept, TripleTable
from retrieval.kg.watching import Watch, beside
from retrieval.types import Progress

CVT = r"^[mg]\.[0-9a-z_]+$"
#: Numbers, years and ISO dates or times; such a label is an entity all the same where it heads a fact.
LITERAL = (
    r"^(?:[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?"
    r"|[+-]?\d{1,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)$"
)


def build_snapshot(
    table: TripleTable, out: Path, *, progress: Callable[[Progress], None] | None = None
) -> None:
    """Write the snapshot of ``table`` to ``out``. See :func:`retrieval.kg.snapshot.build`."""
    refuse_foreign(out)
    watch = Watch(progress)
    with published(out) as directory:
        write_snapshot(directory, table, Coder(directory), watch)
    watch.done("snapshot ready")


def refuse_foreign(out: Path) -> None:
    """Raise a SnapshotError where ``out`` is something else than a snapshot or an empty directory."""
    if out.exists() and not (out / MANIFEST).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise SnapshotError(
            f"{out} exists and is not a snapshot.", hint="Choose another place, or remove it first."
        )


def write_snapshot(directory: Path, table: TripleTable, coder: Coder, watch: Watch) -> None:
    """Write all files of the snapshot of what ``coder`` has taken and of ``table``.

    Raises:
        EmptySourceError: that is neither a fact nor a passage.
    """
    passages = 0 if table.passages is None else table.passages.height
    if not (len(table) or coder.count or passages):
        raise EmptySourceError("The source holds no fact.", hint="Give a file with head, relation and tail.")
    watch.say("sorting facts", 0)
    if table.kept is not None:
        coder.keep(table.kept)
    coder.add(table.facts)
    for known in (table.nodes, table.node_attributes):
        if known is not None:
            coder.mention(known["label"].cast(pl.String))
    coded = coder.write(watch.check)
    if table.fact_attributes is not None or table.fact_passages is not None:
        coded = replace(coded, fact_of_row=_fact_of_row(table, coded))
    watch.say("writing labels", 1)
    with beside(lambda check: coder.write_incoming(coded, check)):
        entity_table, relation_table = _write_labels(directory, table, coded, watch.check)
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
    watch.say("checking", 2)
    facts = (coded.heads, coded.relations, coded.tails)
    digest = content_hash(entity_table, relation_table, facts, Details.load(directory, manifest))
    manifest = replace(manifest, content_hash=digest)
    save_json(directory / MANIFEST, manifest_json(manifest))
    watch.check()


def _fact_of_row(table: TripleTable, coded: Coded) -> np.ndarray:
    """The fact that each row became, int64; -1 for kept facts of which no more is known."""
    rows = table.facts
    labels = {"head": coded.entity_labels, "relation": coded.relation_names, "tail": coded.entity_labels}
    ids = [positions(rows[name], known) for name, known in labels.items()]
    places = fact_places(ids, (coded.heads, coded.relations, coded.tails))
    return places if table.kept is None else np.concatenate([_kept_places(table, table.kept, coded), places])


def _kept_places(table: TripleTable, kept: Kept, coded: Coded) -> np.ndarray:
    known = [
        of["fact"].cast(pl.Int64).to_numpy()
        for of in (table.fact_attributes, table.fact_passages)
        if of is not None
    ]
    rows = np.unique(np.concatenate(known))
    rows = rows[rows < len(kept)]
    graph, facts = kept.snapshot, rows if kept.facts is None else kept.facts[rows]
    entities = positions(load_series(graph.entity_labels), coded.entity_labels)
    relations = positions(load_series(graph.relation_names), coded.relation_names)
    places = np.full(len(kept), -1)
    places[rows] = fact_places(
        (entities[graph.heads[facts]], relations[graph.relations[facts]], entities[graph.tails[facts]]),
        (coded.heads, coded.relations, coded.tails),
    )
    return places


def _write_labels(
    directory: Path, table: TripleTable, coded: Coded, check: Callable[[], None]
) -> tuple[StringTable, StringTable]:
    entity_table = save_series(directory, "entity_labels", coded.entity_labels)
    relation_table = save_series(directory, "relation_names", coded.relation_names)
    own = table.relation_labels or {}
    shown = [own.get(name) or humanise_relation(name) for name in coded.relation_names]
    save_series(directory, "relation_labels", pl.Series(shown, dtype=pl.String))
    known = _known_nodes(table, coded)
    kinds = _kinds(coded, known)
    save_array(directory, "kinds", kinds)
    write_label_index(directory, coded, kinds, table.node_attributes, check=check)
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
