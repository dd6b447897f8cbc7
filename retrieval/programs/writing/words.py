"""The words of a graph that a language model is shown for a question, and what they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.amounts import ValueKind
from retrieval.language.question import Question

if TYPE_CHECKING:
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Relations and kinds that are shown, of those of many the nearest; and entities.
RELATIONS, KINDS, NAMES = 50, 40, 20
_NEAREST = 3
_VALUES = {ValueKind.NUMBER: "numbers", ValueKind.DATE: "dates", ValueKind.TIME: "times"}


@dataclass(frozen=True, slots=True)
class PromptVocabulary:
    """What is shown for a question, a line each; ``words`` are those of the relations."""

    relations: tuple[str, ...]
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]


class Words:
    """The words of one graph.

    Args:
        similarity: of texts; without an encoder the commonest words are shown.
    """

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self._schema = schema
        self._similarity = similarity

    @cached_property
    def relations(self) -> dict[str, int]:
        """Forward relations by the word that stands for each: its label, or its name where several share that."""
        snapshot = self._schema.snapshot
        labels = Counter(info.label for info in self._schema.relations)
        return {
            info.label if labels[info.label] == 1 else snapshot.get_relation_name(info.id): info.id
            for info in self._schema.relations
        }

    def find_relation(self, word: str) -> int:
        """The directed relation that a word stands for; ``^`` before it turns it round.

        Raises:
            ValueError: there is none; says what is near.
        """
        plain = word.removeprefix("^")
        relation = self.relations.get(plain)
        if relation is None:
            relation = self._schema.snapshot.find_relation(plain)
        if relation is None:
            lowered = {known.casefold(): known for known in self.relations}
            near = [lowered[name] for name in get_close_matches(plain.casefold(), lowered, _NEAREST, 0.5)]
            raise ValueError(f"there is no relation “{plain}”; {_describe_nearest(near)}")
        return self._schema.get_inverse(relation) if word.startswith("^") else relation

    def find_entity(self, name: str) -> int:
        """The node of a name.

        Raises:
            ValueError: there is none; says what is near.
        """
        snapshot = self._schema.snapshot
        node = snapshot.find_entity(name)
        if node is None:
            node = snapshot.labels.resolve(name)
        if node is None:
            near = [match.node.label for match in snapshot.labels.search(name, limit=_NEAREST)]
            raise ValueError(f"there is nothing called “{name}”; {_describe_nearest(near)}")
        return node

    def build_vocabulary(self, question: Question, entities: Sequence[int]) -> PromptVocabulary:
        """What is shown for a question that names some entities."""
        words = self._find_nearest_relations(question, entities)
        lines = [f"{word}: leads from {self._describe_ends(self.relations[word])}" for word in words]
        return PromptVocabulary(
            tuple(lines),
            tuple(self._list_kinds(question)),
            tuple(map(self._describe_entity, entities[:NAMES])),
            tuple(words),
        )

    def _find_nearest_relations(self, question: Question, entities: Sequence[int]) -> list[str]:
        """Relations of the named entities and those nearest to the question, in the order of the graph."""
        words = list(self.relations)
        if len(words) <= RELATIONS:
            return words
        score = self._similarity.compare_phrases([question.text], "written relations", words)[0].astype(float)
        facts = np.array([self._schema.relations[self.relations[word]].facts for word in words], float)
        score += 1e-6 * facts / max(1.0, facts.max())
        named_relations = {int(r) for node in entities for r in self._find_relations_around(node)}
        score += np.array([0.3 * (self.relations[word] in named_relations) for word in words])
        return [words[index] for index in sorted(np.argsort(-score, kind="stable")[:RELATIONS].tolist())]

    def _find_relations_around(self, node: int) -> np.ndarray:
        snapshot = self._schema.snapshot
        facts = np.concatenate([np.asarray(snapshot.get_out_edges(node)), np.asarray(snapshot.get_in_edges(node))])
        relations: np.ndarray = np.unique(snapshot.relations[facts.astype(np.int64)])
        return relations

    def _describe_ends(self, relation: int) -> str:
        """A fact of a relation, or what its values look like."""
        snapshot, columns = self._schema.snapshot, self._schema.columns
        heads, tails = columns.list_arcs(relation)
        head, tail = snapshot.get_entity_label(int(heads[0])), snapshot.get_entity_label(int(tails[0]))
        kind = columns.get_value_type(relation)
        if kind is None:
            return f"{head} to {tail}"
        return f"{head} to {_VALUES.get(kind.kind, 'values')}, such as {tail}"

    def _list_kinds(self, question: Question) -> list[str]:
        schema, snapshot = self._schema, self._schema.snapshot
        if schema.type_relation is None:
            return []
        names = {relation: word for word, relation in self.relations.items()}
        kinds = sorted(schema.kinds, key=lambda kind: -schema.kinds[kind])
        if len(kinds) > KINDS:
            labels = [snapshot.get_entity_label(kind) for kind in kinds]
            score = self._similarity.compare_phrases([question.text], "written kinds", labels)[0]
            kinds = [kinds[index] for index in np.argsort(-score, kind="stable")[:KINDS].tolist()]
        lines = [f"{snapshot.get_entity_label(kind)} ({schema.kinds[kind]:,})" for kind in kinds]
        return [f"relation of kinds: {names[schema.type_relation]}", *lines]

    def _describe_entity(self, node: int) -> str:
        snapshot = self._schema.snapshot
        description = snapshot.describe_entity(node)
        return f"{snapshot.get_entity_label(node)} ({description})" if description else snapshot.get_entity_label(node)


def _describe_nearest(names: Sequence[str]) -> str:
    return f"the nearest are {', '.join(f'“{name}”' for name in names)}" if names else "nothing is like it"
