"""How alike words and a graph's names are, and which relations an adjective compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language import words as vocabulary
from retrieval.language.adjectives import SUPERLATIVES, Adjective
from retrieval.language.amounts import ValueKind
from retrieval.language.english import PERIODICAL, TEMPORAL
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

#: Texts to unit vectors, float32 [n, d]; [0, d] where there are too many to be encoded while somebody waits.
Encode = Callable[[Sequence[str]], np.ndarray]

#: Cosines below this say nothing of a relation.
RELATION_SIM = 0.40
#: The same of what would turn an adjective round: the best seller by bars has most, though a place may be a bar.
_TURNED = 0.5
#: How well a date whose name says nothing tells what is new or old.
ANY_DATE = 0.2
#: What stands before what a thing has.
_OWNING = get_words("have_forms") | {"with"}
#: Dimensions of what some attributes are measured in; numbers without a unit may be anything.
_MEASURED = {
    "weight": ("", "mass"),
    "height": ("", "length"),
    "elevation": ("", "length"),
    "depth": ("", "length"),
    "width": ("", "length"),
    "length": ("", "length", "duration"),
    "speed": ("", "speed"),
    "price": ("", "money"),
    "age": ("", "duration"),
}
#: What adjectives compare that are said of nothing else: the cheapest, the heaviest.
_ALONE = frozenset({"price", "weight"})
#: Stems of what was paid for things that are sold again, how much less a price that is, and what is surely one.
_BOUGHT, _LESS, _PRICED = (
    frozenset(map(vocabulary.get_stem, ("cost", "purchase", "buying", "wholesale"))),
    0.8,
    0.45,
)


@dataclass(slots=True)
class Similarity:
    """How alike words and names are by the text encoder; without one nothing is.

    Attributes:
        encode: texts to unit vectors, or None.
    """

    encode: Encode | None
    _names: dict[str, np.ndarray] = field(default_factory=dict)

    def get_vectors(self, key: str, names: Sequence[str]) -> np.ndarray:
        """Vectors of a graph's names, kept under ``key``; none, [0, d], before an index has so many."""
        if key in self._names:
            return self._names[key]
        encoded = self.encode(list(names)) if self.encode and names else np.zeros((len(names), 1), np.float32)
        if len(encoded) == len(names):
            self._names[key] = encoded
        return encoded

    def compare_phrases(self, phrases: Sequence[str], key: str, names: Sequence[str]) -> np.ndarray:
        """Cosines of phrases with names, float32 [phrases, names]."""
        if self.encode is None or not phrases or not names:
            return np.zeros((len(phrases), len(names)), np.float32)
        known = self.get_vectors(key, names)
        if len(known) < len(names):
            return np.zeros((len(phrases), len(names)), np.float32)
        cosines: np.ndarray = self.encode(list(phrases)) @ known.T
        return cosines


