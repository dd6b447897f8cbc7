"""Anchors that are nouns for which a graph has no word: what they may stand for, from what is said of its things."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language import words as vocabulary
from retrieval.language.adjectives import SUPERLATIVES
from retrieval.language.english import LIGHT, STOP
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.operations import Entities, Having, Program, Walk
from retrieval.programs.grounding.anchors.anchor import Anchor, Features, is_near

if TYPE_CHECKING:
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Tables whose rows a noun may be that no table is called by.
_TABLES = 2
#: How well a noun that a graph has no word for is read as the likeliest sort of things, and the less for each other.
_UNKNOWN, _UNLIKELIER = 0.7, 0.1


class UnknownNouns:
    """Finds what nouns may stand for that nothing in a graph is called."""

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self.schema = schema
        self.similarity = similarity

    def find_anchors(self, question: QuestionWords, known: list[Anchor]) -> list[Anchor]:
        """The sorts of things that a noun may be for which a graph without kinds has no word: "cables", of what lands
        somewhere and has a length; in a graph of one table its rows.
        """
        schema, encode = self.schema, self.similarity.encode
        rows = self._find_row_programs(question)
        if not rows and (not schema.sorts or encode is None):
            return []
        sure = [a for a in known if not {"e.end", "e.fuzzy"} & dict(a.features).keys() and not is_near(a)]
        read = {n for a in sure for n in range(a.first, a.last)}
        targets, anchors = vocabulary.find_target_words(question), list[Anchor]()
        wanted = [a for a in sure if a.category == "S" and targets & set(range(a.first, a.last))]
        for index, word in enumerate(question.words):
            plural = word.text.endswith("s") and word.stem != word.text and not word.text.endswith("ss")
            if index in read or word.text in STOP | LIGHT or word.capital or not word.text.isalpha():
                continue
            if not (
                plural or index in targets or (index - 1 in read and question.words[index - 1].text in SUPERLATIVES)
            ):
                continue
            behind = question.words[index + 1] if index + 1 < len(question.words) else None
            if behind is not None and index + 1 not in read and behind.text not in STOP and behind.text.endswith("s"):
                continue  # funding rounds are rounds
            if any(a.last != index for a in wanted):
                continue  # it is known what is asked for: a noun outside that phrase says more of it
            for place, program in enumerate(rows):
                row_features: Features = (
                    ("i", 1.0), ("i.unknown", 1.0), ("i.unknown.place", float(place)),
                    ("i.unknown.similar", max(_UNKNOWN - _UNLIKELIER * place, 0.0)),
                )  # fmt: skip
                anchors.append(Anchor("S", index, index + 1, program, "kind", row_features, 0.4))
            if rows or encode is None:
                continue
            cosines = self.similarity.compare_phrases([word.text], "sorts", self._sort_labels)[0]
            for place, row in enumerate(np.argsort(-cosines, kind="stable").tolist()):
                likely = max(_UNKNOWN - _UNLIKELIER * place, 0.0)  # half read, as calibration sees it
                features = (
                    ("i", 1.0), ("i.unknown", 1.0), ("i.unknown.place", float(place)), ("i.unknown.similar", likely),
                )  # fmt: skip
                anchors.append(Anchor("S", index, index + 1, Having(schema.sorts[row]), "kind", features, 0.4))
        return anchors

    def _find_row_programs(self, question: QuestionWords) -> list[Program]:
        """The rows of the only table, where they are of a kind, or to count them those of several without names."""
        schema, typed = self.schema, self.schema.type_relation
        if not schema.kinds or typed is None:
            return []
        most = sorted(schema.kinds, key=lambda node: (-schema.kinds[node], not self._has_numbered_rows(node), node))
        if schema.listing is not None:
            is_complete = schema.kinds[most[0]] == len(schema.columns.list_sources(schema.listing))
            kinds = most[:1] if is_complete else []
        elif question.kind != "how many":
            kinds = []
        else:
            kinds = [kind for kind in most if schema.surrogates[0][schema.list_members(kind)].all()][:_TABLES]
        return [Walk(Entities((kind,)), schema.get_inverse(typed)) for kind in kinds]

    def _has_numbered_rows(self, kind: int) -> bool:
        """Whether rows are called by a kind and a number: a ticket, of ticket 2301, rather than a maintenance."""
        label, first = self.schema.snapshot.get_entity_label, self.schema.list_members(kind)[:1].tolist()
        return any(label(node).startswith(f"{label(kind)} ") for node in first)

    @cached_property
    def _sort_labels(self) -> list[str]:
        """What is said of the things of each sort."""
        schema = self.schema
        forward = schema.snapshot.num_relations
        return [
            ", ".join(
                schema.relations[r].label
                for r in schema.find_shared_relations(schema.columns.list_sources(sort))
                if r < forward
            )
            for sort in schema.sorts
        ]
