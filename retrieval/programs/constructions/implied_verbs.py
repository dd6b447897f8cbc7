"""Who did something with what is named, where no relation says the verb: who has climbed a route, by its ascents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.english import LIGHT, STOP
from retrieval.language.words import generate_agent_stems, get_label_stems
from retrieval.programs.algebra.operations import Entities, Program, Walk
from retrieval.programs.grammar.constituents import Part, iter_leaves, restore_skipped_word

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Things that somebody did something with, at most.
_MOST = 3_000
#: Cosine from which on a verb may be what rows are, and how much nearer that is than who is told of the thing itself.
_LIKE, _NEARER = 0.5, 0.15


class Doing:
    """Finds who did something by the rows of what was done, over one graph."""

    def __init__(self, schema: Schema, executor: Executor, similarity: Similarity) -> None:
        self.schema = schema
        self.executor = executor
        self.similarity = similarity

    def find_doers(self, question: QuestionWords, part: Part) -> list[tuple[Program, Part]]:
        """The people of the rows whose kind is like the verb of "who did it", each with the verb as a part that was
        read; nobody where there are no such rows.

        Args:
            question: asks for somebody.
            part: what was done something with, and nothing of the verb.
        """
        position = _find_verb(question, part)
        if position is None or part.program is None or self.similarity.encode is None:
            return []
        nodes = self.executor.compute_nodes(part.program)
        if not 0 < len(nodes) <= _MOST or self.schema.somebody[nodes].any():
            return []
        ways = list(self._iter_people_paths(part.program, nodes))
        direct = [self._label(relation) for relation in self.schema.find_people_relations(nodes)]
        names = sorted({text for _, texts in ways for text in texts} | set(direct))
        if not ways:
            return []
        cosines = dict(zip(names, self._compute_cosines(question.words[position].text, names), strict=True))
        near = [(max(cosines[text] for text in texts), program) for program, texts in ways]
        best = max(cosine for cosine, _ in near)
        least = max([_LIKE, *(cosines[label] + _NEARER for label in direct)])
        if best < least:
            return []
        leaf = restore_skipped_word(position, "S", "kind", (("k.similar", best),))
        return [(program, leaf) for cosine, program in near if cosine == best]

    def _iter_people_paths(self, program: Program, nodes: np.ndarray) -> Iterator[tuple[Program, list[str]]]:
        """Ways by rows to people, each with the names that may say what was done."""
        rows, _ = self.schema.surrogates
        for relation in self.schema.find_shared_relations(nodes):
            if relation < self.schema.snapshot.num_relations:
                continue
            walked = Walk(program, relation)
            reached = self.executor.compute_nodes(walked)
            if not rows[reached].all():
                continue
            kinds = self._list_kind_labels(reached)
            for person in self.schema.find_people_relations(reached):
                if person != self.schema.get_inverse(relation):
                    yield Walk(walked, person), [*kinds, self._label(person), self._label(relation)]

    def _list_kind_labels(self, nodes: np.ndarray) -> list[str]:
        typed = self.schema.type_relation
        if typed is None:
            return []
        kinds = self.executor.walk(nodes, typed)
        return [self.schema.snapshot.get_entity_label(int(kind)) for kind in kinds]

    def _label(self, directed: int) -> str:
        return self.schema.relations[directed % self.schema.snapshot.num_relations].label

    def _compute_cosines(self, verb: str, names: list[str]) -> list[float]:
        assert self.similarity.encode is not None
        verb_vectors, name_vectors = self.similarity.encode([verb]), self.similarity.encode(names)
        if len(verb_vectors) < 1 or len(name_vectors) < len(names):  # too many to be encoded while somebody waits
            return [0.0] * len(names)
        cosines: list[float] = (name_vectors @ verb_vectors[0]).tolist()
        return cosines


def _find_verb(question: QuestionWords, part: Part) -> int | None:
    """The place of the word that says what was done, right behind "who" and what helps it; None where it was read."""
    read = {n for leaf in iter_leaves(part) for n in range(*(leaf.anchored or (0, 0)))}
    texts = [word.text for word in question.words]
    first = next((n for n, text in enumerate(texts) if text not in STOP), len(texts))
    return None if first in read or first == len(texts) or texts[first] in LIGHT else first


def is_doer_named(question: QuestionWords, part: Part, schema: Schema) -> bool:
    """Whether the verb of a question was read as the kind of who does it: suppliers, of "who supplies"."""
    for leaf in iter_leaves(part):
        program, (first, last) = leaf.program, leaf.anchored or (0, 0)
        if leaf.extra == "kind" and last == first + 1 and isinstance(program, Walk):
            kinds = program.source.ids if isinstance(program.source, Entities) else ()
            doers = generate_agent_stems(question.words[first].stem)
            if any({*get_label_stems(schema.snapshot.get_entity_label(kind))} & doers for kind in kinds):
                return True
    return False
