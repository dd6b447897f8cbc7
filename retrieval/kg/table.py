"""What the readers hand to the snapshot builder: facts by label, and what is known of single nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: The longest label that is taken, in UTF-8 bytes; a longer one makes its row a bad row.
LABEL_LIMIT = 4096


@dataclass(frozen=True)
class TripleTable:
    """Facts as read, in input order, repeats included.

    Attributes:
        facts: columns ``head``, ``relation``, ``tail``, all strings and trimmed.
        nodes: columns ``label``, ``kind`` (``entity``, ``cvt``, ``literal``), ``iri`` (may be null) for
            nodes of which the reader knows more than the label; others get their kind from the label.
        relation_labels: shown labels of relations that have one of their own, by relation name.
        sources: names of the files.
        problems: how many rows could not be used.
    """

    facts: pl.DataFrame
    nodes: pl.DataFrame | None = None
    relation_labels: dict[str, str] | None = None
    sources: tuple[str, ...] = ()
    problems: int = 0

    @classmethod
    def of(cls, facts: Iterable[Sequence[str]], *, sources: tuple[str, ...] = ()) -> TripleTable:
        """A table of the given (head, relation, tail) labels."""
        import polars as pl  # noqa: PLC0415 - the web process imports this module and never needs polars

        rows = [tuple(fact) for fact in facts]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(("head", "relation", "tail"))}
        schema = dict.fromkeys(columns, pl.String)
        return cls(pl.DataFrame(columns, schema=schema), sources=sources)

    def __len__(self) -> int:
        return self.facts.height
