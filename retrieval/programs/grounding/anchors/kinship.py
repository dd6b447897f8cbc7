"""Anchors that are relatives: parents where a graph has mothers and fathers, grandmothers where it has parents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.language.words import QuestionWords, get_stem
from retrieval.lexicon import get_table
from retrieval.programs.grounding.anchors.anchor import Anchor, Kin

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

_KIN = get_table("kinship_steps")
"""Stems of words for relatives, and the steps that lead to them."""

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

    def find_anchors(self, question: QuestionWords) -> list[Anchor]:
        """Relatives by the relations of the graph that lead to them, step by step."""
        anchors: list[Anchor] = []
        for index, word in enumerate(question.words):
            roles, first = _KIN.get(word.stem, ()), index
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
            anchors.append(Anchor("H", first, index + 1, extra=kin, features=(("kin", 1.0),), strength=0.9))
        return anchors

    @cached_property
    def _roles(self) -> dict[str, tuple[int, ...]]:
        """Directed relations that lead to relatives of a sort; what the graph does not tell is left out."""
        up = self._find_relations(_PARENTS) + self._get_inverses(self._find_relations(_CHILDREN))
        down = self._get_inverses(up)
        spouses = self._find_relations(_SPOUSES)
        roles = {
            "parent": up, "child": down, "spouse": (*spouses, *self._get_inverses(spouses)),
            "mother": self._find_relations(("mother",)), "father": self._find_relations(("father",)),
            "son": self._find_relations(("son",)), "daughter": self._find_relations(("daughter",)),
            "brother": self._find_relations(("brother",)), "sister": self._find_relations(("sister",)),
            "sibling": self._find_relations(_SIBLINGS),
        }  # fmt: skip
        return {role: relations for role, relations in roles.items() if relations}

    def _find_relations(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Directed relations to what they are named after: ``mother`` forward, ``mother of`` backward."""
        stems = {get_stem(name) for name in names}
        relations = [info for info in self.schema.relations if len(info.stems) == 1 and stems & set(info.stems)]
        return tuple(
            self.schema.get_inverse(info.id) if info.label.casefold().endswith(" of") else info.id for info in relations
        )

    def _get_inverses(self, relations: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.schema.get_inverse(relation) for relation in relations)
