"""What the words of a question may stand for in a graph: nodes, kinds, relations, quantities, operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.kg.snapshot.labels import normalise
from retrieval.programs import lexicon
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import Comparison, Entities, Having, Program, ValueKind, Walk
from retrieval.programs.lexicon import STOP, Adjective
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.kg.snapshot.labels import Match
    from retrieval.programs.schema import Schema

#: Texts to unit vectors, float32 [n, d].
Encode = Callable[[Sequence[str]], np.ndarray]

Features = tuple[tuple[str, float], ...]

_LONGEST_NAME, _LONGEST_RELATION = 8, 5
#: Meanings of one stretch of words that are kept, of each sort.
_NODES, _RELATIONS, _KINDS = 4, 6, 4
_DEMONYM = 5
#: Relations that "where" and "when" may mean.
_ASKED = 40
_DEMONYM_ENDINGS = ("an", "ese", "ish", "ian", "ic", "i")
_PLACES = frozenset(
    map(
        vocabulary.stem,
        [
            "city",
            "country",
            "state",
            "location",
            "place",
            "located",
            "region",
            "address",
            "continent",
            "street",
            "town",
            "county",
            "room",
            "building",
            "hometown",
            "origin",
            "venue",
            "headquarters",
            "nationality",
            "birth",
        ],
    )
)
#: Cosines below these say nothing.
_RELATION_SIM, _KIND_SIM = 0.40, 0.50


@dataclass(slots=True)
class Anchor:
    """What words [first, last) may stand for.

    ``category`` is one of the parser's (``retrieval.programs.composition``); ``extra`` belongs to the category.
    """

    category: str
    first: int
    last: int
    program: Program | None = None
    extra: Any = None
    features: Features = ()
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Relating:
    """A relation that words name: its forward id and how well they do."""

    relation: int
    quality: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """A superlative or ordinal: what it compares (None: anything), the large end or not, place and number of places."""

    adjective: Adjective
    largest: bool
    rank: int = 1
    count: int = 1


@dataclass(frozen=True, slots=True)
class Comparing:
    """A comparison without its other side: the operator, or for an adjective whether the large end is meant."""

    comparison: Comparison | None
    adjective: Adjective | None = None
    up: bool = True


@dataclass(slots=True)
class Similarity:
    """How alike words and names are by the text encoder; without one nothing is.

    Attributes:
        encode: texts to unit vectors, or None.
    """

    encode: Encode | None
    _names: dict[str, np.ndarray] = field(default_factory=dict)

    def vectors(self, key: str, names: Sequence[str]) -> np.ndarray:
        """Vectors of a graph's names, kept under ``key``."""
        if key not in self._names:
            self._names[key] = (
                self.encode(list(names)) if self.encode and names else np.zeros((len(names), 1), np.float32)
            )
        return self._names[key]

    def against(self, phrases: Sequence[str], key: str, names: Sequence[str]) -> np.ndarray:
        """Cosines of phrases with names, float32 [phrases, names]."""
        if self.encode is None or not phrases or not names:
            return np.zeros((len(phrases), len(names)), np.float32)
        cosines: np.ndarray = self.encode(list(phrases)) @ self.vectors(key, names).T
        return cosines


