"""Rows of labels into rows of numbers, and these into the facts of a snapshot. Needs polars: for builders only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.kg.build.columns import load_series
from retrieval.kg.build.fact_rows import MEMORY, FactRows, Sizes
from retrieval.kg.build.facts import write_facts, write_incoming
from retrieval.kg.build.naming import NODE_ID, Naming
from retrieval.kg.build.row_origins import ROW_LIMIT, pack_origin
from retrieval.kg.build.vocabulary import StringVocabulary, sort_texts
from retrieval.kg.readers.file_contents import LINE, fit
from retrieval.kg.snapshot.fact_sources import save_source_names
from retrieval.kg.table import ORIGIN, ROW_BITS, KeptFacts

#: Facts that are taken at a time.
_BLOCK = 500_000


@dataclass(frozen=True)
class EncodedFacts:
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


class IdEncoder:
    """Takes rows of facts as they are read and keeps their numbers; the sink of :mod:`retrieval.kg.build.from_files`.

    Args:
        directory: where rows wait that are more than ``memory`` bytes.
        memory: bytes of rows, and later of sort keys, to hold.
    """

    def __init__(self, directory: Path, memory: int = MEMORY) -> None:
        self.rows = FactRows(directory, memory)
        self._last = self.rows
        self._directory, self._memory = directory, memory
        self._reset_terms()
        self._entities, self._relations = _Labels(), _Labels()
        self._mentioned: list[np.ndarray] = []
        self._refused = False
        self._sources: dict[str, int] = {}
        self._source = 0

    def _reset_terms(self) -> None:
        self._terms = StringVocabulary()
        self._term_rows = FactRows(self._directory, self._memory, "terms")

    @property
    def count(self) -> int:
        """How many rows it has."""
        return self.rows.count + self._term_rows.count

    def start_source(self, name: str) -> None:
        """Take the rows that follow as those of a file."""
        self._source = self._assign_source(name)

    def _assign_source(self, name: str) -> int:
        return self._sources.setdefault(name, len(self._sources) + 1)

    def _find_places(self, rows: pl.DataFrame) -> int | np.ndarray:
        """The origins of rows of the file that is read."""
        origin = pack_origin(self._source)
        return origin + rows[LINE].to_numpy() if LINE in rows.columns else origin

    def keep_first(self, count: int) -> None:
        """Forget all rows but the first ``count``, which ends a block of them."""
        self._refused = True
        self._last.keep_first(self._last.count - (self.count - count))

    def add_if_clean(self, facts: pl.DataFrame, first_line: int) -> bool:
        """Take rows of lines as they stand, or none of them where a label needs trimming or cannot be taken."""
        heads, relations, tails = self._encode_columns(facts)
        if not (self._entities.fit([heads, tails]) and self._relations.fit([relations])):
            self._refused = True
            return False
        self._last = self.rows
        self.rows.add(heads, relations, tails, pack_origin(self._source, first_line))
        return True

    def add(self, facts: pl.DataFrame) -> None:
        """Take good rows."""
        self._last = self.rows
        heads, relations, tails = self._encode_columns(facts)
        self.rows.add(heads, relations, tails, self._find_places(facts))

    def add_located(self, facts: pl.DataFrame, sources: Sequence[str]) -> None:
        """Take good rows, whose ``origin`` counts ``sources`` from 1."""
        self._last = self.rows
        heads, relations, tails = self._encode_columns(facts)
        self.rows.add(heads, relations, tails, self._map_origins(facts[ORIGIN].to_numpy(), sources))

    def _map_origins(self, origins: np.ndarray, sources: Sequence[str]) -> np.ndarray:
        """Origins whose sources are counted as they are here, those that occur."""
        numbers = np.zeros(len(sources) + 1, np.int64)
        positions = origins >> ROW_BITS
        for position in np.flatnonzero(np.bincount(positions, minlength=1)).tolist():
            numbers[position] = self._assign_source(sources[position - 1]) if position else 0
        renumbered: np.ndarray = numbers[positions] << ROW_BITS | (origins & ROW_LIMIT)
        return renumbered

    def add_terms(self, rows: pl.DataFrame) -> None:
        """Take rows whose heads and tails are RDF terms; they wait for :meth:`assign_labels`."""
        self._last = self._term_rows
        relations = self._relations.encode_values(rows["relation"])
        heads, tails = (self._terms.encode_values(rows[name]) for name in ("head", "tail"))
        self._term_rows.add(heads, relations, tails, self._find_places(rows))

    def list_terms(self) -> tuple[pl.Series, pl.Series]:
        """The distinct terms of the rows that wait, and the relations of these."""
        terms, relations = np.zeros(len(self._terms), bool), np.zeros(len(self._relations), bool)
        for block in self._term_rows:
            terms[block[0]] = terms[block[2]] = relations[block[1]] = True
        return self._terms.get_texts().filter(terms), self._relations.get_texts().filter(relations)

    def find_terms(self, rows: pl.DataFrame) -> pl.Series:
        """Tell which rows of RDF are among those that wait, bool."""
        self._refused = True  # relations of rows that are not are no relations of the graph
        columns = [self._terms.encode_values(rows["head"]), self._relations.encode_values(rows["relation"])]
        columns.append(self._terms.encode_values(rows["tail"]))
        triples = list(zip(*(column.tolist() for column in columns), strict=True))
        waiting = set[tuple[int, ...]]()
        for block in self._term_rows:
            near = block[:, np.isin(block[0], columns[0])]
            waiting.update(zip(*near.tolist(), strict=True))
        return pl.Series([triple in waiting for triple in triples], dtype=pl.Boolean)

    def assign_labels(self, terms: pl.Series, labels: pl.Series) -> None:
        """Take the rows that wait, each term as the label at its place."""
        numbers = self._terms.encode_values(terms)
        label = np.zeros(len(self._terms), np.uint32)
        label[numbers] = self._entities.encode_values(labels)
        start = 0
        for block in self._term_rows.take_blocks():
            origins = self._term_rows.origins.find(np.arange(start, start := start + block.shape[1]))
            self.rows.add(label[block[0]], block[1], label[block[2]], origins)
        self._reset_terms()

    def get_entity_texts(self) -> pl.Series:
        """The labels of entities by code."""
        return self._entities.get_texts()

    def get_relation_texts(self) -> pl.Series:
        """The names of relations by code."""
        return self._relations.get_texts()

    def rename(self, naming: Naming) -> None:
        """Call what has an id by its name; the row that says so tells the id instead."""
        called = np.arange(len(self._entities), dtype=np.uint32)
        called[naming.ids] = self._entities.encode_values(naming.names)
        name_codes = np.zeros(len(called), np.uint32)
        name_codes[naming.ids] = naming.given
        renamed, dropped, says = (
            np.zeros(len(called), bool),
            np.zeros(len(called), bool),
            np.zeros(len(self._relations), bool),
        )
        renamed[naming.ids], dropped[naming.of_relations], says[naming.relations] = True, True, True
        id_relation = self._relations.encode_values(pl.Series([NODE_ID]))[0]
        rows, self.rows = self.rows, FactRows(self._directory, self._memory, "named")
        self._last, self._refused = self.rows, True
        start = 0
        for heads, relations, tails in rows.take_blocks():
            name = says[relations] & renamed[heads] & (tails == name_codes[heads])
            known = relations == id_relation
            left = ~(says[relations] & dropped[heads])
            starts = np.where(known, heads, called[heads])
            ends = np.where(name, heads, np.where(known, tails, called[tails]))
            origins = rows.origins.find(np.arange(start, start := start + len(heads)))
            self.rows.add(starts[left], np.where(name, id_relation, relations)[left], ends[left], origins[left])

    def keep(self, kept: KeptFacts) -> None:
        """Take facts of a snapshot, by their numbers."""
        self._refused = True  # what only other facts of it name is not taken
        self._last = self.rows
        graph, known = kept.snapshot, kept.snapshot.fact_sources
        entities = self._entities.encode_values(load_series(graph.entity_labels))
        relations = self._relations.encode_values(load_series(graph.relation_names))
        for start in range(0, len(kept), _BLOCK):
            stop = start + _BLOCK
            ids = slice(start, stop) if kept.facts is None else kept.facts[start:stop]
            origins: int | np.ndarray = 0
            if known is not None:
                packed = known.sources[ids].astype(np.int64) << ROW_BITS | known.rows[ids]
                origins = self._map_origins(packed, known.names)
            self.rows.add(
                entities[graph.heads[ids]], relations[graph.relations[ids]], entities[graph.tails[ids]], origins
            )

    def add_entities(self, labels: pl.Series) -> None:
        """Take entities that need no fact."""
        self._mentioned.append(self._entities.encode_values(labels))

    def write(self, check: Callable[[], None]) -> EncodedFacts:
        """Write the facts, and forget the rows. ``check`` is called between pieces of work."""
        entities, relations = self._find_used() if self._refused else (None, None)
        labels, entity_ids = sort_texts(self._entities, entities)
        names, relation_ids = sort_texts(self._relations, relations)
        row_count, sizes = self.rows.count, Sizes(len(labels), len(names))
        ids = (entity_ids, relation_ids)
        facts = write_facts(self._directory, self.rows, ids, sizes, memory=self._memory, check=check)
        if self.rows.origins.is_known:
            save_source_names(self._directory, list(self._sources))
        return EncodedFacts(*facts, labels, names, row_count - len(facts[0]), np.zeros(0, np.int64))

    def write_incoming(self, encoded: EncodedFacts, check: Callable[[], None]) -> None:
        """Write the rest of the adjacency."""
        sizes = Sizes(len(encoded.entity_labels), len(encoded.relation_names))
        facts = (encoded.heads, encoded.relations, encoded.tails)
        write_incoming(self._directory, facts, sizes, memory=self._memory, check=check)

    def _encode_columns(self, facts: pl.DataFrame) -> list[np.ndarray]:
        of = {"head": self._entities, "relation": self._relations, "tail": self._entities}
        # One expression a column: they are looked up at the same time.
        numbered = facts.select(pl.col(name).cast(labels.dtype) for name, labels in of.items())
        return [labels.encode_values(numbered[name]) for name, labels in of.items()]

    def _find_used(self) -> tuple[np.ndarray, np.ndarray]:
        """Which labels a fact has or somebody mentioned, bool: rows that were refused have left others behind."""
        entities, relations = np.zeros(len(self._entities), bool), np.zeros(len(self._relations), bool)
        for block in self.rows:
            entities[block[0]] = entities[block[2]] = relations[block[1]] = True
        for codes in self._mentioned:
            entities[codes] = True
        return entities, relations


class _Labels(StringVocabulary):
    """A vocabulary that knows which of its strings cannot be labels as they stand."""

    def __init__(self) -> None:
        super().__init__()
        self._unfit = np.zeros(0, np.uint32)
        self._seen = 0

    def fit(self, columns: list[np.ndarray]) -> bool:
        """Whether all strings of some codes may be labels; each string is looked at once."""
        new = self.get_texts(self._seen).to_frame("label").select(fit(pl.col("label")))["label"]
        wrong = np.flatnonzero(~new.to_numpy()) + self._seen
        self._unfit = np.concatenate([self._unfit, wrong.astype(np.uint32)])
        self._seen = len(self)
        return not len(self._unfit) or not any(np.isin(codes, self._unfit).any() for codes in columns)
