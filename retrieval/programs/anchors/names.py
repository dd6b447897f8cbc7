"""Anchors that are nodes: by name and alias, as adjectives of places, in part, or spelt alike."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.labels import normalise
from retrieval.programs import lexicon
from retrieval.programs.algebra import Entities, Walk
from retrieval.programs.anchors.anchor import Anchor, is_near
from retrieval.programs.lexicon import STOP
from retrieval.programs.words import Question, stems_of

if TYPE_CHECKING:
    from retrieval.kg.snapshot.labels import Match
    from retrieval.programs.schema import Schema

_LONGEST_NAME = 8
#: Meanings of one stretch of words that are kept.
NODES = 4
_DEMONYM = 5
#: Letters of an abbreviation, and names of a graph whose initials are known.
_INITIALS, _ABBREVIATED = range(2, 6), 50_000
#: Letters of a word that may stand for a longer name.
_PART = 4
#: Words that begin a name, words more that it may have, and letters of a given name.
_BEGUN, _LONGER, _GIVEN = 4, 4, 3
#: A word this near to a relation means it.
_MEANT = 0.6
#: Letters of what is short for one word, and letters that a plural leaves out.
_CAPITALS, _CUT = 5, 4
_PARTICLES = frozenset({
    "and", "at", "by", "da", "de", "del", "der", "di", "for", "in", "la", "le", "of", "on", "the", "to", "van", "von",
    "with",
})  # fmt: skip
#: Nodes whose names end alike, at most.
_ENDING = 100
_DEMONYM_ENDINGS = ("an", "ese", "ish", "ian", "ic", "ist", "i")


class Names:
    """Finds the nodes that words name, over one graph."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot

    def of(self, question: Question, cued: set[int]) -> list[Anchor]:
        """Nodes by name; ``cued`` are the words that ask for an operator."""
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
                if _is_determiner(question, first, last):
                    continue
                name = normalise(question.span_text(first, last))
                matches = labels.lookup(name)
                if (first, last) in numbers and (first, last) not in question.quoted:
                    matches = [match for match in matches if not self._measured(match.entity)]
                if not matches:
                    matches = labels.lookup(lexicon.ABBREVIATIONS.get(name, ""))
                if not matches and last - first == 1:
                    matches = self._of_initials(question.span_text(first, last))
                if not matches and last - first == 1:
                    matches = self._demonym(name) or labels.lookup(lexicon.SEXES.get(name, ""))
                if (
                    not matches
                    and own[-1].text.endswith("s")
                    and last - first <= 3
                    and not self._is_kind(question, first, last)
                ):
                    matches = labels.lookup(name.removesuffix("s"))
                matches = [match for match in matches if match.entity not in self.schema.kinds]
                for place, match in enumerate(matches[:NODES]):
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
            elif not whole[low]:  # "Remco Evenepoel Belgian": a name, and a place's adjective
                found += self._partly(question, low, whole.index(True, low))
        return found

    def _is_kind(self, question: Question, first: int, last: int) -> bool:
        """Whether words in the plural are a kind of the graph, or, where nothing else is said, those that several are:
        moons, senior engineers.
        """
        words, schema = question.words[first:last], self.schema
        stems = tuple(word.stem for word in words)
        if any(word.capital for word in words[-1:]):
            return False
        alone = all(word.text in STOP for word in (*question.words[:first], *question.words[last:]))
        kind = len(stems) == 1 and stems[0] in schema.kind_stems
        return kind or stems in schema.induced or (alone and stems in schema.hubs)

    def _measured(self, node: int) -> bool:
        """Whether a node is nothing but a number, date or time that relations of values lead to."""
        snapshot, columns = self.snapshot, self.schema.columns
        if not columns.kinds[node] or snapshot.out_offsets[node + 1] > snapshot.out_offsets[node]:
            return False
        relations = snapshot.in_groups.of_entity(node)[0]
        return all(columns.value_type(int(relation)) is not None for relation in relations)

    def _of_initials(self, text: str) -> list[Match]:
        """What capitals are short for: "CEO", of a Chief Executive Officer."""
        if len(text) not in _INITIALS or not (text.isalpha() and text.isupper()):
            return []
        return [
            match
            for name in self._initials.get(text.lower(), ())
            for match in self.snapshot.labels.lookup(name)
        ]

    @cached_property
    def _initials(self) -> dict[str, list[str]]:
        """By their initials, names of some words; of a graph of many names none."""
        found: dict[str, list[str]] = {}
        names = self.snapshot.labels.names
        for name in names if len(names) <= _ABBREVIATED else ():
            words = name.split(" ")
            if len(words) in _INITIALS and all(word[:1].isalpha() for word in words):
                found.setdefault("".join(word[0] for word in words), []).append(name)
        return found

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

    def states(self, question: Question) -> list[Anchor]:
        """States by another word for them, where the graph has none by this one: "finished", of ``completed``."""
        found: list[Anchor] = []
        for first, last in _short_stretches(question):
            words = question.words[first:last]
            name = " ".join(word.text for word in words)
            groups = [group for group in lexicon.STATES if name in group]
            named = any(word.capital or word.stem in self.schema.by_stem for word in words)
            if not groups or named or self.snapshot.labels.lookup(name):
                continue
            matches = [
                match
                for other in sorted(set[str]().union(*groups) - {name})
                for match in self.snapshot.labels.lookup(other)
                if match.entity not in self.schema.kinds
                and self.snapshot.out_offsets[match.entity] == self.snapshot.out_offsets[match.entity + 1]
            ]
            found += [
                Anchor(
                    "S", first, last, Entities((match.entity,)), "node",
                    (("e", 1.0), ("e.alias", 1.0), ("e.place", float(place))), 0.7,
                )
                for place, match in enumerate(matches[:NODES])
            ]  # fmt: skip
        return found

    def in_part(self, question: Question, known: set[int]) -> list[Anchor]:
        """Nodes whose name ends in a word that nothing else explains, "penguin" of the king penguin; of a plural all of
        them: "wind farms".
        """
        found: list[Anchor] = []
        for at, word in enumerate(question.words):
            if (
                at
                and not word.capital
                and not {at - 1, at} <= known
                and question.words[at - 1].text not in STOP
            ):
                found += self._ending(question, at - 1, at + 1)
            if at in known or word.text in STOP or len(word.text) < _PART:
                continue
            every = self._ending(question, at, at + 1)
            found += every
            for name in dict.fromkeys((normalise(word.text), normalise(word.text.removesuffix("s")))):
                matches = self._ends(name)[:NODES]
                if matches:
                    found += [
                        Anchor(
                            "S", at, at + 1, Entities((match.entity,)), "node",
                            (("e", 1.0), ("e.end", 1.0), ("e.place", float(place))), 0.6,
                        )
                        for place, match in enumerate(matches)
                    ]  # fmt: skip
                    break
        return found

    def begun(self, question: Question, found: list[Anchor]) -> list[Anchor]:
        """Nodes whose names words begin, as people call each other and short for long: "lucy" of Lucy Park, "red door"
        of the Red Door Players. Words alone must be none that asks or that the graph has for something else.
        """
        taken = {n for a in found if a.extra == "node" for n in range(a.first, a.last)}
        alone = {
            a.first
            for a in found
            if a.last == a.first + 1 and a.category != "R" and a.extra not in ("ends", "starts")
        }
        made: list[Anchor] = []
        for first in range(len(question.words)):
            for last in range(min(len(question.words), first + _BEGUN), first, -1):
                own = range(first, last)
                words = question.words[first:last]
                if taken & set(own) or any(word.text in STOP for word in (words[0], words[-1])):
                    continue
                if last - first == 1 and (first in alone or self._has_a_sense(words[0].text, words[0].stem)):
                    continue
                matches = self._beginning(normalise(question.span_text(first, last)))
                if not matches and len(words[-1].text) > _PART and words[-1].text.endswith("s"):
                    matches = self._beginning(normalise(question.span_text(first, last)).removesuffix("s"))
                for place, match in enumerate(matches):
                    features = (
                        ("e", 1.0),
                        ("e.part", 1.0),
                        ("e.words", last - first - 1.0),
                        ("e.place", float(place)),
                    )
                    made.append(Anchor("S", first, last, Entities((match.entity,)), "node", features, 0.8))
                if matches:
                    taken |= set(own)
                    break
        return made

    def within(self, question: Question, found: list[Anchor]) -> list[Anchor]:
        """All texts that hold words which nothing else explains: "garboard plank", of "replace garboard plank"."""
        taken = {
            n for a in found if ((a.extra in ("node", "hub", "kind") or a.category not in "SR") and not is_near(a))
            or dict(a.features).get("r.similar", 0.0) >= _MEANT
            for n in range(a.first, a.last)
        } | {n for own in question.quantities for n in range(own.first, own.last)}  # fmt: skip
        made: list[Anchor] = []
        for length in range(_BEGUN, 0, -1):
            for first in range(len(question.words) - length + 1):
                words = question.words[first : first + length]
                if taken & set(range(first, first + length)) or {words[0].text, words[-1].text} & STOP:
                    continue
                if length == 1 and (
                    len(words[0].text) <= _PART or self._has_a_sense(words[0].text, words[0].stem)
                ):
                    continue
                if length == 1:
                    made += self._longer(first, words[0].text)
                nodes = self._holding(normalise(question.span_text(first, first + length)))
                if nodes:
                    taken |= set(range(first, first + length))
                    features = (("e.ends", 1.0), ("e.words", length - 1.0))
                    made.append(Anchor("S", first, first + length, Entities(nodes), "hub", features, 0.8))
        return made

    def _longer(self, at: int, word: str) -> list[Anchor]:
        """What a plural cuts short that several things share: "noctuids", of the Noctuidae."""
        name = normalise(word.removesuffix("s"))
        if name == word or len(name) <= _PART:
            return []
        labels = self.snapshot.labels
        low, high = labels.names.prefix_range(name.encode())
        names = [] if high - low > NODES else [labels.names[row] for row in range(low, high)]
        if len(names) != 1 or " " in names[0] or len(names[0]) - len(name) > _CUT:
            return []
        hubs = self.schema.hubs.get(stems_of(names[0]), [])
        features = (("h", 1.0), ("h.words", 0.0), ("h.plural", 1.0))
        return [
            Anchor(
                "S", at, at + 1, Walk(Entities((node,)), self.schema.inverse(relation)), "hub", features, 0.7
            )
            for node, relation, _ in hubs[:1]
            if relation != self.schema.type_relation
        ]

    def _holding(self, phrase: str) -> tuple[int, ...]:
        """Texts of which nothing is said that hold a phrase, ascending; none where that are many."""
        offsets = self.snapshot.out_offsets
        matches = self.snapshot.labels.containing(phrase, _ENDING)
        nodes = {
            match.entity for match in matches
            if f" {phrase} " in f" {normalise(match.node.label)} "
            and offsets[match.entity] == offsets[match.entity + 1] and match.entity not in self.schema.kinds
            and not self.schema.columns.kinds[match.entity]
        }  # fmt: skip
        return tuple(sorted(nodes)) if len(nodes) < _ENDING else ()

    def shortened(self, question: Question, known: set[int]) -> list[Anchor]:
        """What capitals are short for that begin a word, or are its consonants: ELEC is electrical, PLMB plumbing."""
        found: list[Anchor] = []
        for at, word in enumerate(question.words):
            if at in known or len(word.text) <= _PART or not word.text.isalpha() or word.text in STOP:
                continue
            for place, match in enumerate(self._capitals_of(word.text)):
                features = (("e", 1.0), ("e.alias", 1.0), ("e.place", float(place)))
                found.append(Anchor("S", at, at + 1, Entities((match.entity,)), "node", features, 0.7))
        return found

    def _capitals_of(self, word: str) -> list[Match]:
        for kept in range(min(len(word) - 1, _CAPITALS), _GIVEN - 1, -1):
            without = word[0] + "".join(c for c in word[1:] if c not in "aeiou")
            for short in (word[:kept], without[:kept]):
                own = [m for m in self.snapshot.labels.lookup(short) if m.node.label.isupper()]
                if own:
                    return own[:NODES]
        return []

    def _has_a_sense(self, text: str, stem: str) -> bool:
        """Whether a word is English for something, or the graph's for a relation or a kind."""
        schema = self.schema
        known = (
            stem in schema.by_stem
            or stem in schema.kind_stems
            or (stem,) in schema.induced
            or (stem,) in schema.hubs
        )
        return known or len(text) < _GIVEN or not text.isalpha()

    def _beginning(self, name: str) -> list[Match]:
        """Things that are called so in full: a few, which something is said of, by names a few words longer."""
        labels = self.snapshot.labels
        low, high = labels.names.prefix_range(f"{name} ".encode())
        if not name or high - low > 2 * NODES:
            return []
        longer = [
            text
            for text in map(labels.names.__getitem__, range(low, high))
            if len(text.split()) - len(name.split()) < _LONGER
        ]
        matches = {match.entity: match for text in longer for match in labels.lookup(text)}
        found = [
            match for match in matches.values()
            if match.entity not in self.schema.kinds and not self.schema.columns.kinds[match.entity]
            and all(map(_is_of_a_name, match.node.label.split()))
        ]  # fmt: skip
        return sorted(found, key=lambda match: -match.degree) if len(found) <= NODES else []

    def _ends(self, name: str) -> list[Match]:
        matches = self.snapshot.labels.containing(name, _ENDING)
        return [match for match in matches if normalise(match.node.label).endswith(f" {name}")]

    def _ending(self, question: Question, first: int, last: int) -> list[Anchor]:
        """All nodes whose names end in words, where these are a plural."""
        name = normalise(question.span_text(first, last))
        nodes = self._ends(name.removesuffix("s")) if name.endswith("s") and not name.endswith("ss") else []
        if len(nodes) < 2:
            return []
        program = Entities(tuple(sorted(match.entity for match in nodes)))
        features = (("e.ends", 1.0), ("e.words", last - first - 1.0))
        return [Anchor("S", first, last, program, "hub", features, 0.8)]

    def _partly(self, question: Question, first: int, last: int) -> list[Anchor]:
        """Nodes whose name holds the words of a stretch, or is spelt like it."""
        name = normalise(question.span_text(first, last))
        matches = self.snapshot.labels.containing(name, NODES)
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


def _is_of_a_name(word: str) -> bool:
    return word[0].isupper() or not word[0].isalpha() or word in _PARTICLES


def _short_stretches(question: Question) -> list[tuple[int, int]]:
    """Stretches of one or two words."""
    return [
        (n, n + length)
        for n in range(len(question.words))
        for length in (1, 2)
        if n + length <= len(question.words)
    ]


def _is_determiner(question: Question, first: int, last: int) -> bool:
    """Whether a "no" says that there are none of what follows: "lots that have no score"."""
    alone = last == first + 1 and question.words[first].text == "no" and last < len(question.words)
    return alone and not question.words[first].capital and (first, last) not in question.quoted


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
