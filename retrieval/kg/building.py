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
from retrieval.kg.columns import fact_places, positions, save_series
from retrieval.kg.details import Details, content_hash
from retrieval.kg.fact_building import MEMORY, Rows, Sizes, write_facts
from retrieval.kg.label_building import write_label_index
from retrieval.kg.manifest import FORMAT_VERSION, MANIFEST, Manifest, manifest_json
from retrieval.kg.naming import humanise_relation
from retrieval.kg.passage_building import write_passages
from retrieval.kg.snapshot import KINDS
from retrieval.kg.storage import StringTable, published, save_array, save_json
from retrieval.kg.table import TripleTable
from retrieval.kg.vocabulary import Vocabulary, ranked
from retrieval.types import Progress

#: Steps that progress counts.
STEPS = 3
CVT = r"^[mg]\.[0-9a-z_]+$"
#: Numbers, years and ISO dates or times; such a label is an entity all the same where it heads a fact.
LITERAL = (
    r"^(?:[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?"
    r"|[+-]?\d{1,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)$"
)

Check = Callable[[], None]


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
    refuse_foreign(out)
    with published(out) as directory:
        say(progress, "sorting facts", 0)
        coded = _code(directory, table)
        finish(directory, table, coded, progress=progress)
    say(progress, "snapshot ready", STEPS)


def refuse_foreign(out: Path) -> None:
    """Raise a SnapshotError where ``out`` is something else than a snapshot or an empty directory."""
    if out.exists() and not (out / MANIFEST).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise SnapshotError(
            f"{out} exists and is not a snapshot.", hint="Choose another place, or remove it first."
        )


def say(progress: Callable[[Progress], None] | None, stage: str, done: int) -> None:
    """Tell what is done next."""
    if progress is not None:
        progress(Progress(stage, done, STEPS, "steps"))


def finish(
    directory: Path,
    table: TripleTable,
    coded: Coded,
    *,
    progress: Callable[[Progress], None] | None = None,
    check: Check = lambda: None,
) -> None:
    """Write all but facts and adjacency, which are written: labels, index, attributes, passages, manifest.

    ``table`` is what is known beside the facts; its facts are not looked at.
    """
    say(progress, "writing labels", 1)
    entity_table, relation_table = _write_labels(directory, table, coded, check)
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
    check()
    say(progress, "hashing", 2)
    facts = (coded.heads, coded.relations, coded.tails)
    digest = content_hash(entity_table, relation_table, facts, Details.load(directory, manifest))
    manifest = replace(manifest, content_hash=digest)
    save_json(directory / MANIFEST, manifest_json(manifest))


def _code(directory: Path, table: TripleTable) -> Coded:
    """Replace labels by ids in byte order, sort the facts, drop repeats, and write them."""
    facts = table.facts
    rows, entities, relations = Rows(directory), Vocabulary(), Vocabulary()
    columns = (facts["head"], facts["relation"], facts["tail"])
    codes = [of.codes(column) for of, column in zip((entities, relations, entities), columns, strict=True)]
    for known in (table.nodes, table.node_attributes):
        if known is not None:
            entities.codes(known["label"].cast(pl.String))
    rows.add(*codes)
    coded = write_coded(directory, rows, ranked(entities), ranked(relations))
    if table.fact_attributes is None and table.fact_passages is None:
        return coded
    known_labels = (coded.entity_labels, coded.relation_names, coded.entity_labels)
    ids = [positions(column, labels) for column, labels in zip(columns, known_labels, strict=True)]
    return replace(coded, fact_of_row=fact_places(ids, (coded.heads, coded.relations, coded.tails)))


def write_coded(
    directory: Path,
    rows: Rows,
    entities: tuple[pl.Series, np.ndarray],
    relations: tuple[pl.Series, np.ndarray],
    *,
    memory: int = MEMORY,
    check: Check = lambda: None,
) -> Coded:
    """Write facts and adjacency of ``rows``, which are emptied.

    Args:
        directory: where to.
        rows: codes of entities and relations.
        entities, relations: labels in order, and the id of each code, as :func:`ranked` has them.
        memory, check: see :func:`sorted_facts`.
    """
    (labels, entity_ids), (names, relation_ids) = entities, relations
    given = rows.count
    facts = write_facts(
        directory,
        rows,
        (entity_ids, relation_ids),
        Sizes(len(labels), len(names)),
        memory=memory,
        check=check,
    )
    return Coded(*facts, labels, names, given - len(facts[0]), np.zeros(0, np.int64))


def _write_labels(
    directory: Path, table: TripleTable, coded: Coded, check: Check
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
