"""Anchors that are what something lacks: who is alive has no date of death, a vacant flat no tenant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language import words as vocabulary
from retrieval.lexicon import get_pairs
from retrieval.programs.algebra.operations import Entities, Except, Having, Walk
from retrieval.programs.grounding.anchors.anchor import Anchor

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.schema import Schema

_OPPOSITES = get_pairs("opposites")
"""Adjectives of what lacks something, and what that is; words with "un" before a participle are another such."""

_OWED = frozenset({"outstanding", "owed", "owing", "unpaid"})
_LACKING = re.compile(r"un|non-?|in|dis")
"""What turns a word into what it is not; all but the first before words of what is said yes or no of."""


class Lacking:
    """Finds what adjectives leave out."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def find_anchors(self, question: QuestionWords) -> list[Anchor]:
        """What adjectives leave out: who is alive has no date of death, what is unsold no buyer."""
        anchors, schema = list[Anchor](), self.schema
        for index, word in enumerate(question.words):
            prefix = _LACKING.match(word.text)
            lacked = _OPPOSITES.get(word.text) or (word.text[prefix.end() :] if prefix else "")
            if not lacked or word.stem in schema.by_stem or word.capital:
                continue
            lacked_stem = vocabulary.get_stem(lacked)
            relations = [relation for near in (lacked_stem, *sorted(vocabulary.get_related_stems().get(lacked_stem,
            ()))) for relation in
                     schema.by_stem.get(near, ())]  # fmt: skip
            if (prefix and prefix[0] != "un") or lacked == "working":  # who is broken may have work
                relations = [relation for relation in relations if relation in schema.truths]
            anchors += [] if relations else self._find_vacancies(index, lacked_stem)
            for place, relation in enumerate(dict.fromkeys(relations)):
                features: Features = (("not", 1.0), ("opposite", 0.8**place))
                if word.text in _OWED and schema.measures.amounts:  # what is to be paid and was not
                    owed = Except(Having(schema.measures.amounts[0]), Having(relation))
                    flag_features = (("s.flag", 1.0), ("s.flag.quality", 1.0), *features[1:])
                    anchors.append(Anchor("S", index, index + 1, owed, "flag", flag_features, 0.9))
                if relation in schema.truths:  # unpaid is what "paid" says no of
                    anchors.append(self._make_negated_flag(index, relation, features))
                    continue
                anchors.append(Anchor("Y", index, index + 1, Having(relation), "having", features, 0.9))
        return anchors

    def _find_vacancies(self, index: int, stem: str) -> Iterator[Anchor]:
        """What things of a kind have, of which others are without any: a vacant flat is no tenant's."""
        schema = self.schema
        called = [
            kind
            for kind in schema.kinds
            if vocabulary.get_label_stems(schema.snapshot.get_entity_label(kind)) == (stem,)
        ]
        if len(called) != 1 or schema.type_relation is None:
            return
        members = Walk(Entities((called[0],)), schema.get_inverse(schema.type_relation))
        for info in schema.relations:
            owners = find_common(schema.columns.list_sources(info.id), schema.list_members(called[0]))
            if info.id != schema.type_relation and schema.columns.get_value_type(info.id) is None and len(owners):
                had = Walk(members, info.id)
                yield Anchor("Y", index, index + 1, had, "having", (("not", 1.0), ("opposite", 1.0)), 0.9)

    def _make_negated_flag(self, index: int, relation: int, features: Features) -> Anchor:
        """What a relation says no of; where nothing says no, all but what it says yes of."""
        back, no = self.schema.get_inverse(relation), self.schema.untruths.get(relation)
        if no is not None:
            flag_features = (("s.flag", 1.0), ("s.flag.quality", 1.0), *features[1:])
            return Anchor("S", index, index + 1, Walk(Entities((no,)), back), "flag", flag_features, 0.9)
        yes = Walk(Entities((self.schema.truths[relation],)), back)
        return Anchor("Y", index, index + 1, yes, "flag", features, 0.9)