class Anchors:
    """Finds the anchors of questions over one graph.

    Args:
        schema: of the graph.
        similarity: of words and names.
    """

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot
        self.similarity = similarity
        self._adjectives: dict[tuple[tuple[str, bool], ...], list[tuple[int, bool, float]]] = {}
        self._relation_labels = [info.label for info in schema.relations]
        self._kind_nodes = sorted(schema.kinds)
        self._kind_labels = [self.snapshot.entity_label(node) for node in self._kind_nodes]

    def of(self, question: Question, given: Sequence[int] = ()) -> list[Anchor]:
        """All anchors of a question, in no particular order."""
        found = [*self._quantities(question), *self._cues(question)]
        cued = {n for anchor in found if anchor.category != "N" for n in range(anchor.first, anchor.last)}
        found += self._nodes(question, cued)
        found += self._asking_words(question)
        found += _texts(question)
        found += self._relations(question)
        found += self._kinds(question)
        found += self._similar(question, found, cued)
        return _limited(_picked(found, given) if given else found)

    def adjective_relations(self, adjective: Adjective) -> list[tuple[int, bool, float]]:
        """Relations that an adjective may compare: (forward id, large end, quality), best first."""
        if adjective.nouns not in self._adjectives:
            self._adjectives[adjective.nouns] = self._adjective_relations(adjective)
        return self._adjectives[adjective.nouns]

    def _adjective_relations(self, adjective: Adjective) -> list[tuple[int, bool, float]]:
        schema, found = self.schema, dict[int, tuple[bool, float]]()
        for place, (noun, up) in enumerate(adjective.nouns):
            stems = set(vocabulary.stems_of(noun))
            for relation in schema.value_relations:
                own = set(schema.relations[relation].stems)
                shared = len(stems & own)
                if not shared or (stems - own and len(stems) > 1):
                    continue
                quality = shared / len(own) * 0.97**place
                if relation not in found or found[relation][1] < quality:
                    found[relation] = (up, quality)
        if adjective.nouns and schema.value_relations:
            names = [self._relation_labels[r] for r in schema.value_relations]
            cosines = self.similarity.against(
                [noun.replace("_", " ") for noun, _ in adjective.nouns], "values", names
            )
            for at, relation in enumerate(schema.value_relations):
                best = int(cosines[:, at].argmax())
                quality = float(cosines[best, at]) * 0.6 * 0.97**best
                if cosines[best, at] >= _RELATION_SIM and quality > found.get(relation, (True, 0.0))[1]:
                    found[relation] = (adjective.nouns[best][1], quality)
        ranked = sorted(found.items(), key=lambda item: (-item[1][1], item[0]))
        return [(relation, up, quality) for relation, (up, quality) in ranked]

    def _quantities(self, question: Question) -> list[Anchor]:
        return [
            Anchor("N", q.first, q.last, extra=q, features=(("n", 1.0),), strength=1.0)
            for q in question.quantities
        ]

    def _cues(self, question: Question) -> list[Anchor]:
        found: list[Anchor] = []
        taken = [False] * len(question.words)
        for quantity in question.quantities:
            if quantity.last - quantity.first > 1 or not question.words[quantity.first].text.isalpha():
                taken[quantity.first : quantity.last] = [True] * (quantity.last - quantity.first)
        for low, high in question.quoted:
            taken[low:high] = [True] * (high - low)
        n = 0
        while n < len(question.words):
            ends = [n + 1]
            if not taken[n]:
                for end, phrase in vocabulary.phrases(question, n, 5):
                    cues = [] if any(taken[n:end]) else self._cue(question, n, end, phrase)
                    if cues:
                        found += cues
                        ends.append(end)
                        break
            n = max(ends)
        return found

    def _cue(self, question: Question, first: int, last: int, phrase: str) -> list[Anchor]:
        def anchor(category: str, extra: object, name: str, strength: float = 1.0) -> Anchor:
            return Anchor(
                category, first, last, extra=extra, features=((f"cue.{name}", 1.0),), strength=strength
            )

        found: list[Anchor] = []
        if phrase in lexicon.COMPARISONS:
            adjective, up = lexicon.COMPARATIVES.get(phrase.removesuffix(" than"), (None, True))
            plain = adjective is None or not adjective.nouns
            comparison = lexicon.COMPARISONS[phrase] if plain else None
            found.append(anchor("C", Comparing(comparison, adjective, up), "comparison"))
            if not phrase.endswith("than") and phrase in lexicon.COMPARATIVES:
                found.append(anchor("U", Ranking(*lexicon.COMPARATIVES[phrase]), "comparative"))
        elif phrase in lexicon.SUPERLATIVES:
            found.append(anchor("U", Ranking(*lexicon.SUPERLATIVES[phrase]), "superlative"))
        elif phrase in lexicon.COMPARATIVES or (
            phrase.endswith(" than") and phrase.removesuffix(" than") in lexicon.COMPARATIVES
        ):
            adjective, up = lexicon.COMPARATIVES[phrase.removesuffix(" than")]
            found.append(anchor("C", Comparing(None, adjective, up), "comparative"))
            if not phrase.endswith("than"):
                found.append(anchor("U", Ranking(adjective, up), "comparative"))
        elif phrase in lexicon.COUNTS:
            found.append(anchor("Q", None, "count", 0.4 if phrase == "number" else 1.0))
        elif phrase in lexicon.FOLDINGS:
            found.append(anchor("A", lexicon.FOLDINGS[phrase], lexicon.FOLDINGS[phrase].value))
        elif phrase in lexicon.NEGATIONS:
            found.append(anchor("X", None, "negation"))
        elif phrase in lexicon.SAME:
            found.append(anchor("M", None, "same"))
        elif last == first + 1 and phrase in lexicon.ORDINALS:
            place = lexicon.ORDINALS[phrase]
            found.append(anchor("O", place, "ordinal"))
            early = lexicon.SUPERLATIVES["earliest"]
            found.append(anchor("U", Ranking(early[0], early[1], place), "ordinal"))
        elif phrase in lexicon.POSITIVES and first and question.words[first - 1].text == "how":
            for relation, _, quality in self.adjective_relations(lexicon.POSITIVES[phrase])[:_RELATIONS]:
                features = (("r", 1.0), ("r.adjective", quality))
                found.append(
                    Anchor(
                        "R", first, last, extra=Relating(relation, quality), features=features, strength=0.8
                    )
                )
        elif phrase == "or":
            found.append(Anchor("I", first, last, features=(("cue.or", 1.0),), strength=0.5))
        return found

    def _nodes(self, question: Question, cued: set[int]) -> list[Anchor]:
        labels, found = self.snapshot.labels, list[Anchor]()
        texts = [normalise(word.text) for word in question.words]
        whole = [False] * len(texts)
        numbers = {(q.first, q.last) for q in question.quantities}
        for first in range(len(texts)):
            for last in range(min(len(texts), first + _LONGEST_NAME), first, -1):
                own = question.words[first:last]
                if last - first == 1 and (own[0].text in STOP or len(own[0].text) < 2) and not own[0].capital:
                    continue
                if (
                    all(word.text in STOP for word in own)
                    or own[0].text in ("'s",)
                    or own[-1].text in ("'s", "the")
                ):
                    continue
                name = normalise(question.span_text(first, last))
                matches = labels.lookup(name)
                if (first, last) in numbers and (first, last) not in question.quoted:
                    matches = [match for match in matches if not self._measured(match.entity)]
                if not matches and last - first == 1:
                    matches = self._demonym(name)
                if not matches and own[-1].text.endswith("s") and last - first <= 3:
                    matches = labels.lookup(name.removesuffix("s"))
                matches = [match for match in matches if match.entity not in self.schema.kinds]
                for place, match in enumerate(matches[:_NODES]):
                    capital = any(word.capital for word in own)
                    quoted = (first, last) in question.quoted
                    features = [
                        ("e", 1.0), (f"e.{match.source}", 1.0), ("e.words", min(last - first, 4) - 1.0),
                        ("e.capital", float(capital)), ("e.quoted", float(quoted)), ("e.place", float(place)),
                        ("e.cue", float(any(n in cued for n in range(first, last)))),
                    ]  # fmt: skip
                    found.append(
                        Anchor("S", first, last, Entities((match.entity,)), "node", tuple(features), 1.0)
                    )
                    whole[first:last] = [True] * (last - first)
        for low, high in [*question.quoted, *_capital_runs(question)]:
            if not any(whole[low:high]):
                found += self._partly(question, low, high)
        return found

    def _measured(self, node: int) -> bool:
        """Whether a node is nothing but a number, date or time that relations of values lead to."""
        snapshot, columns = self.snapshot, self.schema.columns
        if not columns.kinds[node] or snapshot.out_offsets[node + 1] > snapshot.out_offsets[node]:
            return False
        relations = snapshot.in_groups.of_entity(node)[0]
        return all(columns.value_type(int(relation)) is not None for relation in relations)

    def _demonym(self, word: str) -> list[Match]:
        """Places that an adjective is of: "African", "German"."""
        labels = self.snapshot.labels
        if word in lexicon.DEMONYMS:
            return labels.lookup(lexicon.DEMONYMS[word])
        if len(word) < _DEMONYM or word in STOP or not word.removesuffix("s").endswith(_DEMONYM_ENDINGS):
            return []
        for kept in range(len(word) - 1, max(_DEMONYM - 2, len(word) - 4), -1):
            low, high = labels.names.prefix_range(word[:kept].encode())
            names = [labels.names[row] for row in range(low, min(high, low + 50))]
            near = [name for name in names if len(name) <= kept + 3 and " " not in name and name != word]
            found = [match for name in near for match in labels.lookup(name)]
            if found:
                return sorted(found, key=lambda match: -match.degree)
        return []

    def _asking_words(self, question: Question) -> list[Anchor]:
        """Relations that "where" and "when" may ask for."""
        found: list[Anchor] = []
        for n, word in enumerate(question.words):
            if word.text not in ("where", "when"):
                continue
            for info in self.schema.relations:
                kind = self.schema.columns.value_type(info.id)
                dated = kind is not None and (kind.year or kind.kind is not ValueKind.NUMBER)
                if dated if word.text == "when" else kind is None and set(info.stems) & _PLACES:
                    features = (("r", 1.0), (f"r.{word.text}", 1.0))
                    found.append(
                        Anchor(
                            "R",
                            n,
                            n + 1,
                            extra=Relating(info.id, 0.3 + info.facts * 1e-9),
                            features=features,
                            strength=0.25,
                        )
                    )
        return found

    def _partly(self, question: Question, first: int, last: int) -> list[Anchor]:
        """Nodes whose name holds the words of a stretch, or is spelt like it."""
        name = normalise(question.span_text(first, last))
        matches = self.snapshot.labels.containing(name, _NODES)
        sort = "part"
        if not matches and len(name) >= 4:
            matches, sort = self.snapshot.labels.fuzzy(name, 2), "fuzzy"
        return [
            Anchor(
                "S",
                first,
                last,
                Entities((match.entity,)),
                "node",
                (("e", 1.0), (f"e.{sort}", match.score), ("e.place", float(place))),
                0.8,
            )
            for place, match in enumerate(matches)
        ]

    def _relations(self, question: Question) -> list[Anchor]:
        schema, found = self.schema, list[Anchor]()
        content = [word.text not in STOP for word in question.words]
        for first in range(len(content)):
            for last in range(min(len(content), first + _LONGEST_RELATION), first, -1):
                if not (content[first] and content[last - 1]) and last - first > 1:
                    continue
                own = {
                    w.stem for w, c in zip(question.words[first:last], content[first:last], strict=True) if c
                }
                if last - first == 1:
                    own = {question.words[first].stem}
                if not own or (
                    question.words[first].text in STOP
                    and question.words[first].text not in ("name", "names", "type", "kind")
                ):
                    continue
                held = [set(schema.by_stem.get(stem, ())) for stem in own]
                for relation in sorted(set.intersection(*held)) if held else []:
                    stems = schema.relations[relation].stems
                    total = sum(schema.word_weights[s] for s in stems)
                    recall = sum(schema.word_weights[s] for s in set(stems) & own) / total
                    found += self._relating(first, last, relation, recall, (("r", 1.0), ("r.recall", recall)))
        return found

    def _relating(
        self, first: int, last: int, relation: int, quality: float, features: Features
    ) -> list[Anchor]:
        """A relation, and the set of what it leads to."""
        strength = 0.5 * quality + 0.3
        relating = Anchor(
            "R", first, last, extra=Relating(relation, quality), features=features, strength=strength
        )
        ends = Anchor(
            "S",
            first,
            last,
            Having(self.schema.inverse(relation)),
            "ends",
            (("s.ends", 1.0), ("s.ends.quality", quality)),
            strength,
        )
        found = [relating, ends]
        true = self.schema.truths.get(relation)
        if true is not None:
            program = Walk(Entities((true,)), self.schema.inverse(relation))
            features = (("s.flag", 1.0), ("s.flag.quality", quality))
            found.append(Anchor("S", first, last, program, "flag", features, strength))
        parts = re.split(r"\s(?:in|of|on|at|by)\s", self.schema.relations[relation].label.casefold())
        if len(parts) == 2:
            found.append(
                Anchor(
                    "S",
                    first,
                    last,
                    Having(relation),
                    "starts",
                    (("s.starts", 1.0), ("s.starts.quality", quality)),
                    strength,
                )
            )
        return found

    def _kinds(self, question: Question) -> list[Anchor]:
        schema, found = self.schema, list[Anchor]()
        for first in range(len(question.words)):
            if question.words[first].text in STOP:
                continue
            for last in range(min(len(question.words), first + 4), first, -1):
                own = [w.stem for w in question.words[first:last] if w.text not in STOP]
                if question.words[last - 1].text in STOP or not own:
                    continue
                relation_of = schema.induced.get(tuple(own))
                if relation_of is not None:
                    features: Features = (("i", 1.0), ("i.words", float(len(own))))
                    found.append(Anchor("S", first, last, Having(relation_of), "kind", features, 0.9))
                held = [set(schema.kind_stems.get(stem, ())) for stem in own]
                for node in sorted(set.intersection(*held)):
                    stems = vocabulary.stems_of(self.snapshot.entity_label(node))
                    recall = len(set(own) & set(stems)) / len(set(stems))
                    last_word = 1.0 if stems and stems[-1] in own else 0.0
                    features = (("k", 1.0), ("k.recall", recall), ("k.head", last_word))
                    found.append(self._kind(first, last, node, features, 0.5 + 0.4 * recall))
                for node, relation, size in schema.hubs.get(tuple(own), [])[:_KINDS]:
                    if relation == schema.type_relation:
                        continue
                    features = (
                        ("h", 1.0),
                        ("h.size", float(np.log10(size))),
                        ("h.plural", float(question.words[last - 1].text.endswith("s"))),
                    )
                    program = Walk(Entities((node,)), schema.inverse(relation))
                    found.append(Anchor("S", first, last, program, "hub", features, 0.8))
        return found

    def _kind(self, first: int, last: int, node: int, features: Features, strength: float) -> Anchor:
        relation = self.schema.type_relation
        assert relation is not None
        program = Walk(Entities((node,)), self.schema.inverse(relation))
        return Anchor("S", first, last, program, "kind", features, strength)

    def _similar(self, question: Question, known: list[Anchor], cued: set[int]) -> list[Anchor]:
        """Relations and kinds that mean what words mean whose form nothing has."""
        if self.similarity.encode is None:
            return []
        named = {
            n for a in known if a.category == "R" and a.extra.quality > 0.45 for n in range(a.first, a.last)
        }
        kinds = {n for a in known if a.extra == "kind" for n in range(a.first, a.last)}
        sure = {
            n
            for a in known
            if a.category in "N" or (a.extra == "node" and dict(a.features).get("e.capital"))
            for n in range(a.first, a.last)
        }
        content = [
            n for n, w in enumerate(question.words) if w.text not in STOP and n not in cued and n not in sure
        ]
        spans = [(n, n + 1) for n in content]
        spans += [(n, n + 2) for n in content if n + 1 in content]
        spans += [
            (n, n + 3)
            for n in content
            if n + 2 in content and n + 1 not in content and question.words[n + 1].text in STOP
        ]
        if not spans:
            return []
        texts = [" ".join(word.text for word in question.words[a:b]) for a, b in spans]
        targets = vocabulary.targets(question)
        found: list[Anchor] = []
        with_relation = self.similarity.against(texts, "relations", self._relation_labels)
        with_kind = self.similarity.against(texts, "kinds", self._kind_labels)
        for row, (first, last) in enumerate(spans):
            if not all(n in named for n in range(first, last)):
                cosines = with_relation[row]
                for relation in np.argsort(-cosines, kind="stable")[:3].tolist():
                    if cosines[relation] >= _RELATION_SIM:
                        own = float(cosines[relation])
                        features = (("r", 1.0), ("r.similar", own), ("r.target", float(first in targets)))
                        found += self._relating(first, last, relation, 0.6 * own, features)
            if self._kind_nodes and not any(n in kinds for n in range(first, last)):
                cosines = with_kind[row]
                for at in np.argsort(-cosines, kind="stable")[:2].tolist():
                    if cosines[at] >= _KIND_SIM:
                        similar: Features = (("k", 1.0), ("k.similar", float(cosines[at])))
                        found.append(
                            self._kind(first, last, self._kind_nodes[at], similar, 0.5 * float(cosines[at]))
                        )
        return found


