"""Anchors that are kinds, or nodes that many others point to: by the stems of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common, sort_unique
from retrieval.language import words as vocabulary
from retrieval.language.english import SEXES, STOP
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.operations import Entities, Having, Walk
from retrieval.programs.grounding.anchors.anchor import Anchor, Features

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

#: The share of an induced kind of which a relation says that they are of it.
_SAID = 0.5
#: Letters of a word, at least, that a longer one may end in.
_COMPOUND = 4
#: How much of a kind's name the end of its word is.
_END_NAMED = 0.6
#: Meanings of one stretch of words that are kept.
KINDS = 4
#: What a wider word has in common with many of the kinds below it.
_WIDER_SIM = 0.35


class KindLexicon:
    """Finds the kinds that words stand for, over one graph."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot
        self.nodes = sorted(schema.kinds)
        self.labels = [self.snapshot.get_entity_label(node) for node in self.nodes]

    def _find_doer_kinds(self, question: QuestionWords, index: int) -> list[Anchor]:
        """Kinds of those who do what a verb says that names nothing else: the keepers, of "who keeps Cape Varga"."""
        word, schema = question.words[index], self.schema
        is_named = word.stem in schema.kind_stems or word.stem in schema.by_stem
        if is_named or question.words[0].text not in ("who", "whom"):
            return []
        doers = {
            node for stem in vocabulary.generate_agent_stems(word.stem) for node in schema.kind_stems.get(stem, ())
        }
        doers = {node for node in doers if len(vocabulary.get_label_stems(self.snapshot.get_entity_label(node))) == 1}
        features: Features = (("k", 1.0), ("k.recall", 1.0), ("k.head", 1.0))
        return [self.make_kind_anchor(index, index + 1, node, features, 0.9) for node in sorted(doers)]

    def _find_compound_kinds(self, question: QuestionWords, index: int) -> list[Anchor]:
        """Kinds whose name ends in a word: the motorbikes, of "bikes"."""
        word_stem, known = question.words[index].stem, self.schema.kind_stems
        if word_stem in known or len(word_stem) < _COMPOUND:
            return []
        features: Features = (("k", 1.0), ("k.recall", _END_NAMED), ("k.head", 1.0))
        doubled = word_stem[:-1] if word_stem[-1] == word_stem[-2] else word_stem
        ends = (word_stem, word_stem.removesuffix("e"), doubled)  # stems of long words end without it: a windmill
        longer = [node for stem, nodes in known.items() if stem.endswith(ends) for node in nodes]
        return [self.make_kind_anchor(index, index + 1, node, features, 0.5 + 0.4 * _END_NAMED) for node in longer]

    def find_kinds(self, question: QuestionWords) -> list[Anchor]:
        """Kinds, and what many nodes point to, whose names have the stems of words."""
        schema, anchors = self.schema, list[Anchor]()
        for first in range(len(question.words)):
            if question.words[first].text in STOP:
                continue
            for last in range(min(len(question.words), first + 4), first, -1):
                span_stems = [w.stem for w in question.words[first:last] if w.text not in STOP]
                if question.words[last - 1].text in STOP or not span_stems:
                    continue
                relation_of = schema.induced.get(tuple(span_stems))
                if relation_of is not None and not self._is_said(tuple(span_stems), relation_of):
                    features: Features = (("i", 1.0), ("i.words", float(len(span_stems))))
                    anchors.append(Anchor("S", first, last, Having(relation_of), "kind", features, 0.9))
                held = [set(schema.kind_stems.get(stem, ())) for stem in span_stems]
                for node in sorted(set.intersection(*held)):
                    stems = vocabulary.get_label_stems(self.snapshot.get_entity_label(node))
                    recall = len(set(span_stems) & set(stems)) / len(set(stems))
                    last_word = 1.0 if stems and stems[-1] in span_stems else 0.0
                    features = (("k", 1.0), ("k.recall", recall), ("k.head", last_word))
                    anchors.append(self.make_kind_anchor(first, last, node, features, 0.5 + 0.4 * recall))
                if last == first + 1:
                    anchors += self._find_narrower_kinds(question, first)
                    anchors += self._find_doer_kinds(question, first)
                    anchors += self._find_compound_kinds(question, first)
                sex = (vocabulary.get_stem(SEXES.get(question.words[first].text, "")),) if last == first + 1 else ()
                for node, relation, size in (schema.hubs.get(tuple(span_stems)) or schema.hubs.get(sex, []))[:KINDS]:
                    if relation == schema.type_relation:
                        continue
                    features = (
                        ("h", 1.0),
                        ("h.size", float(np.log10(size))),
                        ("h.words", len(span_stems) - 1.0),
                        ("h.single", float(size == 1)),
                        ("h.plural", float(question.words[last - 1].text.endswith("s"))),
                    )
                    program = Walk(Entities((node,)), schema.get_inverse(relation))
                    anchors.append(Anchor("S", first, last, program, "hub", features, 0.8))
        return anchors

    def _is_said(self, stems: tuple[str, ...], relation: int) -> bool:
        """Whether a relation says of most of an induced kind that they are of it: painters by their occupation."""
        columns = self.schema.columns
        induced = columns.list_sources(relation)
        for node, other, _ in self.schema.hubs.get(stems, ()):
            owners, ends = columns.list_arcs(other)
            if len(find_common(sort_unique(owners[ends == node]), induced)) >= _SAID * len(induced):
                return True
        return False

    def _find_narrower_kinds(self, question: QuestionWords, index: int) -> Iterator[Anchor]:
        """All kinds that a noun ends, where it is none itself: "parts" are safety parts and spare parts."""
        word, label = question.words[index], self.snapshot.get_entity_label
        stems = {node: vocabulary.get_label_stems(label(node)) for node in self.schema.kind_stems.get(word.stem, ())}
        ended = sorted(node for node, label_stems in stems.items() if label_stems[-1:] == (word.stem,))
        if len(ended) > 1 and all(len(stems[node]) > 1 for node in ended):
            program = Walk(Entities(tuple(ended)), self.schema.get_inverse(self._get_type_relation()))
            features: Features = (("k", 1.0), ("k.recall", 1.0), ("k.head", 1.0))
            yield Anchor("S", index, index + 1, program, "kind", features, 0.9)

    def make_wider_kind(self, word: int, cosines: np.ndarray) -> Anchor:
        """A kind and those that are described as it is, for a word that is wider: "animals" of lions and bears."""
        best = self.nodes[int(cosines.argmax())]
        like = float(np.mean(cosines >= _WIDER_SIM))
        features = (("k.any", 1.0), ("k.any.share", like), ("k.any.similar", float(cosines.max())))
        program = Walk(
            Entities(self.schema.find_similar_kinds(best)), self.schema.get_inverse(self._get_type_relation())
        )
        return Anchor("S", word, word + 1, program, "kind", features, 0.45)

    def _get_type_relation(self) -> int:
        relation = self.schema.type_relation
        assert relation is not None
        return relation

    def make_kind_anchor(self, first: int, last: int, node: int, features: Features, strength: float) -> Anchor:
        """The anchor of all things of a kind."""
        program = Walk(Entities((node,)), self.schema.get_inverse(self._get_type_relation()))
        return Anchor("S", first, last, program, "kind", features, strength)
