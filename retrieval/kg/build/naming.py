"""Things that a file calls by ids and names in rows of their own, ``c1 title Algorithms``, by these names.

Rows of triples have no place for a name beside an id. Where nearly all heads of ``name``, ``label`` or ``title`` look
like ids, things are called by their names; ``Algorithms node id c1`` stays in the graph, finds them, and tells what an
id means when facts are added or removed later. Relations that are ids with a label get this label. Needs polars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import polars as pl

from retrieval.kg.snapshot.relation_names import format_relation_name

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_RELATIONS = frozenset({"label", "name", "title"})
"""Relations whose tail names their head where it is a literal: a record label is no name of its artist."""
NODE_ID = "node id"
"""The relation from a thing to the id that its files call it by."""
#: Letters or marks, and a digit, without spaces; or an IRI.
_ID = r"^(?:\w+://\S+|[\w.:#/-]*(?:[A-Za-z_:#/-][\w.:#/-]*\d|\d[\w.:#/-]*[A-Za-z_:#/-])[\w.:#/-]*)$"
_LETTER = r"\p{L}"
#: The share of what has a name that must look like ids, and of the names that must not.
_IDS, _NAMES = 0.8, 0.8


class NameEncoder(Protocol):
    """Rows of codes, and what these stand for, as :class:`~retrieval.kg.build.id_encoding.IdEncoder` has them."""

    @property
    def rows(self) -> Iterable[np.ndarray]:
        """Heads, relations and tails, uint32 [3, n] a block."""

    def get_entity_texts(self) -> pl.Series:
        """The labels of entities by code."""

    def get_relation_texts(self) -> pl.Series:
        """The names of relations by code."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What is called otherwise.

    Attributes:
        ids, names: codes of ids and the labels that they get.
        given: of each id the code of its name as the file has it.
        relations: codes of relations that say so.
        labels: shown labels of relations that are ids, by relation name.
        of_relations: codes of ids that are relations only; rows about them are left out.
    """

    ids: np.ndarray
    names: pl.Series
    given: np.ndarray
    relations: np.ndarray
    labels: dict[str, str]
    of_relations: np.ndarray


def find_id_names(encoder: NameEncoder, *, known_only: bool) -> Naming | None:
    """What the rows of an encoder say of names of ids; None where they say nothing.

    Args:
        encoder: has taken all rows.
        known_only: whether ids are named where the graph has such already, and nowhere else.
    """
    relations = encoder.get_relation_texts()
    shown = [format_relation_name(name) for name in relations]
    names = np.array([label in NAME_RELATIONS for label in shown], bool)
    known = np.array([label == NODE_ID for label in shown], bool)
    if not known.any() and (known_only or not names.any()):
        return None
    texts = encoder.get_entity_texts()
    rows, leading, ending = _collect_name_rows(encoder, names, known, len(texts))
    name_rows, id_rows = rows
    if not len(name_rows) and not len(id_rows):
        return None
    said_of = (
        pl.DataFrame({"id": name_rows[0], "name": name_rows[1]}).unique().filter(pl.len().over("id") == 1).sort("id")
    )
    ids, name_codes = (said_of[column].to_numpy() for column in ("id", "name"))
    looks = texts.str.contains(_ID).to_numpy()
    letters = texts.str.contains(_LETTER).to_numpy() & ~looks
    if len(ids) and not (known.any() or (looks[ids].mean() >= _IDS and letters[name_codes].mean() >= _NAMES)):
        return None
    fine = looks[ids] & letters[name_codes] & ~np.isin(ids, id_rows[1])
    ids, name_codes = ids[fine], name_codes[fine]
    name, id_texts = texts.gather(name_codes), texts.gather(ids)
    is_relation = id_texts.is_in(relations).to_numpy()
    labels = dict(zip(id_texts.filter(is_relation).to_list(), name.filter(is_relation).to_list(), strict=True))
    alone = is_relation & ~(leading | ending)[ids]
    taken = (
        (leading | ending)[name_codes]
        | np.isin(name_codes, id_rows[0])
        | (np.bincount(name_codes, minlength=len(texts))[name_codes] > 1)
    )
    apart = pl.DataFrame({"name": name, "id": id_texts}).select(pl.format("{} ({})", "name", "id")).to_series()
    labelled = name.zip_with(pl.Series(~taken), apart)
    return Naming(
        np.concatenate([ids[~alone], id_rows[1]]),
        pl.concat([labelled.filter(~alone), texts.gather(id_rows[0])]),
        np.concatenate([name_codes[~alone], id_rows[0]]),
        np.flatnonzero(names),
        labels,
        ids[alone],
    )


def _collect_name_rows(
    encoder: NameEncoder, names: np.ndarray, known: np.ndarray, size: int
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """Rows of names and of known ids, uint32 [2, n] each, and which codes head other facts, and end other facts."""
    leading, ending = np.zeros(size, bool), np.zeros(size, bool)
    collected: tuple[list[np.ndarray], list[np.ndarray]] = (
        [np.zeros((2, 0), np.uint32)],
        [np.zeros((2, 0), np.uint32)],
    )
    for heads, relations, tails in encoder.rows:
        is_name, is_known = names[relations], known[relations]
        for rows, mask in zip(collected, (is_name, is_known), strict=True):
            rows.append(np.stack([heads[mask], tails[mask]]))
        other = ~(is_name | is_known)
        leading[heads[other]] = ending[tails[other]] = True
    name_rows, id_rows = (np.concatenate(rows, axis=1) for rows in collected)
    return (name_rows, id_rows), leading, ending