def _texts(question: Question) -> list[Anchor]:
    """Texts that names or values are to hold: "containing 'limits'", "starting with C"."""
    found: list[Anchor] = []
    for pattern, how in lexicon.TEXT_MATCHES:
        whole = (
            rf"\b{pattern}\s+(?:the\s+)?(?:(?:words?|letters?|phrase|substring|text)\s+)?"
            rf"(?:['\"‘“](?P<a>[^'\"’”]+)['\"’”]|(?P<b>[A-Z])\b)"
        )
        for match in re.finditer(
            whole, question.text, re.IGNORECASE if "'" in question.text or '"' in question.text else 0
        ):
            inside = [
                n
                for n, word in enumerate(question.words)
                if word.start >= match.start() and word.end <= match.end()
            ]
            if inside:
                text = match["a"] or match["b"]
                found.append(
                    Anchor(
                        "G",
                        inside[0],
                        inside[-1] + 1,
                        extra=(how, text),
                        features=(("text", 1.0),),
                        strength=1.0,
                    )
                )
    return found


def _capital_runs(question: Question) -> list[tuple[int, int]]:
    """Stretches of capitalised words, the first word of the question left out where it only begins the sentence."""
    runs: list[tuple[int, int]] = []
    first = None
    for n, word in enumerate([*question.words, None]):
        capital = word is not None and word.capital and not (n == 0 and word.text in STOP)
        if capital and first is None:
            first = n
        elif not capital and first is not None:
            runs.append((first, n))
            first = None
    return runs


