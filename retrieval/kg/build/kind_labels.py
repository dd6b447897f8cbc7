"""What the relation that gives kinds is called in a graph that also has a property called type. Needs polars."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.relation_names import KIND_LABEL, TYPE
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.kg.build.id_encoding import EncodedFacts

#: ``type``, ``has type``, ``types``, ``has type 2``: labels of a property called type.
_PROPERTY = re.compile(rf"^(?:(?:{'|'.join(sorted(get_words('have_forms')))}) )?{TYPE}s?\s?\d*$")


def label_kind_relations(encoded: EncodedFacts, labels: Sequence[str], names: Collection[str]) -> list[str]:
    """The labels of relations, those of the ones that give kinds told apart from a property called type.

    ``Pikachu type Pokemon`` and ``Pikachu has type 1 electric`` are facts of two sorts; the first becomes ``Pikachu is
    a Pokemon``. A property is called ``type``, or ``creature type`` if there are creatures.

    Args:
        labels: of each relation.
        names: of the relations that give kinds.
    """
    giving = [place for place, name in enumerate(encoded.relation_names) if name in names]
    others = [label.casefold() for place, label in enumerate(labels) if place not in giving]
    of_kinds = {label.removesuffix(f" {TYPE}") for label in others if label.endswith(f" {TYPE}")}
    if giving and of_kinds:
        tails = np.unique(encoded.tails[np.isin(encoded.relations, giving)])
        of_kinds &= {kind.casefold() for kind in encoded.entity_labels.gather(tails)}
    if not of_kinds and not any(_PROPERTY.match(label) for label in others):
        return list(labels)
    return [KIND_LABEL if place in giving and label == TYPE else label for place, label in enumerate(labels)]
