"""From a table of labelled facts to the files of a snapshot. Needs polars; only builders import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.errors import EmptySourceError, SnapshotError
from retrieval.kg.build.attribute_facts import extract_attribute_facts
from retrieval.kg.build.attributes import write_attributes, write_names
from retrieval.kg.build.columns import find_fact_positions, find_positions, load_series, save_series
from retrieval.kg.build.id_encoding import EncodedFacts, IdEncoder
from retrieval.kg.build.index_reuse import copy_index
from retrieval.kg.build.kind_labels import label_kind_relations
from retrieval.kg.build.labels import write_label_index
from retrieval.kg.build.naming import find_id_names
from retrieval.kg.build.passages import write_passages
from retrieval.kg.build.progress import BuildProgress, run_in_parallel
from retrieval.kg.build.terms import match_vocabulary
from retrieval.kg.model.storage import save_model
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.annotations import Annotations, compute_content_hash
from retrieval.kg.snapshot.manifest import FORMAT_VERSION, MANIFEST, Manifest, to_manifest_json
from retrieval.kg.snapshot.relation_names import RDF_TYPE, TYPE, format_relation_name
from retrieval.kg.snapshot.storage import StringTable, publish_directory, save_array, save_json
from retrieval.kg.snapshot.vocabulary import save_vocabulary
from retrieval.kg.table import ROW_BITS, KeptFacts, TripleTable
from retrieval.kg.typed_values import CANDIDATE, TypedValues
from retrieval.types import Progress

#: Files of the values of literals, by the table of entities.
VALUE_FILES = ("value_nodes", "values", "value_kinds")
CVT = r"^[mg]\.[0-9a-z_]+$"
#: Numbers, years and ISO dates or times; such a label is an entity all the same where it heads a fact.
LITERAL = (
    r"^(?:[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?"
    r"|[+-]?\d{1,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)$"
)


def build_snapshot(
    table: TripleTable, out: Path | str, *, progress: Callable[[Progress], None] | None = None
) -> Snapshot:
    """Build the snapshot of ``table`` in ``out`` (written beside it, then renamed into place).

    Raises:
        EmptySourceError: the table holds neither a fact nor a passage.
        SourceError: two passages have one name.
        SnapshotError: ``out`` exists and is not a snapshot.
    """
    place, steps = Path(out), BuildProgress(progress)
    require_snapshot_directory(place)
    with publish_directory(place) as directory:
        write_snapshot(directory, table, IdEncoder(directory), steps)
    steps.mark_done("snapshot ready")
    return Snapshot(place)


def require_snapshot_directory(out: Path) -> None:
    """Raise a SnapshotError where ``out`` is something else than a snapshot or an empty directory."""
    if out.exists() and not (out / MANIFEST).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise SnapshotError(f"{out} exists and is not a snapshot.", hint="Choose another place, or remove it first.")


def write_snapshot(directory: Path, table: TripleTable, encoder: IdEncoder, steps: BuildProgress) -> None:
    """Write all files of the snapshot of what ``encoder`` has taken and of ``table``.

    Raises:
        EmptySourceError: that is neither a fact nor a passage.
    """
    table = assume_source(table)
    passages = 0 if table.passages is None else table.passages.height
    valued = extract_attribute_facts(table)
    if not (len(table) or encoder.count or passages or valued is not None):
        raise EmptySourceError("The source holds no fact.", hint="Give a file with head, relation and tail.")
    steps.start_stage("sorting facts", 0)
    encoder.add_located(table.locate_facts(), table.sources)
    if valued is not None:
        encoder.add_located(valued, table.sources)
        del valued  # hundreds of bytes a fact that sorting needs
    if table.kept is not None:  # behind the others: a fact that is stated again has its newest source
        encoder.keep(table.kept)
    for known in (table.nodes, table.node_attributes):
        if known is not None:
            encoder.add_entities(known["label"].cast(pl.String))
    attribute_frames = (table.node_attributes, table.fact_attributes, table.fact_passages, table.names)
    plain = not passages and all(rows is None or not rows.height for rows in attribute_frames)
    id_names = find_id_names(encoder, known_only=table.kept is not None) if plain else None
    if id_names is not None:
        encoder.rename(id_names)
        table = replace(table, relation_labels=id_names.labels | (table.relation_labels or {}))
    encoded = encoder.write(steps.check)
    if table.fact_attributes is not None or table.fact_passages is not None:
        encoded = replace(encoded, fact_of_row=_find_row_facts(table, encoded))
    steps.start_stage("writing labels", 1)
    with run_in_parallel(lambda check: encoder.write_incoming(encoded, check)):
        entity_table, relation_table = _write_labels(directory, table, encoded, steps.check)
    attributes = write_attributes(directory, table, encoded)
    names, other_names = write_names(directory, table, encoded)
    if table.model is not None and table.model.kinds:
        save_model(directory, table.model)
    shown = dict(zip(encoded.relation_names, StringTable.load(directory, "relation_labels"), strict=True))
    save_vocabulary(directory, match_vocabulary(table.vocabulary, shown, entity_table.find))
    if not copy_index(_get_base(table), directory, "entity_labels", *VALUE_FILES):
        _write_values(directory, encoded.entity_labels)
    manifest = Manifest(
        entities=len(encoded.entity_labels),
        relations=len(encoded.relation_names),
        triples=len(encoded.heads),
        content_hash="",
        format_version=FORMAT_VERSION,
        sources=table.sources,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        duplicates=encoded.duplicates,
        problems=table.problems,
        passages=write_passages(directory, table, encoded),
        entity_attributes=attributes.get("entity", 0),
        fact_attributes=attributes.get("fact", 0),
        names=names,
        other_names=other_names,
    )
    steps.start_stage("checking", 2)
    facts = (encoded.heads, encoded.relations, encoded.tails)
    digest = compute_content_hash(entity_table, relation_table, facts, Annotations.load(directory, manifest))
    manifest = replace(manifest, content_hash=digest)
    save_json(directory / MANIFEST, to_manifest_json(manifest))
    steps.check()


def assume_source(table: TripleTable) -> TripleTable:
    """``table`` with the origin of its rows, where none is known and only one source is not that of kept facts."""
    kept = table.kept.snapshot.manifest.sources if table.kept is not None else ()
    new = [number for number, name in enumerate(table.sources, 1) if name not in kept]
    if len(new) != 1:
        return table
    facts, attributes = table.fact_origins, table.attribute_origins
    if facts is None:
        facts = _copy_origin(new[0], table.facts.height)
    if attributes is None and table.node_attributes is not None and table.kept is None:
        attributes = _copy_origin(new[0], table.node_attributes.height)
    return replace(table, fact_origins=facts, attribute_origins=attributes)


def _copy_origin(source: int, count: int) -> pl.Series:
    return pl.repeat(source << ROW_BITS, count, dtype=pl.Int64, eager=True)


def _find_row_facts(table: TripleTable, encoded: EncodedFacts) -> np.ndarray:
    """The fact that each row became, int64; -1 for kept facts of which no more is known."""
    rows = table.facts
    labels = {
        "head": encoded.entity_labels,
        "relation": encoded.relation_names,
        "tail": encoded.entity_labels,
    }
    ids = [find_positions(rows[name], known) for name, known in labels.items()]
    places = find_fact_positions(ids, (encoded.heads, encoded.relations, encoded.tails))
    return places if table.kept is None else np.concatenate([_find_kept_facts(table, table.kept, encoded), places])


def _find_kept_facts(table: TripleTable, kept: KeptFacts, encoded: EncodedFacts) -> np.ndarray:
    known = [
        of["fact"].cast(pl.Int64).to_numpy() for of in (table.fact_attributes, table.fact_passages) if of is not None
    ]
    rows = np.unique(np.concatenate(known))
    rows = rows[rows < len(kept)]
    graph, facts = kept.snapshot, rows if kept.facts is None else kept.facts[rows]
    entities = find_positions(load_series(graph.entity_labels), encoded.entity_labels)
    relations = find_positions(load_series(graph.relation_names), encoded.relation_names)
    places = np.full(len(kept), -1)
    places[rows] = find_fact_positions(
        (entities[graph.heads[facts]], relations[graph.relations[facts]], entities[graph.tails[facts]]),
        (encoded.heads, encoded.relations, encoded.tails),
    )
    return places


def _write_labels(
    directory: Path, table: TripleTable, encoded: EncodedFacts, check: Callable[[], None]
) -> tuple[StringTable, StringTable]:
    entity_table = save_series(directory, "entity_labels", encoded.entity_labels)
    relation_table = save_series(directory, "relation_names", encoded.relation_names)
    custom_labels = table.relation_labels or {}
    shown = [custom_labels.get(name) or format_relation_name(name) for name in encoded.relation_names]
    has_types = table.node_attributes is not None and bool((table.node_attributes["key"] == TYPE).any())
    shown = label_kind_relations(encoded, shown, (RDF_TYPE, TYPE) if has_types else (RDF_TYPE,))
    save_series(directory, "relation_labels", pl.Series(shown, dtype=pl.String))
    known = _join_known_nodes(table, encoded)
    kinds = _assign_kinds(encoded, known)
    save_array(directory, "kinds", kinds)
    write_label_index(directory, encoded, kinds, table.node_attributes, table.names, base=_get_base(table), check=check)
    iris = pl.Series([], dtype=pl.String) if known is None else known["iri"].fill_null("")
    if not (iris != "").any():
        iris = iris.head(0)
    save_series(directory, "entity_iris", iris)
    return entity_table, relation_table


def _get_base(table: TripleTable) -> Path | None:
    """The directory of the version that ``table`` changes."""
    return None if table.kept is None else table.kept.snapshot.path


def _write_values(directory: Path, labels: pl.Series) -> None:
    nodes = labels.str.contains(CANDIDATE).arg_true()
    typed_values = TypedValues.from_labels(dict(zip(nodes, labels.gather(nodes), strict=True)))
    arrays = (typed_values.nodes, typed_values.values, typed_values.kinds)
    for name, array in zip(VALUE_FILES, arrays, strict=True):
        save_array(directory, name, array)


def _join_known_nodes(table: TripleTable, encoded: EncodedFacts) -> pl.DataFrame | None:
    """What the reader knew of each entity (nulls where nothing), in entity order."""
    if table.nodes is None:
        return None
    entities = pl.DataFrame({"label": encoded.entity_labels})
    nodes = table.nodes.unique("label", keep="first", maintain_order=True)
    return entities.join(nodes, on="label", how="left", maintain_order="left")


def _assign_kinds(encoded: EncodedFacts, known: pl.DataFrame | None) -> np.ndarray:
    """Node kinds, uint8 [E]: what the reader said, else guessed from the label."""
    kinds = infer_kinds(encoded.entity_labels, encoded.heads)
    if known is not None:
        for code, kind in enumerate(KINDS):
            kinds[(known["kind"] == kind).fill_null(False).to_numpy()] = code
    return kinds


def infer_kinds(labels: pl.Series, heads: np.ndarray) -> np.ndarray:
    """Node kinds by label, uint8 [E]; what looks like a number or a date and heads a fact is an entity."""
    kinds = np.zeros(len(labels), np.uint8)
    heads_a_fact = np.zeros(len(labels), bool)
    heads_a_fact[heads] = True
    kinds[labels.str.contains(LITERAL).to_numpy() & ~heads_a_fact] = KINDS.index("literal")
    kinds[labels.str.contains(CVT).to_numpy()] = KINDS.index("cvt")
    return kinds
