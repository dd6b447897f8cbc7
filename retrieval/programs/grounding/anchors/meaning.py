"""Anchors that are relations or kinds by meaning: words whose form no name has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.language import words as vocabulary
from retrieval.language.english import LIGHT, STOP
from retrieval.language.words import QuestionWords
from retrieval.programs.grounding.anchors.anchor import FULLY, Anchor, Features
from retrieval.programs.grounding.anchors.similarity import RELATION_SIM, Similarity

if TYPE_CHECKING:
    from retrieval.programs.grounding.anchors.kind_lexicon import KindLexicon
    from retrieval.programs.grounding.anchors.relation_lexicon import RelationLexicon
    from retrieval.programs.grounding.schema import Schema
from retrieval.programs.grounding.anchors.relation_lexicon import RelationLexicon

#: Cosines below this say nothing of a kind.
_KIND_SIM = 0.50
#: A word that names a kind means a relation of another name from this cosine on.
_KIND_OR_RELATION = 0.50


class MeaningAnchors:
    """Finds the relations and kinds that mean what words mean.

    Args:
        relations: makes the anchors of relations.
        kinds: makes those of kinds.
    """

    def __init__(self, schema: Schema, similarity: Similarity, relations: RelationLexicon, kinds: KindLexicon) -> None:
        self.schema = schema
        self.similarity = similarity
        self._relations = relations
        self._kinds = kinds
        self._relation_labels = [info.label for info in schema.relations]

    def _is_foreign(self, question: QuestionWords, first: int, last: int, relation: int) -> bool:
        """Whether words are known to mean something else than a relation is named after: what eats has no weight."""
        known = vocabulary.get_related_stems()
        stems = {word.stem for word in question.words[first:last]} & known.keys()
        meant = stems.union(*(known[stem] for stem in stems))
        return bool(stems) and not meant & set(self.schema.relations[relation].stems)

    def _is_modified_name(self, question: QuestionWords, first: int, last: int, relation: int) -> bool:
        """Whether some of the words name a relation and others do not: in "weight of American", the relation weight
        does not explain "American", which must be read otherwise or count as unread.
        """
        content = {word.stem for word in question.words[first:last] if word.text not in STOP}
        matched = content & set(self.schema.relations[relation].stems)
        return bool(matched) and matched != content

    def find_similar(self, question: QuestionWords, known: list[Anchor], cued: set[int]) -> list[Anchor]:
        """Relations and kinds that mean what words mean whose form nothing has."""
        if self.similarity.encode is None:
            return []
        named_words = {n for a in known if a.category == "R" and a.extra.quality > 0.45 for n in range(a.first, a.last)}
        kinds = {n for a in known if a.extra == "kind" for n in range(a.first, a.last)}
        fully = {n for a in known if a.extra == "ends" and a.features[1][1] >= FULLY for n in range(a.first, a.last)}
        hubs = {n for a in known if a.extra == "hub" for n in range(a.first, a.last)}
        sure = {
            n for a in known if a.extra == "node" and dict(a.features).get("e.capital") for n in range(a.first, a.last)
        }
        sure |= {n for quantity in question.quantities for n in range(quantity.first, quantity.last)}
        sure |= {a.first for a in known if "opposite" in dict(a.features)}
        exact = {
            n
            for a in known
            if (a.extra == "node" and dict(a.features).get("e.exact")) or (a.extra == "hub" and a.last - a.first > 1)
            for n in range(a.first, a.last)
        }
        content = [
            n
            for n, w in enumerate(question.words)
            if w.text not in STOP | LIGHT and w.text != "'s" and n not in cued and n not in sure
        ]
        spans = [(n, n + 1) for n in content]
        spans += [(n, n + 2) for n in content if n + 1 in content]
        spans += [
            (n, n + 3) for n in content if n + 2 in content and n + 1 not in cued and question.words[n + 1].text in STOP
        ]
        if not spans:
            return []
        schema = self.schema
        texts = [" ".join(word.text for word in question.words[a:b]) for a, b in spans]
        targets = vocabulary.find_target_words(question)
        anchors: list[Anchor] = []
        with_relation = self.similarity.compare_phrases(texts, "relations", self._relation_labels)
        with_kind = self.similarity.compare_phrases(texts, "kinds", self._kinds.labels)
        for row, (first, last) in enumerate(spans):
            if any(n in exact for n in range(first, last)) and (last > first + 1 or first not in targets):
                continue
            if not all(n in named_words for n in range(first, last)):
                cosines = with_relation[row]
                if schema.listing is not None:
                    cosines[schema.listing] = -1.0
                for relation in np.argsort(-cosines, kind="stable")[:3].tolist():
                    if self._is_modified_name(question, first, last, relation):
                        continue
                    if cosines[relation] >= (_KIND_OR_RELATION if {*range(first, last)} <= kinds else RELATION_SIM):
                        cosine = float(cosines[relation])
                        foreign = self._is_foreign(question, first, last, relation)
                        features = (
                            ("r", 1.0), ("r.similar", cosine), ("r.target", float(first in targets)),
                            ("r.foreign", float(foreign)),
                        )  # fmt: skip
                        anchors += self._relations.make_relation_anchors(first, last, relation, 0.6 * cosine, features)
            if self._kinds.nodes and not any(n in kinds | exact | fully for n in range(first, last)):
                cosines = with_kind[row]
                if last == first + 1 and first in targets and not {first} & (named_words | exact | hubs):
                    anchors.append(self._kinds.make_wider_kind(first, cosines))
                for kind_index in np.argsort(-cosines, kind="stable")[:2].tolist():
                    if cosines[kind_index] >= _KIND_SIM:
                        similar: Features = (("k", 1.0), ("k.similar", float(cosines[kind_index])))
                        anchors.append(
                            self._kinds.make_kind_anchor(
                                first, last, self._kinds.nodes[kind_index], similar, 0.5 * float(cosines[kind_index])
                            )
                        )
        return anchors