def _picked(anchors: list[Anchor], given: Sequence[int]) -> list[Anchor]:
    """The anchors without other meanings of the words whose meaning somebody picked."""
    picked = {Entities((entity,)) for entity in given}
    taken = {n for a in anchors if a.program in picked for n in range(a.first, a.last)}
    return [
        a for a in anchors
        if a.program in picked or a.category != "S" or not any(n in taken for n in range(a.first, a.last))
    ]  # fmt: skip


def _limited(anchors: list[Anchor]) -> list[Anchor]:
    """The best meanings of each stretch, of each sort; of the same meaning the best reading."""
    limits = {
        "R": 2 * _RELATIONS,
        "kind": _KINDS,
        "hub": _KINDS,
        "ends": 4,
        "starts": 3,
        "flag": 3,
        "node": _NODES,
    }
    found: dict[tuple[int, int, str], list[Anchor]] = {}
    for anchor in anchors:
        sort = anchor.extra if anchor.category == "S" else anchor.category
        found.setdefault((anchor.first, anchor.last, str(sort)), []).append(anchor)
    kept: list[Anchor] = []
    for (_, _, sort), own in found.items():
        own.sort(key=lambda anchor: -(anchor.strength - dict(anchor.features).get("e.place", 0.0) * 0.01))
        seen, chosen = set(), []
        for anchor in own:
            key = (
                anchor.category,
                anchor.program,
                anchor.extra if anchor.category != "R" else anchor.extra.relation,
            )
            if key not in seen:
                seen.add(key)
                chosen.append(anchor)
        asking = sort == "R" and own[0].features[-1][0] in ("r.where", "r.when")
        kept += chosen[: _ASKED if asking else limits.get(sort, 8)]
    return kept