class Adjectives:
    """The relations that adjectives compare, over one graph."""

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self.schema = schema
        self.similarity = similarity
        self._found: dict[tuple[tuple[str, bool], ...], list[tuple[int, bool, float]]] = {}

    @cached_property
    def ranking_names(self) -> list[tuple[str, ...]]:
        """Names of relations of several words, of which the first ranks things elsewhere: ``best before``."""
        names = {tuple(info.label.casefold().split()) for info in self.schema.relations}
        return [name for name in names if len(name) > 1 and name[0] in SUPERLATIVES and name[1] in TEMPORAL]

    def is_rate_name(self, question: vocabulary.QuestionWords, behind: int) -> bool:
        """Whether "per" or "each" and the word behind it are of a relation's name: the price per skein, the monthly fee
        of "how much each month".
        """
        following_stem = question.words[behind].stem if behind < len(question.words) else ""
        counts = question.kind == "how many"
        periodical = PERIODICAL.get(question.words[behind].text) if behind < len(question.words) else None
        return any(
            "per" in label_words or (not counts and periodical in label_words)
            for relation in self.schema.by_stem.get(following_stem, ())
            if (label_words := set(self.schema.relations[relation].label.casefold().split()))
        )

    def find_heading(self, question: vocabulary.QuestionWords, first: int, last: int) -> tuple[str, int]:
        """The relation of numbers that a superlative itself names, and where its words end: ``longest`` or ``longest
        runway (ft)`` in "which airport has the longest runway"; empty where there is none.
        """
        before = [word.text for word in question.words[max(0, first - 2) : first]]
        if before[-1:] != ["the"] or before[0] not in _OWNING:
            return "", last
        phrase = [word.text for word in question.words[first:last]]
        noun = question.words[last].stem if last < len(question.words) else ""
        for relation in self.schema.value_relations:
            label = vocabulary.remove_unit(self.schema.relations[relation].label)
            words = label.casefold().split()
            if words[: len(phrase)] == phrase and vocabulary.get_label_stems(label)[len(phrase) :] in ((), (noun,)):
                return label, last + 1 if noun else last
        return "", last

    def is_of_another(self, adjective: Adjective, relation: int) -> bool:
        """Whether a relation has a unit that an adjective measures nothing in: the cheapest has no least volume."""
        noun = adjective.nouns[0][0] if adjective.nouns else ""
        measured = _MEASURED[noun] if noun in _ALONE else None  # a price is high, too
        kind, unit = (
            self.schema.columns.get_value_type(relation),
            self.schema.columns.parse_named_unit(relation),
        )
        dimension = (unit and unit.dimension) or (kind and kind.dimension)
        return measured is not None and bool(dimension) and dimension not in measured

    def find_relations(self, adjective: Adjective) -> list[tuple[int, bool, float]]:
        """Relations that an adjective may compare: (forward id, large end, quality), best first."""
        if adjective.nouns not in self._found:
            self._found[adjective.nouns] = self._rank_relations(adjective)
        return self._found[adjective.nouns]

    def _rank_relations(self, adjective: Adjective) -> list[tuple[int, bool, float]]:
        schema, comparable = self.schema, dict[int, tuple[bool, float]]()
        temporal = any(noun == "date" for noun, _ in adjective.nouns)
        for place, (noun, up) in enumerate(adjective.nouns):
            stems = set(vocabulary.get_label_stems(noun))
            for relation in schema.value_relations:
                relation_stems = set(schema.relations[relation].stems)
                shared = len(stems & relation_stems)
                if not shared or (stems - relation_stems and len(stems) > 1):
                    continue
                quality = shared / len(relation_stems) * 0.97**place
                if relation not in comparable or comparable[relation][1] < quality:
                    comparable[relation] = (up, quality)
        if adjective.nouns and schema.value_relations:
            names = [schema.relations[r].label for r in schema.value_relations]
            cosines = self.similarity.compare_phrases(
                [noun.replace("_", " ") for noun, _ in adjective.nouns], "values", names
            )
            measured = _MEASURED.get(adjective.nouns[0][0])
            for column, relation in enumerate(schema.value_relations):
                kind = schema.columns.get_value_type(relation)
                if temporal and not self._has_dates(relation, aged=any(noun == "age" for noun, _ in adjective.nouns)):
                    continue  # what is new has no high price
                if measured is not None and kind is not None and kind.dimension not in measured:
                    continue  # a price is no weight
                if measured is not None and kind is not None and kind.kind is not ValueKind.NUMBER and not temporal:
                    continue  # what is long has no late deadline
                best = int(cosines[:, column].argmax())
                quality = float(cosines[best, column]) * 0.6 * 0.97**best
                least = RELATION_SIM if adjective.nouns[best][1] else _TURNED
                if cosines[best, column] >= least and quality > comparable.get(relation, (True, 0.0))[1]:
                    comparable[relation] = (adjective.nouns[best][1], quality)
        for relation in schema.value_relations if temporal else ():
            if relation not in comparable and self._has_dates(relation):
                comparable[relation] = (dict(adjective.nouns)["date"], ANY_DATE)
        bought = {r for r in comparable if _BOUGHT & set(schema.relations[r].stems)}
        if (
            adjective.nouns[:1]
            and adjective.nouns[0][0] == "price"
            and max((quality for r, (_, quality) in comparable.items() if r not in bought), default=0.0) > _PRICED
        ):  # what is dear has a high price for those who buy it
            comparable |= {r: (comparable[r][0], comparable[r][1] * _LESS) for r in bought}
        ranked = sorted(comparable.items(), key=lambda item: (-item[1][1], item[0]))
        return [(relation, up, quality) for relation, (up, quality) in ranked]

    def _has_dates(self, relation: int, *, aged: bool = False) -> bool:
        """Whether values are dates, years or times, or ages where these tell."""
        kind = self.schema.columns.get_value_type(relation)
        ages = aged and "age" in self.schema.relations[relation].stems
        return kind is not None and (kind.year or kind.kind is not ValueKind.NUMBER or ages)
