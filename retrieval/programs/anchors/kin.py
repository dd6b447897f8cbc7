"""Anchors that are relatives: parents where a graph has mothers and fathers, grandmothers where it has parents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.programs.anchors.anchor import Anchor, Kin
from retrieval.programs.lexicon import KIN
from retrieval.programs.words import Question, stem

if TYPE_CHECKING:
    from retrieval.programs.schema import Schema

_PARENTS, _CHILDREN, _SPOUSES = (
    ("parent", "mother", "father"),
    ("child", "son", "daughter"),
    ("spouse", "husband", "wife", "married"),
)
_SIBLINGS = ("sibling", "brother", "sister")


class Relatives:
    """Finds the relatives that words name and no relation of the graph is named after."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def of(self, question: Question) -> list[Anchor]:
        """Relatives by the relations of the graph that lead to them, step by step."""
        found: list[Anchor] = []
        for at, word in enumerate(question.words):
            roles, first = KIN.get(word.stem, ()), at
            while first and roles and question.words[first - 1].text == "great":
                roles, first = (roles[0], *roles), first - 1
            if first and word.stem == "cousin" and question.words[first - 1].text == "first":
                first -= 1  # no ordinal
            others = roles.index("sibling") if "sibling" in roles and "sibling" not in self._roles else None
            if others is not None:
                roles = (*roles[:others], "parent", "child", *roles[others + 1 :])
            steps = [self._roles.get(role, ()) for role in roles]
            if word.stem in self.schema.by_stem or not steps or not all(steps):
                continue
            kin = Kin(tuple(steps), others)
            found.append(Anchor("H", first, at + 1, extra=kin, features=(("kin", 1.0),), strength=0.9))
        return found

    @cached_property
    def _roles(self) -> dict[str, tuple[int, ...]]:
        """Directed relations that lead to relatives of a sort; what the graph does not tell is left out."""
        up = self._named(_PARENTS) + self._back(self._named(_CHILDREN))
        down = self._back(up)
        spouses = self._named(_SPOUSES)
        roles = {
            "parent": up, "child": down, "spouse": (*spouses, *self._back(spouses)),
            "mother": self._named(("mother",)), "father": self._named(("father",)),
            "son": self._named(("son",)), "daughter": self._named(("daughter",)),
            "brother": self._named(("brother",)), "sister": self._named(("sister",)),
            "sibling": self._named(_SIBLINGS),
        }  # fmt: skip
        return {role: relations for role, relations in roles.items() if relations}

    def _named(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Directed relations to what they are named after: ``mother`` forward, ``mother of`` backward."""
        stems = {stem(name) for name in names}
        own = [info for info in self.schema.relations if len(info.stems) == 1 and stems & set(info.stems)]
        return tuple(
            self.schema.inverse(info.id) if info.label.casefold().endswith(" of") else info.id for info in own
        )

    def _back(self, relations: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.schema.inverse(relation) for relation in relations)
