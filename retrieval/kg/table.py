"""What the readers hand to the snapshot builder: facts by label, what is known of nodes and of
facts beside that, and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.kg.model.data_model import DataModel
from retrieval.kg.snapshot.vocabulary import Vocabulary
from retrieval.types import Passage, SourceReport

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from retrieval.kg.snapshot import Snapshot

#: The longest label that is taken, in UTF-8 bytes; a longer one makes its row a bad row.
LABEL_LIMIT = 4096
#: The relation that says at which place of its table a thing stands, from 1.
ROW = "row in table"
#: The column that says where rows come from: the position of a source, from 1, above ``ROW_BITS`` bits of the row, from
#: 1; 0 where that is unknown.
ORIGIN, ROW_BITS = "origin", 32
#: The longest value of an attribute, in UTF-8 bytes.
ATTRIBUTE_LIMIT = 128 * 1024


@dataclass(frozen=True)
class KeptFacts:
    """Facts of a snapshot as rows of a table, without being made strings.

    ``facts`` are their ids, int64, ascending; None takes all.
    """

    snapshot: Snapshot
    facts: np.ndarray | None = None

    def __len__(self) -> int:
        return self.snapshot.num_triples if self.facts is None else len(self.facts)


@dataclass(frozen=True)
class TripleTable:
    """Facts as read, in input order, repeats included. Its rows are those of ``kept``, then those of ``facts``.

    Attributes:
        facts: columns ``head``, ``relation``, ``tail``, all strings and trimmed.
        nodes: columns ``label``, ``kind`` (``entity``, ``cvt``, ``literal``), ``iri`` (may be null) for
            nodes of which the reader knows more than the label; others get their kind from the label.
        relation_labels: shown labels of relations that have one of their own, by relation name.
        problems: how many rows could not be used.
        node_attributes: columns ``label``, ``key``, ``value``; a label that no fact names becomes a node.
        fact_attributes: columns ``fact`` (row), ``key``, ``value``.
        passages: columns ``name`` (each once), ``title``, ``text``, ``document``, ``url``, all strings.
        fact_passages: columns ``fact`` (row), ``passage`` (row of ``passages``): what was extracted from where.
        reports: what was read of each file.
        kept: facts of the version before.
        vocabulary: what ontologies say of relations and kinds, by IRI or name.
        names: columns ``label``, ``language`` (a tag), ``name``, ``rank`` (of labels of one language the lowest is
            shown): what nodes are called in languages.
        has_attribute_facts: whether the facts that attributes stand for are among the rows already.
        model: by which tables and nodes are named and refer to each other.
        fact_origins, attribute_origins: where the rows of ``facts`` and of ``node_attributes`` come from, see
            ``ORIGIN``. Without them all rows of a table with one source have that source.
    """

    facts: pl.DataFrame
    nodes: pl.DataFrame | None = None
    relation_labels: dict[str, str] | None = None
    sources: tuple[str, ...] = ()
    problems: int = 0
    node_attributes: pl.DataFrame | None = None
    fact_attributes: pl.DataFrame | None = None
    passages: pl.DataFrame | None = None
    fact_passages: pl.DataFrame | None = None
    reports: tuple[SourceReport, ...] = ()
    kept: KeptFacts | None = None
    has_attribute_facts: bool = False
    model: DataModel | None = None
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    fact_origins: pl.Series | None = None
    attribute_origins: pl.Series | None = None
    names: pl.DataFrame | None = None

    @classmethod
    def from_facts(
        cls,
        facts: Iterable[Sequence[str]],
        *,
        sources: tuple[str, ...] = (),
        passages: Sequence[Passage] = (),
        fact_passages: Iterable[tuple[int, int]] = (),
        node_attributes: Iterable[tuple[str, str, str]] = (),
        fact_attributes: Iterable[tuple[int, str, str]] = (),
    ) -> TripleTable:
        """A table of (head, relation, tail) labels.

        Args:
            passages: documents in pieces; their own ``id`` is not looked at, positions count.
            fact_passages: (position in ``facts``, position in ``passages``).
            node_attributes: (label, key, value).
            fact_attributes: (position in ``facts``, key, value).
        """
        return cls(
            build_frame(facts, head=str, relation=str, tail=str),
            sources=sources,
            node_attributes=build_frame(node_attributes, label=str, key=str, value=str),
            fact_attributes=build_frame(fact_attributes, fact=int, key=str, value=str),
            passages=build_frame(
                ((p.name, p.title, p.text, p.document, p.url) for p in passages),
                **dict.fromkeys(("name", "title", "text", "document", "url"), str),
            ),
            fact_passages=build_frame(fact_passages, fact=int, passage=int),
        )

    def locate_facts(self) -> pl.DataFrame:
        """The facts with their origins in a fourth column."""
        return _add_origins(self.facts, self.fact_origins)

    def find_attributes(self) -> pl.DataFrame | None:
        """The attributes of nodes with their origins in a fourth column."""
        if self.node_attributes is None:
            return None
        return _add_origins(self.node_attributes, self.attribute_origins)

    def __len__(self) -> int:
        return self.facts.height + (0 if self.kept is None else len(self.kept))


def build_frame(rows: Iterable[Sequence[object]], **columns: type[str] | type[int]) -> pl.DataFrame:
    """Rows as a frame of strings and 64-bit integers."""
    import polars as pl  # noqa: PLC0415 - the web process imports this module and never needs polars

    schema = {name: pl.String if kind is str else pl.Int64 for name, kind in columns.items()}
    return pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")


def _add_origins(rows: pl.DataFrame, origins: pl.Series | None) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - as above

    known = pl.lit(0, pl.Int64) if origins is None else origins
    return rows.with_columns(known.alias(ORIGIN))
