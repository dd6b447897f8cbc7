"""Well-known entities by less than their whole name: "the us", "united states"."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import Match, normalize_name

#: So many of the most connected entities are known by their initials.
KNOWN = 10_000
#: An entity of fewer facts is not well known; by three initials or more it is told with fewer, for they say more.
LEAST_FACTS, LEAST_BY_INITIALS = 10, 4
_SMALL = frozenset({"of", "the", "and", "for", "in", "de", "la"})
_NAME = re.compile(r"[^\W\d_]+")


class ProminentEntities:
    """Looks up well-known entities of one snapshot. Thread-safe."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def find_by_initials(self, word: str) -> list[Match]:
        """The entity of these initials, in a list; nothing when there is none.

        Args:
            word: two to four letters, lower case: "uk", "un", "jfk".
        """
        return [self._initials[word]] if word in self._initials else []

    def find_longer_names(self, name: str) -> list[Match]:
        """Well-known entities whose name begins with ``name`` (normalised) and further words, best known first."""
        if not self._snapshot.labels.has_continuation(name):
            return []
        holding = self._snapshot.labels.find_containing(name, 40)
        return [m for m in holding if m.degree >= LEAST_FACTS and m.name.startswith(f"{name} ")]

    @cached_property
    def _initials(self) -> dict[str, Match]:
        """Initials of whole names, and of what stands before "of" ("United States of America"), best known first."""
        snapshot = self._snapshot
        degrees = np.diff(snapshot.out_offsets) + np.diff(snapshot.in_offsets)
        first = np.argsort(-degrees, kind="stable")[:KNOWN]
        known: dict[str, Match] = {}
        for entity in first[degrees[first] >= LEAST_BY_INITIALS].tolist():
            label = snapshot.get_entity_label(entity)
            for text in (label, label.partition(" of ")[0]):
                words = [word for word in _NAME.findall(text) if word not in _SMALL]
                letters = "".join(word[0] for word in words).lower()
                least = 2 if degrees[entity] >= LEAST_FACTS else 3
                if least <= len(letters) <= 4 and all(word[0].isupper() for word in words):
                    match = Match(
                        entity,
                        snapshot.get_node(entity),
                        normalize_name(label),
                        0.7,
                        "word",
                        int(degrees[entity]),
                    )
                    known.setdefault(letters, match)
        return known
