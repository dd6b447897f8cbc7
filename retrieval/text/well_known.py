"""Well-known entities by less than their whole name: "the us", "united states", "english" for the language.

A lower-case question gives no capitals to go by, and the few facts of a film called "English" are seldom
what it is about. What decides is how much better connected the other entity is.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from retrieval.kg.labels import Match, normalise
from retrieval.kg.snapshot import Snapshot
from retrieval.text.mentions import context_stem

#: So many of the most connected entities are known by their initials.
KNOWN = 2000
#: An entity of fewer facts is not well known.
LEAST_FACTS = 10
#: So many times the facts of what goes by the whole name, and of the next that begins alike.
FAR, CLEAR = 5, 2
_SMALL = frozenset({"of", "the", "and", "for", "in", "de", "la"})
_NAME = re.compile(r"[^\W\d_]+")


class WellKnown:
    """Looks up well-known entities of one snapshot. Thread-safe.

    Args:
        snapshot: the graph.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def by_initials(self, word: str) -> list[Match]:
        """The entity of these initials, in a list; nothing when there is none.

        Args:
            word: two to four letters, lower case: "uk", "un", "jfk".
        """
        return [self._initials[word]] if word in self._initials else []

    def completing(self, name: str, known: int) -> list[Match]:
        """The one well-known entity whose name begins with ``name`` and goes on, in a list.

        Args:
            name: normalised words.
            known: facts of the best entity of exactly this name, 0 when there is none.
        """
        if not self._snapshot.labels.begins(name):
            return []
        found = self._going_on(name)[:2]
        if not found or found[0].degree < max(LEAST_FACTS, FAR * known):
            return []
        return found[:1] if len(found) == 1 or found[0].degree >= CLEAR * found[1].degree else []

    def completed_by(self, name: str, asked: frozenset[str]) -> list[Match]:
        """The best known entity whose name is ``name`` and words of the question: "german", where it asks for a
        language.

        Args:
            name: normalised words.
            asked: stems of the question's words.
        """
        if not self._snapshot.labels.begins(name):
            return []
        rest = ((match, match.name.removeprefix(name).split()) for match in self._going_on(name))
        fitting = [match for match, words in rest if {context_stem(word) for word in words} <= asked]
        return fitting[:1] if fitting and fitting[0].degree >= LEAST_FACTS else []

    def _going_on(self, name: str) -> list[Match]:
        """Entities whose name begins with ``name`` and further words, most connected first."""
        holding = self._snapshot.labels.containing(name, 40)
        return [match for match in holding if match.name.startswith(f"{name} ")]

    @cached_property
    def _initials(self) -> dict[str, Match]:
        """Initials of whole names, and of what stands before "of" ("United States of America"), best known first."""
        snapshot = self._snapshot
        degrees = np.diff(snapshot.out_offsets) + np.diff(snapshot.in_offsets)
        first = np.argsort(-degrees, kind="stable")[:KNOWN]
        known: dict[str, Match] = {}
        for entity in first[degrees[first] >= LEAST_FACTS].tolist():
            label = snapshot.entity_label(entity)
            for text in (label, label.partition(" of ")[0]):
                words = [word for word in _NAME.findall(text) if word not in _SMALL]
                letters = "".join(word[0] for word in words).lower()
                if 2 <= len(letters) <= 4 and all(word[0].isupper() for word in words):
                    match = Match(
                        entity, snapshot.node(entity), normalise(label), 0.7, "word", int(degrees[entity])
                    )
                    known.setdefault(letters, match)
        return known
