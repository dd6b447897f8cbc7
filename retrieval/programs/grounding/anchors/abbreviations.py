"""Anchors that are nodes called by a part of their name: by its beginning, by capitals, by words that a text holds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.english import SEXES, STOP
from retrieval.language.words import QuestionWords, get_label_stems
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Entities, Walk
from retrieval.programs.grounding.anchors.anchor import Anchor, is_near
from retrieval.programs.grounding.anchors.names import NODES
from retrieval.programs.grounding.anchors.similarity import RELATION_SIM

if TYPE_CHECKING:
    from retrieval.kg.snapshot.labels import Match
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Letters of a word that may stand for a longer name, and texts that hold a word, at most.
_PART, _HOLDING = 4, 100
#: Words that begin a name, words more that it may have, and letters of a given name.
_BEGUN, _LONGER, _GIVEN = 4, 4, 3
#: A word this near to a relation means it.
_MEANT = 0.6
#: Letters of what is short for one word, and letters that a plural leaves out.
_CAPITALS, _CUT = 5, 4
#: Values of a relation that leads to single letters, at most.
_LETTERS = 8
#: Features of what has a value that a word is short for.
_OWNED = (("h", 1.0), ("h.words", 0.0), ("h.plural", 1.0))
_PARTICLES = get_words("words_left_out_of_abbreviations")


class Shortened:
    """Finds the nodes that words are short for, over one graph.

    Args:
        schema: of the graph.
        similarity: of words and names.
    """

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot
        self._similarity = similarity

    @cached_property
    def _initials(self) -> dict[int, dict[str, int]]:
        """By relation that leads to single letters only, the node of each letter in lower case."""
        initials: dict[int, dict[str, int]] = {}
        for info in self.schema.relations:
            if 1 < info.tails <= _LETTERS and info.facts > info.tails:
                nodes = self.schema.columns.list_targets(info.id).tolist()
                letters = {self.snapshot.get_entity_label(node).casefold(): node for node in nodes}
                if len(letters) == len(nodes) and all(len(letter) == 1 and letter.isalpha() for letter in letters):
                    initials[info.id] = letters
        return initials

    def find_name_beginnings(self, question: QuestionWords, known: list[Anchor]) -> list[Anchor]:
        """Nodes whose names words begin, as people call each other and short for long: "lucy" of Lucy Park, "red door"
        of the Red Door Players. Words alone must be none that asks or that the graph has for something else.
        """
        taken = {n for a in known if a.extra == "node" for n in range(a.first, a.last)}
        alone = {
            a.first for a in known if a.last == a.first + 1 and a.category != "R" and a.extra not in ("ends", "starts")
        }
        anchors: list[Anchor] = []
        for first in range(len(question.words)):
            for last in range(min(len(question.words), first + _BEGUN), first, -1):
                span = range(first, last)
                words = question.words[first:last]
                if taken & set(span) or any(word.text in STOP for word in (words[0], words[-1])):
                    continue
                if last - first == 1 and (first in alone or self._has_a_sense(words[0].text, words[0].stem)):
                    continue
                matches = self._match_name_beginning(normalize_name(question.get_span_text(first, last)))
                if not matches and len(words[-1].text) > _PART and words[-1].text.endswith("s"):
                    matches = self._match_name_beginning(
                        normalize_name(question.get_span_text(first, last)).removesuffix("s")
                    )
                for place, match in enumerate(matches):
                    features = (
                        ("e", 1.0),
                        ("e.part", 1.0),
                        ("e.words", last - first - 1.0),
                        ("e.place", float(place)),
                    )
                    anchors.append(Anchor("S", first, last, Entities((match.entity,)), "node", features, 0.8))
                if matches:
                    taken |= set(span)
                    break
        return anchors

    def find_containing_texts(self, question: QuestionWords, known: list[Anchor]) -> list[Anchor]:
        """All texts that hold words which nothing else explains: "garboard plank", of "replace garboard plank"."""
        taken = {
            n for a in known if ((a.extra in ("node", "hub", "kind") or a.category not in "SR") and not is_near(a))
            or dict(a.features).get("r.similar", 0.0) >= _MEANT or "r.related" in dict(a.features)
            for n in range(a.first, a.last)
        } | {n for quantity in question.quantities for n in range(quantity.first, quantity.last)}  # fmt: skip
        anchors: list[Anchor] = []
        for length in range(_BEGUN, 0, -1):
            for first in range(len(question.words) - length + 1):
                words = question.words[first : first + length]
                if taken & set(range(first, first + length)) or {words[0].text, words[-1].text} & STOP:
                    continue
                if length == 1 and (len(words[0].text) <= _PART or self._has_a_sense(words[0].text, words[0].stem)):
                    continue
                if length == 1:
                    anchors += self._find_longer_names(first, words[0].text)
                nodes = self._find_texts_containing(normalize_name(question.get_span_text(first, first + length)))
                if nodes:
                    taken |= set(range(first, first + length))
                    features = (("e.ends", 1.0), ("e.words", length - 1.0))
                    anchors.append(Anchor("S", first, first + length, Entities(nodes), "hub", features, 0.8))
        return anchors

    def _find_longer_names(self, index: int, word: str) -> list[Anchor]:
        """What a plural cuts short that several things share: "noctuids", of the Noctuidae."""
        name = normalize_name(word.removesuffix("s"))
        if name == word or len(name) <= _PART:
            return []
        labels = self.snapshot.labels
        low, high = labels.names.find_prefix_range(name.encode())
        names = [] if high - low > NODES else [labels.names[row] for row in range(low, high)]
        if len(names) != 1 or " " in names[0] or len(names[0]) - len(name) > _CUT:
            return []
        return self._find_owners(index, names[0])

    def _find_texts_containing(self, phrase: str) -> tuple[int, ...]:
        """Texts of which nothing is said that hold a phrase, ascending; none where that are many."""
        offsets = self.snapshot.out_offsets
        matches = self.snapshot.labels.find_containing(phrase, _HOLDING)
        nodes = {
            match.entity for match in matches
            if f" {phrase} " in f" {normalize_name(match.node.label)} "
            and offsets[match.entity] == offsets[match.entity + 1] and match.entity not in self.schema.kinds
            and not self.schema.columns.kinds[match.entity]
        }  # fmt: skip
        return tuple(sorted(nodes)) if len(nodes) < _HOLDING else ()

    def find_abbreviations(self, question: QuestionWords, known: set[int]) -> list[Anchor]:
        """What stands for a word by its beginning or its consonants: ELEC for electrical, PLMB for plumbing, and the
        value "carni" of several things for carnivores.
        """
        anchors: list[Anchor] = []
        for index, word in enumerate(question.words):
            if index in known or len(word.text) <= _PART or not word.text.isalpha() or word.text in STOP:
                continue
            for place, match in enumerate(self._match_abbreviation(word.text)):
                features = (("e", 1.0), ("e.alias", 1.0), ("e.place", float(place)))
                anchors.append(Anchor("S", index, index + 1, Entities((match.entity,)), "node", features, 0.7))
                anchors += self._find_owners(index, match.node.label)
        return anchors

    def find_initials(self, question: QuestionWords, known: set[int]) -> list[Anchor]:
        """The things whose value is the initial of a word: female employees, by the gender F.

        Nothing else explains the word, and its meaning is near to the relation's name.
        """
        words = [n for n, word in enumerate(question.words) if n not in known and word.text not in STOP]
        relations = list(self._initials) if words else []
        names = [self.schema.relations[relation].label for relation in relations]
        texts = [SEXES.get(question.words[index].text, question.words[index].text) for index in words]
        cosines = self._similarity.compare_phrases(texts, "initials", names)
        anchors: list[Anchor] = []
        for row, index in enumerate(words):
            for column, relation in enumerate(relations):
                node = self._initials[relation].get(texts[row][0])
                if node is not None and len(texts[row]) > 1 and cosines[row, column] >= RELATION_SIM:
                    owners = Walk(Entities((node,)), self.schema.get_inverse(relation))
                    anchors.append(Anchor("S", index, index + 1, owners, "hub", _OWNED, 0.7))
        return anchors

    def _find_owners(self, index: int, name: str) -> list[Anchor]:
        """The things that have this value: carnivores, of "carni"."""
        hubs = self.schema.hubs.get(get_label_stems(name), [])
        return [
            Anchor(
                "S", index, index + 1, Walk(Entities((node,)), self.schema.get_inverse(relation)), "hub", _OWNED, 0.7
            )
            for node, relation, _ in hubs[:1]
            if relation != self.schema.type_relation
        ]

    def _match_abbreviation(self, word: str) -> list[Match]:
        for kept in range(len(word) - 1, _GIVEN - 1, -1):
            without = word[0] + "".join(c for c in word[1:] if c not in "aeiou")
            for short in (word[:kept], without[:kept]):
                matches = [m for m in self.snapshot.labels.find_exact(short) if self._is_short_form(m)]
                if matches:
                    return matches[:NODES]
        return []

    def _is_short_form(self, match: Match) -> bool:
        """Whether a name may abbreviate a word: a short one in capitals, or a value that several things share."""
        label, offsets = match.node.label, self.snapshot.out_offsets
        is_value = offsets[match.entity] == offsets[match.entity + 1] and match.degree > 1
        return (label.isupper() and len(label) <= _CAPITALS) or (
            len(label) >= _PART and is_value and match.entity not in self.schema.kinds
        )

    def _has_a_sense(self, text: str, stem: str) -> bool:
        """Whether a word is English for something, or the graph's for a relation or a kind."""
        schema = self.schema
        known = (
            stem in schema.by_stem or stem in schema.kind_stems or (stem,) in schema.induced or (stem,) in schema.hubs
        )
        return known or len(text) < _GIVEN or not text.isalpha()

    def _match_name_beginning(self, name: str) -> list[Match]:
        """Things that are called so in full: a few, which something is said of, by names a few words longer."""
        labels = self.snapshot.labels
        low, high = labels.names.find_prefix_range(f"{name} ".encode())
        if not name or high - low > 2 * NODES:
            return []
        longer = [
            text
            for text in map(labels.names.__getitem__, range(low, high))
            if len(text.split()) - len(name.split()) < _LONGER
        ]
        matches = {match.entity: match for text in longer for match in labels.find_exact(text)}
        candidates = [
            match for match in matches.values()
            if match.entity not in self.schema.kinds and not self.schema.columns.kinds[match.entity]
            and all(map(_is_of_a_name, match.node.label.split()))
        ]  # fmt: skip
        return sorted(candidates, key=lambda match: -match.degree) if len(candidates) <= NODES else []


def _is_of_a_name(word: str) -> bool:
    return word[0].isupper() or not word[0].isalpha() or word in _PARTICLES
